# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""What of a bone's own limit can be dragged: values of its settings, as points about the bone."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from math import atan2, degrees, hypot, pi

import numpy as np
from bpy.types import PropertyGroup

from ..solvers.geometry import Array, untwisted
from .arcs import circle, turned
from .dials import Dial, Ray, snapped, snapped_direction
from .gimbals import gimbal_dials
from .shapes import FAN

_X, _Y, _Z = np.eye(3)
_HEAD = np.zeros(3)
_ROUND = 2 * pi
_PARALLEL = 1 - 1e-9
_STEP = pi / 60  # between points of a line


@dataclass(frozen=True, eq=False)
class Direction:
    """The middle of a cone; it moves over the sphere. With a ``radius`` the cone's circle is drawn."""

    cone: int
    about: str = "middle"
    radius: float | None = None

    def read(self, limit: PropertyGroup) -> Array:
        """Return the value: a unit vector (3,)."""
        direction = np.array(limit.cones[self.cone].direction, dtype=np.float64)
        return direction / np.linalg.norm(direction)

    def write(self, limit: PropertyGroup, value: Array) -> None:
        """Store the value, and make the cone the active one."""
        limit.cones[self.cone].direction = value
        limit.active_cone_index = self.cone

    def point(self, value: Array) -> Array:
        """Return where the value is."""
        return value

    def outwards(self, value: Array) -> None:
        """Return that it points nowhere."""

    def line(self, value: Array) -> Array:
        """Return the points (n, 3) of the cone's circle, none where it is not drawn."""
        if self.radius is None:
            return np.empty((0, 3))
        axis, start, lower, upper = circle(value, self.radius)
        return turned(axis, start, np.linspace(lower, upper, 2 + int((upper - lower) / _STEP)))

    def dragged(self, value: Array, ray: Ray, snap: bool) -> Array:
        """Return the value under the ray, ``value`` being the last."""
        direction = ray.on_sphere(value)
        return snapped_direction(direction) if snap else direction

    def words(self, value: Array) -> str:
        """Return the value as the user reads it."""
        lean = atan2(hypot(value[0], value[2]), value[1])
        return f"Cone {self.cone + 1}: {degrees(lean):.1f}° from rest"


@dataclass(frozen=True, eq=False)
class Angle:
    """One angle, read on a dial: a setting called ``name``, of a ``cone`` or the ``part`` of a vector.

    ``side``: -1 for the lower end of a range, 1 for its upper one, 0 for what is none. A line is drawn to it
    from the angle ``begin``, if there is one.
    """

    label: str
    name: str
    dial: Dial
    bounds: tuple[float, float]
    about: str = "swing"
    cone: int | None = None
    part: int | None = None
    side: int = 0
    begin: float | None = None

    def read(self, limit: PropertyGroup) -> float:
        """Return the value: radians."""
        value = getattr(self._owner(limit), self.name)
        return value if self.part is None else value[self.part]

    def write(self, limit: PropertyGroup, value: float) -> None:
        """Store the value."""
        if self.part is None:
            setattr(self._owner(limit), self.name, value)
        else:
            getattr(limit, self.name)[self.part] = value

    def point(self, value: float) -> Array:
        """Return where the value is."""
        return self.dial.at(value)

    def outwards(self, value: float) -> Array | None:
        """Return the unit vector (3,) that points out of the range whose end this is."""
        return self.dial.outwards(value, self.side) if self.side else None

    def line(self, value: float) -> Array:
        """Return the points (n, 3) of the line that leads to the value, none where there is no line."""
        if self.begin is None:
            return np.empty((0, 3))
        count = 2 + int(abs(value - self.begin) / _STEP)
        return self.dial.at(np.linspace(self.begin, value, count))

    def dragged(self, value: float, ray: Ray, snap: bool) -> float:
        """Return the value nearest to the ray, ``value`` being the last."""
        angle = self.dial.angle(ray, value)
        return min(max(snapped(angle) if snap else angle, self.bounds[0]), self.bounds[1])

    def words(self, value: float) -> str:
        """Return the value as the user reads it."""
        return f"{self.label}: {degrees(value):.1f}°"

    def _owner(self, limit: PropertyGroup) -> PropertyGroup:
        return limit if self.cone is None else limit.cones[self.cone]


Handle = Direction | Angle


def handles_of(limit: PropertyGroup, local: Array) -> list[Handle]:
    """Return the handles of a bone's own limit, the bone being at the rotation ``local`` (3, 3)."""
    find = _HANDLES.get(limit.kind)
    return list(find(limit, local)) if find else []


def has_handles(kind: str) -> bool:
    """Return whether limits of the kind have any."""
    return kind in _HANDLES


def _hinge_handles(limit: PropertyGroup, _local: Array) -> Iterator[Handle]:
    yield from _range_handles(limit, "hinge", _hinge_dial(limit))


def _cones_handles(limit: PropertyGroup, local: Array) -> Iterator[Handle]:
    yield from _chain_handles(limit)
    yield from _twist_handles(limit, local)


def _ellipse_handles(limit: PropertyGroup, local: Array) -> Iterator[Handle]:
    yield from _radius_handles()
    yield from _twist_handles(limit, local)


def _twist_handles(limit: PropertyGroup, local: Array) -> Iterator[Handle]:
    swung = untwisted(local)
    dial = Dial(swung @ _Y, swung @ _Z, local @ _Y, FAN)
    yield from _range_handles(limit, "twist", dial) if limit.use_twist else ()


def _chain_handles(limit: PropertyGroup) -> Iterator[Handle]:
    """Yield the middle of every cone, and four points on the circle of the active one.

    The circle of a cone alone is its rim, and of several no more than arcs of it are.
    """
    active = limit.active_cone_index
    for index, cone in enumerate(limit.cones):
        if index == active:
            yield Direction(index, radius=cone.radius if len(limit.cones) > 1 else None)
        else:
            yield Direction(index, "other")
    if 0 <= active < len(limit.cones):
        middle = Direction(active).read(limit)
        side = np.cross(middle, np.eye(3)[np.argmin(np.abs(middle))])
        side /= np.linalg.norm(side)
        other = np.cross(middle, side)
        for axis in (side, -side, other, -other):
            yield Angle(
                f"Cone {active + 1} Radius", "radius", Dial(axis, middle, _HEAD), (0.0, pi), cone=active
            )


def _radius_handles() -> Iterator[Handle]:
    for part, (label, axis) in enumerate((("X", _X), ("-X", -_X), ("Z", _Z), ("-Z", -_Z))):
        yield Angle(f"Radius {label}", "radii", Dial(axis, _Y, _HEAD), (0.0, pi), part=part)


def _hinge_dial(limit: PropertyGroup) -> Dial:
    """Return the dial of a hinge: at the tip for one that only twists the bone."""
    axis = np.array(limit.axis, dtype=np.float64)
    axis /= np.linalg.norm(axis)
    twists = abs(axis[1]) > _PARALLEL
    return Dial(axis, _Z, _Y, FAN) if twists else Dial(axis, _Y, _HEAD)


def _euler_handles(limit: PropertyGroup, local: Array) -> Iterator[Handle]:
    """Yield both ends of all three ranges."""
    lower, upper = (np.array(ends, dtype=np.float64) for ends in (limit.euler_min, limit.euler_max))
    for axis, dial in enumerate(gimbal_dials(limit.order, lower, upper, local)):
        for handle in _range_handles(limit, "euler", dial, axis):
            yield replace(handle, begin=float(np.clip(0.0, lower[axis], upper[axis])))


def _range_handles(limit: PropertyGroup, name: str, dial: Dial, part: int | None = None) -> Iterator[Angle]:
    """Yield both ends of a range, neither of which goes past the other."""
    ends = (getattr(limit, f"{name}_{end}") for end in ("min", "max"))
    lower, upper = ends if part is None else (end[part] for end in ends)
    label = name.title() if part is None else "XYZ"[part]
    about = "twist" if dial.size == FAN else "swing"
    yield Angle(f"{label} Minimum", f"{name}_min", dial, (-_ROUND, upper), about, part=part, side=-1)
    yield Angle(f"{label} Maximum", f"{name}_max", dial, (lower, _ROUND), about, part=part, side=1)


_HANDLES = {
    'HINGE': _hinge_handles,
    'CONES': _cones_handles,
    'ELLIPSE': _ellipse_handles,
    'EULER': _euler_handles,
}
