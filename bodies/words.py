# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""What the name of a bone says by itself: its part of the body, its side, whether it only helps."""

from itertools import pairwise

from .role import FINGERS
from .vocabulary import PART_OF, SIDES, tokens

_NOISE = set(
    "def org bip bone jnt joint skeleton mixamorig valve biped j c m cc base f x bend stretch sk char".split()
)
_PLACES = set("proximal intermediate medial distal upper lower".split())
_TWISTS = {"twist", "捩"}
_IN_HAND = {"in", "hand"}  # HumanIK's and Perception Neuron's "LeftInHandIndex"
# What ends a chain, unless something hangs on it after all.
ENDS = set("end nub leaf site".split())
# Bones that turn with others, are drawn on or hold something: no part of a body.
HELPERS = {*ENDS, *_TWISTS} | set(
    "roll ik fk pole target ctrl control helper tweak mch wgt vis master parent "
    "share heel prop weapon socket attach face imu rotor camera lidar radar".split()
)
_OF_FACE = set("eye ear jaw tongue lip brow".split())
_OTHERS = HELPERS | _OF_FACE | set("breast hair skirt bust sec cape adj".split())
_FRONT, _HIND = {"front", "fore"}, {"hind", "rear", "back"}
# What a front leg's bones are, and a shoulder in front and behind.
_HOMOLOGOUS = {"thigh": "upper_arm", "leg": "upper_arm", "shin": "forearm", "foot": "hand", "toe": "finger"}
_IN_FRONT = {**_HOMOLOGOUS, "shoulder": "clavicle", "hip": "shoulder"}
_BEHIND = {"shoulder": "pelvis"}
_MACHINE = set("link axis achse axe eje flange gripper tool tool0 tcp effector".split())
_ANIMAL = set("hoof paw wing fin beak feather mane hind forefoot antenna mandible".split())


def side_of(name: str) -> str:
    """Return "L" or "R", or nothing for a bone in the middle."""
    words = tokens(name)
    spelt = [word for word in words if word in SIDES and (len(word) > 1 or not word.isascii())]
    told = (SIDES[word] for word in spelt or reversed(words) if word in SIDES)
    return next(told, _side_stuck_on(words))


def other_side(name: str) -> str:
    """Return a key that a bone and its counterpart on the other side share; nothing for one in the middle."""
    side = side_of(name)
    return " ".join("*" if SIDES.get(token) == side else token for token in tokens(name)) if side else ""


def finger_of(name: str) -> int:
    """Return which finger a bone belongs to, 1 the index, 4 the little one; 0 if its name does not tell."""
    part = part_of(name)
    return FINGERS.index(part) if part in FINGERS else 0


def finger_digit(name: str) -> int:
    """Return the first digit of a finger's last number if that has two, as in "Finger21"; else -1."""
    numbers = [token for token in tokens(name) if token.isdigit()]
    return int(numbers[-1][0]) if numbers and len(numbers[-1]) == 2 else -1


def is_helper(name: str) -> bool:
    """Return whether the bone only turns with others, or ends a chain."""
    return bool(HELPERS & set(tokens(name)))


def ends_chain(name: str) -> bool:
    """Return whether all that makes the bone a helper is that it ends a chain."""
    return bool(ENDS & set(tokens(name))) and not (HELPERS - ENDS) & set(tokens(name))


def twists(name: str) -> bool:
    """Return whether the name says that the bone takes a part of a limb's twist."""
    return bool(_TWISTS & set(tokens(name)))


def is_animal(name: str) -> bool:
    """Return whether no human has such a part; a "ForeArm" is a human's."""
    words = tokens(name)
    in_front = bool(_FRONT & set(words)) and "forearm" not in "".join(words)
    return bool(_ANIMAL & set(words)) or (in_front and bool(part_of(name)))


def row_of(name: str) -> str:
    """Return "arm" for a bone of a front leg, and "leg" for one of a hind leg; nothing for other names."""
    words = set(tokens(name))
    if not side_of(name) or "forearm" in "".join(tokens(name)):
        return ""
    return {(True, False): "arm", (False, True): "leg"}.get((bool(words & _FRONT), bool(words & _HIND)), "")


def is_of_face(name: str) -> bool:
    """Return whether a head carries such a bone."""
    return bool(_OF_FACE & set(tokens(name)))


def is_of_machine(name: str) -> bool:
    """Return whether it is what joints of robot arms are called, as "wrist_1_link"."""
    return bool(_MACHINE & set(tokens(name)))


def part_of(name: str, keep_twist: bool = False) -> str:
    """Return the part that the name alone tells: one of a Role, or "leg", "shoulder" or "finger".

    ``keep_twist``: a bone that twists is what it twists.
    """
    told = _spelt(name)
    if (_OTHERS - (_TWISTS if keep_twist else set())) & set(told):
        return ""
    if {"hip", "joint"} <= set(told):
        return "pelvis"
    if "metacarpal" in told or _IN_HAND <= set(told):
        return "palm"
    whole = _joined_arm([token for token in told if token not in SIDES and token not in _TWISTS])
    words = [token for token in whole if token not in _NOISE]
    part = _known(whole) or _known(words) or _known([token for token in words if token not in _PLACES])
    part = part or _of_an_animal(words)
    if not part and not SIDES.keys() & set(told):  # "L_lleg" is a lower leg
        part = PART_OF.get(_without_side("".join(words)), "")
    if part in {"hip", "pelvis"} and not side_of(name):
        return "hips"
    return _finger(name, told) if part == "finger" else {"hip": "thigh"}.get(part, part)


def _spelt(name: str) -> list[str]:
    """Return the words of a name, but letters before a number that tell no side, as in "tibia_T1"."""
    both = pairwise((*tokens(name), ""))
    words = ((token, len(token) == 1 and token.isascii() and after.isdigit()) for token, after in both)
    return [token for token, is_mark in words if token.isalpha() and (token in SIDES or not is_mark)]


def limb_end(name: str) -> str:
    """Return "hand" or "foot" for the end of an arm or a leg, as in "leg_end"; nothing for other names."""
    told = tokens(name)
    limb = part_of(" ".join(token for token in told if token not in ENDS)) if ENDS & set(told) else ""
    return {"upper_arm": "hand", "leg": "foot"}.get(limb, "")


def _joined_arm(words: list[str]) -> list[str]:
    """Return the words with "fore" and "arm" as one, which tells of no front."""
    return " ".join(words).replace("fore arm", "forearm").split()


def _known(words: list[str]) -> str:
    """Return the part that the last words mean, as many as do; before them a character's name may stand."""
    joined = ["".join(words[first:]) for first in range(len(words))]
    if set(words) & (_FRONT | _HIND):
        joined = joined[:1]
    return next(filter(None, map(PART_OF.get, joined)), "")


def _of_an_animal(words: list[str]) -> str:
    if not set(words) & (_FRONT | _HIND) or len(words) < 2:
        return ""
    part = PART_OF.get("".join(word for word in words if word not in _FRONT | _HIND), "")
    return (_IN_FRONT if set(words) & _FRONT else _BEHIND).get(part, part)


def _finger(name: str, words: list[str]) -> str:
    """Return which finger it is: from 1, the thumb, if the joint is told too; 3ds Max counts from 0."""
    numbers = [token for token in tokens(name) if token.isdigit()]
    if "bip" in words and numbers:
        return FINGERS[int(numbers[-1][0])] if int(numbers[-1][0]) < 5 else "finger"
    told = len(numbers) == 2 or bool(_PLACES & set(words))
    return FINGERS[int(numbers[0]) - 1] if numbers and told and 1 <= int(numbers[0]) <= 5 else "finger"


def _side_stuck_on(words: tuple[str, ...]) -> str:
    return next((word[0].upper() for word in words if _without_side(word) != word), "")


def _without_side(word: str) -> str:
    """Return "hand" for "lhand" and "lefthand", as some files have it, and other words as they are."""
    stuck = (side for side in ("left", "right", "l", "r") if word.startswith(side))
    rest = next((word[len(side) :] for side in stuck if word[len(side) :] in PART_OF), "")
    return rest if rest and word not in PART_OF else word
