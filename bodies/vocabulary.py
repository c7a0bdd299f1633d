# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""The words of which names of bones are made, and how a name comes apart into them.

English words are those of Rigify, Mixamo, Unreal, VRM, MakeHuman, Auto-Rig Pro, CMU, Rokoko, Daz, Character
Creator, 3ds Max and the plain ones of anatomy. After them come Spanish, Portuguese, Italian, French, German,
Russian, Chinese, Japanese (as in MikuMikuDance) and Korean ones.
"""

import re
from functools import lru_cache
from unicodedata import combining, normalize

# Ideographs and Hangul; kana stand beside ideographs in one word.
_EASTERN = r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7a3]"
_TOKEN = re.compile(
    # A side stuck on an abbreviation that is capital itself, as in LUArm, is a word of its own.
    r"(?<![A-Z])[LR](?=[A-Z][A-Z][a-z])|[A-Z]?[a-z]+|[A-Z]+(?![a-z])|\d+"
    rf"|왼쪽|오른쪽|[左右捩]|(?:(?![左右捩]){_EASTERN})+|[^\W\d_A-Za-z]+"
)
_BRACKETS = re.compile(r"\s*\[[^\[\]]*\]$")
_SIDES = {
    "L": "l left lf lft izq izquierda izquierdo esquerda esquerdo sx sinistra sinistro gauche links linke "
    "linker левая левый левое 左 왼쪽",
    "R": "r right rt rgt der derecha derecho direita direito dx destra destro droite droit rechts rechte "
    "rechter правая правый правое 右 오른쪽",
}
_WORDS = {
    "head": "head skull cabeza cabeca testa tete kopf голова 头 头部 頭 頭部 머리",
    "neck": "neck lowerneck upperneck cuello pescoco collo cou hals nacken шея 颈 颈部 脖子 頸 首 목",
    "spine": "spine trunk chest upperchest abdomen lowerabdomen upperabdomen torso lowerback back waist "
    "columna espina espalda pecho coluna peito colonna spina petto colonne poitrine torse wirbelsaule "
    "wirbelsaeule wirbel brust rucken ruecken позвоночник спина грудь 脊柱 脊椎 胸 胸部 上半身 척추 가슴 "
    "허리",
    "clavicle": "clavicle collar collarbone clav scapula clavicula clavicola clavicule schlusselbein "
    "schluesselbein ключица 锁骨 鎖骨 쇄골",
    "shoulder": "shoulder shldr hombro ombro spalla epaule schulter плечо 肩 肩膀 肩部 어깨",
    "upper_arm": "upperarm uparm uarm arm humerus armupper brazo braco braccio bras oberarm 上臂 大臂 腕 "
    "上腕 위팔",
    "forearm": "forearm lowerarm loarm farm elbow armlower radius antebrazo codo antebraco cotovelo "
    "avambraccio gomito avantbras coude unterarm ellbogen предплечье локоть 前臂 小臂 下臂 肘 ひじ 前腕 "
    "아래팔 팔꿈치",
    "hand": "hand wrist mano mao main muneca polso poignet handgelenk кисть запястье 手 手掌 手腕 手首 손 "
    "손목",
    "palm": "palm metacarpal carpal",
    "hips": "hips caderas quadris anche hanches таз 臀部 臀 髋 骨盆 盆骨 骨盤 下半身 골반",
    # Of one side it is a thigh, or what bears it; else the hips.
    "hip": "hip cadera quadril anca hanche hufte huefte",
    "pelvis": "pelvis buttock bacino bassin becken",
    "thigh": "thigh upleg uleg upperleg femur legupper muslo coxa coscia cuisse oberschenkel бедро 大腿 "
    "허벅지",
    "leg": "leg pierna perna gamba jambe bein 腿 足",
    "shin": "shin calf shank lowerleg loleg knee tibia tibiotarsus leglower crus pantorrilla rodilla canela "
    "panturrilha joelho polpaccio ginocchio mollet genou unterschenkel wade knie голень колено 小腿 膝盖 膝 "
    "ひざ 종아리 무릎",
    "foot": "foot ankle tarsus tarsometatarsus pie tobillo tornozelo piede caviglia pied cheville fuss "
    "knochel стопа лодыжка 脚 脚掌 脚踝 足首 足部 발 발목",
    "toe": "toe toes toebase ball bigtoe metatarsal metatarsals orteil orteils zeh zehe zehen носок "
    "пальцыноги 脚趾 脚尖 足先 つま先 발가락",
    "tail": "tail cola cauda coda queue schwanz хвост 尾巴 尾 尻尾 しっぽ 꼬리",
    "thumb": "thumb handthumb thumbfinger pulgar polegar pollice pouce daumen большой 拇指 大拇指 親指 엄지",
    "index": "index handindex indexfinger indice indicador zeigefinger указательный 食指 人指 人差指 검지",
    "middle": "middle mid handmiddle middlefinger medio majeur mittelfinger средний 中指 중지",
    "ring": "ring handring anular anelar anulare annulaire ringfinger безымянный 无名指 無名指 薬指 약지",
    "pinky": "pinky little handpinky handlittle pinkyfinger littlefinger menique minimo mignolo auriculaire "
    "kleinerfinger мизинец 小指 소지",
    "finger": "finger fingers fingerbase",
}


@lru_cache(maxsize=4096)  # each name is asked for many times
def tokens(name: str) -> tuple[str, ...]:
    """Return the words and numbers of a name, without accents, in small letters.

    Brackets behind a name say it again in short, as in "NPC L Thigh [LThg]".
    """
    spelt = name.rpartition(":")[2]
    return tuple(token.lower() for token in _TOKEN.findall(_plain(_BRACKETS.sub("", spelt) or spelt)))


def _plain(text: str) -> str:
    """Return the text without accents, letters and digits of any width as one."""
    apart = normalize("NFKD", text.replace("ß", "ss"))
    return normalize("NFC", "".join(letter for letter in apart if not combining(letter)))


def _by_word(words: dict[str, str]) -> dict[str, str]:
    return {_plain(word): meaning for meaning, text in words.items() for word in text.split()}


SIDES, PART_OF = _by_word(_SIDES), _by_word(_WORDS)
