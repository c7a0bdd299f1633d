# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""The limits of a body's joints, for all bones that are recognised as such or for chosen ones."""

from collections import Counter
from collections.abc import Mapping

from bpy.types import Bone

from ...solvers.limits import Limit
from .anatomical import anatomical_limit
from .anatomy import Anatomy, stands
from .outside import outside_at_rest

# Parts of the body that may be made of several bones, which then share what it does.
_SHARED = {"NECK", "THORACIC", "LUMBAR", "TRUNK"}
_ANIMALS = {"quadruped", "bird"}
# What only a limb has: a rig without any has mere names in common with a human.
_LIMBS = {"ELBOW", "KNEE", "FINGER_BASE"}


def why_unknown(name: str, anatomy: Anatomy) -> str:
    """Return why what the joints of the armature of that name may do is not known, or nothing."""
    if anatomy.kind in _ANIMALS:
        return (
            ""
            if anatomy.joints
            else f"'{name}' is not surely recognised ({anatomy.kind}): choose joints one by one"
        )
    if anatomy.kind not in {"human", "unknown"}:
        return f"No limits are known for a body like '{name}' ({anatomy.kind}): choose joints one by one"
    if not _LIMBS & set(anatomy.joints.values()):
        return f"No joints were recognised in '{name}': choose joints one by one"
    if anatomy.kind == "human" or stands(anatomy.joints, anatomy.bones):
        return ""
    return f"'{name}' does not stand like a human at rest: choose joints one by one"


def limits_of_joints(
    anatomy: Anatomy, joints: Mapping[Bone, str], of_all: Mapping[str, str]
) -> tuple[list[Limit], list[str]]:
    """Return the limits of bones that are these ``joints``, and the names of those that lie apart at rest.

    ``of_all``: the joints of all bones, among which a neck and a trunk are shared out. Raises RigError naming
    a bone that is not there for such a joint.
    """
    counts = Counter(of_all.values())
    limits = {
        bone.name: anatomical_limit(anatomy, bone, joint, 1.0 / counts[joint] if joint in _SHARED else 1.0)
        for bone, joint in joints.items()
    }
    astray = outside_at_rest(list(limits.values()))
    kept = [limit for name, limit in limits.items() if name not in astray]
    return kept, [name for name in limits if name in astray]
