# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""Where bones should be, by the list of effectors or because the user holds them, as the solver takes it."""

from collections.abc import Collection, Sequence, Set
from dataclasses import dataclass, replace

import numpy as np
from bpy.types import PoseBone

from ...solvers import Effector
from ...solvers.geometry import Array
from ..errors import RigError
from ..setup.effectors import is_effector
from ..setup.empties import made_for
from ..setup.ranks import MOVED, MOVED_ROTATION, MUST, PINNED_ROTATION, SHOULD
from .mirrors import axis_signs
from .parts import Part, as_asked
from .varying import Varying, are_varying, lasting_offset, lasting_weights

# What is said of a bone with such a transform.
NOWHERE = "is nowhere: its location, rotation or scale is not finite"


@dataclass(frozen=True)
class Grab:
    """A bone that the user holds, to move it or, where it ``turns``, to turn it where it is."""

    bone: str
    turns: bool = False


def effector_arrays(
    bones: list[PoseBone],
    effector_bones: list[PoseBone],
    grabs: Sequence[Grab],
    parts: tuple[Part, ...],
    paths: Set[str],
) -> dict:
    """Return what a ``Rig`` says of its effectors. Settings of bones that are no effectors are not read.

    ``paths``: what is animated of the armature object. What is held counts as it does when it is taken.
    """
    names, held = [bone.name for bone in bones], {grab.bone: grab for grab in grabs}
    linear = _finite_matrices(bones)[[names.index(bone.name) for bone in effector_bones], :3, :3]
    signs = axis_signs(linear, np.array([bone.scale for bone in effector_bones]).reshape(-1, 3))
    varying = [are_varying(bone, set() if bone.name in held else paths) for bone in effector_bones]
    asked = zip(effector_bones, signs.tolist(), varying, strict=True)
    carried = _taken_along(effector_bones, held)
    listed = tuple(_in_hand(_effector(*each), held.get(each[0].name)) for each in asked)
    return {
        "listed": listed,
        "parts": parts,
        "effectors": tuple(as_asked(*pair) for pair in zip(listed, parts, strict=True)),
        "places": np.array([names.index(bone.name) for bone in effector_bones], dtype=np.int64),
        "axis_signs": signs,
        "varying": np.array(varying, dtype=bool).reshape(-1, 3),
        "targets": tuple(_target_words(bone) for bone in effector_bones),
        "targetless": np.array([not has_target(bone) for bone in effector_bones], dtype=bool),
        "holds": tuple(_hold(bone, carried) for bone in effector_bones),
        "position_axes": np.array(
            [_position_axes(bone, bone.name in held) for bone in effector_bones], dtype=bool
        ).reshape(-1, 3),
    }


def _finite_matrices(bones: Sequence[PoseBone]) -> Array:
    """Return the bones' matrices (bones, 4, 4).

    Raises RigError for a bone that is nowhere, naming the first one, which carries the others there.
    """
    matrices = np.array([bone.matrix for bone in bones], dtype=np.float64).reshape(-1, 4, 4)
    finite = np.isfinite(matrices).all(axis=(1, 2))
    if not finite.all():
        raise RigError(f"Bone '{bones[int(np.argmin(finite))].name}' {NOWHERE}")
    return matrices


def has_target(bone: PoseBone) -> bool:
    return is_effector(bone) and bone.superpose.target is not None


def has_made_target(bone: PoseBone) -> bool:
    """Return whether the effector has a target that was made for its armature."""
    return has_target(bone) and made_for(bone.superpose.target) == bone.id_data


def _effector(bone: PoseBone, signs: Sequence[float], varying: Varying) -> Effector:
    """Return the effector with its offset along the axes that are shown."""
    if not is_effector(bone):
        return Effector(bone.name, position_weight=0.0, rotation_weight=0.0)
    settings = bone.superpose
    position_weight, rotation_weight = lasting_weights(bone, varying)
    is_pinned = settings.hold == 'PINNED'
    return Effector(
        bone=bone.name,
        offset=tuple(sign * part for sign, part in zip(signs, lasting_offset(bone, varying), strict=True)),
        position_weight=position_weight,
        rotation_weight=rotation_weight,
        rotation_axes=tuple(float(axis) for axis in settings.rotation_axes),
        falloff=settings.falloff,
        rank=MUST if is_pinned else SHOULD,
        rotation_rank=PINNED_ROTATION if is_pinned else SHOULD,
    )


def _in_hand(effector: Effector, grab: Grab | None) -> Effector:
    """Return the effector as it is asked for while the user holds it: before others, in place and turn."""
    if grab is None:
        return effector
    held = as_moved(replace(effector, position_weight=effector.position_weight or 1.0))
    if not grab.turns:
        return held
    return replace(held, rotation_weight=effector.rotation_weight or 1.0, rotation_axes=(1.0, 1.0, 1.0))


def as_moved(effector: Effector) -> Effector:
    """Return the effector in the ranks of what is moved."""
    return replace(effector, rank=MOVED, rotation_rank=MOVED_ROTATION)


def _hold(bone: PoseBone, carried: set[str]) -> str:
    if not is_effector(bone):
        return 'FREE'
    hold = bone.superpose.hold
    return 'FREE' if hold == 'FOLLOWS' and bone.name in carried else hold


def _taken_along(effector_bones: list[PoseBone], held: Collection[str]) -> set[str]:
    """Return the ends of limbs that are dragged by a bone that hangs on them: a hand by its finger."""
    listed = {bone.name: bone for bone in effector_bones if is_effector(bone)}
    above = {name for bone in listed.values() for name in _names_above(bone)}
    ways = (_names_above(bone) for bone in effector_bones if bone.name in held and bone.name not in listed)
    nearest = (next((name for name in way if name in listed), "") for way in ways)
    return {name for name in nearest if name not in above}


def _names_above(bone: PoseBone) -> list[str]:
    """Return the bones from the parent up to the root."""
    return [link.name for link in bone.parent_recursive]


def _position_axes(bone: PoseBone, is_held: bool) -> list[bool]:
    """Return along which scene axes the place counts: for what the user holds along all."""
    return [True] * 3 if is_held else list(bone.superpose.position_axes)


def _target_words(bone: PoseBone) -> str:
    if not has_target(bone):
        return f"of '{bone.name}'"
    target, name = bone.superpose.target, bone.superpose.target_bone
    return f"bone '{name}' of '{target.name}'" if name else f"'{target.name}'"
