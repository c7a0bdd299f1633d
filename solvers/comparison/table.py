# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""The table: what is said of each contestant, and its files.

A figure that a solver does not tell, or that makes no sense for the problems, is None: an empty cell.
"""

import csv
import json
from collections.abc import Sequence
from io import StringIO

import numpy as np

from ..geometry import Array, matrix_to_quaternion, quaternion_to_rotation_vector
from .contest import Result
from .problems import Problems
from .trace import Trace

# By ``COLUMNS``.
Row = dict[str, str | float | None]
# Lengths are in scene units, angles in degrees, the acceleration in radians per second squared.
COLUMNS = (
    "solver",
    "solved",
    "mean_length",
    "worst_length",
    "mean_degrees",
    "worst_degrees",
    "iterations",
    "out_of_time",
    "milliseconds",
    "limit_violation_degrees",
    "degrees_from_start",
    "acceleration",
    "cannot",
)


def summary(result: Result, problems: Problems, near: tuple[float, float]) -> Row:
    """Return the contestant's row of the table, by ``COLUMNS``.

    ``near``: the distance, in scene units, and the turn, radians, within which a target counts as met.
    """
    met = (result.lengths <= near[0]) & (result.angles <= near[1])
    told = not np.isnan(result.iterations).any()
    figures = (
        met.all(axis=1).mean(),
        result.lengths.mean(),
        result.lengths.max(),
        np.degrees(result.angles.mean()),
        np.degrees(result.angles.max()),
        result.iterations.mean() if told else None,
        result.out_of_time.mean(),
        1e3 * np.median(result.seconds),
        np.degrees(result.violations.max()),
        np.degrees(result.distances.mean()),
        acceleration(result.rotations, problems.fps),
    )
    numbers = (None if figure is None else float(figure) for figure in figures)
    return dict(zip(COLUMNS, (result.contestant.label, *numbers, result.contestant.cannot), strict=True))


def acceleration(rotations: Array, fps: float | None) -> float | None:
    """Return the mean angular acceleration of joints over a clip, rad/s^2; None for less than three frames.

    ``rotations`` (frames, bones, 3, 3) relative to rest.
    """
    if fps is None or len(rotations) < 3:
        return None
    steps = np.swapaxes(rotations[:-1], -1, -2) @ rotations[1:]
    velocity = fps * quaternion_to_rotation_vector(matrix_to_quaternion(steps))
    return float(np.linalg.norm(fps * np.diff(velocity, axis=0), axis=-1).mean())


def to_csv(rows: Sequence[Row]) -> str:
    """Return the table as comma-separated values with a line of headings."""
    text = StringIO()
    writer = csv.DictWriter(text, COLUMNS, lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return text.getvalue()


def to_json(about: dict[str, object], rows: Sequence[Row], traces: Sequence[Trace]) -> str:
    """Return the table, what it is ``about``, and the curves of the plot."""
    curves = [
        {
            "solver": trace.label,
            "iterations": trace.iterations.tolist(),
            "milliseconds": (1e3 * trace.seconds).tolist(),
            "rmsd": trace.rmsd.tolist(),
        }
        for trace in traces
    ]
    document = {"about": about, "rows": list(rows), "curves": curves}
    return json.dumps(document, indent=1, allow_nan=False) + "\n"
