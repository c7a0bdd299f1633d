# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""Armature objects that are scaled unevenly: how far axes are off where rotations are met is said."""

import armatures
import bpy
import figure_goals
import figures
import numpy as np
import pytest

pytestmark = [pytest.mark.usefixtures("blend"), pytest.mark.once]

SAID = "'Figure' is scaled unevenly: where rotations are met, axes are up to 5.2° off"


def reaching(scale):
    ob = figures.ready()
    ob.scale = scale
    armatures.refresh()
    bpy.ops.superpose.snap_targets()
    return figures.turned_away(ob)


def most_off(ob, bone):
    """The largest angle between an axis of the bone and the same of its target, as they are shown."""
    shown, wanted = (armatures.array(thing)[:3, :3] for thing in placed(ob, bone))
    along = ((shown / np.linalg.norm(shown, axis=0)) * wanted).sum(axis=0)
    return np.degrees(np.arccos(along.min()))


def placed(ob, bone):
    return ob.matrix_world @ ob.pose.bones[bone].matrix, figures.target_of(ob, bone).matrix_world


def test_a_solve_says_how_far_axes_are_off():
    ob = reaching((1, 1, 1.2))
    bpy.ops.superpose.solve()
    armatures.refresh()
    assert SAID in ob.superpose.notes
    assert ob.pose.bones["head"].superpose.rotation_residual < 1e-5
    assert 1 < most_off(ob, "head") < 5.2


def test_a_bake_says_what_the_worst_of_its_frames_is_off():
    ob = reaching((1, 1, 1.2))
    ob.keyframe_insert("scale", frame=3)
    ob.scale = (1, 1, 1)
    ob.keyframe_insert("scale", frame=1)
    bpy.context.scene.frame_set(1)
    bpy.ops.superpose.bake(range='CUSTOM', frame_start=1, frame_end=3)
    assert SAID in ob.superpose.notes


@pytest.mark.parametrize("scale", [(2, 2, 2), (-1, 1, 1)], ids=str)
def test_nothing_is_off_where_the_scale_is_even(scale):
    ob = reaching(scale)
    bpy.ops.superpose.solve()
    assert "unevenly" not in ob.superpose.notes


def test_nothing_is_said_where_no_rotation_counts():
    ob = reaching((1, 1, 1.2))
    for bone in ob.pose.bones:
        bone.superpose_rotation_weight = 0
    bpy.ops.superpose.solve()
    assert "unevenly" not in ob.superpose.notes


def test_goals_that_are_told_by_the_mean_scale_say_so():
    ob = figure_goals.ready("hips", "hand.L")
    goal = figure_goals.add(ob, 'ATTACH', "hand.R", "hand.L")
    goal.place = (0, 0, 3)
    for scale, is_said in (((1, 1, 3), True), ((3, 3, 3), False)):
        ob.scale = scale
        armatures.refresh()
        bpy.ops.superpose.solve()
        assert goal.is_missed
        assert ("goals' misses are told by its mean scale" in ob.superpose.notes) == is_said
