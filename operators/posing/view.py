# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""What a viewport says of the scene under the mouse; places of the mouse are pixels of its region."""

from dataclasses import dataclass

import numpy as np
from bpy.types import Context, Region, RegionView3D
from bpy_extras.view3d_utils import (
    location_3d_to_region_2d,
    region_2d_to_location_3d,
    region_2d_to_origin_3d,
    region_2d_to_vector_3d,
)

from ...solvers.geometry import Array


@dataclass(frozen=True, eq=False)
class View:
    """A view of the scene in a region, as long as both are on the screen."""

    region: Region
    space: RegionView3D

    @staticmethod
    def of(context: Context) -> "View":
        return View(context.region, context.region_data)

    def ray(self, mouse: Array) -> tuple[Array, Array]:
        """Return where the line of sight begins (3,) and which way it goes (3,)."""
        seen = self.region, self.space, mouse
        return np.array(region_2d_to_origin_3d(*seen)), np.array(region_2d_to_vector_3d(*seen))

    def sight(self, point: Array) -> Array:
        """Return the direction (3,) in which the point is seen."""
        return self.ray(self.pixels(point))[1]

    def at_depth(self, mouse: Array, point: Array) -> Array:
        """Return the place (3,) under the mouse that is as far away as the point."""
        return np.array(region_2d_to_location_3d(self.region, self.space, mouse, point))

    def pixels(self, point: Array) -> Array:
        """Return where the point is seen (2,), the middle of the region where it is behind the view."""
        seen = location_3d_to_region_2d(self.region, self.space, point)
        return np.array(seen if seen else (self.region.width / 2, self.region.height / 2))

    def pixel_size(self, point: Array) -> float:
        """Return how long a pixel is where the point is, scene units."""
        here = self.pixels(point)
        return float(
            np.linalg.norm(self.at_depth(here + np.array([1.0, 0.0]), point) - self.at_depth(here, point))
        )

    @property
    def axes(self) -> Array:
        """The view's axes (3, 3) in the scene: to the right, up, and towards the viewer."""
        return np.array(self.space.view_matrix.to_3x3().normalized()).T
