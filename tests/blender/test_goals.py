# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""Goals beside effectors: what they make of a figure, measured from what Blender shows."""

import bpy
import figures
import numpy as np
import pytest
from drawn_panels import draw_panel
from figure_goals import add, ready, shown
from mathutils import Vector

pytestmark = pytest.mark.usefixtures("blend")


MET = 5e-4  # of a figure of about two units


TURN = 2e-3


def ends(ob):
    """Heads and tails of all bones, in the scene."""
    bpy.context.view_layer.update()
    places = [ob.matrix_world @ place for bone in ob.pose.bones for place in (bone.head, bone.tail)]
    return np.array(places)


def angle(a, b):
    return Vector(a).angle(Vector(b))


def test_a_new_goal_moves_nothing():
    ob = ready("hips", "hand.L")
    before = shown(ob)
    add(ob, 'AIM', "head")
    add(ob, 'POLE', "forearm.L")
    add(ob, 'ATTACH', "hand.R", "hand.L")
    bpy.ops.superpose.solve()
    assert not ob.superpose.is_missed
    assert all(np.allclose(matrix, before[name], atol=1e-3) for name, matrix in shown(ob).items())


def test_an_aim_points_the_axis_at_the_object_and_effectors_are_met():
    ob = ready("hips", "hand.L")
    figures.target_of(ob, "hand.L").location += Vector((-0.2, 0.15, 0.2))
    goal = add(ob, 'AIM', "head")
    goal.target.location = (0.6, -1.0, 1.9)
    bpy.ops.superpose.solve()
    matrix = shown(ob)["head"]
    assert angle(matrix[:3, 1], np.array(goal.target.location) - matrix[:3, 3]) < TURN
    assert figures.distance(ob, "hand.L") < MET
    assert not goal.is_missed


def test_a_new_aim_at_a_selected_object_takes_the_axis_nearest_to_it():
    ob = ready("hips")
    lamp = bpy.data.objects.new("Lamp", None)
    bpy.context.collection.objects.link(lamp)
    head = ob.pose.bones["head"]
    for axis, way in (("X", head.x_axis), ("-Z", -head.z_axis)):
        lamp.location = ob.matrix_world @ (head.head + way + 0.1 * head.y_axis)
        lamp.select_set(True)
        bpy.context.view_layer.update()
        goal = add(ob, 'AIM', "head")
        assert (goal.axis, goal.target) == (axis, lamp)


def test_an_aim_of_another_axis():
    ob = ready("hips")
    goal = add(ob, 'AIM', "head")
    goal.axis = '-Z'
    goal.target.location = (0.6, -1.0, 1.9)
    bpy.ops.superpose.solve()
    matrix = shown(ob)["head"]
    assert angle(-matrix[:3, 2], np.array(goal.target.location) - matrix[:3, 3]) < TURN


@pytest.mark.parametrize("scale", [1.0, 3.0])
def test_an_attached_hand_goes_with_the_other(scale):
    ob = ready("hips", "hand.L")
    ob.scale = 3 * (scale,)
    ob.rotation_euler = (0.3, 0.2, 1.0)
    bpy.context.view_layer.update()
    bpy.ops.superpose.snap_targets()
    figures.target_of(ob, "hand.L").location += Vector((-0.35, -0.3, 0.0)) * scale
    bpy.ops.superpose.solve()
    place = ob.pose.bones["hand.R"].matrix.copy()
    place.translation = ob.pose.bones["hand.L"].matrix.translation + Vector((-0.1, 0, 0.05))
    ob.pose.bones["hand.R"].matrix = place
    bpy.context.view_layer.update()
    add(ob, 'ATTACH', "hand.R", "hand.L")
    bpy.ops.superpose.solve()
    before = shown(ob)
    kept = np.linalg.solve(before["hand.L"], before["hand.R"])
    figures.target_of(ob, "hand.L").location += Vector((0.0, 0.1, 0.1)) * scale
    bpy.ops.superpose.solve()
    now = shown(ob)
    assert not ob.superpose.is_missed
    assert np.abs(now["hand.L"] - before["hand.L"]).max() > 0.05
    assert np.allclose(np.linalg.solve(now["hand.L"], now["hand.R"]), kept, atol=2e-3)


def test_a_pole_turns_the_elbow_and_costs_the_hand_nothing():
    ob = ready("hips", "hand.L")
    figures.target_of(ob, "hand.L").location = (0.5, -0.2, 1.4)
    goal = add(ob, 'POLE', "forearm.L")
    assert (goal.upper_bone, goal.end_bone) == ("arm.L", "hand.L")
    goal.target.location = (0.2, 0.5, 0.6)
    bpy.ops.superpose.solve()
    heads = {name: matrix[:3, 3] for name, matrix in shown(ob).items()}
    line = heads["hand.L"] - heads["arm.L"]
    line /= np.linalg.norm(line)
    across = [place - heads["arm.L"] for place in (heads["forearm.L"], np.array(goal.target.location))]
    across = [way - way @ line * line for way in across]
    assert angle(*across) < 0.02
    assert figures.distance(ob, "hand.L") < MET


def test_bones_stay_above_the_ground_and_above_a_turned_plane():
    ob = ready("hips", "hand.L")
    add(ob, 'PLANE')
    figures.target_of(ob, "hand.L").location = (0.5, -0.2, -0.3)
    figures.target_of(ob, "hips").location.z -= 0.8
    bpy.ops.superpose.solve()
    assert ends(ob)[:, 2].min() > -1e-5
    assert ob.superpose.is_missed  # the hand's target is below
    wall = bpy.data.objects.new("Wall", None)
    bpy.context.collection.objects.link(wall)
    wall.rotation_euler = (0.0, np.pi / 2, 0.0)  # its Z is the scene's X
    wall.location.x = -0.5
    figures.target_of(ob, "hand.L").location = (0.5, -0.2, 0.4)
    goal = ob.superpose.goals[0]
    goal.target = wall
    bpy.ops.superpose.solve()
    assert ends(ob)[:, 0].min() > -0.5 - 1e-5


def test_what_hangs_on_the_solved_bones_stays_above_the_ground_as_it_is_posed():
    """The right arm has no effector, and is bent by hand."""
    ob = ready("hips", "hand.L")
    ob.pose.bones["arm.R"].rotation_mode = 'XYZ'
    ob.pose.bones["arm.R"].rotation_euler.x = 1.3
    bent = np.array(ob.pose.bones["arm.R"].matrix_basis)
    add(ob, 'PLANE')
    figures.target_of(ob, "hips").location.z -= 1.3
    bpy.ops.superpose.solve()
    assert ends(ob)[:, 2].min() > -1e-5
    assert np.allclose(ob.pose.bones["arm.R"].matrix_basis, bent, atol=1e-6)


def test_what_hangs_on_the_solved_bones_stays_above_the_ground_as_it_is_keyed():
    ob = ready("hips", "hand.L")
    arm = ob.pose.bones["arm.R"]
    arm.rotation_mode = 'XYZ'
    for frame, angle_of in ((1, 0.0), (4, 1.3)):
        arm.rotation_euler.x = angle_of
        arm.keyframe_insert("rotation_euler", frame=frame)
    add(ob, 'PLANE')
    figures.target_of(ob, "hips").location.z -= 0.9
    bpy.context.scene.frame_end = 4
    bpy.ops.superpose.bake()
    for frame in range(1, 5):
        bpy.context.scene.frame_set(frame)
        assert ends(ob)[:, 2].min() > -1e-4


def test_a_plane_far_below_changes_nothing_though_it_looks_at_all_bones():
    poses = []
    for has_plane in (False, True):
        bpy.ops.wm.read_homefile(use_empty=True)
        ob = ready("hips", "hand.L")
        if has_plane:
            add(ob, 'PLANE').target = low = bpy.data.objects.new("Low", None)
            bpy.context.collection.objects.link(low)
            low.location.z = -9.0
        figures.target_of(ob, "hand.L").location = (0.5, -0.2, 0.9)
        bpy.ops.superpose.solve()
        poses.append(figures.rotations(ob))
    for one, other in zip(*poses, strict=True):
        assert np.allclose(one, other, rtol=0, atol=1e-6)


def test_a_bone_whose_size_is_animated_is_refused_in_a_bake():
    ob = ready("hips", "hand.L")
    add(ob, 'PLANE')
    for frame, size in ((1, 1.0), (3, 2.0)):
        ob.pose.bones["hand.L"].scale = 3 * (size,)
        ob.pose.bones["hand.L"].keyframe_insert("scale", frame=frame)
    bpy.context.scene.frame_end = 3
    with pytest.raises(RuntimeError, match=r"'hand\.L' changes its size"):
        bpy.ops.superpose.bake()


@pytest.mark.parametrize("scale", [(1.0, 1.0, 1.0), (1.0, 2.0, 0.5)])
def test_a_body_in_an_armature_that_turns_is_balanced_in_every_frame(scale):
    ob = ready("hips", "hand.L")
    ob.pose.bones["hips"].superpose_position_weight = 0.0
    ob.scale = scale
    for bone in ob.pose.bones:
        bone.superpose.mass = 0.1
    support = bpy.data.objects.new("Support", None)
    bpy.context.collection.objects.link(support)
    support.location = (0.1, 0.0, 0.0)
    add(ob, 'BALANCE').target = support
    for frame, angle_of in ((1, 0.0), (5, 0.6)):
        ob.rotation_euler.x = angle_of
        ob.keyframe_insert("rotation_euler", frame=frame)
    ob.pose.bones["hand.L"].superpose.enabled = False
    bpy.context.scene.frame_end = 5
    bpy.ops.superpose.bake()
    for frame in (1, 3, 5):
        bpy.context.scene.frame_set(frame)
        middles = ends(ob).reshape(-1, 2, 3).mean(axis=1)
        assert np.allclose(middles.mean(axis=0)[:2], support.location.xy, atol=MET)


def test_the_centre_of_mass_stays_over_its_target():
    ob = ready("hips", "hand.L")
    figures.target_of(ob, "hand.L").location += Vector((0.0, -0.3, 0.1))
    ob.pose.bones["hips"].superpose_position_weight = 0.0
    for bone in ob.pose.bones:
        bone.superpose.mass = 0.1
    support = bpy.data.objects.new("Support", None)
    bpy.context.collection.objects.link(support)
    support.location = (0.2, -0.05, 0.0)
    goal = add(ob, 'BALANCE')
    goal.target = support
    bpy.ops.superpose.solve()
    assert not ob.superpose.is_missed
    middles = ends(ob).reshape(-1, 2, 3).mean(axis=1)
    assert np.allclose(middles.mean(axis=0)[:2], support.location.xy, atol=MET)


def test_influence_is_keyed_and_baked():
    ob = ready("hips")
    goal = add(ob, 'AIM', "head")
    goal.target.location = (1.0, -1.0, 1.6)
    for frame, value in ((1, 0.0), (3, 1.0)):
        goal.influence = value
        goal.keyframe_insert("influence", frame=frame)
    bpy.context.scene.frame_end = 3
    assert bpy.ops.superpose.bake(frames='ALONE') == {'FINISHED'}
    turned = []
    for frame in (1, 3):
        bpy.context.scene.frame_set(frame)
        matrix = shown(ob)["head"]
        turned.append(angle(matrix[:3, 1], np.array(goal.target.location) - matrix[:3, 3]))
    assert turned[0] > 0.5
    assert turned[1] < TURN


def test_live_follows_the_target_of_a_goal(live):
    ob = ready("hips")
    goal = add(ob, 'AIM', "head")
    ob.superpose_live = True
    goal.target.location = (1.0, -1.0, 1.6)
    live()
    matrix = shown(ob)["head"]
    assert angle(matrix[:3, 1], np.array(goal.target.location) - matrix[:3, 3]) < TURN


def test_live_follows_with_goals_that_have_no_target(live):
    ob = ready("hips", "hand.L")
    goal = ob.superpose.goals.add()
    goal.kind = 'PLANE'
    assert goal.target is None  # looking stores that
    ob.superpose_live = True
    live()
    figures.target_of(ob, "hand.L").location.z += 0.1
    live()
    assert figures.distance(ob, "hand.L") < 2e-4


@pytest.fixture
def live():
    """Let Live do what it would when the window is idle."""
    return lambda: (bpy.context.view_layer.update(), bpy.context.view_layer.update())


def test_every_kind_says_what_menu_and_panel_show():
    goal = ready("hips").superpose.goals.add()
    kinds = goal.bl_rna.properties["kind"].enum_items
    added = bpy.ops.superpose.add_goal.get_rna_type().properties["kind"].enum_items
    assert set(added.keys()) == set(kinds.keys())
    assert draw_panel("SUPERPOSE_MT_add_goal") == ["superpose.add_goal"] * len(kinds)
    for kind in kinds:
        goal.kind = kind.identifier
        names = (*goal.shown.bones, *goal.shown.settings, *goal.shown.weights)
        assert set(names) <= set(goal.bl_rna.properties.keys())
        assert (kind.icon, kind.name) == (goal.shown.icon, goal.shown.label)
        assert set(names) <= set(draw_panel("SUPERPOSE_PT_goals"))


def test_a_removed_goal_takes_its_keys_along_and_leaves_those_of_others():
    ob = ready("hips")
    for bone in ("head", "chest"):
        add(ob, 'AIM', bone).keyframe_insert("influence", frame=1)
    ob.superpose.active_goal_index = 0
    assert bpy.ops.superpose.remove_goal() == {'FINISHED'}
    assert [goal.bone for goal in ob.superpose.goals] == ["chest"]
    paths = [curve.data_path for curve in figures.curves(ob.animation_data.action)]
    assert paths == ["superpose.goals[0].influence"]


def test_keys_in_a_strip_go_on_with_their_goals():
    ob = ready("hips")
    for bone in ("head", "chest"):
        add(ob, 'AIM', bone).keyframe_insert("influence", frame=1)
    animation = ob.animation_data
    action = animation.action
    animation.nla_tracks.new().strips.new("Strip", 1, action)
    animation.action = None
    ob.superpose.active_goal_index = 0
    bpy.ops.superpose.remove_goal()
    assert [curve.data_path for curve in figures.curves(action)] == ["superpose.goals[0].influence"]


def test_adding_and_removing_are_one_undo_step_each():
    ob = ready("hips")
    figures.active(ob, "head")
    bpy.ops.ed.undo_push(message="before")
    bpy.ops.superpose.add_goal(kind='AIM')
    bpy.ops.ed.undo_push(message="added")
    bpy.ops.ed.undo()
    assert not bpy.data.objects["Figure"].superpose.goals


def test_nothing_is_left_of_a_set_up_with_goals():
    ob = figures.figure()
    things = {name: set(getattr(bpy.data, name).keys()) for name in ("objects", "collections", "actions")}
    bpy.ops.object.mode_set(mode='POSE')
    figures.select_bones(ob, *figures.EFFECTORS)
    bpy.ops.superpose.add_effectors(only_ends=False)
    bpy.ops.superpose.create_targets()
    figures.make_active(ob)
    add(ob, 'POLE', "forearm.L")
    while ob.is_property_set("superpose"):
        bpy.ops.superpose.remove_setup()
    assert things == {name: set(getattr(bpy.data, name).keys()) for name in things}


def turned_on_uneven_scale():
    """An empty at hip height whose Z axis leans, because the parent on which it is turned is scaled."""
    parent, empty = (bpy.data.objects.new(name, None) for name in ("Scaled", "Floor"))
    for thing in (parent, empty):
        bpy.context.collection.objects.link(thing)
    parent.location.z, parent.scale.z = 1.15, 4
    empty.parent, empty.rotation_euler = parent, (0.4, 0.3, 0)
    return empty


def test_a_plane_is_that_of_the_targets_x_and_y_whatever_shears_it():
    ob = ready("hand.L", "hips")
    goal = add(ob, 'PLANE')
    goal.target = turned_on_uneven_scale()
    bpy.context.view_layer.update()
    assert bpy.ops.superpose.solve() == {'FINISHED'}
    assert not goal.is_missed
    floor = np.array(goal.target.matrix_world)
    up = np.cross(floor[:3, 0], floor[:3, 1])
    ends = [
        (pose @ (0, y, 0, 1))[:3] for name, pose in shown(ob).items() for y in (0, ob.data.bones[name].length)
    ]
    assert min((end - floor[:3, 3]) @ up for end in ends) > -1e-5 * np.linalg.norm(up)
