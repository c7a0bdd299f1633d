# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""Where a target has to be for its bone to meet it as it is now."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from bpy.types import Depsgraph, Object
from mathutils import Matrix

from ...solvers.geometry import (
    Array,
    angle_between,
    matrix_to_quaternion,
    nearest_rotation,
    polar_factor,
    quaternion_to_rotation_vector,
    rotation_vector_to_matrix,
)
from ..errors import RigError
from ..rig.effectors import NOWHERE
from ..rig.mirrors import shown_rotation
from .spaces import check_armature_place, place_in_armature, place_in_world

_MET = 1e-6
_EVEN = 1e-6  # as a share: scales that differ by no more are alike
_STEPS = 200
_MIRROR = np.diag([-1.0, 1.0, 1.0])


def target_matrix(
    ob: Object, bone: str, offset: Sequence[float] = (0.0, 0.0, 0.0), depsgraph: Depsgraph | None = None
) -> Matrix:
    """Return the world matrix, unscaled, of a target that the bone meets as it is now.

    ``offset``: point along the bone's axes as they are shown, in the armature's units. Without a depsgraph
    the object's last evaluated state counts. Raises RigError where the bone or the armature is nowhere.
    """
    source = ob.evaluated_get(depsgraph) if depsgraph else ob
    check_shown(source, [bone])
    pose_bone = source.pose.bones[bone]
    linear, matrix = _array(pose_bone.matrix)[:3, :3], np.eye(4)
    point = np.array(pose_bone.head) + polar_factor(linear) @ np.array(offset)
    place = place_in_world(_array(source.matrix_world), point, shown_rotation(linear))
    matrix[:3, 3], matrix[:3, :3] = place
    return Matrix(matrix.tolist())


def check_shown(ob: Object, bones: Sequence[str] = ()) -> None:
    """Raise RigError naming the armature, or the first of its bones, that is nowhere, as both are shown."""
    check_armature_place(ob.name, _array(ob.matrix_world)[None])
    for bone in bones:
        if not np.isfinite(_array(ob.pose.bones[bone].matrix)).all():
            raise RigError(f"Bone '{bone}' {NOWHERE}")


def mirrored_place(ob: Object, bone: str, other: str, place: Array) -> Array:
    """Return where the ``other`` bone is the mirror image of a bone at ``place``; world matrices (4, 4).

    Mirrored in the armature's X axis, the turn from how both bones are turned at rest. Raises RigError where
    the armature is nowhere.
    """
    check_shown(ob)
    to_world, matrix = _array(ob.matrix_world), np.eye(4)
    point, turned = place_in_armature(to_world, place)
    rest, other_rest = (_array(ob.data.bones[name].matrix_local)[:3, :3] for name in (bone, other))
    mirrored = _MIRROR @ turned @ rest.T @ _MIRROR @ other_rest
    matrix[:3, 3], matrix[:3, :3] = place_in_world(to_world, _MIRROR @ point, mirrored)
    return matrix


def place_target(target: Object, place: Matrix) -> bool:
    """Place one target as ``place_targets`` does; return whether it was elsewhere."""
    return place_targets({target: place})


@dataclass(frozen=True, eq=False)
class Stands:
    """Where targets were and are, for whoever moves them more often than Blender evaluates them.

    By their ids in this session. ``found``: to the world and to their parents, as they were evaluated;
    ``moves``: from where they were in the world to where they were put. All are (4, 4). What they hang on is
    moved by nobody else.
    """

    found: dict[int, tuple[Array, Array]] = field(default_factory=dict)
    moves: dict[int, Array] = field(default_factory=dict)

    def take_up(self, targets: Iterable[Object]) -> None:
        """Note where targets are, before any is moved, unless that is known already."""
        for target in targets:
            if target.session_uid not in self.found:
                self.found[target.session_uid] = _array(target.matrix_world), _array(target.matrix_basis)

    def carried(self, target: Object) -> Array:
        """Return how what carries the target was moved in the world (4, 4)."""
        above = (self.moves.get(parent.session_uid) for parent in _parents(target))
        return next((move for move in above if move is not None), np.eye(4))


def place_targets(places: Mapping[Object, Matrix], stands: Stands | None = None) -> bool:
    """Move and turn objects, whatever their parents, so that bones that are at these places (world) meet
    them; return whether any was elsewhere.

    They may be parents of each other. They keep their scales. The view layer is to be updated before the next
    call, unless that is given the same ``stands``, which then know where targets were put.
    Raises RigError where a parent and its own scale leave a target no such rotation, or a place is nowhere.
    """
    stands, was_elsewhere = stands or Stands(), False
    stands.take_up(places)
    for target in sorted(places, key=lambda target: len(_parents(target))):
        world, before = stands.found[target.session_uid]
        if not np.isfinite([world, before, _array(places[target])]).all():
            raise RigError(f"The target '{target.name}', or the place where it should be, is not finite")
        if not np.linalg.det(before):
            raise RigError(f"The target '{target.name}' is scaled to zero")
        parent_to_world = stands.carried(target) @ world @ np.linalg.inv(before)
        was_elsewhere |= _place(target, parent_to_world, _array(places[target]))
        moved = parent_to_world @ _array(target.matrix_basis)
        stands.moves[target.session_uid] = moved @ np.linalg.inv(world)
    return was_elsewhere


def _parents(ob: Object) -> list[Object]:
    """Return the object's parent, that one's parent, and so on."""
    return [ob.parent, *_parents(ob.parent)] if ob.parent else []


def _place(target: Object, parent: Array, wanted: Array) -> bool:
    """Place a target under a ``parent`` (4, 4, to world); return whether it was elsewhere."""
    before = _array(target.matrix_basis)
    basis = before.copy()
    basis[:3, :3] = _turned_to_meet(target, parent[:3, :3], basis[:3, :3], wanted[:3, :3])
    basis[:, 3] = np.linalg.solve(parent, wanted[:, 3])
    scale = target.scale.copy()
    target.matrix_basis = Matrix(basis.tolist())
    target.scale = scale  # as it was to the bit, however often the target is placed
    return not np.array_equal(_array(target.matrix_basis), before)


def _turned_to_meet(target: Object, parent: Array, basis: Array, wanted: Array) -> Array:
    """Return a matrix (3, 3), scaled as ``basis`` is, that comes to lie on ``wanted`` under ``parent``.

    One step is enough unless both the parent and the target itself are scaled unevenly; then corrections are
    repeated, shorter where they stop helping.
    """
    sizes, volume = np.linalg.norm(basis, axis=0), np.linalg.det(basis)
    if not volume or not np.linalg.det(parent):
        raise RigError(f"The target '{target.name}' is scaled to zero")
    # What mirrors is shown with X turned round, and turned by its negative, a rotation.
    wanted = wanted * (1.0, -1.0, -1.0) if np.linalg.det(parent) < 0 else wanted
    turn, part, before = nearest_rotation(np.linalg.solve(parent, wanted)), 1.0, np.inf
    if sizes.max() - sizes.min() <= _EVEN * sizes.max():
        return turn * sizes * (np.sign(volume), 1.0, 1.0)
    for _ in range(_STEPS):
        met = nearest_rotation(parent @ turn * sizes)
        angle = angle_between(met, wanted)
        if angle < _MET:
            return turn * sizes * (np.sign(volume), 1.0, 1.0)
        part, before = (part if angle < 0.9 * before else part / 2), angle
        correction = quaternion_to_rotation_vector(matrix_to_quaternion(met.T @ wanted))
        turn = turn @ rotation_vector_to_matrix(part * correction)
    raise RigError(f"The target '{target.name}' is sheared too much by its parent's scale and its own")


def _array(matrix: Matrix) -> Array:
    return np.array(matrix, dtype=np.float64)
