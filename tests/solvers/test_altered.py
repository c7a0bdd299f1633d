# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""Large values with some fields changed."""

from dataclasses import dataclass, replace

import pytest

from solvers.geometry import altered


@dataclass(frozen=True)
class Value:
    first: int
    second: int = 2


def test_what_is_altered_is_what_dataclasses_make_of_it():
    value = Value(1)
    assert altered(value, first=3) == replace(value, first=3) == Value(3)
    assert value == Value(1)


def test_names_that_are_no_fields_are_refused():
    with pytest.raises(TypeError, match="Value has no field third"):
        altered(Value(1), first=3, third=4)
