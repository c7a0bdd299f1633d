# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""Limits as the solver has them, kept by their values: those of any bones are the same one."""

from collections.abc import Hashable
from dataclasses import fields
from functools import lru_cache

import numpy as np

from ..solvers.geometry import Array
from ..solvers.limits import Group, Limit, group_limits

KEPT = 2048  # of fewer than the limits that are drawn, each would be made anew at every redraw


def group_of(limit: Limit) -> Group:
    """Return the solver's own form of the limit, of one bone."""
    return _group(*values_of(limit))


def values_of(limit: Limit) -> tuple[Hashable, ...]:
    """Return the class of the limit and its values, the bone left out."""
    values = (getattr(limit, field.name) for field in fields(limit) if field.name != "bone")
    return type(limit), *(_hashable(value) for value in values)


def _hashable(value: Hashable | Array) -> Hashable:
    return tuple(map(tuple, value.tolist())) if isinstance(value, np.ndarray) else value


@lru_cache(maxsize=KEPT)
def _group(kind: type, *values: Hashable) -> Group:
    return group_limits([kind("", *values)], {"": 0})[0]
