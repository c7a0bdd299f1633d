# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""Where points of the scene are on the screen, and which of them is under the mouse."""

from dataclasses import dataclass

import numpy as np

from ..solvers.geometry import Array, Mask

_NEAR = 1e-9  # of what is in front of the eye: nearer is at the eye or behind it
_SAME = 3.0  # pixels: of lines that are as near to the mouse, that in front is meant


@dataclass(frozen=True, eq=False)
class Projection:
    """What a viewport shows: ``scene_to_clip`` (4, 4), and its width and height in pixels, ``size`` (2,)."""

    scene_to_clip: Array
    size: Array

    def pixels(self, points: Array) -> tuple[Array, Mask]:
        """Return where points (..., 3) are (..., 2), from the bottom left, and which lie before the eye."""
        clip = points @ self.scene_to_clip[:, :3].T + self.scene_to_clip[:, 3]
        ahead = clip[..., 3] > _NEAR
        depth = np.where(ahead, clip[..., 3], 1.0)[..., None]
        return 0.5 * (clip[..., :2] / depth + 1.0) * self.size, ahead

    def pixels_per_length(self, point: Array) -> float:
        """Return how many pixels a length at a point (3,) takes that is seen at its full size."""
        depth = self.scene_to_clip[3, :3] @ point + self.scene_to_clip[3, 3]
        return float(0.5 * self.size[0] * np.linalg.norm(self.scene_to_clip[0, :3]) / max(depth, _NEAR))

    def nearest_line(self, lines: Array, mouse: Array, reach: float) -> int | None:
        """Return which of the lines (n, 2, 3) is seen nearest to the mouse (2,) and within reach, pixels."""
        ends, ahead = self.pixels(lines)
        begin, along = ends[:, 0], ends[:, 1] - ends[:, 0]
        share = ((mouse - begin) * along).sum(axis=-1) / np.maximum((along**2).sum(axis=-1), _NEAR)
        share = np.clip(share, 0.0, 1.0)[:, None]
        distances = np.linalg.norm(begin + share * along - mouse, axis=-1)
        distances = np.where(ahead.all(axis=1), distances, np.inf)
        if not distances.min() <= reach:
            return None
        first, last = np.moveaxis(self._depths(lines), 1, 0)
        depths = first + share[:, 0] * (last - first)
        return int(np.where(distances < distances.min() + _SAME, depths, np.inf).argmin())

    def _depths(self, points: Array) -> Array:
        """Return how deep points (..., 3) are on the screen (...,): more the farther behind."""
        clip = points @ self.scene_to_clip[2:, :3].T + self.scene_to_clip[2:, 3]
        return clip[..., 0] / np.maximum(clip[..., 1], _NEAR)

    def nearest(self, points: Array, mouse: Array, reach: float) -> int | None:
        """Return which of the points (n, 3) is nearest to the mouse (2,) and within reach, pixels."""
        pixels, ahead = self.pixels(points)
        distances = np.where(ahead, np.linalg.norm(pixels - mouse, axis=-1), np.inf)
        found = int(distances.argmin()) if len(points) else 0
        return found if len(points) and distances[found] <= reach else None

    def nearest_box(self, boxes: Array, mouse: Array) -> int | None:
        """Return which of the boxes (n, 8, 3), by their corners, holds the mouse (2,): the nearest middle."""
        pixels, ahead = self.pixels(boxes)
        held = np.array([_holds(*box, mouse) for box in zip(pixels, ahead, strict=True)], bool)
        distances = np.linalg.norm(pixels.mean(axis=1) - mouse, axis=-1)
        return int(np.where(held, distances, np.inf).argmin()) if held.any() else None


def _holds(corners: Array, ahead: Mask, mouse: Array) -> bool:
    """Return whether the outline of the corners (n, 2) goes round the mouse: they lie on all sides of it.

    They do if, seen from the mouse, no two neighbours are half a turn or more apart.
    """
    away = corners - mouse
    angles = np.sort(np.arctan2(away[:, 1], away[:, 0]))
    apart = np.diff(angles, append=angles[0] + 2 * np.pi)
    return bool(ahead.all() and apart.max() < np.pi)
