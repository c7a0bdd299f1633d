# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""Toes of a body that follows a motion: they bend where the foot rolls over its ball, as the ground is there.

Recordings often have no toes, or toes of another length. So the body's toes turn with the leader's toes or,
if it has none, with its feet. Then they bend up as far as their tips would go below the ground.
"""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from math import radians

import numpy as np
from bpy.types import Object, PoseBone
from mathutils import Vector
from numpy.lib.stride_tricks import sliding_window_view

from ...solvers import Hinge
from ...solvers.geometry import Array, dot, matvec, norm, rotation_vector_to_matrix
from ..rig.obstacles import obstacles
from ..rig.soles import Point, Sole, Spot, sole_of
from ..setup.clearing import clear_effector
from ..setup.effectors import effectors_of, is_effector, make_effectors, store_effector_setting
from ..setup.limits import read_limit
from ..setup.made import note_made
from .lead import Lead

_MOST = radians(70)  # that toes bend up, after AAOS, the great toe; a foot on its tips goes into the ground
_STEEP = 0.5  # the cosine of how steeply a toe points down from which on it bends less, upright not at all
_EASE = 0.1  # seconds in which toes unbend that have left the ground
_ALONG = 0.996  # the cosine of the angle from which on a hinge is none of the bone's own axes


@contextmanager
def toes_given(ob: Object) -> Iterator[list[str]]:
    """Make effectors of the toes of feet that are effectors: they turn by targets, and go along in drags.

    Toes whose limits leave it open how near they come to a turn stay as they are. Yields those that were
    none. Where what is done with them fails or is stopped, they are none again.
    """
    placed, bones = obstacles(ob), ob.pose.bones
    toes = (bones[_toe_of(sole)[0]] for sole in _soles(ob).values())
    axes = {toe.name: _counting_axes(toe) for toe in toes if not is_effector(toe) and toe.name not in placed}
    given = [toe for toe, counting in axes.items() if any(counting)]
    make_effectors(ob, [bones[toe] for toe in given])
    for toe in given:
        note_made(bones[toe], 'EFFECTOR')
        store_effector_setting(bones[toe], "position_weight", 0.0)
        store_effector_setting(bones[toe], "rotation_axes", axes[toe])
        store_effector_setting(bones[toe], "hold", 'FREE')
    try:
        yield given
    except BaseException:  # a closed generator's GeneratorExit comes by here too
        for toe in given:
            clear_effector(bones[toe])
        raise


def off_the_ground(lead: Lead, places: Array, rate: float) -> Array:
    """Return the places of bones (frames, n, 4, 4), to the world, with toes bent so that their tips stay as
    high as at rest.

    ``rate``: frames a second.
    """
    rows, bent = {name: row for row, name in enumerate(lead.bones)}, places.copy()
    for foot, sole in _soles(lead.follower).items():
        toe, tip = _toe_of(sole)
        if {foot, toe} <= rows.keys():
            balls = matvec(places[:, rows[foot]], np.array([*sole.ball, 1.0]))[:, :3]
            linear = places[:, rows[toe], :3, :3]
            bent[:, rows[toe], :3, :3] = _bent(lead.follower, toe, tip, linear, balls, rate)
            bent[:, rows[toe], :3, 3] = balls
    return bent


def _soles(ob: Object) -> Mapping[str, Sole]:
    """Return the soles by foot of the effectors that stand on a toe that bends."""
    soles = {bone.name: sole_of(bone) for bone in effectors_of(ob)}
    return {name: sole for name, sole in soles.items() if sole and sole.has_toe}


def _toe_of(sole: Sole) -> Spot:
    """Return the toe of a sole that has one, and where its tip is."""
    return sole.spots[1]


def _hinge(ob: Object, toe: str, tip: Point) -> Array:
    """Return the axis (3,) in the frame of a toe about which it bends up; zero if it points up or down."""
    rest = np.array(ob.data.bones[toe].matrix_local)[:3, :3]
    across: Array = rest.T @ np.cross(rest @ np.array(tip), np.array(ob.matrix_world)[2, :3])
    return across


def _counting_axes(toe: PoseBone) -> list[bool]:
    """Return about which of its axes the turn of a toe counts: all, or that of its hinge; none if unknown."""
    limit = read_limit(toe) if toe.id_data.superpose.use_limits else None
    if not isinstance(limit, Hinge):
        return [limit is None] * 3
    return [abs(along) > _ALONG for along in limit.axis]


def _bent(ob: Object, toe: str, tip: Point, linear: Array, balls: Array, rate: float) -> Array:
    """Return the frames (frames, 3, 3) of a toe, turned up about its hinge as far as its ``tip`` needs.

    ``linear``: as it would be, ``balls`` (frames, 3): where it begins; ``rate``: frames a second.
    """
    hinge = _hinge(ob, toe, tip)
    if not hinge.any():
        return linear
    axes = matvec(linear, hinge) * np.sign(np.linalg.det(linear))[:, None]  # mirrored, turns go the other way
    axes /= norm(axes)[:, None]
    rest = ob.matrix_world @ ob.data.bones[toe].matrix_local
    above = np.maximum(balls[:, 2], rest.translation.z)  # of feet recorded too low toes are level
    angles = eased(lifts(matvec(linear, np.array(tip)), axes, (rest @ Vector(tip)).z - above), rate)
    turned: Array = rotation_vector_to_matrix(angles[:, None] * axes) @ linear
    return turned


def lifts(ways: Array, axes: Array, least: Array) -> Array:
    """Return by which least angles (n,) about unit ``axes`` (n, 3) the ends of ``ways`` are ``least`` high.

    Both (n, 3) and (n,), from where the ways begin. No more than a way can be lifted by, nor than toes bend:
    the less the more steeply they point down, as those that point straight down are not lifted by bending up.
    """
    along = dot(ways, axes) * axes[:, 2]
    level, upright = ways[:, 2] - along, np.cross(axes, ways)[:, 2]
    most, wanted = np.hypot(level, upright), least - along
    highest = np.arctan2(upright, level)
    angles = highest - np.arccos(np.clip(wanted / np.maximum(most, np.finfo(float).tiny), -1.0, 1.0))
    largest = _MOST * np.clip(upright / np.maximum(_STEEP * most, np.finfo(float).tiny), 0.0, 1.0)
    return np.where(level < wanted, np.clip(angles, 0.0, largest), 0.0)


def eased(angles: Array, rate: float) -> Array:
    """Return angles (frames,) that are no less, and fall off in the time of easing rather than at once.

    The ground lets go of toes faster than they unbend. ``rate``: frames a second.
    """
    since = np.arange(round(_EASE * rate), -1, -1) / max(_EASE * rate, 1.0)
    falls = 1 - since**2 * (3 - 2 * since)
    before = sliding_window_view(np.pad(angles, (len(falls) - 1, 0)), len(falls))
    found: Array = (falls * before).max(axis=1)
    return found
