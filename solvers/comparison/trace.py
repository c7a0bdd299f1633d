# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""How a solver gets nearer with every iteration and with time.

Solvers do not tell what they do on the way, so each is run with ever more iterations, every run from the
start, and timed. Where a solver takes one kind of step throughout, a short run is the beginning of a longer.
"""

from collections.abc import Generator, Sequence
from dataclasses import dataclass
from math import inf

import numpy as np

from ..geometry import Array
from .contest import FIRST, Contestant, Runs, doubled, ruler, timed
from .problems import Problems

# Problems that are followed, and runs of which each time is the median.
MOST_PROBLEMS = 3
RUNS = 3
_FEW = (1, 2, 5)  # iterations before those that a contest runs too


@dataclass(frozen=True, eq=False)
class Trace:
    """One contestant's runs: medians over problems, (points,) each.

    ``iterations`` taken, ``seconds``, and ``rmsd``, what was left, in scene units.
    """

    label: str
    iterations: Array
    seconds: Array
    rmsd: Array

    def front(self, cost: Array) -> tuple[Array, Array]:
        """Return costs (k,), rising, and the least that any run has left at no higher cost (k,), falling."""
        order = np.lexsort((self.rmsd, cost))
        cost, left = cost[order], np.minimum.accumulate(self.rmsd[order])
        first = np.concatenate([[True], (np.diff(left) < 0) & (np.diff(cost) > 0)])
        return cost[first], left[first]


def budgets(most: int) -> list[int]:
    """Return the iterations to stop at: 1, 2, 5, 10, 20, 40 and so on, up to ``most``."""
    return [*(few for few in _FEW if few < most), *doubled(FIRST, most)]


def trace(
    who: Contestant,
    problems: Problems,
    most: int,
    limit: float = inf,
    done: int = 0,
    known: Sequence[Runs] = (),
) -> Generator[int, None, Trace]:
    """Follow the contestant on a few of the problems, giving ``done`` after each run.

    It ends where a larger budget changes nothing, or the next run might take more than ``limit`` seconds.
    ``known``: runs of the problems in a contest, which are not made again.
    """
    chosen = np.unique(np.linspace(0, len(problems) - 1, MOST_PROBLEMS).round().astype(int)).tolist()
    rows = [(problems.rows(slice(row, row + 1)), known[row] if known else {}) for row in chosen]
    points: list[tuple[float, float, float]] = []
    for budget in budgets(most):
        attempts = []
        for row, runs in rows:
            first = runs.get(budget)
            if first is None:
                first = who.solve(row, budget)
                yield done
            attempts.append((yield from timed(who, row, budget, first, RUNS, done)))
        left = [ruler(row, attempt.pose).rmsd for (row, _), attempt in zip(rows, attempts, strict=True)]
        told = [attempt.iterations for attempt in attempts if attempt.iterations is not None]
        taken = max(told) if len(told) == len(attempts) else budget
        seconds = [attempt.seconds for attempt in attempts]
        points.append((taken, float(np.median(seconds)), float(np.median(left))))
        if not any(attempt.unfinished for attempt in attempts) or 2 * max(seconds) > limit:
            break
    iterations, seconds, rmsd = np.array(points, float).T
    return Trace(who.label, iterations, seconds, problems.scale * rmsd)
