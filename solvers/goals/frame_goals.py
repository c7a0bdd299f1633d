# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""Effectors and their targets as arrays: the goals that every method knows.

The objective, for effector points p, rotations R and targets t, T::

    E = sum_e w_e |A_e (p_e - t_e)|^2 + 4 a^2 sum_k r_ek q_k^2       q = vector part of T^T R

which for equal weights per axis is ``w |p - t|^2 + r a^2 |R - T|^2 / 2`` (Frobenius). Superposition has these
goals' exact second derivatives and sweeps, and their rows are products of constant maps. So they answer for
themselves what goals of other kinds (protocol.py) leave to slopes.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ..geometry import (
    Array,
    Indices,
    Mask,
    Rows,
    altered,
    cross_matrix,
    einsum,
    matrix_to_quaternion,
    matvec,
    quaternion_to_matrix,
    vecmat,
)
from .effectors import Effector, Targets, plain_axes

_IDENTITY = np.eye(3)


@dataclass(frozen=True, eq=False)
class FrameGoals:
    """Arrays over ``E`` effectors, which are the first E carried frames; ``b`` is batch or 1.

    - ``ranks`` (E, 2): of positions and rotations.
    - ``position_weights`` (b, E), ``rotation_weights`` (b, E, 3) times arm squared, and their square roots
      ``position_roots`` (b, E, 1), ``rotation_roots`` (b, E, 3).
    - ``axes`` (b, E, 3, 3); ``majorants`` (b, E, 1): no less than the largest eigenvalue of axes^T axes.
    - ``target_points`` (batch, E, 3), ``target_rotations`` (batch, E, 3, 3).
    - ``shifts`` (E, k, 3, 3): how moves of the roots, in units of ``length`` (b,), move the points.
    - ``lever_maps`` (b, E, 3, 3, 3): from a lever arm to each position row of the Jacobian;
      ``translation_columns`` (b, E, 3, k, 3): the same rows for the moves of the roots.
    """

    ranks: Indices
    position_weights: Array
    rotation_weights: Array
    position_roots: Array
    rotation_roots: Array
    axes: Array
    majorants: Array
    target_points: Array
    target_rotations: Array
    shifts: Array
    length: Array
    lever_maps: Array
    translation_columns: Array

    @property
    def count(self) -> int:
        """How many effectors there are."""
        return len(self.ranks)

    def rows(self, keep: Rows) -> "FrameGoals":
        """Return the goals of the rows ``keep`` of a batch; what all rows share is left alone."""
        batched = {name: value[keep] for name in _BATCHED if len(value := getattr(self, name)) > 1}
        points, rotations = self.target_points[keep], self.target_rotations[keep]
        return altered(self, target_points=points, target_rotations=rotations, **batched)

    def aimed(self, targets: Targets) -> "FrameGoals":
        """Return the goals with these targets."""
        rotations = quaternion_to_matrix(targets.rotations)
        aimed = altered(self, target_points=targets.positions, target_rotations=rotations)
        return aimed if targets.axes is plain_axes(self.count) else aimed._along(targets.axes)

    def weighing(self, positions: Array, rotations: Array) -> "FrameGoals":
        """Return the goals with these weights (b, E) and (b, E, 3), the latter times arm squared."""
        weighing = altered(
            self,
            position_weights=positions,
            rotation_weights=rotations,
            position_roots=np.sqrt(positions)[..., None],
            rotation_roots=np.sqrt(rotations),
        )
        return weighing._along(self.axes)

    def weighed(self, factors: Array) -> "FrameGoals":
        """Return the goals with their weights times ``factors`` (b, E, 2), of positions and rotations."""
        positions, rotations = factors[..., 0], factors[..., 1, None]
        roots = np.sqrt(positions)[..., None, None]
        return altered(
            self,
            position_weights=self.position_weights * positions,
            rotation_weights=self.rotation_weights * rotations,
            position_roots=self.position_roots * roots[..., 0],
            rotation_roots=self.rotation_roots * np.sqrt(rotations),
            lever_maps=self.lever_maps * roots[..., None],
            translation_columns=self.translation_columns * roots[..., None],
        )

    def held(self, rows: Mask, points: Array, rotations: Array) -> "FrameGoals":
        """Return the goals with those of ``rows`` (batch,) at points and rotations of the effectors."""
        return altered(
            self,
            target_points=np.where(rows[:, None, None], points, self.target_points),
            target_rotations=np.where(rows[:, None, None, None], rotations, self.target_rotations),
        )

    def total_weight(self, arm: Array) -> Array:
        """Return the sum of all weights (b,); those of rotations as ``arm`` (b,) has them without."""
        turning = self.rotation_weights.sum(axis=(-2, -1)) / arm**2
        total: Array = self.position_weights.sum(axis=-1) + turning
        return total

    def deviations(self, points: Array, rotations: Array) -> tuple[Array, Array]:
        """Return deviations of points (batch, E, 3) and rotations (batch, E, 3, 3), bone to armature.

        Of position (batch, E, 3) in the counted axes, and of rotation (batch, E, 4), ``T^T R``.
        """
        inverse = self.target_rotations.swapaxes(-1, -2)
        return matvec(self.axes, points - self.target_points), matrix_to_quaternion(inverse @ rotations)

    def vector(self, position: Array, rotation: Array) -> Array:
        """Return the residual (batch, 6 E) of deviations."""
        parts = (self.position_roots * position, 2 * self.rotation_roots * rotation[..., 1:])
        return np.concatenate(parts, axis=-1).reshape(len(position), 6 * position.shape[1])

    def squares(self, position: Array, rotation: Array) -> tuple[Array, Array]:
        """Return squared lengths and squared sines of half the angles, (batch, E), of what has weight."""
        vector = rotation[..., 1:] * (self.rotation_roots > 0)
        counts = self.position_roots[..., 0] > 0
        return counts * einsum("bei,bei->be", position, position), einsum("bei,bei->be", vector, vector)

    def pulls(self, points: Array) -> Array:
        """Return how far and where effectors are pulled, (batch, E, 3): to targets, as far as axes count.

        ``A (t - p) / m`` with ``A = axes^T axes`` and ``m``, the majorant, no less than its largest
        eigenvalue: getting nearer to ``p`` plus that, with weight ``m``, never raises the objective.
        """
        pull = vecmat(matvec(self.axes, self.target_points - points), self.axes)
        return pull / np.where(self.majorants > 0, self.majorants, 1.0)

    def turn_products(self, rotations: Array) -> Array:
        """Return ``sum_k c_k x_k y_k^T`` of the effectors' and targets' axes, (batch, E, 3, 3).

        Weighing axis k of the target by c_k makes a turn about axis k count by the sum of the other two.
        """
        weights: Array = 0.5 * self.rotation_weights.sum(-1, keepdims=True) - self.rotation_weights
        return rotations * weights[:, :, None, :] @ self.target_rotations.swapaxes(-1, -2)

    def turn_rows(self, rotation: Array) -> Array:
        """Return d(2 a sqrt(r) q) / d(world rotation vector), (batch, E, 3, 3), of deviations of rotation."""
        w, v = rotation[..., :1, None], rotation[..., 1:]
        to_target = self.target_rotations.swapaxes(-1, -2)
        return self.rotation_roots[..., None] * ((w * _IDENTITY - cross_matrix(v)) @ to_target)

    def forces(self, multipliers: Array) -> Array:
        """Return the forces on the points (batch, E, 3), armature space, of multipliers of position rows."""
        return matvec(self.position_roots[..., None] * self.axes.swapaxes(-1, -2), multipliers)

    def _along(self, axes: Array) -> "FrameGoals":
        """Return the goals with the axes (b, E, 3, 3) in which positions count."""
        weighted = self.position_roots[..., None] * axes
        columns = einsum("beij,ekjl->beikl", weighted, self.shifts)
        return altered(
            self,
            axes=axes,
            majorants=_majorants(axes),
            # ``a @ maps[k]`` is row k, ``a x C_k``, of ``C [-a]x`` for an arm ``a``.
            lever_maps=cross_matrix(weighted),
            translation_columns=self.length[:, None, None, None, None] * columns,
        )


_BATCHED = (
    *("position_weights", "rotation_weights", "position_roots", "rotation_roots", "axes", "majorants"),
    *("length", "lever_maps", "translation_columns"),
)


def frame_goals(
    effectors: Sequence[Effector], weights: tuple[Array, Array], length: Array, shifts: Array
) -> FrameGoals:
    """Return the goals of effectors, no rows of targets yet, with ``weights`` as ``weighing`` takes them."""
    count, none = len(effectors), np.empty(0)
    ranks = np.array([effector.ranks for effector in effectors], dtype=np.int64).reshape(count, 2)
    points, rotations = np.empty((0, count, 3)), np.empty((0, count, 3, 3))
    axes = plain_axes(count)
    blank = FrameGoals(ranks, *4 * (none,), axes, none, points, rotations, shifts, length, none, none)
    return blank.weighing(*weights)


def _majorants(axes: Array) -> Array:
    """Return the largest row sum of axes^T axes: bounds its eigenvalues, and exact for multiples of one."""
    majorants: Array = np.abs(axes.swapaxes(-1, -2) @ axes).sum(axis=-1).max(axis=-1, keepdims=True)
    return majorants
