# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""The limits of a skeleton as groups, one for each kind, and for each order of Euler angles."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TypeVar

import numpy as np

from ..geometry import Array, Indices, cross_matrix, quaternion_to_matrix, shortest_arc
from .across import Across
from .ellipses import LARGEST_RADIUS
from .eulers import Eulers
from .group import Group
from .hinges import Hinges
from .kinds import ALONG, Cones, Ellipse, EulerLimit, Hinge, Limit
from .kusudama import kusudamas
from .swings import ConeSwings, EllipseSwings, LooseHinges

Kind = TypeVar("Kind", Hinge, Cones, Ellipse, EulerLimit)


def group_limits(limits: Sequence[Limit], place: dict[str, int]) -> tuple[Group, ...]:
    """Return the limits of the bones in ``place`` (name to index), grouped by kind."""
    limits = sorted((limit for limit in limits if limit.bone in place), key=lambda limit: place[limit.bone])
    orders = {limit.order for limit in limits if isinstance(limit, EulerLimit)}
    groups = (
        _group(limits, place, Hinge, "", _hinges),
        _group(limits, place, Cones, "", _cones),
        _group(limits, place, Ellipse, "", _ellipses),
        _group(limits, place, Hinge, "LOOSE", _loose_hinges),
        _group(limits, place, Cones, "ACROSS", _across),
        *(_group(limits, place, EulerLimit, order, _eulers) for order in sorted(orders)),
    )
    return tuple(group for group in groups if group is not None)


def upright(limit: Cones) -> tuple[Cones, Array]:
    """Return the limit as seen from its limb's frame, whose +Y is the limb, and that (3, 3), limb to bone."""
    frame = quaternion_to_matrix(shortest_arc(np.array(ALONG), np.array(limit.limb, dtype=np.float64)))
    cones = tuple((tuple((direction @ frame).tolist()), radius) for direction, radius in limit.cones)
    return replace(limit, cones=cones, limb=ALONG), frame


def _group(
    limits: Sequence[Limit],
    place: dict[str, int],
    kind: type[Kind],
    sort: str,
    build: Callable[[Indices, Array, Sequence[Kind]], Group],
) -> Group | None:
    """Return the group of the limits that are of a kind and sort, if there are any."""
    chosen = [limit for limit in limits if isinstance(limit, kind) and _sort(limit) == sort]
    if not chosen:
        return None
    bones = np.array([place[limit.bone] for limit in chosen])
    return build(bones, np.array([float(limit.cushion) for limit in chosen]), chosen)


def _sort(limit: Limit) -> str:
    """Return which of its kind a limit is: the order of its angles, whether a hinge has play, and so on."""
    if isinstance(limit, Hinge):
        return "LOOSE" if limit.play else ""
    across = isinstance(limit, Cones) and tuple(limit.limb) != ALONG
    return "ACROSS" if across else getattr(limit, "order", "")


def _hinges(bones: Indices, cushions: Array, limits: Sequence[Hinge]) -> Hinges:
    axes = np.array([limit.axis for limit in limits], dtype=np.float64)
    axes /= np.linalg.norm(axes, axis=-1, keepdims=True)
    along = axes[:, :, None] * axes[:, None]
    return Hinges(bones, cushions, axes, along, np.eye(3) - along, cross_matrix(axes), *_bounds(limits))


def _cones(bones: Indices, cushions: Array, limits: Sequence[Cones]) -> ConeSwings:
    count = max(len(limit.cones) for limit in limits)
    padded = [(*limit.cones, *([limit.cones[-1]] * (count - len(limit.cones)))) for limit in limits]
    centres = np.array([[direction for direction, _ in cones] for cones in padded], dtype=np.float64)
    centres /= np.linalg.norm(centres, axis=-1, keepdims=True)
    radii = np.array([[radius for _, radius in cones] for cones in padded], dtype=np.float64)
    return ConeSwings(bones, cushions, *_bounds(limits), kusudamas(centres, radii))


def _across(bones: Indices, cushions: Array, limits: Sequence[Cones]) -> Across:
    seen, frames = zip(*map(upright, limits), strict=True)
    return Across(bones, cushions, _cones(bones, cushions, seen), np.array(frames))


def _loose_hinges(bones: Indices, cushions: Array, limits: Sequence[Hinge]) -> Across:
    """Return hinges with play: as seen from the axis, that stays in a cone and the bone twists about it."""
    axes = np.array([limit.axis for limit in limits], dtype=np.float64)
    centres, radii = np.tile(ALONG, (len(limits), 1, 1)), np.array([[limit.play] for limit in limits])
    seen = LooseHinges(bones, cushions, *_bounds(limits), kusudamas(centres, radii))
    along = np.broadcast_to(ALONG, axes.shape)
    return Across(bones, cushions, seen, quaternion_to_matrix(shortest_arc(along, axes)))


def _ellipses(bones: Indices, cushions: Array, limits: Sequence[Ellipse]) -> EllipseSwings:
    radii = np.array([limit.radii for limit in limits], dtype=np.float64)
    return EllipseSwings(bones, cushions, *_bounds(limits), np.minimum(radii, LARGEST_RADIUS))


def _eulers(bones: Indices, cushions: Array, limits: Sequence[EulerLimit]) -> Eulers:
    bounds = (np.stack(np.broadcast_arrays(*(getattr(x, n) for x in limits)), 1) for n in ("lower", "upper"))
    return Eulers(bones, cushions, limits[0].order, *bounds)


def _bounds(limits: Sequence[Hinge | Cones | Ellipse]) -> tuple[Array, Array]:
    lower, upper = ([float(getattr(limit, name)) for limit in limits] for name in ("lower", "upper"))
    return np.array(lower), np.array(upper)
