# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""What the name of a bone says by itself: its part of the body, its side, whether it only helps.

The words are those of Rigify, Mixamo, Unreal, VRM, MakeHuman, Auto-Rig Pro, CMU, Rokoko, Daz, Character
Creator, 3ds Max and the plain ones of anatomy.
"""

import re

from .role import FINGERS

_TOKEN = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])|\d+")
_SIDES = {"l": "L", "left": "L", "r": "R", "right": "R"}
_NOISE = set(
    "def org bip bone jnt joint skeleton mixamorig valve biped j c cc base f x bend stretch sk char".split()
)
_PLACES = set("proximal intermediate medial distal upper lower".split())
# Bones that turn with others, are drawn on or hold something: no part of a body.
HELPERS = set(
    "twist roll end nub leaf site ik fk pole target ctrl control helper tweak mch wgt vis master parent "
    "share heel prop weapon socket attach face".split()
)
_OTHERS = HELPERS | set("breast eye ear jaw tongue lip brow hair skirt bust sec cape adj".split())
_WORDS = {
    "head": "head",
    "neck": "neck lowerneck upperneck",
    "spine": "spine trunk chest upperchest abdomen lowerabdomen upperabdomen torso lowerback back waist",
    "clavicle": "clavicle collar collarbone clav scapula",
    "shoulder": "shoulder shldr",
    "upper_arm": "upperarm uparm arm humerus armupper",
    "forearm": "forearm lowerarm loarm elbow armlower",
    "hand": "hand wrist",
    "palm": "palm metacarpal carpal",
    "hips": "hips",
    "pelvis": "pelvis buttock",
    "thigh": "thigh upleg upperleg femur legupper",
    "leg": "leg",
    "shin": "shin calf lowerleg loleg knee tibia leglower crus",
    "foot": "foot ankle",
    "toe": "toe toes toebase ball bigtoe metatarsal metatarsals",
    "tail": "tail",
    "thumb": "thumb handthumb",
    "index": "index handindex",
    "middle": "middle mid handmiddle",
    "ring": "ring handring",
    "pinky": "pinky little handpinky handlittle",
    "finger": "finger fingers fingerbase",
}
_PART_OF = {word: part for part, words in _WORDS.items() for word in words.split()}
_FRONT, _HIND = {"front", "fore"}, {"hind", "rear", "back"}
# What a front leg's bones are, and a shoulder in front and behind.
_HOMOLOGOUS = {"thigh": "upper_arm", "leg": "upper_arm", "shin": "forearm", "foot": "hand", "toe": "finger"}
_IN_FRONT, _BEHIND = {**_HOMOLOGOUS, "shoulder": "clavicle"}, {"shoulder": "pelvis"}
_ANIMAL = set("hoof paw wing fin beak feather mane hind forefoot antenna mandible".split())


def side_of(name: str) -> str:
    """Return "L" or "R", or nothing for a bone in the middle."""
    tokens = _tokens(name)
    spelt = [token for token in tokens if token in {"left", "right"}]
    told = (_SIDES[token] for token in spelt or reversed(tokens) if token in _SIDES)
    return next(told, _side_stuck_on(tokens))


def other_side(name: str) -> str:
    """Return the same key for a bone and for its counterpart on the other side."""
    side = side_of(name)
    return " ".join("*" if _SIDES.get(token) == side else token for token in _tokens(name)) if side else ""


def finger_of(name: str) -> int:
    """Return which finger a bone belongs to, 1 the index, 4 the little one; 0 if its name does not tell."""
    part = part_of(name)
    return FINGERS.index(part) if part in FINGERS else 0


def is_helper(name: str) -> bool:
    """Return whether the bone only turns with others, or ends a chain."""
    return bool(HELPERS & set(_tokens(name)))


def twists(name: str) -> bool:
    """Return whether the name says that the bone takes a part of a limb's twist."""
    return "twist" in _tokens(name)


def is_animal(name: str) -> bool:
    """Return whether no human has such a part; a "ForeArm" is a human's."""
    tokens = _tokens(name)
    in_front = bool(_FRONT & set(tokens)) and "forearm" not in "".join(tokens)
    return bool(_ANIMAL & set(tokens)) or (in_front and bool(part_of(name)))


def part_of(name: str, keep_twist: bool = False) -> str:
    """Return the part that the name alone tells: one of a Role, or "leg", "shoulder" or "finger".

    ``keep_twist``: a bone that twists is what it twists.
    """
    tokens = [token for token in _tokens(name) if token.isalpha()]
    if (_OTHERS - ({"twist"} if keep_twist else set())) & set(tokens):
        return ""
    words = [token for token in tokens if token not in _SIDES and token not in _NOISE and token != "twist"]
    if {"hip", "joint"} <= set(tokens):
        return "pelvis"
    if "metacarpal" in tokens:
        return "palm"
    word = "".join(words)
    if word in {"hip", "pelvis"}:
        return ("thigh" if word == "hip" else "pelvis") if side_of(name) else "hips"
    part = _known(words) or _known([token for token in words if token not in _PLACES])
    part = part or _of_an_animal(words) or _PART_OF.get(_without_side(word), "")
    return _finger(name, tokens) if part == "finger" else part


def _known(words: list[str]) -> str:
    """Return the part that the last words mean, as many as do; before them a character's name may stand."""
    joined = ["".join(words[first:]) for first in range(len(words))]
    if set(words) & (_FRONT | _HIND):
        joined = joined[:1]
    return next(filter(None, map(_PART_OF.get, joined)), "")


def _of_an_animal(words: list[str]) -> str:
    if not set(words) & (_FRONT | _HIND) or len(words) < 2:
        return ""
    part = _PART_OF.get("".join(word for word in words if word not in _FRONT | _HIND), "")
    return (_IN_FRONT if set(words) & _FRONT else _BEHIND).get(part, part)


def _finger(name: str, tokens: list[str]) -> str:
    """Return which finger it is: from 1, the thumb, if the joint is told too; 3ds Max counts from 0."""
    numbers = [token for token in _tokens(name) if token.isdigit()]
    if "bip" in tokens and numbers:
        return FINGERS[int(numbers[-1][0])] if int(numbers[-1][0]) < 5 else "finger"
    told = len(numbers) == 2 or bool(_PLACES & set(tokens))
    return FINGERS[int(numbers[0]) - 1] if numbers and told and 1 <= int(numbers[0]) <= 5 else "finger"


def _side_stuck_on(tokens: list[str]) -> str:
    return next((token[0].upper() for token in tokens if _without_side(token) != token), "")


def _without_side(word: str) -> str:
    """Return "hand" for "lhand", as some motion capture files have it, and other words as they are."""
    return word[1:] if word[:1] in {"l", "r"} and word not in _PART_OF and word[1:] in _PART_OF else word


def _tokens(name: str) -> list[str]:
    return [token.lower() for token in _TOKEN.findall(name.rpartition(":")[2])]
