# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""The README's example does what the README says."""

import re

import bpy
import numpy as np
import pytest

WITHIN = 1e-4  # metres


def example(root):
    blocks = re.findall(r"```python\n(.*?)```", (root / "README.md").read_text(encoding="utf-8"), re.DOTALL)
    assert len(blocks) == 1
    return blocks[0]


@pytest.fixture
def rig(blend, root):
    exec(compile(example(root), "README.md", "exec"), {})
    return bpy.context.object


def test_the_example_lifts_a_hand_and_bakes_it(rig):
    heights = []
    for frame in (1, 24, 48):
        bpy.context.scene.frame_set(frame)
        hand = rig.pose.bones["hand.L"]
        away = rig.matrix_world @ hand.head - hand.superpose.target.matrix_world.translation
        assert away.length < WITHIN
        heights.append(hand.head.z)
    assert np.isclose(heights[-1] - heights[0], 0.4, atol=WITHIN)


def test_the_example_ends_with_a_message(rig):
    assert rig.superpose.message.startswith("Baked 48 frames")
