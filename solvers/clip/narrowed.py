# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""A clip of only those bones that may move, so that no stage keeps the others in memory."""

from dataclasses import replace

import numpy as np

from ..geometry import Indices
from ..model import Pose, Shifts, Skeleton
from ..problem import Problem, gone_along, make_problem
from ..request import Request
from ..solve import UNSEEN, Solution, chunks_of, joined, with_gathered_twists, with_shared_twists


def bones_that_tell(skeleton: Skeleton, problem: Problem) -> Indices:
    """Return the bones of the skeleton, ascending, that a solve may move, or that share what it does."""
    told = set(problem.tree.bones.tolist())
    for twist in skeleton.twists:
        told.update(*(skeleton.way_to(name) for name in (twist.bone, twist.last)))
    return np.array(sorted(told), np.int64)


def narrowed(request: Request, bones: Indices) -> Request:
    """Return what is asked of the ``bones`` alone; the parents of all of them are among them."""
    skeleton = request.skeleton
    names = [skeleton.names[bone] for bone in bones]
    place = np.full(len(skeleton.names) + 1, -1)  # the last one: no parent
    place[bones] = np.arange(len(bones))
    own = replace(
        skeleton,
        names=names,
        parents=place[skeleton.parents[bones]],
        offsets=skeleton.offsets[:, bones],
        rests=skeleton.rests[:, bones],
        inherits_rotation=skeleton.inherits_rotation[bones],
        stiffness=skeleton.stiffness[bones],
        freedom=skeleton.freedom[bones],
        limits=tuple(limit for limit in skeleton.limits if limit.bone in names),
        comforts=tuple(comfort for comfort in skeleton.comforts if comfort.bone in names),
    )
    return replace(request, skeleton=own, pose=_narrowed_pose(request.pose, bones), prepared=None)


def of_whole_limbs(request: Request) -> Request:
    """Return what is asked of a skeleton that shares no twist: it is gathered, limbs are whole."""
    if not request.skeleton.twists:
        return request
    request = with_gathered_twists(request)
    skeleton, one = request.skeleton, make_problem(request.rows(slice(1)))
    stiffness = skeleton.stiffness.copy()
    stiffness[one.tree.bones[gone_along(skeleton, one.tree, one.mobility)]] = 1.0
    return replace(request, skeleton=replace(skeleton, stiffness=stiffness, twists=()))


def with_twists(request: Request, bones: Indices, found: Solution) -> Solution:
    """Return what was found of the ``bones`` alone, of whole limbs, with their twists divided."""
    if not request.skeleton.twists:
        return found
    own = narrowed(request, bones)
    return joined([with_shared_twists(own.rows(rows), found.rows(rows)) for rows in chunks_of(own)])


def narrowed_solution(found: Solution, bones: Indices) -> Solution:
    """Return what was found of the ``bones`` alone; what kept it off is not told."""
    nobody, nothing = np.full_like(found.limited_by, -1), np.zeros_like(found.out_of_reach)
    return replace(
        found,
        pose=_narrowed_pose(found.pose, bones),
        out_of_reach=nothing,
        held_by=nobody,
        limited_by=nobody,
        jumped_by=np.full(len(nobody), UNSEEN),
    )


def _narrowed_pose(pose: Pose, bones: Indices) -> Pose:
    among = np.isin(pose.shifts.moved, bones)
    moved = np.searchsorted(bones, pose.shifts.moved[among])
    rotations = pose.rotations.take(bones, axis=1)
    rotations.setflags(write=False)  # a pose takes them as they are, then
    return Pose(rotations, Shifts(len(bones), moved, pose.shifts.values[:, among]))


def widened(request: Request, bones: Indices, found: Solution) -> Solution:
    """Return the solution of all that was asked, from that ``found`` for the ``bones`` alone."""
    given, own = request.pose, found.pose.shifts
    rotations = given.rotations.copy()
    rotations[:, bones] = found.pose.rotations
    rotations.setflags(write=False)
    others = ~np.isin(given.shifts.moved, bones)
    moved = np.concatenate([given.shifts.moved[others], bones[own.moved]])
    values, order = np.concatenate([given.shifts.values[:, others], own.values], axis=1), np.argsort(moved)
    shifts = Shifts(given.shifts.bones, moved[order], values[:, order])
    told = found.limited_by, found.jumped_by
    limited, jumped = (np.where(of < 0, of, bones[np.maximum(of, 0)]) for of in told)
    return replace(found, pose=Pose(rotations, shifts), limited_by=limited, jumped_by=jumped)
