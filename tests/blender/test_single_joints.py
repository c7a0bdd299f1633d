# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""Bodies of a single joint, which have no length that a miss could be a part of."""

import warnings

import armatures
import bpy
import figures
import pytest

pytestmark = [pytest.mark.usefixtures("blend"), pytest.mark.once]


def test_a_lever_is_baked_without_a_division_by_its_length():
    ob, target = armatures.chain(1), armatures.new_object("Target")
    armatures.add_effector(ob, "b0", target)
    ob.superpose.root_location = 'ANCHORED'
    for frame in (1, 4):
        target.location = (frame, 0, 0)
        target.keyframe_insert("location", frame=frame)
    figures.make_active(ob)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        bpy.ops.superpose.bake(range='CUSTOM', frame_start=1, frame_end=4)
    assert "Missed in 4 of 4 frames: 4 m at 4" in ob.superpose.message
