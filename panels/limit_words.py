# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""Which limit of a bone is in force, in words, told from its settings alone."""

from math import pi

from bpy.types import Constraint, Object, PoseBone, PropertyGroup

from . import is_set_up

TURN = 2 * pi - 1e-5


def own_limit(bone: PoseBone) -> PropertyGroup | None:
    """Return the bone's own limit, or None; merely reading it would store one."""
    if not (is_set_up(bone) and bone.superpose.is_property_set("limit")):
        return None
    return bone.superpose.limit if bone.superpose.limit.kind != 'NONE' else None


def kind_of(limit: PropertyGroup) -> str:
    """Return what a limit of its kind is called."""
    return limit.bl_rna.properties["kind"].enum_items[limit.kind].name


def in_force(rig: Object, bone: PoseBone) -> list[str]:
    """Return what limits the bone, one line for each thing that the user should know."""
    own = own_limit(bone)
    if is_set_up(rig) and not rig.superpose.use_limits:
        return ["In force: none, Joint Limits are off", *_lines(bone, [], "Held by rotation locks")]
    enforced = ["Limit Rotation"] if _limit_rotations(bone) else []
    if own is None:
        return _from_rig(bone, [*enforced, *(["IK settings"] if _has_ik(bone) else [])])
    return [f"In force: {kind_of(own)} (Superpose)", *_lines(bone, enforced, "But held by rotation locks")]


def _lines(bone: PoseBone, enforced: list[str], held: str) -> list[str]:
    """Return what goes on acting beside: Limit Rotation and locks."""
    if all(bone.lock_rotation):
        return [held]
    enforced = [*enforced, *(["rotation locks"] if any(bone.lock_rotation) else [])]
    verb = "holds" if enforced == ["Limit Rotation"] else "hold"
    text = " and ".join(enforced)
    return [f"{text[:1].upper()}{text[1:]} {verb} as well"] if enforced else []


def _from_rig(bone: PoseBone, sources: list[str]) -> list[str]:
    free = [axis for axis in "xyz" if not _is_locked(bone, axis)]
    sources = [*sources, *(["rotation locks"] if any(bone.lock_rotation) else [])]
    if not sources:
        return ["In force: Free"]
    kind = {0: "Held", 1: f"Hinge about {free[0].upper() if free else ''}"}.get(len(free), "Angles")
    return [f"In force: {kind}", f"from {' and '.join(sources)}"]


def _limit_rotations(bone: PoseBone) -> list[Constraint]:
    """Return the Limit Rotation constraints that limit something."""
    return [c for c in bone.constraints if c.type == 'LIMIT_ROTATION' and _acts(c)]


def _acts(constraint: Constraint) -> bool:
    limits = any(
        getattr(constraint, f"use_limit_{axis}") and _width(constraint, "", axis) < TURN for axis in "xyz"
    )
    return limits and not constraint.mute and constraint.influence > 0


def _has_ik(bone: PoseBone) -> bool:
    return any(
        getattr(bone, f"lock_ik_{axis}")
        or (getattr(bone, f"use_ik_limit_{axis}") and _width(bone, "ik_", axis) < TURN)
        for axis in "xyz"
    )


def _is_locked(bone: PoseBone, axis: str) -> bool:
    """Return whether the bone keeps its angle about the axis."""
    if bone.lock_rotation["xyz".index(axis)] or getattr(bone, f"lock_ik_{axis}"):
        return True
    if getattr(bone, f"use_ik_limit_{axis}") and not _width(bone, "ik_", axis):
        return True
    limits = [c for c in _limit_rotations(bone) if getattr(c, f"use_limit_{axis}")]
    return any(not _width(constraint, "", axis) for constraint in limits)


def _width(owner: PoseBone | Constraint, prefix: str, axis: str) -> float:
    """Return how wide the range about an axis is, radians."""
    return getattr(owner, f"{prefix}max_{axis}") - getattr(owner, f"{prefix}min_{axis}")
