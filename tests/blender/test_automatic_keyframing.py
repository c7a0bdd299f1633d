# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""What is recorded or baked is there when the frame is come back to, or it is refused."""

import armatures
import bpy
import figures
import numpy as np
import pytest
import swayed

pytestmark = pytest.mark.usefixtures("blend", "only_available")


def keyed(owner, path):
    """Key the property in the first frame, and record from the second on."""
    owner.keyframe_insert(path, frame=1)
    bpy.context.scene.tool_settings.use_keyframe_insert_auto = True
    bpy.context.scene.frame_set(2)


def turned_and_recorded():
    ob = figures.turned_away(figures.ready())
    ob.pose.bones["forearm.L"].rotation_quaternion = (0.9, 0.1, 0, 0)
    keyed(ob.pose.bones["forearm.L"], "rotation_quaternion")
    return ob


def modify(ob):
    figures.curves(ob.animation_data.action)[0].modifiers.new('NOISE')


def cycle(ob):
    figures.curves(ob.animation_data.action)[0].modifiers.new('CYCLES')


def lock(ob):
    figures.curves(ob.animation_data.action)[1].lock = True


def mute(ob):
    figures.curves(ob.animation_data.action)[2].mute = True


def play_solo(ob):
    swayed.into_strip(ob)
    ob.animation_data.nla_tracks[0].is_solo = True


def add_to_strips(ob):
    swayed.into_strip(ob)
    ob.animation_data.action_blend_type = 'ADD'


def fade(ob):
    swayed.into_strip(ob)
    ob.animation_data.action = bpy.data.actions.new("Over")
    ob.animation_data.action_influence = 0.5


HINDRANCES = (
    (modify, "has a modifier"),
    (lock, "is locked"),
    (mute, "is muted"),
    (play_solo, "plays solo"),
    (add_to_strips, "blended with NLA strips"),
    (fade, "blended with NLA strips"),
)
hindered = pytest.mark.parametrize(("hinder", "match"), HINDRANCES)


@hindered
@pytest.mark.parametrize("name", ["solve", "reset"])
def test_keys_that_would_do_nothing_are_refused(hinder, match, name):
    ob = turned_and_recorded()
    hinder(ob)
    figures.refused(getattr(bpy.ops.superpose, name), match)


@hindered
def test_keys_of_targets_that_would_do_nothing_are_refused(hinder, match):
    ob = figures.turned_away(figures.ready())
    target = figures.target_of(ob, "hand.L")
    keyed(target, "location")
    hinder(target)
    figures.refused(bpy.ops.superpose.snap_targets, match)


@pytest.mark.parametrize("prepare", [swayed.into_strip, cycle, lambda ob: None])
def test_the_pose_that_was_recorded_comes_back(prepare):
    ob = turned_and_recorded()
    prepare(ob)
    bpy.ops.superpose.solve()
    for frame in (7, 2):
        bpy.context.scene.frame_set(frame)
    assert figures.distance(ob, "hand.L") < 2e-4


def test_curves_that_cycle_are_baked():
    ob = turned_and_recorded()
    cycle(ob)
    bpy.ops.superpose.bake(range='CUSTOM', frame_start=3, frame_end=6, action='CURRENT')
    for frame in range(3, 7):
        bpy.context.scene.frame_set(frame)
        assert figures.distance(ob, "hand.L") < 2e-4


def test_a_locked_curve_of_a_bone_that_stays_hinders_nothing():
    ob = figures.turned_away(figures.ready())
    ob.superpose.root_location = 'ANCHORED'
    keyed(ob.pose.bones["hips"], "scale")
    lock(ob)
    bpy.ops.superpose.solve()
    assert figures.distance(ob, "hand.L") < 2e-4


@pytest.mark.parametrize("hinder", [lock, mute])
def test_a_curve_of_a_bone_that_stays_hinders_no_keys_of_the_whole_body(hinder):
    ob = figures.ready()
    keyed(figures.target_of(ob, "hand.L"), "location")
    ob.pose.bones["forearm.L"].keyframe_insert("rotation_quaternion", frame=1)
    hinder(ob)
    assert bpy.ops.superpose.solve() == {'FINISHED'}
    ends = {
        curve.data_path.split('"')[1]: curve.keyframe_points[-1].co.x
        for curve in figures.curves(ob.animation_data.action)
    }
    assert (ends["chest"], ends["forearm.L"]) == (2, 1)


@pytest.mark.parametrize("hinder", [modify, lock, fade])
def test_nothing_hinders_a_pose_that_is_not_recorded(hinder):
    ob = turned_and_recorded()
    bpy.context.scene.tool_settings.use_keyframe_insert_auto = False
    hinder(ob)
    bpy.ops.superpose.solve()
    assert ob.superpose.is_solved


def drag(ob, bone="hand.L"):
    figures.make_active(ob)
    bpy.ops.object.mode_set(mode='POSE')
    return bpy.ops.superpose.pose(bone=bone, translation=(0, 0.1, 0.1))


@pytest.mark.parametrize("pose", [drag, lambda _: bpy.ops.superpose.solve()], ids=["drag", "solve"])
@pytest.mark.parametrize(("subframe", "remapped"), [(0.5, 100), (0.0, 50), (0.25, 50)])
def test_keys_are_at_the_time_that_is_shown(pose, subframe, remapped):
    """Between whole frames, and where the scene stretches time: keys of other frames stay."""
    scene = bpy.context.scene
    scene.render.frame_map_new = remapped
    ob = turned_and_recorded()
    before = figures.keys(ob.animation_data.action)
    scene.frame_set(3, subframe=subframe)
    time = scene.frame_current_final
    assert pose(ob) == {'FINISHED'}
    shown = figures.rotations(ob)
    scene.frame_set(1)
    scene.frame_set(3, subframe=subframe)
    assert abs(figures.rotations(ob) - shown).max() < 1e-6
    for curve, points in figures.keys(ob.animation_data.action).items():
        others = [point for point in points if point[0] != time]
        assert others == before[curve] if curve in before else {at for at, _ in others} <= {1.0}
        assert any(point[0] == time for point in points)


def choose_keying_set(name):
    scene = bpy.context.scene
    scene.keying_sets_all.active = next(each for each in scene.keying_sets_all if each.bl_idname == name)
    scene.tool_settings.use_keyframe_insert_keyingset = True


@pytest.mark.parametrize("pose", [drag, lambda _: bpy.ops.superpose.solve()], ids=["drag", "solve"])
@pytest.mark.parametrize(
    ("name", "paths"),
    [
        ("BUILTIN_KSI_LocRot", {"location", "rotation_quaternion"}),
        ("WholeCharacter", {"location", "rotation_quaternion"}),
        ("Rotation", {"rotation_quaternion"}),
        ("Location", {"location"}),
        ("Scaling", set()),
    ],
)
def test_keying_sets_of_blender_are_asked_of_what_is_posed(pose, name, paths):
    """Whatever is selected, and in either mode."""
    ob = figures.turned_away(figures.ready())
    figures.target_of(ob, "hand.L").location.x += 0.5
    bpy.context.scene.tool_settings.use_keyframe_insert_auto = True
    choose_keying_set(name)
    assert pose(ob) == {'FINISHED'}
    action = ob.animation_data and ob.animation_data.action
    keyed = figures.keys(action) if action else {}
    assert {path.rpartition(".")[2] for path, _ in keyed} == paths
    assert ("Nothing was keyed: it is not in the active keying set" in ob.superpose.notes) == (not paths)


@pytest.fixture(params=[True, False])
def needed(request):
    """Whether automatic keyframing leaves out keys of what has that value there anyway, as Blender's own
    settings have it."""
    edit = bpy.context.preferences.edit
    before, edit.use_auto_keyframe_insert_needed = edit.use_auto_keyframe_insert_needed, request.param
    yield
    edit.use_auto_keyframe_insert_needed = before


def stood_on(ob):
    """Record a pose in frame 20 after all targets were keyed, and others in frame 40; return the first."""
    for bone in figures.EFFECTORS:
        for path in ("location", "rotation_euler"):
            keyed(figures.target_of(ob, bone), path)
    bpy.context.scene.frame_set(20)
    drag(ob)
    posed = hands(ob)
    bpy.context.scene.frame_set(40)
    drag(ob, "hand.R")
    return posed


def hands(ob):
    armatures.refresh()
    return np.array([ob.matrix_world @ ob.pose.bones[bone].head for bone in ("hand.L", "hand.R")])


@pytest.mark.usefixtures("needed")
@pytest.mark.parametrize("is_live", [True, False])
def test_a_frame_comes_back_with_what_stood_in_it_and_was_moved_in_a_later_one(is_live):
    ob = figures.ready()
    ob.superpose_live = is_live
    ob.pose.bones["hand.R"].superpose.hold = 'PINNED'
    posed = stood_on(ob)
    assert abs(hands(ob) - posed).max() > 0.05
    bpy.context.scene.frame_set(20)
    assert abs(hands(ob) - posed).max() < 1e-4


@pytest.mark.parametrize("hinder", [modify, lock, mute, fade])
def test_a_target_that_stands_and_takes_no_keys_hinders_nothing(hinder):
    ob = figures.ready()
    ob.pose.bones["hand.R"].superpose.hold = 'PINNED'
    target = figures.target_of(ob, "hand.R")
    keyed(target, "location")
    keyed(figures.target_of(ob, "hand.L"), "location")
    hinder(target)
    assert drag(ob) == {'FINISHED'}
    keys = figures.keys(figures.target_of(ob, "hand.L").animation_data.action)
    assert len(keys["location", 1]) == 2


@pytest.mark.usefixtures("needed")
def test_targets_that_are_snapped_stay_there_whatever_is_keyed_later():
    ob = figures.ready()
    target = figures.target_of(ob, "hand.L")
    keyed(target, "location")
    bpy.context.scene.frame_set(20)
    bpy.ops.superpose.snap_targets()
    before = target.location.copy()
    bpy.context.scene.frame_set(40)
    target.location.z += 0.3
    target.keyframe_insert("location")
    bpy.context.scene.frame_set(20)
    assert (target.location - before).length < 1e-6


def figure_with_tail():
    """A figure with a bone that no solve moves, which has keys like the others, in Pose Mode."""
    ob = figures.ready()
    with armatures.edited(ob) as bones:
        tail = bones.new("tail")
        tail.head, tail.tail, tail.parent = (0, 0, 1), (0, 0.3, 1), bones["hips"]
    bpy.ops.object.mode_set(mode='POSE')
    return ob


def key_rotations(ob, frame):
    for bone in ob.pose.bones:
        bone.keyframe_insert("rotation_quaternion", frame=frame)


def keyed_in_two_frames():
    ob = figure_with_tail()
    for frame in (1, 2):
        key_rotations(ob, frame)
    figures.target_of(ob, "head").location.x -= 0.1
    armatures.refresh()
    return ob


def keyed_with_pins():
    """Between two keys of the figure, with a hand that stands there by generated keys."""
    ob = figure_with_tail()
    ob.pose.bones["hand.L"].superpose.hold = 'PINNED'
    for frame, way in ((1, 0), (9, 0.05)):
        bpy.context.scene.frame_set(frame)
        bpy.ops.superpose.pose(bone="hips", translation=(0, 0, -way))
        key_rotations(ob, frame)
        ob.pose.bones["hips"].keyframe_insert("location", frame=frame)
    bpy.ops.superpose.bake_pins(range='CUSTOM', frame_start=1, frame_end=9, action='CURRENT')
    bpy.context.scene.frame_set(5)
    return ob


def solve_undoably():
    bpy.ops.superpose.solve('EXEC_DEFAULT', True)


def drag_undoably():
    bpy.ops.superpose.pose('EXEC_DEFAULT', True, bone="head", translation=(0, 0.05, 0))


@pytest.mark.parametrize(
    ("made", "act", "curve", "frames"),
    [
        (keyed_in_two_frames, solve_undoably, ('pose.bones["hips"].location', 0), [1, 2]),
        (keyed_with_pins, drag_undoably, ('pose.bones["arm.L"].rotation_quaternion', 0), [1, 5, 9]),
    ],
    ids=["first keys", "keys beside generated ones"],
)
def test_keys_leave_what_is_posed_and_not_keyed_as_it_is(made, act, curve, frames):
    """As they are made, and once they are undone, with those that come and go in frames beside."""
    ob = made()
    ob.pose.bones["tail"].rotation_quaternion = (0.9, 0.3, 0, 0.2)
    armatures.refresh()
    before = {bone.name: figures.transforms(bone) for bone in ob.pose.bones}
    bpy.ops.ed.undo_push(message="Before")
    bpy.context.scene.tool_settings.use_keyframe_insert_auto = True
    act()
    armatures.refresh()
    assert [frame for frame, _ in figures.keys(ob.animation_data.action)[curve]] == frames
    assert figures.transforms(ob.pose.bones["tail"]) == before["tail"]
    bpy.ops.ed.undo()
    armatures.refresh()
    assert {bone.name: figures.transforms(bone) for bone in bpy.data.objects["Figure"].pose.bones} == before
