# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""Which joint of the tables of humans' and animals' joints a bone is, by its role in a body."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ..bodies import Body, Role

_HUMAN = {
    "head": "HEAD",
    "clavicle": "CLAVICLE",
    "upper_arm": "SHOULDER",
    "forearm": "ELBOW",
    "hand": "WRIST",
    "palm": "PALM",
    "thigh": "HIP",
    "shin": "KNEE",
    "foot": "ANKLE",
    "toe": "TOES",
}
_FINGERS = {
    "thumb": "THUMB",
    "index": "FINGER",
    "middle": "FINGER",
    "ring": "FINGER",
    "pinky": "FINGER",
    "finger": "FINGER",
}
_PHALANGES = ("BASE", "MIDDLE", "TIP")
_ANIMALS = {
    "quadruped": {
        "spine": "QUADRUPED_BACK",
        "neck": "QUADRUPED_NECK",
        "head": "QUADRUPED_HEAD",
        "clavicle": "QUADRUPED_BLADE",
        "upper_arm": "QUADRUPED_SHOULDER",
        "forearm": "QUADRUPED_ELBOW",
        "hand": "QUADRUPED_CARPUS",
        "finger": "QUADRUPED_PAW",
        "thigh": "QUADRUPED_HIP",
        "shin": "QUADRUPED_STIFLE",
        "foot": "QUADRUPED_HOCK",
        "toe": "QUADRUPED_PAW",
    },
    "bird": {
        "spine": "BIRD_BACK",
        "neck": "BIRD_NECK",
        "head": "BIRD_HEAD",
        "clavicle": "BIRD_COLLAR",
        "upper_arm": "BIRD_SHOULDER",
        "forearm": "BIRD_ELBOW",
        "hand": "BIRD_WRIST",
        "thigh": "BIRD_HIP",
        "shin": "BIRD_KNEE",
        "foot": "BIRD_ANKLE",
    },
}
# Parts of animals all of whose bones are the joint, not the first alone.
_IN_ROWS = {"spine", "neck", "finger", "toe"}
_LUMBAR_SHARE = 0.4  # of the trunk's bones: five vertebrae of seventeen, but the largest


def joints_of_body(body: "Body") -> dict[str, str]:
    """Return the joint, a key of HUMAN_JOINTS or ANIMAL_JOINTS, of every bone that has one.

    A spine whose hips hang on the chest has none: the tables say how far chests go over hips.
    """
    roles = {name: role for name, role in body.roles.items() if name not in body.hung}
    if body.kind == "human":
        joints = {name: _joint(role) for name, role in roles.items()}
    else:
        parts = _ANIMALS.get(body.kind, {})
        joints = {
            name: parts.get(role.part, "")
            for name, role in roles.items()
            if role.place == 1 or role.part in _IN_ROWS
        }
    return {name: joint for name, joint in joints.items() if joint}


def _joint(role: "Role") -> str:
    if role.part == "neck":
        return "NECK"
    if role.part == "spine":
        return "TRUNK" if role.count == 1 else _part_of_the_trunk(role)
    if role.part in _FINGERS:
        last = role.place > len(_PHALANGES)
        return "" if last else f"{_FINGERS[role.part]}_{_PHALANGES[role.place - 1]}"
    return _HUMAN.get(role.part, "") if role.place == 1 else ""


def _part_of_the_trunk(role: "Role") -> str:
    return "LUMBAR" if role.place <= max(1, round(_LUMBAR_SHARE * role.count)) else "THORACIC"
