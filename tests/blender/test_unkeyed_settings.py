# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""Whatever is animated and was changed without a key is there again after frames were gone through, and
where undo or redo brings it back."""

import armatures
import bpy
import figure_goals
import figures
import pytest

pytestmark = pytest.mark.usefixtures("blend")

LAST = 6
RANGE = {"range": 'CUSTOM', "frame_start": 1, "frame_end": LAST}


def animated():
    """A figure whose hand follows a target that is keyed, with a goal, beside a camera and a material."""
    ob = figure_goals.ready("hips", "hand.L", "hand.R")
    goal = figure_goals.add(ob, 'AIM', "head")
    target = figures.target_of(ob, "hand.L")
    for frame, away in ((1, 0.0), (LAST, 0.1)):
        target.location.z += away
        target.keyframe_insert("location", frame=frame)
    held = figures.target_of(ob, "hand.R").constraints.new('COPY_LOCATION')
    held.influence, held.target = 0.0, target
    ob["own"] = ob.pose.bones["head"]['a "quoted" one'] = 0.0
    bpy.context.scene.camera = armatures.new_object("Camera", bpy.data.cameras.new("Camera"))
    figures.make_active(ob)
    for owner, name, _ in changes(ob):
        owner.keyframe_insert(name, frame=1)
    goal.keyframe_insert("influence", frame=1)
    figures.pushed_down(bpy.data.cameras["Camera"])
    bpy.context.scene.frame_set(3)
    return ob


def changes(ob):
    """What is animated, and another value of it."""
    hand, held = ob.pose.bones["hand.L"], figures.target_of(ob, "hand.R").constraints[0]
    return (
        (hand, "superpose_influence", 0.5),
        (hand, "superpose_rotation_weight", 2.0),
        (hand, "superpose_offset", (0.0, 0.125, 0.0)),
        (ob.superpose.goals[0], "weight", 4.0),
        (held, "influence", 0.25),
        (held, "mute", True),
        (ob, '["own"]', 3.0),
        (ob.pose.bones["head"], '["a \\"quoted\\" one"]', 2.0),
        (ob, "location", (0.0, 0.0, 0.25)),
        (ob, "rotation_mode", 'ZYX'),
        (bpy.data.cameras["Camera"], "lens", 80.0),
        (bpy.context.scene.view_settings, "exposure", 1.0),
    )


def changed(ob):
    """Give all of it the other value, and return all values."""
    for owner, name, value in changes(ob):
        if name.startswith("["):
            owner[name[2:-2].replace("\\", "")] = value
        else:
            setattr(owner, name, value)
    armatures.refresh()
    return values(ob)


def values(ob):
    found = [(name, owner.path_resolve(name)) for owner, name, _ in changes(ob)]
    return [(name, figures.plain(value)) for name, value in found]


def nowhere_later(ob):
    """Have a target be nowhere in the last frame."""
    target = figures.target_of(ob, "hips")
    for frame, size in ((LAST - 1, 1.0), (LAST, 0.0)):
        target.scale = (size, size, size)
        target.keyframe_insert("scale", frame=frame)
    bpy.context.scene.frame_set(3)


OPERATORS = {
    "bake": lambda: bpy.ops.superpose.bake(**RANGE),
    "bake_current": lambda: bpy.ops.superpose.bake(**RANGE, action='CURRENT'),
    "find_lost": lambda: bpy.ops.superpose.find_lost(**RANGE),
    "find_contacts": lambda: bpy.ops.superpose.find_contacts(**RANGE),
    "mark_frames": lambda: bpy.ops.superpose.mark_frames(kind='superpose_mask', frame_end=2),
}


@pytest.mark.parametrize("operate", OPERATORS.values(), ids=OPERATORS)
def test_all_of_it_stays_where_frames_are_gone_through(operate):
    ob = animated()
    figures.select_bones(ob, "hand.L")
    before = changed(ob)
    bpy.ops.ed.undo_push(message="Before")
    assert operate() == {'FINISHED'}
    armatures.refresh()
    assert values(ob) == before
    bpy.ops.ed.undo_push(message="Done")
    for step in (bpy.ops.ed.undo, bpy.ops.ed.redo):
        step()
        assert values(bpy.context.object) == before


def test_all_of_it_stays_where_a_frame_is_refused():
    ob = animated()
    nowhere_later(ob)
    before = changed(ob)
    figures.refused(bpy.ops.superpose.bake, f"Frame {LAST}.*scaled to zero", **RANGE)
    assert values(ob) == before


def test_what_is_not_keyed_of_another_armature_in_the_same_action_stays():
    ob, other = animated(), figures.ready("Other")
    other.animation_data_create().action = ob.animation_data.action
    if hasattr(ob.animation_data, "action_slot"):
        other.animation_data.action_slot = ob.animation_data.action_slot
    figures.make_active(ob)
    armatures.refresh()
    other.pose.bones["hand.L"].superpose_influence = 0.5
    bpy.ops.superpose.bake(**RANGE, action='NEW')
    assert other.pose.bones["hand.L"].superpose_influence == 0.5


def test_what_an_operator_keys_is_shown_as_it_is_keyed():
    """Though the present frame was marked before, and is no longer."""
    ob = animated()
    figures.select_bones(ob, "hand.L")
    hand = ob.pose.bones["hand.L"]
    for use_mark in (True, False):
        bpy.ops.superpose.mark_frames(kind='superpose_mask', frame_start=2, frame_end=4, use_mark=use_mark)
        assert hand.superpose_mask == use_mark


def test_curves_of_what_there_is_no_longer_make_no_difference():
    ob = animated()
    figures.curves(ob.animation_data.action)[0].data_path = 'pose.bones["gone"].location'
    before = changed(ob)
    bpy.ops.superpose.find_lost(**RANGE)
    assert values(ob) == before
