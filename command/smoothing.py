# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""``superpose smooth``: noise taken out of motion that is there."""

from argparse import _SubParsersAction
from functools import partial

from .making import add_arguments, make


def add(commands: _SubParsersAction) -> None:
    """Add the command to the program's."""
    parser = commands.add_parser(
        "smooth",
        usage="%(prog)s (--output PATH | --in-place) [OPTION ...]",
        help="take noise out of existing motion",
    )
    add_arguments(parser, "smooth", use_clean=True, smoothness=0.3)
    parser.set_defaults(command=partial(make, "smooth", parser))
