# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""Lists among the results, stored as JSON.

A library override takes no items into a collection that is no part of it, and cannot take away items that the
library has.
"""

import json
from collections.abc import Iterable
from typing import Any, NamedTuple

from bpy.types import PropertyGroup


class Reason(NamedTuple):
    """Why an effector misses its target, as the last solve found it.

    ``kind``: one of those of ``reports.reasons``; ``about``: a bone or a goal by its name, or nothing;
    ``words``: the reason, as it is read.
    """

    kind: str
    about: str
    words: str


class Contestant(NamedTuple):
    """How one solver did when they were last compared.

    ``solved``: the share of the problems; ``miss``: the worst that was left, in words; ``milliseconds``: the
    median time of one problem; ``cannot``: what of the problem it cannot express, and whether time ran out.
    """

    name: str
    solved: float
    miss: str
    milliseconds: float
    cannot: str


def result_list(stored: str, item: type[NamedTuple]) -> property:
    """Return a property of tuples of items, which is set to mappings of their fields.

    ``stored``: the string property that keeps it.
    """

    def read(group: PropertyGroup) -> tuple[NamedTuple, ...]:
        return tuple(item(*values) for values in json.loads(getattr(group, stored) or "[]"))

    def write(group: PropertyGroup, entries: Iterable[dict[str, Any]]) -> None:
        setattr(group, stored, json.dumps([item(**entry) for entry in entries]))

    return property(read, write, doc=item.__doc__)
