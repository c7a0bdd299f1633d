# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""The pose that a frame has while *Live* is on: solved for all its targets, or keyed, where pins stand."""

from collections.abc import Generator

from bpy.types import Object, Scene

from ..armature import keyed_pins
from ..dragging import Found, held_in_place, solved
from ..solvers import Request, Solution, solve_in_parts, solve_kept
from ..solvers.pauses import finished
from .reading import Reading
from .trail import Trail, slowed


def solved_at_once(scene: Scene, reading: Reading, trail: Trail | None, keeps: bool) -> tuple[Found, Trail]:
    """Return the pose for all targets of the present frame, in which slow bones lag, and their new trail.

    ``keeps``: a pose that is as near as can be stays. Raises RigError or SolverError.
    """
    rig, frame = reading.rig, reading.frame

    def solve(request: Request, *_: object) -> Generator[int, None, Solution]:
        return solve_kept(request) if keeps else solve_in_parts(request)

    found = finished(solved(rig, [frame], reading.request, solve, keeps=keeps))
    solution, trail = slowed(scene, rig, trail, found.request, found.solution)
    return Found(found.rig, frame, reading.batch.skeleton, solution), trail


def held_between_keys(reading: Reading, ob: Object, time: float) -> Found | None:
    """Return the frame's own pose with the pins in place that stand between keys; None where there are none.

    ``time``: that of the frame in the scene. Raises RigError or SolverError.
    """
    places = keyed_pins(reading.rig, ob).standing(reading.frame, time)
    if not places:
        return None
    rig, (frame,), *found = held_in_place(reading.rig, reading.settings, [reading.frame], [places])
    return Found(rig, frame, *found)
