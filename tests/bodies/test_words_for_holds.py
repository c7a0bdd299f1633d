# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""Messages say a part of the body as dialogs show it, and as scripts write it where that is another word."""

import pytest

from bodies import label, said


@pytest.mark.parametrize(
    ("name", "shown", "told"),
    [
        ("hips", "Hips", "hips"),
        ("hand.L", "Left Hand", "Left Hand (hand.L)"),
        ("upper_arm.R", "Right Upper Arm", "Right Upper Arm (upper_arm.R)"),
        ("leg2.L", "Left Leg 2", "Left Leg 2 (leg2.L)"),
        ("spine 2 of 3", "Spine 2 of 3", "spine 2 of 3"),
    ],
)
def test_words_for_holds(name, shown, told):
    assert label(name) == shown
    assert said(name) == told
