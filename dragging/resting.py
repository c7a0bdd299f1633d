# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""The pose in which a drag comes to rest, and the best pose for what is asked, whatever way led there."""

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from ..armature import FrameSnapshot
from ..solvers import Pose, Settings, has_springs, with_opposition_told
from ..solvers.geometry import dot
from ..solvers.pauses import Pausing
from .body import Body
from .following import RESTING
from .found import Found

Show = Callable[[Found, Pose], None]  # what is told of a pose on the way to the one at rest

# The parts of a way that is gone in stages. Another way is better if it misses by less than this share.
_STAGES, _BETTER = (0.06, 0.25, 0.5, 0.75), 0.9
# The moves of an even way, and the most moves on the spot. A change of a quaternion's components, or a turn
# in radians, that is less counts as none.
_MOVES, _STILL = 8, 1e-7
_AWAITED = 6  # the most moves on the spot, but for the first, that the user waits for
# Radians: a turn that is seen as a leap. And a share: a move on the spot that turns bones by more than this
# share of what the one before did, where one of the two is no leap, crawls or leads away.
_LEAP, _NEARER = 0.05, 0.5


def at_rest(body: Body, asked: FrameSnapshot, show: Show) -> Pausing[Found]:
    """Return the pose that repeated moves on the spot come to, from the pose that is seen.

    If one of these moves turns the body far it is given to ``show``; else that would be a leap for the eye.

    Bodies with comfort or limits have many poses that are equally good. To go to the best of all would be a
    leap again, and takes seconds. So what these moves miss is out of reach, or another way is found in haste.
    The best pose is sought only for bodies that neither comfort nor limits lead. The solution says what keeps
    effectors off their targets.
    """
    return _told(body, (yield from _at_rest(body, asked, show)))


def _told(body: Body, found: Found) -> Found:
    """Return what was found with what keeps effectors off their targets."""
    told = with_opposition_told(body.request, found.solution, body.begun.effectors)
    return replace(found, solution=told)


def _at_rest(body: Body, asked: FrameSnapshot, show: Show) -> Pausing[Found]:
    if not body.is_led:
        return (yield from _best(body, asked))
    near = yield from _drawn_near(body, asked, body.paced[RESTING], show)
    if not body.is_missed(near):
        return near
    found = yield from another_way(body, asked, near)
    return near if found is near else (yield from _drawn_near(body, asked, body.hasty))


def best(body: Body, asked: FrameSnapshot) -> Pausing[Found]:
    """Return the pose that an even way from the beginning of the drag leads to, and then moves on the spot.

    If that misses, the pose is also sought with all that the settings allow; so it is where nothing gives way
    as springs do. The solution says what keeps effectors off their targets.
    """
    return _told(body, (yield from _best(body, asked)))


def _best(body: Body, asked: FrameSnapshot) -> Pausing[Found]:
    body.pose = None
    found = (yield from _on_the_way(body, asked)) if body.has_followers else None
    if found is not None and not body.is_missed(found):
        return found
    pose, body.pose = body.pose, None
    sought = yield from _sought(body, asked)
    if found is None:
        return sought
    if body.miss(sought) < _BETTER * body.miss(found):
        return (yield from _on_the_spot(body, asked))
    body.pose = pose
    return found


def _on_the_way(body: Body, asked: FrameSnapshot) -> Pausing[Found | None]:
    """Return the pose at the end of an even way; None where nothing gives way as springs do."""
    for share in np.arange(1, _MOVES) / _MOVES:
        yield from body.solving(_part_of(body, asked, share), body.hasty)
        if not has_springs(body.request):
            return None
    return (yield from _on_the_spot(body, asked))


def _drawn_near(
    body: Body, asked: FrameSnapshot, settings: Settings, show: Show | None = None
) -> Pausing[Found]:
    """Return the pose that repeated moves on the spot come to.

    They end where they only crawl on. They also end where they turn the body more again after they had nearly
    ended: then they lead to another way of posing it, and that would be a leap.
    """
    before = body.pose
    found, pose = (yield from body.solving(asked, settings)), body.pose
    turned = _turned(before, pose)
    for _ in range(_AWAITED):
        if turned < _STILL:
            break
        if show and turned > _LEAP:
            show(found, pose)
            yield
        further = yield from body.solving(asked, settings)
        by = _turned(pose, body.pose)
        if by > _NEARER * turned and min(turned, by) < _LEAP:
            break
        found, pose, turned = further, body.pose, by
    body.pose = pose
    return found


def _turned(before: Pose, after: Pose) -> float:
    """Return by how much any bone is turned in its parent's frame, at most, radians."""
    alike = np.abs(dot(before.rotations, after.rotations)).min(initial=1.0)
    return float(2 * np.arccos(min(alike, 1.0)))


def _on_the_spot(body: Body, asked: FrameSnapshot) -> Pausing[Found]:
    """Return the pose that moves on the spot draw near to."""
    found = yield from body.solving(asked, body.hasty)
    for _ in range(_MOVES):
        before, found = found, (yield from body.solving(asked, body.hasty))
        turns = np.abs(found.solution.pose.rotations - before.solution.pose.rotations)
        if turns.max(initial=0.0) < _STILL:
            break
    return found


def _sought(body: Body, asked: FrameSnapshot) -> Pausing[Found]:
    """Return the pose that is found with all that the settings allow.

    Where what is moved misses its target over flat feet it is sought once more, a part of the way at a
    time: straight knees find no way to bend where heels have to lift for that.
    """
    found = yield from body.solving(asked, body.settings)
    if _is_stuck(body, found):
        found = yield from in_stages(body, asked, found, replace(body.settings, restarts=0))
    return found


def another_way(body: Body, asked: FrameSnapshot, found: Found) -> Pausing[Found]:
    """Return the pose found in haste over bent legs or in stages, if it is nearer than the one ``found``."""
    over_legs = yield from _over_bent_limbs(body, asked, found)
    if body.is_missed(over_legs):
        return (yield from in_stages(body, asked, over_legs, body.hasty))
    return over_legs


def _over_bent_limbs(body: Body, asked: FrameSnapshot, found: Found) -> Pausing[Found]:
    """Return the pose found from a body that is where it is asked for, over bent legs, if it is nearer.

    Over straight legs hips get no lower by small steps.
    """
    pose, begin = body.pose, body.over_bent_limbs()
    if begin is None:
        return found
    body.pose = begin
    over_legs = yield from _drawn_near(body, asked, body.hasty)
    if body.miss(over_legs) < _BETTER * body.miss(found):
        return over_legs
    body.pose = pose
    return found


def in_stages(body: Body, asked: FrameSnapshot, found: Found, settings: Settings) -> Pausing[Found]:
    """Return the pose found on a way from the beginning, if it is nearer than the one found at once."""
    at_once, body.pose = body.pose, None
    for share in _STAGES:
        yield from body.solving(_part_of(body, asked, share), body.hasty)
    again = yield from body.solving(asked, settings)
    if body.miss(again) < _BETTER * body.miss(found):
        return again
    body.pose = at_once
    return found


def _part_of(body: Body, asked: FrameSnapshot, share: float) -> FrameSnapshot:
    """Return the frame with what is moved so far on its way."""
    is_moved = np.isin(np.arange(len(asked.influences)), list(body.moved))
    return replace(asked, influences=np.where(is_moved, share * asked.influences, asked.influences))


def _is_stuck(body: Body, found: Found) -> bool:
    """Return whether what is moved is missed while a foot that could roll stands flat."""
    feet = {sole.foot for sole in found.rig.soles}
    flat = [row for row, effector in enumerate(found.rig.effectors) if effector.bone in feet]
    left = found.solution.position_residuals[0]
    stands = any(not body.begun.is_visible(distance) for distance in left[flat])
    return stands and body.is_missed(found)
