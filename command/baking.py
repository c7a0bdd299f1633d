# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""``superpose bake``: the frames of a clip solved and written as keyframes."""

from argparse import _SubParsersAction
from functools import partial

from .making import add_arguments, make


def add(commands: _SubParsersAction) -> None:
    """Add the command to the program's."""
    parser = commands.add_parser(
        "bake",
        usage="%(prog)s (--output PATH | --in-place) [OPTION ...]",
        help="solve frames and write keyframes",
    )
    add_arguments(parser, "bake")
    parser.set_defaults(command=partial(make, "bake", parser))
