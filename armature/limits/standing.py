# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""How the legs of a human that sits, kneels or crouches at rest have to turn to stand.

Joints are measured from standing. The trunk counts as upright, whichever way it lies; thighs and shins go
down from it, and feet stay on shins as they are, unless no standing foot is bent like that.
"""

from math import radians

import numpy as np
from bpy.types import Bone

from ...solvers.geometry import Array, rotation_vector_to_matrix, shortest_turn
from .at_rest import BodyAtRest
from .limbs import told_limb

# The legs' joints, from the hips on.
_LEG = ("HIP", "KNEE", "ANKLE", "TOES")
# A knee that is bent by more tells which way the thigh is turned about itself.
_CLEARLY_BENT = radians(15.0)
# Between shin and foot: of a foot that stands, and what feet do that do not.
_USUAL, _LEAST, _MOST = radians(63.0), radians(45.0), radians(90.0)


def turns_to_standing(body: BodyAtRest) -> dict[str, Array]:
    """Return the turns (3, 3) in armature space that put the bones of legs where they stand."""
    turns: dict[str, Array] = {}
    for name, bone in body.bones.items():
        joint = body.joints.get(name, "")
        if joint in _LEG:
            above = next(
                (turns[link.name] for link in bone.parent_recursive if link.name in turns), np.eye(3)
            )
            along = told_limb(body, bone, joint)
            turns[name] = above if along is None else _turn(body, bone, joint, above @ along) @ above
    return turns


def _turn(body: BodyAtRest, bone: Bone, joint: str, along: Array) -> Array:
    """Return how a bone has to turn that goes ``along`` where all above it stands."""
    if joint == "HIP":
        return _thigh(body, bone, along)
    if joint == "KNEE":
        return shortest_turn(along, -body.up)
    return _foot(body, along) if joint == "ANKLE" else np.eye(3)


def _thigh(body: BodyAtRest, bone: Bone, along: Array) -> Array:
    """Return how a thigh has to turn to point down with its knee, if that is bent, to the front."""
    down = shortest_turn(along, -body.up)
    knee = next((below for below in bone.children_recursive if body.joints.get(below.name) == "KNEE"), None)
    shin = None if knee is None else told_limb(body, knee, "KNEE")
    if shin is None:
        return down
    normal = np.cross(along, shin)
    size = float(np.linalg.norm(normal))
    if np.arctan2(size, along @ shin) < _CLEARLY_BENT:
        return down
    return shortest_turn(down @ normal, body.left) @ down


def _foot(body: BodyAtRest, along: Array) -> Array:
    """Return how a foot that goes ``along`` has to turn below a shin that stands."""
    bent = float(np.arccos(np.clip(-along @ body.up, -1.0, 1.0)))
    if _LEAST < bent < _MOST:
        return np.eye(3)
    level = np.cross(body.up, body.front)  # a foot turns up about it
    usual = rotation_vector_to_matrix(-_USUAL * level) @ -body.up
    return shortest_turn(along, usual)
