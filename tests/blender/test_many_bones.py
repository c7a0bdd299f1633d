# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""Armatures of many bones: what is asked of each of them costs no more for each the more there are."""

from importlib import import_module
from time import process_time

import armatures
import pytest

pytestmark = [pytest.mark.usefixtures("blend"), pytest.mark.once]


def seconds(work, times=5):
    """The least CPU seconds that the work takes."""
    taken = []
    for _ in range(times):
        begin = process_time()
        work()
        taken.append(process_time() - begin)
    return min(taken)


def test_what_body_a_long_chain_is_costs_as_its_bones(addon):
    """Once its roles are known, which are kept; each bone's line up to the top would cost as their square."""
    whole_body = import_module(f"{addon.name}.armature.by_role.recognised").whole_body
    few, many = (armatures.chain(count, 0.01, f"Chain of {count}") for count in (200, 800))
    assert len(whole_body(many).roles) > 700
    assert seconds(lambda: whole_body(many)) < 8 * seconds(lambda: whole_body(few))
