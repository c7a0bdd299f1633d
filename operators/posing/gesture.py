# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""What the user does with mouse and keys while dragging, as a motion; Blender's own habits hold.

Axes and planes as in Blender: X, Y, Z once for the scene's axes, twice for the bone's own, a third time for
none, and with Shift the plane across.
"""

from dataclasses import dataclass, field, replace
from math import atan2

import numpy as np

from ...solvers.geometry import Array, rotation_vector_to_matrix
from .motion import Motion
from .typed import Typed
from .view import View

_SLOW = 0.1  # what Shift makes of the mouse
_NEAR_PIXELS = 20  # lengths snap to the next power of ten that is at least so long on the screen
_ALONG_SIGHT = 0.1  # the sine of an angle to the line of sight, below which a way along it cannot be seen


@dataclass(frozen=True)
class Constraint:
    """An ``axis`` (0 to 2), of the bone itself where it ``is_local``; or the plane across that axis."""

    axis: int
    is_plane: bool = False
    is_local: bool = False

    @property
    def axes(self) -> list[int]:
        """The axes along which something moves."""
        return [axis for axis in range(3) if (axis == self.axis) != self.is_plane]

    def again(self, pressed: "Constraint") -> "Constraint | None":
        """Return what the same or another key makes of it."""
        if replace(self, is_local=False) != pressed:
            return pressed
        return None if self.is_local else replace(self, is_local=True)


@dataclass(eq=False)
class Gesture:
    """What the mouse does with a bone.

    - ``pivot`` (3,): the point that is held; ``frame`` (3, 3): the bone's axes; both in the scene
    - ``turns``: the bone is turned, not moved
    - ``mouse`` (2,): where it is; ``start``: where it began; ``slowed``: where it is for what is dragged
    - ``angle``: how far it went round the pivot
    """

    pivot: Array
    frame: Array
    turns: bool
    mouse: Array
    start: Array = field(init=False)
    slowed: Array = field(init=False)
    angle: float = 0.0
    constraint: Constraint | None = None
    typed: Typed = field(default_factory=lambda: Typed([""] * 3))

    def __post_init__(self) -> None:
        self.start = self.slowed = self.mouse
        self._ask_numbers()

    def drag(self, view: View, mouse: Array, is_slow: bool) -> None:
        """Take the mouse to where it is now."""
        share, around = _SLOW if is_slow else 1.0, view.pixels(self.pivot)
        before, now = self.mouse - around, mouse - around
        turn = atan2(before[0] * now[1] - before[1] * now[0], before @ now)
        self.angle, self.slowed = self.angle + share * turn, self.slowed + share * (mouse - self.mouse)
        self.mouse = mouse

    def constrain(self, axis: int, is_plane: bool) -> None:
        """Take the key of an axis."""
        pressed = Constraint(axis, is_plane and not self.turns)
        self.constraint = self.constraint.again(pressed) if self.constraint else pressed
        self._ask_numbers()

    def _ask_numbers(self) -> None:
        free = 1 if self.turns else 3
        self.typed = self.typed.for_numbers(len(self.constraint.axes) if self.constraint else free)

    def axes(self) -> Array:
        """Return the axes (3, 3) that count, in columns."""
        return self.frame if self.constraint and self.constraint.is_local else np.eye(3)

    def motion(
        self, view: View, step: float, numbers: list[float] | None, place: Array | None = None
    ) -> Motion:
        """Return the motion; ``step``: length or angle that it snaps to, 0 for none, ``numbers``: typed.

        ``place`` (3,): where in the scene the point is put, as far as the axes allow, wherever the mouse is.
        """
        if self.turns:
            angle = numbers[0] if numbers else snapped(self.angle, step)
            axis = self._turning_axis(view)
            # As the mouse goes round anticlockwise, so does what is seen from the front.
            sign = -1.0 if not numbers and axis @ view.axes[:, 2] < 0 else 1.0
            return Motion(rotation=rotation_vector_to_matrix(sign * angle * axis))
        way = self._way_to(place) if place is not None else self.axes().T @ self._way(view)
        way = snapped(way, step)
        if numbers:
            way = np.zeros(3)
            way[self.constraint.axes if self.constraint else [0, 1, 2]] = numbers
        return Motion(translation=self.axes() @ way)

    def _turning_axis(self, view: View) -> Array:
        return self.axes()[:, self.constraint.axis] if self.constraint else view.axes[:, 2]

    def _way(self, view: View) -> Array:
        """Return how far the mouse takes the point (3,), in the scene."""
        if self.constraint is None:
            return view.at_depth(self.slowed, self.pivot) - view.at_depth(self.start, self.pivot)
        axis = self.axes()[:, self.constraint.axis]
        on = on_plane if self.constraint.is_plane else on_line
        begin, end = (on(view, mouse, self.pivot, axis) for mouse in (self.start, self.slowed))
        return end - begin

    def _way_to(self, place: Array) -> Array:
        """Return how far it is to a place in the scene (3,), along the axes that count."""
        way = self.axes().T @ (place - self.pivot)
        counts = np.isin(range(3), self.constraint.axes if self.constraint else range(3))
        return np.where(counts, way, 0.0)

    def snapping_step(self, view: View) -> float:
        """Return the length that moves snap to, scene units: more the farther away the view is."""
        return float(10.0 ** np.ceil(np.log10(_NEAR_PIXELS * view.pixel_size(self.pivot))))


def on_line(view: View, mouse: Array, point: Array, axis: Array) -> Array:
    """Return the place (3,) on the line through the point that is nearest to the line of sight."""
    if np.linalg.norm(np.cross(view.sight(point), axis)) < _ALONG_SIGHT:
        # Up on the screen is along the axis then.
        return point + axis * (view.axes[:, 1] @ (view.at_depth(mouse, point) - point))
    origin, sight = view.ray(mouse)
    across = np.cross(np.cross(sight, axis), sight)
    return point + axis * (across @ (origin - point)) / (across @ axis)


def on_plane(view: View, mouse: Array, point: Array, normal: Array) -> Array:
    """Return the place (3,) on the plane through the point that is under the mouse."""
    if abs(view.sight(point) @ normal) < _ALONG_SIGHT:  # seen from the edge
        seen = view.at_depth(mouse, point)
        return seen - normal * (normal @ (seen - point))
    origin, sight = view.ray(mouse)
    return origin + sight * (normal @ (point - origin)) / (sight @ normal)


def snapped(values: Array | float, step: float) -> Array | float:
    """Return whole steps; the values themselves where there is no step."""
    return np.round(np.asarray(values) / step) * step if step else values
