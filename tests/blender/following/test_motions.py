# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""Which motions can be followed, and in which frames."""

from importlib import import_module

import armatures
import bpy
import figures
import pytest
from walking import LAST, curves_of, levelled, stander

follow = bpy.ops.superpose.follow_motion


def ends(scene):
    return scene.frame_start, scene.frame_end


@pytest.mark.parametrize("off", [-2e-4, 2e-4])
def test_keys_that_are_hardly_off_their_frames_add_none(leader, body, off):
    for curve in curves_of(leader):
        for key in curve.keyframe_points:
            key.co.x += off
        curve.update()
    follow()
    assert ends(bpy.context.scene) == (1, LAST)


def test_a_motion_under_remapped_time_has_its_own_frames(leader, body):
    render = bpy.context.scene.render
    render.frame_map_old, render.frame_map_new = 100, 300
    follow()
    assert ends(bpy.context.scene) == (3, 3 * LAST)


@pytest.mark.skipif(bpy.app.version < (4, 4), reason="actions have no slots")
def test_what_an_action_has_for_others_is_no_part_of_the_motion(leader, body):
    other = armatures.new_object("Prop")
    other.animation_data_create().action = leader.animation_data.action
    other.animation_data.action_slot = leader.animation_data.action.slots.new('OBJECT', "Prop")
    other.keyframe_insert("location", frame=900)
    follow()
    assert ends(bpy.context.scene) == (1, LAST)


def test_a_motion_of_strips_begins_and_ends_with_those_that_play(leader, body):
    animation = leader.animation_data
    action, animation.action = animation.action, None
    for start, name in ((31, "Walk"), (61, "Muted"), (91, "Alone")):
        track = animation.nla_tracks.new()
        track.name = name
        track.strips.new(name, start, action)
    animation.nla_tracks["Muted"].mute = True
    follow()
    assert ends(bpy.context.scene) == (31, 90 + LAST)
    animation.nla_tracks["Alone"].is_solo = True
    follow()
    assert ends(bpy.context.scene) == (91, 90 + LAST)
    animation.use_nla = False
    figures.refused(follow, "No other armature in this scene is animated")


def moved_in_time(leader, by):
    for curve in curves_of(leader):
        for key in curve.keyframe_points:
            key.co.x += by
        curve.update()


def test_a_scene_begins_with_frame_0_at_the_earliest(leader, body):
    moved_in_time(leader, -6)
    follow()
    assert ends(bpy.context.scene) == (0, LAST - 6)
    moved_in_time(leader, -20)
    follow()
    assert ends(bpy.context.scene) == (0, LAST - 6)
    (curve, *_) = figures.curves(figures.target_of(body, "hand.L").animation_data.action)
    assert tuple(curve.range()) == (-25, LAST - 26)


def test_what_is_keyed_of_a_set_up_is_no_motion(leader, body):
    body.pose.bones["foot.L"].keyframe_insert("superpose_contact", frame=40)
    other = stander()
    leader.pose.bones["foot.L"].keyframe_insert("superpose_influence", frame=70)
    assert follow() == {'FINISHED'}
    assert figures.target_of(other, "hand.L").animation_data
    assert ends(bpy.context.scene) == (1, LAST)


def test_refused_it_leaves_a_collection_where_it_was(leader, body):
    it_stands_still(leader, body)
    scene, group = bpy.context.scene, body.superpose.collection
    scene.collection.children.unlink(group)
    armatures.refresh()
    figures.refused(follow, "'Walk' does not move")
    assert (body.superpose.collection, list(scene.collection.children)) == (group, [])


def nothing_is_animated(leader, _):
    leader.animation_data_clear()


def its_action_is_empty(leader, _):
    leader.animation_data.action = bpy.data.actions.new("Empty")


def it_stands_still(leader, _):
    levelled(curves_of(leader))


def it_is_switched_off(leader, _):
    leader.hide_viewport = True


def it_has_no_size(leader, _):
    leader.scale = 0, 0, 0


def it_has_no_size_at_first(leader, _):
    for frame, size in ((1, 0), (LAST, 1)):
        leader.scale = size, size, size
        leader.keyframe_insert("scale", frame=frame)


def a_bone_has_no_size_at_first(leader, _):
    hand = leader.pose.bones["hand.L"]
    for frame, size in ((1, 0), (LAST, 1)):
        hand.scale = size, size, size
        hand.keyframe_insert("scale", frame=frame)


def a_driver_fails(leader, _):
    leader.pose.bones["hand.L"].driver_add("location", 0).driver.expression = "gone"


def it_shows_its_rest_position(leader, _):
    leader.data.pose_position = 'REST'
    leader.keyframe_insert("location", frame=1)
    leader.location.x += 1
    leader.keyframe_insert("location", frame=LAST)


def another_moves_it(leader, _):
    leader.parent = armatures.new_object("Mover")
    leader.parent.animation_data_create().action = leader.animation_data.action
    leader.animation_data_clear()


def it_is_no_body(leader, body):
    leader.data = bpy.data.armatures.new("Other")
    with armatures.edited(leader) as bones:
        bones.new("Bone").tail = 0, 0, 1
    figures.make_active(body)


def there_are_two(leader, _):
    other = leader.copy()
    other.name = "Run"
    bpy.context.scene.collection.objects.link(other)


@pytest.mark.parametrize(
    ("change", "why"),
    [
        (nothing_is_animated, "No other armature in this scene is animated: import a motion first"),
        (its_action_is_empty, "No other armature in this scene is animated: import a motion first"),
        (another_moves_it, "or bake one that constraints or a parent move"),
        (it_stands_still, "'Walk' does not move from frame 1 to 12"),
        (it_is_switched_off, "Armature 'Walk' is switched off in viewports"),
        (it_has_no_size, "Armature 'Walk' is scaled to zero"),
        (it_has_no_size_at_first, "Armature 'Walk' is scaled to zero"),
        (a_bone_has_no_size_at_first, "Bone 'hand.L' of 'Walk' is scaled to zero in frame 1"),
        (a_driver_fails, "Bone 'hand.L' of 'Walk' is not in its place: the driver of location"),
        (it_shows_its_rest_position, "Armature 'Walk' shows its rest position"),
        (it_is_no_body, "The body of 'Walk' was not recognised"),
        (there_are_two, "Several armatures are animated, so choose a motion: 'Run', 'Walk'"),
    ],
)
def test_what_cannot_be_followed_is_refused_and_changes_nothing(leader, body, change, why):
    change(leader, body)
    bpy.context.scene.frame_set(4)
    before = figures.state()
    figures.refused(follow, why)
    assert figures.state() == before


def test_a_bone_that_is_nowhere_is_named(leader, body):
    leader.pose.bones["spine.001"].scale.x = float("nan")
    names = [set(group.keys()) for group in (bpy.data.objects, bpy.data.actions)]
    with pytest.raises(RuntimeError, match=r"Bone 'spine\.\d+' of 'Walk' is nowhere in frame 1"):
        follow()
    assert [set(group.keys()) for group in (bpy.data.objects, bpy.data.actions)] == names


def test_stopped_it_leaves_all_as_it_was(leader, body, addon):
    motions = import_module(f"{addon.name}.armature.motion")
    body.pose.bones["foot.L"].superpose.target = None
    before = figures.state()

    def work():
        with motions.following(bpy.context, body, leader, motions.Choices()) as motion:
            yield from motion.read(bpy.context, range(1, LAST + 1))

    steps = work()
    for _ in range(5):
        next(steps)
    steps.close()
    assert figures.state() == before
