# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""Limbs and the targets of their poles, seen from the limbs' roots."""

import numpy as np

from ..geometry import Array, Mask, arctan2, cross, dot, matvec, norm, rotation_vector_to_matrix

# A pole counts half where the middle joint is this far from the line of the limb, in arms; or where the
# direction of the target is this far, as a sine, from that line.
STRAIGHT, _IN_LINE = 1 / 8, 1 / 50
_TINY = 1e-9  # in arms: an end this near to the root gives no line


class Limbs:
    """Limbs seen from their roots: where middle, end and target are, (batch, m, 3), and what follows.

    ``angle`` (batch, m) about the line from the target to the middle; ``fade`` (batch, m): how much it
    counts, for the limb's bend and for the target's angle with the line. What is kept of middle and target,
    one after the other, has an axis for these two in front.
    """

    def __init__(self, middle: Array, end: Array, target: Array, arm: Array) -> None:
        self._length = np.maximum(norm(end), _TINY * arm)[..., None]
        self._distance = np.maximum(norm(target), _TINY * arm)[..., None]
        self._parts, self._line = np.stack([middle, end - middle], axis=2), end / self._length
        line, ways = self._line, np.stack([middle, target / self._distance])
        self._along = dot(ways, line)[..., None]
        self._out = out = ways - self._along * line
        squares = dot(out, out)[..., None]
        halves = np.stack([(STRAIGHT * arm) ** 2, np.full(arm.shape, _IN_LINE**2)])
        self._dimmed = 1 / (squares + halves[..., None])
        self._shares = squares * self._dimmed
        self.fade: Array = (self._shares[0] * self._shares[1])[..., 0]
        self._round = cross(np.broadcast_to(line, out.shape), out)
        self.angle = arctan2(dot(self._round[1], out[0]), dot(out[1], out[0]))

    def slopes(self) -> tuple[Array, Array, Array]:
        """Return the derivatives (batch, m, 3) of the angle by middle, end and target, times the fade."""
        # No division by what is next to nothing: the fades' denominators stand for it.
        middle, target = self._dimmed * self._shares[::-1] * self._round
        return self._by_points(middle, target)

    def sides(self) -> Array:
        """Return how far middles are beside their half planes and behind their limbs' lines, (batch, m, 2).

        A half plane goes from the limb's line through the target; nothing in it is behind the line. Lengths,
        times the fade for the target's angle with the line.
        """
        _, (beside, ahead) = self._places()
        sides: Array = self._shares[1] * np.concatenate([beside, -ahead], axis=-1)
        return sides

    def side_slopes(self) -> tuple[tuple[Array, Array, Array], tuple[Array, Array, Array]]:
        """Return the derivatives (batch, m, 3) of either of the ``sides``, as ``slopes`` has them."""
        ways, (beside, ahead) = self._places()
        across, along = self._shares[1] * ways
        turning = self._dimmed[1] * self._round[1]
        return self._by_points(across, ahead * turning), self._by_points(-along, beside * turning)

    def _places(self) -> tuple[Array, Array]:
        """Return unit vectors (2, batch, m, 3) across half planes and along them, and how far middles are so.

        Along them: away from the lines. Lengths (2, batch, m, 1), from the lines.
        """
        ways = np.stack([self._round[1], self._out[1]])
        ways = ways / np.maximum(norm(ways), _TINY)[..., None]
        return ways, dot(ways, self._out[0])[..., None]

    def _by_points(self, middle: Array, target: Array) -> tuple[Array, Array, Array]:
        """Return derivatives by middle, end and target of what the middle and the target's way change."""
        line = self._along[1] * target - self._along[0] * middle
        return middle, line / self._length, -target / self._distance

    def swings(self, counted: Mask, shares: Array) -> Array:
        """Return turns (batch, 1 + s, m, 2, 3, 3) of upper and lower parts; none of limbs not ``counted``."""
        back = (counted * self.angle)[..., None]
        swung = rotation_vector_to_matrix(-back * self._line)[:, :, None]
        parts = matvec(swung, self._parts)
        parts /= np.maximum(norm(parts), _TINY * self._length)[..., None]
        kept = np.concatenate([self._shares[:1, ..., 0], np.multiply.outer(shares, np.ones_like(self.angle))])
        undone = np.swapaxes(1 - kept, 0, 1)[..., None] * back[:, None]
        twisted: Array = rotation_vector_to_matrix(undone[..., None] * parts[:, None]) @ swung[:, None]
        return twisted
