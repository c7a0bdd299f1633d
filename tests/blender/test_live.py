# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""While an armature is live its body follows its targets; read from Blender's own evaluation."""

import armatures
import bpy
import figures
import numpy as np
import pytest
import rigify_rigs
import swayed
from armatures import Vector

MOVE = Vector((-0.2, 0.15, 0.2))
AWAY = Vector((0.2, 0.15, 0.2))


@pytest.fixture(autouse=True)
def _empty_file(blend):
    yield
    bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)


@pytest.fixture
def ob():
    """A figure with targets, live and at rest."""
    ob = figures.ready()
    ob.superpose_live = True
    armatures.refresh()
    return ob


def move(ob, bone="hand.L", way=MOVE, steps=1):
    target = figures.target_of(ob, bone)
    for _ in range(steps):
        target.location += way / steps
        armatures.refresh()


def channels(ob):
    """Every channel of every bone, to the bit."""
    return {bone.name: figures.transforms(bone) for bone in ob.pose.bones}


def apart(a, b):
    """The largest angle between two poses, degrees."""
    nearer = np.minimum(np.linalg.norm(a - b, axis=-1), np.linalg.norm(a + b, axis=-1))
    return np.degrees(4 * np.arcsin(nearer.max() / 2))


def handlers_of(addon):
    names = ("depsgraph_update_post", "frame_change_pre", "frame_change_post")
    lists = (getattr(bpy.app.handlers, name) for name in names)
    return [
        function
        for functions in lists
        for function in functions
        if function.__module__.startswith(addon.name)
    ]


@pytest.mark.parametrize("steps", [1, 10])
def test_the_body_follows(ob, steps):
    move(ob, steps=steps)
    for bone in figures.EFFECTORS:
        assert figures.gap(ob, bone) < 1e-4
        assert figures.turn(ob, bone) < 2e-3
    assert "Solved 4" in ob.superpose.message


def test_it_solves_as_soon_as_it_is_on():
    ob = figures.turned_away(figures.ready())
    assert figures.gap(ob, "hand.L") > 0.1
    ob.superpose_live = True
    assert figures.gap(ob, "hand.L") < 1e-4


def test_switched_off_it_stays(ob):
    ob.superpose_live = False
    before = channels(ob)
    move(ob)
    assert channels(ob) == before


def test_back_where_it_was_the_pose_is_what_it_was(ob):
    """Esc in the midst of a move puts the target back."""
    figures.target_of(ob, "head").rotation_euler.x += 0.3
    armatures.refresh()
    before, place = channels(ob), figures.target_of(ob, "hand.L").location.copy()
    move(ob, steps=5, way=Vector((2, 0, 1)))
    assert channels(ob) != before
    figures.target_of(ob, "hand.L").location = place
    armatures.refresh()
    assert channels(ob) == before


def test_the_way_there_hardly_matters(ob):
    """From a bent elbow: which way a straight one bends is as good as any other."""
    ob.pose.bones["forearm.L"].rotation_mode = 'XYZ'
    ob.pose.bones["forearm.L"].rotation_euler.x = 0.7
    bpy.ops.superpose.snap_targets()
    armatures.refresh()
    begin = figures.target_of(ob, "hand.L").location.copy()
    poses = []
    for way in ([MOVE], [(-0.5, -0.3, 0), (0.1, 0.4, 0.3), MOVE], [(0, 0, -0.5), (-0.6, 0, 0.4), MOVE]):
        for point in way:
            figures.target_of(ob, "hand.L").location = begin + Vector(point)
            armatures.refresh()
        poses.append(figures.rotations(ob))
        figures.target_of(ob, "hand.L").location = begin
        armatures.refresh()
    assert apart(poses[0], poses[1]) < 0.5
    assert apart(poses[0], poses[2]) < 0.5


def test_pins_do_not_creep(ob):
    ob.pose.bones["head"].superpose.target = None
    armatures.refresh()
    head = ob.pose.bones["head"].matrix.copy()
    move(ob, steps=20)
    move(ob, "hand.R", way=AWAY, steps=20)
    assert (ob.pose.bones["head"].matrix.translation - head.translation).length < 1e-4


def test_half_an_influence_brings_half_way_and_no_further(ob):
    ob.pose.bones["hand.R"].superpose_influence = 0.5
    armatures.refresh()
    begin = ob.pose.bones["hand.R"].head.copy()
    move(ob, "hand.R", way=AWAY, steps=20)
    assert (ob.pose.bones["hand.R"].head - begin - AWAY / 2).length < 1e-4
    move(ob, steps=20)
    assert (ob.pose.bones["hand.R"].head - begin - AWAY / 2).length < 1e-4


def test_a_bone_posed_by_hand_stays_as_posed_until_a_target_moves(ob):
    bone = ob.pose.bones["forearm.R"]
    bone.rotation_quaternion = (0.9, 0.3, 0.2, 0.1)
    armatures.refresh()
    before = channels(ob)
    armatures.refresh()
    assert channels(ob) == before
    move(ob)
    assert figures.gap(ob, "hand.R") < 1e-4


def test_other_bones_are_left_alone(ob):
    with armatures.edited(ob) as bones:
        new = bones.new("tail")
        new.head, new.tail, new.parent = (0, 0.1, 1), (0, 0.4, 1), bones["hips"]
    ob.pose.bones["tail"].rotation_quaternion = (0.9, 0.3, 0.2, 0.1)
    before = channels(ob)["tail"]
    move(ob, steps=3)
    move(ob, steps=3, way=-MOVE)
    assert channels(ob)["tail"] == before


def test_settings_are_followed_too(ob):
    move(ob, way=Vector((3, 0, 0)))
    missed = figures.gap(ob, "hand.L")
    ob.pose.bones["hand.L"].superpose.position_weight = 0.1
    assert figures.gap(ob, "hand.L") > missed + 0.1


def test_an_influence_is_followed_from_where_the_drag_began(ob):
    begin = ob.pose.bones["hand.L"].head.copy()
    move(ob)
    for influence in (0.0, 0.5, 0.25, 1.0):
        ob.pose.bones["hand.L"].superpose_influence = influence
        armatures.refresh()
        assert (ob.pose.bones["hand.L"].head - begin - influence * MOVE).length < 1e-4


def test_the_armature_is_moved_under_its_targets(ob):
    ob.location.x += 0.1
    for bone in figures.EFFECTORS:
        assert figures.gap(ob, bone) < 1e-4


def test_undo_and_redo_bring_poses_back_to_the_bit(ob):
    name = ob.name
    bpy.ops.ed.undo_push(message="at rest")
    poses = [channels(ob)]
    for _ in range(3):
        move(ob, way=Vector((-0.2, 0.9, 0.1)), steps=4)  # far: missed, so that solving again would change it
        bpy.ops.ed.undo_push(message="moved")
        poses.append(channels(ob))
    for pose in poses[-2::-1]:
        bpy.ops.ed.undo()
        armatures.refresh()
        assert channels(bpy.data.objects[name]) == pose
    for pose in poses[1:]:
        bpy.ops.ed.redo()
        armatures.refresh()
        assert channels(bpy.data.objects[name]) == pose
    move(bpy.data.objects[name], way=Vector((0.2, -2.7, 0)))
    assert figures.gap(bpy.data.objects[name], "hand.L") < 1e-4


def test_a_file_keeps_it_and_its_pose(ob, addon, tmp_path):
    move(ob, way=Vector((0, 2, 0)), steps=4)
    before, saved = channels(ob), str(tmp_path / "live.blend")
    bpy.ops.wm.save_as_mainfile(filepath=saved)
    bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
    assert not handlers_of(addon)
    bpy.ops.wm.open_mainfile(filepath=saved)
    armatures.refresh()
    ob = bpy.data.objects["Figure"]
    assert channels(ob) == before
    move(ob, way=Vector((0, -2, 0)))
    assert figures.gap(ob, "hand.L") < 1e-4


def test_nothing_runs_while_nothing_is_live(addon):
    ob = figures.ready()
    assert not handlers_of(addon)
    ob.superpose_live = True
    assert len(handlers_of(addon)) == 3
    ob.superpose_live = True
    assert len(handlers_of(addon)) == 3
    ob.superpose_live = False
    assert not handlers_of(addon)


def test_undo_turns_it_too(addon):
    ob = figures.ready()
    bpy.ops.ed.undo_push(message="off")
    ob.superpose_live = True
    bpy.ops.ed.undo_push(message="on")
    bpy.ops.ed.undo()
    assert not handlers_of(addon)
    bpy.ops.ed.redo()
    assert len(handlers_of(addon)) == 3


def test_removing_the_set_up_or_the_addon_ends_it(ob, addon):
    addon.disable()
    assert not handlers_of(addon)
    addon.enable()
    bpy.context.view_layer.objects.active = ob
    ob.superpose_live = True
    assert len(handlers_of(addon)) == 3
    bpy.ops.superpose.remove_setup()
    assert not handlers_of(addon)
    assert not ob.is_property_set("superpose_live")


def test_a_refusal_is_said_and_changes_nothing(ob, addon):
    before = channels(ob)
    figures.target_of(ob, "hand.L").scale = (0, 0, 0)
    move(ob, "hand.R", way=AWAY)
    refused = bpy.types.SUPERPOSE_OT_solve.refusal_of(ob)
    assert figures.target_of(ob, "hand.L").name in refused
    assert channels(ob) == before
    figures.target_of(ob, "hand.L").scale = (1, 1, 1)
    assert figures.gap(ob, "hand.R") < 1e-4
    assert not bpy.types.SUPERPOSE_OT_solve.refusal_of(ob)


def test_edit_mode_is_waited_for(ob):
    with armatures.edited(ob) as bones:
        figures.target_of(ob, "hand.L").location += MOVE
        bones["hand.L"].roll += 0.1
        armatures.refresh()
    assert figures.gap(ob, "hand.L") < 1e-4


def test_an_edited_rest_pose_is_followed(ob):
    with armatures.edited(ob) as bones:
        bones["forearm.L"].tail.x += 0.05
        bones["hand.L"].head.x += 0.05
    for bone in figures.EFFECTORS:
        assert figures.gap(ob, bone) < 1e-4
        assert figures.turn(ob, bone) < 2e-3


def copied_size(ob):
    """Copy Scale on an upper arm: the size, and the setting that says it."""
    size = armatures.new_object("Size")
    ob.pose.bones["arm.L"].constraints.new('COPY_SCALE').target = size
    return size, "scale", ((1, 1, 1), (1.6, 1.6, 1.6))


def limited_size(ob):
    """Limit Scale on an upper arm, which counts in part."""
    limit = ob.pose.bones["arm.L"].constraints.new('LIMIT_SCALE')
    for axis in "xyz":
        setattr(limit, f"use_min_{axis}", True)
        setattr(limit, f"min_{axis}", 1.6)
    limit.influence = 0
    return limit, "influence", (0.0, 1.0)


@pytest.mark.parametrize("sized", [copied_size, limited_size])
def test_the_size_of_a_bone_is_followed(ob, sized):
    move(ob)
    owner, setting, (small, large) = sized(ob)
    for value in (small, large, small):
        setattr(owner, setting, value)
        assert figures.gap(ob, "hand.L") < 1e-4


@pytest.mark.parametrize("sized", [copied_size, limited_size])
def test_a_keyed_size_is_followed_in_every_frame(ob, sized):
    move(ob)
    owner, setting, values = sized(ob)
    for frame, value in zip((1, 9), values, strict=True):
        setattr(owner, setting, value)
        owner.keyframe_insert(setting, frame=frame)
    there = {}
    for frame in (1, 5, 9, 5, 1):
        bpy.context.scene.frame_set(frame)
        assert figures.gap(ob, "hand.L") < 1e-4
        there.setdefault(frame, channels(ob))
        assert channels(ob) == there[frame]


def test_sizes_that_the_pose_decides_do_not_keep_it_going(ob):
    """What is written changes the build, which is no reason to write again."""
    swayed.scale_of_driven(ob)
    move(ob)
    for _ in range(5):
        before = channels(ob)
        ob.update_tag()
        armatures.refresh()
        assert channels(ob) == before


def test_one_armature_hangs_on_another(ob):
    """Both are live; the second one's target is a bone of the first."""
    figures.make_active(ob)
    other = figures.ready("Other")
    figures.select_bones(other)
    effector = other.pose.bones["hand.L"].superpose
    effector.target, effector.target_bone = ob, "hand.L"
    other.superpose_live = True
    for _ in range(2):
        move(ob)
        hand = ob.matrix_world @ ob.pose.bones["hand.L"].head
        assert (other.matrix_world @ other.pose.bones["hand.L"].head - hand).length < 1e-4
        move(ob, way=-0.5 * MOVE)


def animated(ob):
    """The hand's target goes to and fro; one bone is keyed, which the solve turns."""
    target, bone = figures.target_of(ob, "hand.L"), ob.pose.bones["arm.R"]
    begin = target.location.copy()
    for frame, way in ((1, 0), (10, 1), (20, 0.4)):
        target.location = begin + way * MOVE
        target.keyframe_insert("location", frame=frame)
        bone.rotation_quaternion = (1, 0.2 * way, 0, 0)
        bone.keyframe_insert("rotation_quaternion", frame=frame)
    bpy.context.scene.frame_set(1)


def poses_of(ob, frames):
    poses = {}
    for frame in frames:
        bpy.context.scene.frame_set(frame)
        poses[frame] = channels(ob)
        assert figures.gap(ob, "hand.L") < 1e-4
    return poses


def next_frame():
    bpy.context.scene.frame_set(bpy.context.scene.frame_current + 1)


@pytest.mark.parametrize("update", [armatures.refresh, next_frame])
def test_two_follow_the_same_targets_while_objects_are_added(ob, update):
    """Blender crashes going through the new ones if it is not helped, mostly, if they are many."""
    other = ob.copy()
    bpy.context.scene.collection.objects.link(other)
    update()
    for way in (MOVE, -MOVE / 2):
        added = [armatures.new_object("More") for _ in range(300)]
        figures.target_of(ob, "hand.L").location += way
        update()
        for more in added:
            more.update_tag()
        armatures.refresh()
        assert max(figures.gap(armature, "hand.L") for armature in (ob, other)) < 1e-3


def test_frames_do_not_depend_on_the_order_they_are_visited_in(ob):
    animated(ob)
    there = poses_of(ob, range(1, 21))
    assert there == poses_of(ob, range(20, 0, -1))
    assert there == poses_of(ob, np.random.default_rng(0).permutation(np.arange(1, 21)).tolist())
    assert len({str(pose) for pose in there.values()}) > 15


def test_a_frame_is_posed_as_it_is_baked(ob):
    animated(ob)
    live = {}
    for frame in range(1, 21):
        bpy.context.scene.frame_set(frame)
        live[frame] = figures.rotations(ob)
    bpy.context.scene.frame_set(1)
    bpy.ops.superpose.bake(range='CUSTOM', frame_start=1, frame_end=20)
    ob.superpose_live = False
    for frame, pose in live.items():
        bpy.context.scene.frame_set(frame)
        assert apart(figures.rotations(ob), pose) < 0.02


def test_a_bake_reads_the_animated_pose_though_it_is_live(ob):
    """With half an influence the pose that is read decides where the effector goes."""
    animated(ob)
    ob.pose.bones["hand.L"].superpose_influence = 0.5
    baked = []
    for live in (True, False):
        ob.superpose_live = live
        bpy.context.scene.frame_set(1)
        bpy.ops.ed.undo_push(message="before")
        bpy.ops.superpose.bake(range='CUSTOM', frame_start=1, frame_end=20)
        baked.append(figures.keys(ob.animation_data.action))
        bpy.ops.ed.undo_push(message="baked")
        bpy.ops.ed.undo()
        ob = bpy.data.objects["Figure"]
    assert baked[0].keys() == baked[1].keys()
    for path, points in baked[0].items():
        assert np.allclose(points, baked[1][path], atol=1e-4), path


def test_a_drag_stays_on_the_next_frame(ob):
    """What the user has done on a frame without keys is not taken back by leaving it."""
    move(ob)
    before = channels(ob)
    bpy.context.scene.frame_set(7)
    assert channels(ob) == before


def human(grips=("spine", "spine.006", "hand.L", "hand.R", "foot.L", "foot.R")):
    """Rigify's human with human comfort and six targets, live, well away from comfort."""
    ob = rigify_rigs.metarig("human")
    figures.select_bones(ob, *grips)
    bpy.ops.superpose.add_effectors()
    bpy.ops.superpose.create_targets()
    bpy.ops.superpose.human_comfort()
    figures.target_of(ob, "hand.L").location += Vector((-0.25, -0.2, -0.1))
    armatures.refresh()
    ob.superpose_live = True
    armatures.refresh()
    return ob


def joints(ob, *names):
    return np.array([ob.pose.bones[name].head for name in names])


def test_other_limbs_stay_while_a_hand_of_a_human_at_comfort_moves_a_little(rigify):
    ob = human()
    others = "upper_arm.R", "forearm.R", "shin.L", "shin.R", "thigh.L", "thigh.R"
    before = joints(ob, *others)
    for way in np.vstack([np.eye(3), -np.eye(3)]):
        move(ob, way=Vector(0.1 * way), steps=4)
        assert figures.gap(ob, "hand.L") < 1e-4
        assert np.linalg.norm(joints(ob, *others) - before, axis=1).max() < 0.005
        move(ob, way=Vector(-0.1 * way), steps=4)
        assert np.linalg.norm(joints(ob, *others) - before, axis=1).max() < 1e-5


def test_comfort_has_its_full_say_where_a_target_is_dragged_far(rigify):
    ob = human()
    move(ob, way=Vector((-0.5, -0.2, -0.3)), steps=10)
    dragged = joints(ob, "forearm.L", "shin.L", "shin.R")
    bpy.ops.superpose.solve()
    armatures.refresh()
    assert np.linalg.norm(joints(ob, "forearm.L", "shin.L", "shin.R") - dragged, axis=1).max() < 0.01
