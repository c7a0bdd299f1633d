# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""Who takes part in a comparison: every method of ours, and Blender's own solvers."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace

from bpy.types import Object

from ...armature import SOLVERS, Rig, blender_ignores, scratch_copy
from ...solvers import METHODS
from ...solvers.comparison import IGNORES_GOALS, Attempt, Contestant, Problems, contestant, ignored


def own_methods(ob: Object, problems: Problems) -> list[Contestant]:
    """Return every method with the user's settings, by its name in the panel.

    Superpose, which alone can start again, is there also without.
    """
    items = ob.superpose.bl_rna.properties["method"].enum_items
    settings = problems.settings
    once = replace(settings, restarts=0)
    first, *others = [
        contestant(items[method].name, replace(once, method=method), ignored(method, problems))
        for method in METHODS
    ]
    if not settings.restarts:
        return [first, *others]
    again = contestant(first.label, replace(settings, method=METHODS[0]))
    return [again, replace(first, label=f"{first.label}, No Restarts"), *others]


@contextmanager
def blender(rig: Rig, ob: Object, problems: Problems, solver: str) -> Iterator[Contestant]:
    """Give one of Blender's solvers as a contestant, for as long as the block runs."""
    with scratch_copy(rig, ob, solver) as copy:

        def run(problem: Problems, iterations: int) -> Attempt:
            return Attempt(*copy.solve(problem.skeleton, problem.pose, problem.targets, iterations))

        cannot = (*blender_ignores(rig, ob), *([IGNORES_GOALS] if problems.goals else []))
        yield Contestant(SOLVERS[solver], run, "; ".join(cannot))
