# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""Where the limb of a bone goes on at rest: from joint to joint, never by the bone's own tail.

Imported bones may point anywhere: formats that know joints alone have no tails. At the end of a limb there
is no next joint, so it goes on as the body's neutral pose has it: heads up, feet and toes forwards, hands and
the tips of fingers in line with what they hang on.
"""

import numpy as np
from bpy.types import Bone

from ...solvers.geometry import Array
from .at_rest import BodyAtRest, head_of

_TRUNK = ("LUMBAR", "THORACIC", "TRUNK", "NECK", "HEAD")
# The joints in which each limb goes on, if they are there.
_ONWARD = {
    **dict.fromkeys(("LUMBAR", "THORACIC", "TRUNK"), _TRUNK),
    "NECK": ("NECK", "HEAD"),
    "CLAVICLE": ("SHOULDER",),
    "SHOULDER": ("ELBOW",),
    "ELBOW": ("WRIST",),
    "WRIST": ("FINGER_BASE",),
    "PALM": ("FINGER_BASE",),
    "HIP": ("KNEE",),
    "KNEE": ("ANKLE",),
    "ANKLE": ("TOES",),
    "QUADRUPED_BACK": ("QUADRUPED_BACK", "QUADRUPED_NECK", "QUADRUPED_HEAD"),
    "QUADRUPED_NECK": ("QUADRUPED_NECK", "QUADRUPED_HEAD"),
    "QUADRUPED_BLADE": ("QUADRUPED_SHOULDER",),
    "QUADRUPED_PAW": ("QUADRUPED_PAW",),
    "QUADRUPED_SHOULDER": ("QUADRUPED_ELBOW",),
    "QUADRUPED_ELBOW": ("QUADRUPED_CARPUS",),
    "QUADRUPED_HIP": ("QUADRUPED_STIFLE",),
    "QUADRUPED_STIFLE": ("QUADRUPED_HOCK",),
    "BIRD_HIP": ("BIRD_KNEE",),
    "BIRD_KNEE": ("BIRD_ANKLE",),
    "BIRD_BACK": ("BIRD_BACK", "BIRD_NECK", "BIRD_HEAD"),
    "BIRD_NECK": ("BIRD_NECK", "BIRD_HEAD"),
    "BIRD_COLLAR": ("BIRD_SHOULDER",),
    "BIRD_SHOULDER": ("BIRD_ELBOW",),
    "BIRD_ELBOW": ("BIRD_WRIST",),
    **{f"{part}_BASE": (f"{part}_MIDDLE",) for part in ("THUMB", "FINGER")},
    **{f"{part}_MIDDLE": (f"{part}_TIP",) for part in ("THUMB", "FINGER")},
}
FORWARDS = {"ANKLE", "TOES"}  # joints whose limbs go forwards where none follows
_COINCIDENT = 1e-6  # of the body's size: joints at one place have no direction between them


def limb_of(body: BodyAtRest, bone: Bone, joint: str) -> Array:
    """Return the unit vector, in armature space, along which the limb of a bone that is the joint goes on."""
    onward = told_limb(body, bone, joint)
    if onward is not None:
        return onward
    if joint == "HEAD":
        return body.up
    return body.front if joint in FORWARDS else limb_above(body, bone)


def told_limb(body: BodyAtRest, bone: Bone, joint: str) -> Array | None:
    """Return the unit vector to where the joints of the limb go on; None at the end of a limb, but for legs
    without feet."""
    onward = _way(body, bone, _next_joints(body, bone, _ONWARD.get(joint, ())))
    if onward is None and bone.name in body.ends:
        return _way_to(body, bone, body.ends[bone.name])
    if onward is None and len(bone.children) == 1 and joint not in {"HEAD", *FORWARDS}:
        return _way(body, bone, list(bone.children))
    return onward


def limb_above(body: BodyAtRest, bone: Bone) -> Array:
    """Return the way to the bone from the joint that it hangs on: where it points when it is straight.

    Of limbs whose joints are not all in the tables, as a bird's shoulder is not, any that has a role will do.
    """
    links = bone.parent_recursive
    known = [link for link in links if link.name in body.joints]
    for above in known or [link for link in links if body.sides.get(link.name)]:
        way = _way(body, above, [bone])
        if way is not None:
            return way
    return body.up


def _next_joints(body: BodyAtRest, bone: Bone, joints: tuple[str, ...]) -> list[Bone]:
    """Return the nearest of the bones below that are one of the joints."""
    found, waiting = [], list(bone.children)
    while waiting:
        below = waiting.pop(0)
        if body.joints.get(below.name) in joints:
            found.append(below)
        else:
            waiting += below.children
    return found


def _way(body: BodyAtRest, bone: Bone, others: list[Bone]) -> Array | None:
    """Return the direction from the bone's joint to the middle of others; None where that is none."""
    return _way_to(body, bone, np.mean([head_of(other) for other in others], axis=0)) if others else None


def _way_to(body: BodyAtRest, bone: Bone, place: Array) -> Array | None:
    """Return the direction from the bone's joint to a place (3,); None where that is none."""
    way = place - head_of(bone)
    size = np.linalg.norm(way)
    return way / size if size > _COINCIDENT * body.size else None
