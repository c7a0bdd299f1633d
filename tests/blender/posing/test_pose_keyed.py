# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""With automatic keyframing a drag keys what it moves, and says where nothing could be keyed."""

import armatures
import bpy
import figures
import pytest
from armatures import Vector
from test_pose_by_values import WAY, pose

UNKEYED = "Nothing was keyed: Only Insert Available is on"


@pytest.mark.parametrize("only_available", [False], indirect=True)
@pytest.mark.parametrize("animated", [None, "hand.L", "head"])
def test_automatic_keyframing_keys_the_body_and_where_targets_are_animated_its_own(
    ob, only_available, animated
):
    bpy.ops.superpose.create_targets()
    target = figures.target_of(ob, "hand.L")
    if animated:
        figures.target_of(ob, animated).keyframe_insert("location", frame=5)
    bpy.context.scene.tool_settings.use_keyframe_insert_auto = True
    pose("hand.L", WAY)
    keyed = figures.keys(ob.animation_data.action)
    assert ('pose.bones["forearm.L"].rotation_quaternion', 0) in keyed
    assert is_keyed(target, "location", 1) == bool(animated)


@pytest.mark.parametrize("only_available", [True, False], indirect=True)
@pytest.mark.parametrize("action", ["pose", "solve"])
def test_it_is_said_that_only_what_has_curves_is_keyed(ob, only_available, action):
    def act():
        if action == "pose":
            return pose("hand.L", WAY)
        figures.target_of(ob, "hand.L").location += Vector(WAY)
        armatures.refresh()
        return bpy.ops.superpose.solve()

    bpy.ops.superpose.create_targets()
    act()
    assert UNKEYED not in ob.superpose.notes
    bpy.context.scene.tool_settings.use_keyframe_insert_auto = True
    act()
    assert (UNKEYED in ob.superpose.notes) == (not (ob.animation_data and ob.animation_data.action))
    assert (UNKEYED in ob.superpose.notes) == bpy.context.preferences.edit.use_keyframe_insert_available
    ob.pose.bones["forearm.L"].keyframe_insert("rotation_quaternion", frame=1)
    act()
    assert UNKEYED not in ob.superpose.notes


def is_keyed(target, path, frame):
    """Whether all three channels have a key in the frame."""
    data = target.animation_data
    curves = figures.curves(data.action) if data and data.action else []
    frames = [{point.co.x for point in curve.keyframe_points} for curve in curves if curve.data_path == path]
    return len(frames) == 3 and all(frame in found for found in frames)
