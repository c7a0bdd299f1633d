# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""Solvers beside each other on the same problems: a table, files of it, and a plot of how they converge.

``Problems`` are a rig and what is asked of it; ``compete`` runs ``Contestant``s on them, ``summary`` makes
a row of the table, ``trace`` follows them step by step, ``convergence_plot`` draws that; ``to_csv``,
``to_json``, ``to_svg`` and ``to_pixels`` write it down. Nothing here knows of Blender.
"""

from ..settings import IGNORES_GOALS
from .contest import Attempt, Contestant, Result, compete, contestant, ignored, met_at_start
from .convergence import convergence_plot
from .drawing import Drawing, Line, Shape, Text, style_of
from .pixels import to_pixels
from .problems import Problems, reachable
from .svg import to_svg
from .table import COLUMNS, summary, to_csv, to_json
from .trace import Trace, trace

__all__ = [
    "COLUMNS",
    "IGNORES_GOALS",
    "Attempt",
    "Contestant",
    "Drawing",
    "Line",
    "Problems",
    "Result",
    "Shape",
    "Text",
    "Trace",
    "compete",
    "contestant",
    "convergence_plot",
    "ignored",
    "met_at_start",
    "reachable",
    "style_of",
    "summary",
    "to_csv",
    "to_json",
    "to_pixels",
    "to_svg",
    "trace",
]
