# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""What goals are made from: a body in some frames, and where a goal's target is."""

from dataclasses import dataclass

import numpy as np

from ...solvers.geometry import Array, Indices, cross, dot, matvec, norm, vecmat
from ..errors import RigError

FAR = 1e6  # rig sizes: single precision, which Blender counts in, ends there
_SAME_PLACE = 1e-5  # of a bone's length
_SAME = 1e-3  # of a bone's length: rounding, and what is seen of it


@dataclass(frozen=True, eq=False)
class Posed:
    """The solved bones ``names`` in frames, armature space, and one goal's target.

    - ``pieces`` (bones,): the bone that each turns with as one piece, or itself
    - ``rotations`` (frames, bones, 3, 3) as the solver has them; ``heads`` and ``tails`` (frames, bones, 3)
    - ``supports`` (frames, points, 3): heads and tails of the effectors as their targets have them, for kinds
      that say that they ``STAND``
    - ``armature_to_world`` (frames, 4, 4); ``target`` (frames, 4, 4), to world; ``influences`` (frames,)
    - ``values`` (frames or 1, most) of its kind, see ``GoalSetting.values``
    """

    names: tuple[str, ...]
    pieces: Indices
    rotations: Array
    heads: Array
    tails: Array
    supports: Array
    armature_to_world: Array
    target: Array
    influences: Array
    values: Array

    @property
    def weights(self) -> Array:
        """How much a goal counts that has one weight, the first of its values: (frames,)."""
        return self.influences * self.values[:, 0]

    def point(self) -> Array:
        """Return where the target is, (frames, 3)."""
        return np.linalg.solve(self.armature_to_world, self.target[..., 3:])[..., :3, 0]

    def level(self) -> Array:
        """Return the rows (frames, 2, 3) that take points to the scene's ground plan, in armature lengths."""
        linear = self.armature_to_world[:, :3, :3]
        sizes: Array = np.cbrt(np.abs(np.linalg.det(linear)))
        return linear[:, :2] / sizes[:, None, None]

    def check_near(self, name: str, away: Array) -> None:
        """Raise RigError for what counts and is so far away (frames,) that the rig is a point beside it.

        ``name``: of the goal, as a sentence begins.
        """
        sizes = norm(np.ptp(np.concatenate([self.heads, self.tails], axis=1), axis=1))
        if ((self.weights > 0) & (away > FAR * sizes)).any():
            raise RigError(f"{name} is more than a million times the rig's size away")

    def ends(self, names: tuple[str, ...]) -> list[tuple[str, int]]:
        """Return heads, 0, and tails, 1, of the bones; tails that are another one's head are left out."""
        bones = [self.names.index(name) for name in names]
        heads = self.heads[:, bones]
        sizes = norm(self.tails - self.heads).max(axis=0)
        ends = [(name, 0) for name in names]
        for name, bone in zip(names, bones, strict=True):
            tail, near = self.tails[:, [bone]], _SAME_PLACE * sizes[bone]
            begin = np.flatnonzero(norm(heads[0] - tail[0]) <= near)  # few are, and the others need no look
            ends += [] if (norm(heads[:, begin] - tail) <= near).all(axis=0).any() else [(name, 1)]
        return ends

    def along(self, name: str, part: float) -> tuple[float, float, float]:
        """Return a place on the bone, in its own frame: ``part`` 0 its head, 1 its tail.

        Raises RigError for a bone whose size is animated.
        """
        bone = self.names.index(name)
        away = self.tails[:, bone] - self.heads[:, bone]
        offsets = vecmat(away, self.rotations[:, bone])
        if part and norm(offsets - offsets[0]).max() > _SAME * norm(offsets[0]):
            raise RigError(f"'{name}' changes its size from frame to frame: no goal can use its length")
        x, y, z = (part * offsets[0]).tolist()
        return x, y, z

    def spot(self, name: str, part: float) -> tuple[str, tuple[float, float, float]]:
        """Return the place that ``along`` does, with its bone: the one that this turns with as one piece.

        So the solver has nothing to do with bones that do not turn. What keys turn all the same stays apart.
        Raises RigError as there.
        """
        own, bone = self.along(name, part), self.names.index(name)
        whole = self.pieces[bone]
        length = self.tails[:, bone] - self.heads[:, bone]
        away = self.heads[:, bone] + part * length - self.heads[:, whole]
        offsets = vecmat(away, self.rotations[:, whole])
        if whole == bone or norm(offsets - offsets[0]).max() > _SAME_PLACE * norm(length).max():
            return name, own
        x, y, z = offsets[0].tolist()
        return self.names[whole], (x, y, z)

    def plane(self) -> tuple[Array, Array]:
        """Return the target's XY plane: normals (frames, 3) and heights (frames,).

        Its Z axis says which side is the upper one; of a sheared target it is not square to the plane.
        """
        x, y, z = np.moveaxis(self.target[:, :3, :3], -1, 0)
        normal = cross(x / norm(x)[:, None], y / norm(y)[:, None])
        normal *= np.sign(dot(normal, z))[:, None]
        away = self.target[:, :3, 3] - self.armature_to_world[:, :3, 3]
        linear = self.armature_to_world[:, :3, :3]
        return matvec(np.swapaxes(linear, -1, -2), normal), np.einsum("fi,fi->f", normal, away)
