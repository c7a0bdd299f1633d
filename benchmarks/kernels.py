"""Part: superpositions alone, by eigen-decomposition, by QCP, and the deviation without the rotation."""

from time import perf_counter

import numpy as np

from solvers import horn_rotation, qcp_rmsd, qcp_rotation

from .report import publish

BATCHES = (1, 10, 100, 1000, 100_000)
ROUNDS = 7  # of which the fastest counts, all kernels in turn, so that none meets a busier machine
ROWS_PER_ROUND = 5000


def clouds(rng, batch):
    """Covariances (batch, 3, 3) of six points and what they are met with, squares and weights (batch,)."""
    moved, targets = rng.normal(size=(2, batch, 6, 3))
    targets += moved
    squares = np.einsum("nei,nei->n", moved, moved) + np.einsum("nei,nei->n", targets, targets)
    return np.einsum("nei,nej->nij", moved, targets), squares, np.full(batch, 6.0)


def one_point(rng, batch):
    """The same of a single point, whose best rotation is not unique."""
    moved, target = rng.normal(size=(2, batch, 3))
    squares = np.einsum("ni,ni->n", moved, moved) + np.einsum("ni,ni->n", target, target)
    return moved[:, :, None] * target[:, None], squares, np.ones(batch)


def microseconds(calls, batch):
    """The least time for each row, by name, of calls (by name) made in turn."""
    repeats = max(1, ROWS_PER_ROUND // batch)
    least = dict.fromkeys(calls, np.inf)
    for _ in range(ROUNDS):
        for name, call in calls.items():
            begin = perf_counter()
            for _ in range(repeats):
                call()
            least[name] = min(least[name], 1e6 * (perf_counter() - begin) / repeats / batch)
    return least


def main():
    """Measure every kernel on batches of all sizes."""
    rng = np.random.default_rng(1)
    rows = []
    for data in (clouds, one_point):
        for batch in BATCHES:
            covariance, squares, weights = data(rng, batch)
            calls = {
                "eigen us": lambda c=covariance: horn_rotation(c),
                "qcp us": lambda c=covariance: qcp_rotation(c),
                "rmsd us": lambda c=covariance, s=squares, w=weights: qcp_rmsd(c, s, w),
            }
            title = data.__name__.replace("_", " ")
            rows.append({"data": title, "batch": batch} | microseconds(calls, batch))
    publish("kernels", rows)
