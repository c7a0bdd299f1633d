# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""What a rig's own motion says of the limits that its body gets.

It tells the play of hinges, where heads look, and how far joints turn whose range is a guess.

A rig's hinges may turn beside their axes. Its head may look elsewhere at rest than people do; heads of motion
capture look down. Then the published range would lie about the wrong pose.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from math import radians

import numpy as np
from bpy.types import Context, Object

from ...presets.animal_joints import ANIMAL_JOINTS, GUESSED_JOINTS
from ...solvers import Cones, Hinge
from ...solvers.geometry import (
    Array,
    multiply,
    quaternion_to_matrix,
    quaternion_to_rotation_vector,
    rotation_vector_to_quaternion,
    twist_about,
)
from ...solvers.limits import Limit, angles_outside
from ...solvers.pauses import finished
from ..frames.samples import own_takes, sampled_rotations

_HINGED, _LOOKING = {"ELBOW", "KNEE", *ANIMAL_JOINTS}, {"NECK", "HEAD"}
# Looked at is every so-manieth frame. So much play that this share of them is inside, never more than that.
_STEP, _INSIDE, _MOST = 5, 0.98, radians(30.0)


def fitted(context: Context, ob: Object, limits: Sequence[Limit], joints: Mapping[str, str]) -> list[Limit]:
    """Return the limits as the armature's motion has them, its action or else its strips.

    Hinges of limbs have as much play as it uses. Necks and heads whose median leaves the middle half of their
    range have the range, as wide as it is, about that median. Ranges that are guesses are as wide as it
    needs. ``joints``: which joint, a key of the tables, each bone is. Raises RigError where the motion cannot
    be read.
    """
    fits = {limit.bone: fit for limit in limits if (fit := _fit_of(limit, joints[limit.bone]))}
    takes = own_takes(ob, _STEP)
    if not fits or not takes:
        return list(limits)
    turns = finished(sampled_rotations(context, ob, [ob.pose.bones[bone] for bone in fits], takes))
    by_bone = dict(zip(fits, turns.swapaxes(0, 1), strict=True))
    return [fits[limit.bone](limit, by_bone[limit.bone]) if limit.bone in fits else limit for limit in limits]


def _fit_of(limit: Limit, joint: str) -> Callable[[Limit, Array], Limit] | None:
    """Return what makes the limit of such a joint from turns (frames, 4); None where these do not tell."""
    if isinstance(limit, Hinge):
        return _played if joint in _HINGED else None
    if joint in _LOOKING:
        return _about_median
    return _widened if joint in GUESSED_JOINTS else None


def _played(hinge: Hinge, turns: Array) -> Hinge:
    """Return the hinge with as much play as the turns (frames, 4) use."""
    used = float(np.quantile(hinge.tilts(quaternion_to_matrix(turns)), _INSIDE))
    return replace(hinge, play=max(hinge.play, min(used, _MOST)))


def _about_median(range_: Cones, turns: Array) -> Cones:
    """Return a range about rest moved to lie about the turns' (frames, 4) median, where that is far out."""
    median = rotation_vector_to_quaternion(np.median(quaternion_to_rotation_vector(turns), axis=0))
    twice = multiply(median, median)
    if not angles_outside([range_], twice[None])[0]:
        return range_
    along = float(twist_about(median, np.array(range_.limb)))
    swing = quaternion_to_matrix(
        multiply(median, rotation_vector_to_quaternion(-along * np.array(range_.limb)))
    )
    cones = tuple((tuple((swing @ np.array(centre)).tolist()), radius) for centre, radius in range_.cones)
    return replace(range_, cones=cones, lower=range_.lower + along, upper=range_.upper + along)


def _widened(range_: Cones, turns: Array) -> Cones:
    """Return a range of one cone about rest as wide as most of the turns (frames, 4) need."""
    ((centre, radius),), limb = range_.cones, np.array(range_.limb)
    pointing = quaternion_to_matrix(turns) @ limb
    leaning = float(np.quantile(np.arccos(np.clip(pointing @ np.array(centre), -1.0, 1.0)), _INSIDE))
    twists = (twist_about(turns, limb) + np.pi) % (2 * np.pi) - np.pi
    lower, upper = np.quantile(twists, (0.5 - 0.5 * _INSIDE, 0.5 + 0.5 * _INSIDE)).tolist()
    cones = ((centre, max(radius, leaning)),)
    return replace(range_, cones=cones, lower=min(range_.lower, lower), upper=max(range_.upper, upper))
