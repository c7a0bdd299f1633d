# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""Bones that lag while frames are played one after the other, as a bake of these frames has them."""

from dataclasses import dataclass

from bpy.types import Scene

from ..armature import Rig, frame_rate
from ..solvers import Pose, Request, Solution, with_lag


@dataclass(frozen=True, eq=False)
class Trail:
    """What slow bones come after, from one frame to the next.

    - ``frame``: the one that was posed last
    - ``names``: the bones; ``pose``: what these have come to in that frame
    - ``before``: the pose of the frame right before it, if that was played right before it
    """

    frame: float
    names: tuple[str, ...]
    pose: Pose
    before: Pose | None


def slowed(
    scene: Scene, rig: Rig, trail: Trail | None, request: Request, solution: Solution
) -> tuple[Solution, Trail]:
    """Return the solution of the present frame with bones that come after the frame before, and its trail.

    Where that was not the one right before, the frame is as it was solved: what it is does not depend on
    what else has been looked at.
    """
    frame, before = scene.frame_current_final, None
    if trail is not None and trail.names == rig.names:
        played = {trail.frame: trail.before, trail.frame + 1: trail.pose}
        before = played.get(frame)
    found = with_lag(request, solution, rig.speeds, 1 / frame_rate(scene), before)
    return found, Trail(frame, rig.names, found.pose, before)
