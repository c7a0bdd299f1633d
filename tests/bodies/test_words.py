# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""Bodies named in other languages, by numbers of segments, with bones beside the body's own."""

from dataclasses import replace

import numpy as np
import pytest
from skeletons import HUMAN
from test_roles_by_name import found, with_names

from bodies import recognise
from bodies.words import part_of, side_of

CORE = "hips spine_1 spine_2 spine_3 neck head clavicle upper_arm forearm hand thigh shin foot toe".split()
# How each language calls the joints of CORE; * is the side as it writes left and right.
LANGUAGES = {
    "Spanish": (
        "Izquierda Derecha",
        "Cadera Columna Columna1 Pecho Cuello Cabeza Clavicula* Brazo* Antebrazo* Mano* Muslo* Pantorrilla* "
        "Pie* x*",
    ),
    "Portuguese": (
        "esquerdo direito",
        "quadril coluna1 coluna2 peito pescoço cabeça ombro_* braço_* antebraço_* mão_* coxa_* canela_* "
        "pé_* x_*",
    ),
    "Italian": (
        "sx dx",
        "bacino spina1 spina2 petto collo testa clavicola_* braccio_* avambraccio_* mano_* coscia_* gamba_* "
        "piede_* x_*",
    ),
    "French": (
        "gauche droite",
        "Hanches Colonne Torse Poitrine Cou Tête Épaule_* Bras_* AvantBras_* Main_* Cuisse_* Jambe_* Pied_* "
        "Orteils_*",
    ),
    "German": (
        "L R",
        "Hüfte Wirbelsäule1 Wirbelsäule2 Brust Hals Kopf Schulter.* Oberarm.* Unterarm.* Hand.* "
        "Oberschenkel.* Unterschenkel.* Fuß.* Zehen.*",
    ),
    "Russian": (
        "левая правая",
        "Таз Позвоночник1 Позвоночник2 Грудь Шея Голова Ключица_* Плечо_* Предплечье_* Кисть_* Бедро_* "
        "Голень_* Стопа_* Носок_*",
    ),
    "Chinese": (
        "左 右",
        "骨盆 脊柱1 脊柱2 胸 脖子 头 *锁骨 *上臂 *前臂 *手 *大腿 *小腿 *脚 *脚趾",
    ),
    "MikuMikuDance": (
        "左 右",
        "下半身 上半身 上半身2 上半身3 首 頭 *肩 *腕 *ひじ *手首 *足 *ひざ *足首 *つま先",
    ),
    "MikuMikuDance in Blender": (
        "L R",
        "下半身 上半身 上半身2 上半身3 首 頭 肩.* 腕.* ひじ.* 手首.* 足.* ひざ.* 足首.* つま先.*",
    ),
    "Korean": (
        "왼쪽 오른쪽",
        "골반 척추1 척추2 가슴 목 머리 *쇄골 *위팔 *아래팔 *손 *허벅지 *종아리 *발 *발가락",
    ),
    "OptiTrack": (
        "L R",
        "Bob_Hip Bob_Ab Bob_Ab2 Bob_Chest Bob_Neck Bob_Head Bob_*Shoulder Bob_*UArm Bob_*FArm Bob_*Hand "
        "Bob_*Thigh Bob_*Shin Bob_*Foot Bob_*Toe",
    ),
    "of one word": (
        "l r",
        "hips spine1 spine2 spine3 neck head *shoulder *arm1 *arm2 *palm *leg1 *leg2 *ankle *toe",
    ),
    "small letters": (
        "left right",
        "hips spine spine1 spine2 neck head *shoulder *arm *forearm *hand *upleg *leg *foot *toebase",
    ),
    "a prefix": (
        "Left Right",
        "Bob_Hips Bob_Spine Bob_Spine1 Bob_Spine2 Bob_Neck Bob_Head Bob_*Shoulder Bob_*Arm Bob_*ForeArm "
        "Bob_*Hand Bob_*UpLeg Bob_*Leg Bob_*Foot Bob_*ToeBase",
    ),
    "joints of animators": (
        "lf rt",
        "pelvis_jnt spine_01_jnt spine_02_jnt spine_03_jnt neck_M head_M *_clav_jnt *_shoulder_jnt "
        "*_elbow_jnt *_wrist_jnt *_hip_jnt *_knee_jnt *_ankle_jnt *_ball_jnt",
    ),
}


def bare():
    """The human without what hangs on hands, feet and head."""
    parts = {name: name.partition(".")[0].replace(" ", "_") for name in HUMAN.names}
    return HUMAN.without(*(name for name, part in parts.items() if part not in CORE))


def named(language):
    """The human in a language, and the role of each of its bones."""
    sides, names = LANGUAGES[language]
    new, roles = {}, {}
    for role, name in zip(CORE, names.split(), strict=True):
        part, _, place = role.rpartition("_") if role[-1].isdigit() else (role, "", "1")
        for side, written in zip("LR", sides.split(), strict=True):
            joint = f"{role}.{side}" if "*" in name else role.replace("_", " ")
            new[joint] = name.replace("*", written)
            roles[new[joint]] = part, side if "*" in name else "", int(place)
    return bare().renamed(new), roles


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_role_is_told_in_other_languages_and_spellings(language):
    skeleton, expected = named(language)
    body = recognise(skeleton.names, skeleton.parents, skeleton.heads)
    assert found(body) == expected
    assert (body.kind, body.is_sure, body.doubtful) == ("human", True, ())


# Bones beside the body's own: whose child, and where.
WORN = {
    "wings": [("wing", "spine 3", (0.1, 0.1, 1.4)), ("wing tip", "wing", (1.2, 0.2, 1.7))],
    "a cape": [("cape", "spine 3", (0.1, 0.12, 1.4)), ("cape tip", "cape", (0.2, 0.25, 0.3))],
    "a skirt": [("skirt", "hips", (0.15, 0.05, 0.95)), ("skirt tip", "skirt", (0.3, 0.1, 0.4))],
    "jiggling": [("bulge", "spine 3", (0.07, -0.1, 1.35)), ("bulge tip", "bulge", (0.08, -0.2, 1.33))],
}
CARRIED = {
    "a sword": [("sword", "hand.R", (-0.75, -0.05, 1.44)), ("tip", "sword", (-0.75, -1.1, 1.44))],
    "a camera": [("camera", None, (0, 3, 1.6)), ("camera aim", "camera", (0, 0, 1.2))],
    "a backpack": [("backpack", "spine 3", (0, 0.3, 1.3))],
    "a tail": [("tail 1", "hips", (0, 0.1, 0.95)), ("tail 2", "tail 1", (0, 0.5, 0.7))],
}


def with_more(skeleton, new, joints):
    for joint, parent, head in joints:
        skeleton = skeleton.joined(joint, new.get(parent, parent), head)
    return skeleton


@pytest.mark.parametrize("what", [*WORN, *CARRIED])
@pytest.mark.parametrize("rig", ["Unreal", "Mixamo"])
def test_what_a_human_wears_or_carries_changes_nothing(what, rig):
    skeleton, expected = with_names(rig)
    name_of = {f"{part}.{side}" if side else part: name for name, (part, side, _) in expected.items()}
    name_of |= {"spine 3": next(name for name, role in expected.items() if role == ("spine", "", 3))}
    more = list(CARRIED.get(what, ()))
    for side, sign in (("L", 1), ("R", -1)):
        for joint, parent, head in WORN.get(what, ()):
            above = f"{parent}.{side}" if parent in {name for name, _, _ in WORN[what]} else parent
            more.append((f"{joint}.{side}", above, np.array(head) * (sign, 1, 1)))
    dressed = with_more(skeleton, name_of, more)
    body = recognise(dressed.names, dressed.parents, dressed.heads)
    assert {name: role for name, role in found(body).items() if role[0] != "tail"} == expected
    assert (body.kind, body.is_sure) == ("human", True)


@pytest.mark.parametrize("rig", ["Unreal", "Mixamo", "Rigify"])
def test_a_bone_that_corrects_a_joint_is_none(rig):
    """It is called after the joint, hangs on it and leads nowhere."""
    skeleton, expected = with_names(rig)
    for part, word in (("shin", "knee"), ("upper_arm", "upperarm"), ("thigh", "thigh")):
        for name, (other, side, _) in expected.items():
            if other == part:
                head = skeleton.heads[skeleton.names.index(name)] + (0, 0.05, 0)
                skeleton = skeleton.joined(f"{word}_{side}", name, head)
    assert found(recognise(skeleton.names, skeleton.parents, skeleton.heads)) == expected


@pytest.mark.parametrize("end", ["end", "Nub"])
def test_what_carries_fingers_ends_no_chain_whatever_its_name(end):
    skeleton, expected = with_names("Unreal")
    new = {f"hand_{side}": f"hand_{side}_{end}" for side in "lr"}
    skeleton = skeleton.renamed(lambda name: new.get(name, name))
    roles = found(recognise(skeleton.names, skeleton.parents, skeleton.heads))
    assert {new[name]: expected[name] for name in new}.items() <= roles.items()


@pytest.mark.parametrize("word", ["wrist_twist", "手捩"])
def test_what_takes_a_hands_twist_on_the_way_to_it_is_of_the_forearm(word):
    skeleton, _ = with_names("Unreal")
    place = dict(zip(skeleton.names, skeleton.heads, strict=True))
    for side in "lr":
        twist, hand, forearm = f"{word}_{side}", f"hand_{side}", f"lowerarm_{side}"
        skeleton = skeleton.joined(twist, forearm, (place[hand] + place[forearm]) / 2)
        parents = [
            twist if name == hand else parent
            for name, parent in zip(skeleton.names, skeleton.parents, strict=True)
        ]
        skeleton = replace(skeleton, parents=tuple(parents))
    body = recognise(skeleton.names, skeleton.parents, skeleton.heads)
    assert (body.bone("hand.L"), body.bone("hand.R")) == ("hand_l", "hand_r")
    assert str(body.roles[f"{word}_l"]) == "forearm.L 2 of 2"


def test_words_without_sides_do_not_tell_a_limb_beside_those_with_sides():
    skeleton, expected = with_names("Mixamo")
    skeleton = skeleton.joined("arm", "mixamorig:Spine2", (0, -0.2, 1.3))
    assert found(recognise(skeleton.names, skeleton.parents, skeleton.heads)) == expected


@pytest.mark.parametrize("rig", ["Unreal", "Mixamo"])
def test_sides_that_no_word_tells_are_told_by_the_shape(rig):
    """Every limb has its words twice, with a letter for the side that is none here."""
    skeleton, expected = with_names(rig)
    sided = {name: role for name, role in expected.items() if role[1]}
    new = {name: f"{part}_{'QX'[side == 'R']}_{place}" for name, (part, side, place) in sided.items()}
    odd = skeleton.renamed(lambda name: new.get(name, name))
    body = recognise(odd.names, odd.parents, odd.heads)
    assert body.kind == "human"
    roles = found(body)
    for name, (part, side, _) in sided.items():
        assert part not in ("hand", "foot") or roles[new[name]][:2] == (part, side)


@pytest.mark.parametrize("rig", ["Unreal", "plain"])
def test_sides_are_told_by_the_shape_where_names_say_left_of_both(rig):
    """As where one half was copied to be the other."""
    skeleton, expected = with_names(rig)
    written = {"Unreal": ("_r", "_l_001"), "plain": ("right_", "left_2_")}[rig]
    new = {name: name.replace(*written) for name in skeleton.names}
    odd = skeleton.renamed(new)
    body = recognise(odd.names, odd.parents, odd.heads)
    assert (body.kind, body.is_sure) == ("human", True)
    limbs = {name: role for name, role in expected.items() if role[0] in ("hand", "foot", "forearm", "shin")}
    assert limbs == {name: found(body)[new[name]] for name in limbs}


def test_the_shape_tells_limbs_of_which_names_tell_something_else():
    """Names tell little of this body, and a shin where none is."""
    new = {
        name: f"q{place}" + name[-2:] * (name[-2:] in (".L", ".R")) for place, name in enumerate(HUMAN.names)
    }
    odd = HUMAN.renamed(new)
    for side in "LR":
        shin = new[f"shin.{side}"]
        odd = odd.joined(f"knee.{side}", shin, odd.heads[odd.names.index(shin)] + (0, 0.05, 0))
    body = recognise(odd.names, odd.parents, odd.heads)
    assert [str(body.roles[new[f"shin.{side}"]]) for side in "LR"] == ["shin.L", "shin.R"]
    assert body.is_sure


@pytest.mark.parametrize("name", ["IndexFinger1_L", "index_finger.L", "LeftIndexFinger2"])
def test_a_finger_may_be_called_one(name):
    assert part_of(name) == "index"


SIDES = {
    "L": ("LUArm", "lefthand", "lf_clav_jnt", "左足", "左ひざ", "Hand_links", "왼쪽손", "Mano_izq"),
    "R": ("Bob_RFArm", "rightforearm", "右手首", "Fuß_rechts", "手.R"),
    "": ("LUKE_arm", "IKRArm", "上半身", "下半身"),
}
TWISTS = ("左腕捩", "手捩.L", "upperarm_twist_01_l")


@pytest.mark.parametrize(("side", "name"), [(side, name) for side in SIDES for name in SIDES[side]])
def test_sides_in_other_languages(side, name):
    assert side_of(name) == side


@pytest.mark.parametrize("name", TWISTS)
def test_what_twists_is_no_part(name):
    assert part_of(name) == ""
    assert part_of(name, keep_twist=True)
