# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""A pose that meets all that is asked of it stays: comfort chooses only where something has to move."""

from dataclasses import replace
from typing import Any

from .geometry import Mask
from .problem import make_problem, measure, refuse_start, state_from_pose
from .request import Request
from .search import within_limits

# What as good as meets a target, in tolerances: steps that are over leave as much of what gave way to them.
_NEAR = 10.0


def kept_if_met(request: Request) -> Request:
    """Return the request without comfort and soft rims if all its poses, within limits, as good as meet their
    targets and goals; else as it is.

    For one pose, as somebody left it. Of a clip, frames that are met and their neighbours that are not would
    differ by all that comfort does. Raises SkeletonError, or GoalError, for what cannot be asked.
    """
    skeleton = request.skeleton
    if not (skeleton.comforts or any(limit.cushion for limit in skeleton.limits)):
        return request
    if not is_met(request).all():
        return request
    limits: tuple[Any, ...] = skeleton.limits  # dataclasses of whatever kind
    hard = tuple(replace(limit, cushion=0.0) for limit in limits)
    return replace(request, skeleton=replace(skeleton, comforts=(), limits=hard))


def is_met(request: Request) -> Mask:
    """Return which poses (batch,), put within limits, as good as meet their targets and goals.

    Raises SkeletonError, or GoalError, for what cannot be asked.
    """
    request.check()
    problem = make_problem(request)
    start = state_from_pose(problem, request.pose)
    refuse_start(problem, start)
    near = {name: _NEAR * getattr(problem, name) for name in ("tolerance", "angle_tolerance")}
    return measure(replace(problem, **near), within_limits(problem, start)).met
