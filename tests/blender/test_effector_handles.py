# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""Handles of effectors: which are shown, what they tell, and what a click on them selects."""

from importlib import import_module
from types import SimpleNamespace

import armatures
import bpy
import figures
import numpy as np
import pytest
from mathutils import Matrix, Vector
from viewports import front, on_screen, space


@pytest.fixture
def overlay(addon, blend):
    """The modules of the overlay by their names; the empty file's viewports show no overlays."""
    space().overlay.show_overlays = space().overlay.show_extras = True
    return lambda name: import_module(f"{addon.name}.overlay.{name}")


def handles(overlay, context=None):
    found = overlay("effectors").shown_handles(context or front())
    return {handle.bone.name: handle for handle in found}


def picked(overlay, point, context=None, aside=(0, 0)):
    context = context or front()
    mouse = np.add(on_screen(context, point), aside)
    return overlay("picking").handle_at(context, mouse)


def head_of(ob, bone):
    return ob.matrix_world @ ob.pose.bones[bone].head


def click(point, context=None, aside=(0, 0), extend=False, dragged=None):
    """What a click there does, as Blender would call it, or a drag so far."""
    context = context or front()
    x, y = np.add(on_screen(context, point), aside)
    kind = bpy.types.SUPERPOSE_OT_select_handle
    named = {name: value for name, value in vars(kind).items() if not name.startswith("__")}
    made = type("click", (), named)()
    made.extend = extend
    right, up = dragged or (0, 0)
    event = {"value": 'CLICK_DRAG' if dragged else 'CLICK', "mouse_prev_press_x": 0, "mouse_prev_press_y": 0}
    event |= {"mouse_x": right, "mouse_y": up, "mouse_region_x": x + right, "mouse_region_y": y + up}
    return made.invoke(context, SimpleNamespace(**event))


def pose_mode(ob):
    figures.make_active(ob)
    bpy.ops.object.mode_set(mode='POSE')


def using(idname):
    """A viewport of a workspace where this is the active tool."""
    tools = SimpleNamespace(from_space_view3d_mode=lambda mode, create: SimpleNamespace(idname=idname))
    return front(workspace=SimpleNamespace(tools=tools), active_pose_bone=bpy.context.active_pose_bone)


def test_each_effector_that_takes_part_has_one_at_its_point(overlay):
    ob = figures.ready()
    ob.matrix_world = Matrix.LocRotScale(
        Vector((1, 2, 3)), Vector((1, 2, 3)).to_track_quat(), Vector((2, 2, 2))
    )
    ob.pose.bones["chest"].rotation_quaternion = (0.8, 0.4, -0.2, 0.3)
    ob.pose.bones["hand.L"].superpose_offset = (0.1, 0.2, 0.3)
    ob.pose.bones["hand.R"].superpose.enabled = False
    found = handles(overlay)
    assert set(found) == {"hips", "head", "hand.L"}
    places = import_module(overlay("effectors").__package__.removesuffix("overlay") + "armature")
    for name, handle in found.items():
        offset = ob.pose.bones[name].superpose_offset
        expected = places.target_matrix(ob, name, offset, bpy.context.evaluated_depsgraph_get())
        assert (Vector(handle.place) - expected.translation).length < 1e-5


def test_pins_have_handles_too(overlay):
    ob = figures.ready()
    ob.pose.bones["head"].superpose.target = None
    handle = handles(overlay)["head"]
    assert handle.target is None
    assert handle.distance == 0


def test_what_they_hold_is_told_by_the_shape_and_the_side_by_the_colour(overlay):
    ob = figures.ready()
    for name, hold in (("hips", 'FREE'), ("hand.L", 'PINNED'), ("hand.R", 'FOLLOWS')):
        ob.pose.bones[name].superpose.hold = hold
    effectors, context = overlay("effectors"), front()
    shown = effectors.shown_handles(context)
    marks = dict(zip((h.bone.name for h in shown), effectors.marks_of(context, shown), strict=True))
    assert [marks[name].kind for name in ("hips", "hand.L", "hand.R")] == ['RING', 'SQUARE', 'DISC']
    for name, mark in marks.items():
        colour = figures.target_of(ob, name).color[:3]
        assert mark.colour == pytest.approx(colour, abs=1e-6)


@pytest.mark.parametrize("mode", ['OBJECT', 'POSE'])
def test_what_is_selected_has_the_themes_rim(overlay, mode):
    ob = figures.ready()
    effectors, theme = overlay("effectors"), bpy.context.preferences.themes[0].view_3d
    if mode == 'POSE':
        pose_mode(ob)
        figures.select_bones(ob, "hand.L", "hand.R")
        figures.active(ob, "hand.L")
        colours = theme.bone_pose_active, theme.bone_pose
    else:
        figures.make_active(figures.target_of(ob, "hand.L"))
        figures.target_of(ob, "hand.R").select_set(True)
        colours = theme.object_active, theme.object_selected
    context = front()
    shown = effectors.shown_handles(context)
    rims = {h.bone.name: mark.rim for h, mark in zip(shown, effectors.marks_of(context, shown), strict=True)}
    assert rims == {
        "hips": (0, 0, 0),
        "head": (0, 0, 0),
        "hand.L": tuple(colours[0]),
        "hand.R": tuple(colours[1]),
    }


def test_a_miss_that_can_be_seen_is_told_in_scene_units(overlay):
    ob = figures.ready()
    ob.matrix_world = Matrix.Scale(3, 4)
    target = figures.target_of(ob, "hand.L")
    armatures.refresh()
    place = head_of(ob, "hand.L")
    for away, told in ((0.0, 0), (1e-4, 0), (0.5, 0.5)):
        target.location = place + Vector((0, 0, away))
        assert handles(overlay)["hand.L"].distance == pytest.approx(told, abs=1e-5)


def test_only_axes_that_count_are_told_and_nothing_that_is_asked_for_in_part(overlay):
    ob = figures.ready()
    target, settings = figures.target_of(ob, "hand.L"), ob.pose.bones["hand.L"].superpose
    target.location += Vector((0.3, 0, 0.4))
    settings.position_axes = (True, True, False)
    assert handles(overlay)["hand.L"].distance == pytest.approx(0.3, abs=1e-5)
    ob.pose.bones["hand.L"].superpose_influence = 0.5
    assert handles(overlay)["hand.L"].distance == 0
    ob.pose.bones["hand.L"].superpose_influence = 1
    ob.pose.bones["hand.L"].superpose_position_weight = 0
    assert handles(overlay)["hand.L"].distance == 0


@pytest.mark.parametrize("hold", ['PINNED', 'FOLLOWS', 'FREE'])
def test_nothing_is_told_of_what_goes_with_the_body(overlay, hold):
    """What is free is asked for where its target stands, but where others are animated and this one not."""
    ob = figures.ready()
    ob.pose.bones["hips"].superpose.hold, target = hold, figures.target_of(ob, "hips")
    target.location.x += 0.3
    assert handles(overlay)["hips"].distance == pytest.approx(0.3)
    figures.target_of(ob, "hand.L").keyframe_insert("location", frame=1)
    bpy.ops.superpose.bake(range='CUSTOM', frame_start=1, frame_end=2)
    told = ob.pose.bones["hips"].superpose
    told_of = told.is_missed or told.gave_way
    assert bool(handles(overlay)["hips"].distance) == told_of
    assert told.is_along == (hold == 'FREE')
    figures.target_of(ob, "hips").location.x += 0.3
    assert bool(handles(overlay)["hips"].distance) == (hold != 'FREE')
    ob.pose.bones["hand.L"].superpose.enabled = False
    assert handles(overlay)["hips"].distance > 0.2
    ob.pose.bones["hand.L"].superpose.enabled = True
    target.keyframe_insert("location", frame=1)
    assert handles(overlay)["hips"].distance > 0.2


def test_a_target_that_is_a_bone_or_gone(overlay):
    ob, other = figures.ready(), armatures.chain()
    settings = ob.pose.bones["hand.L"].superpose
    settings.target, settings.target_bone = other, "b1"
    assert handles(overlay)["hand.L"].wanted == pytest.approx(tuple(head_of(other, "b1")))
    settings.target_bone = "no such bone"
    assert handles(overlay)["hand.L"].target is None
    bpy.data.objects.remove(figures.target_of(ob, "hand.R"), do_unlink=True)
    assert handles(overlay)["hand.R"].target is None
    unlinked = figures.target_of(ob, "head")
    for collection in unlinked.users_collection:
        collection.objects.unlink(unlinked)
    assert handles(overlay)["head"].target is None


def test_nothing_is_shown_of_what_is_hidden(overlay):
    ob = figures.ready()
    bone = ob.pose.bones["hand.L"]
    (bone if hasattr(bone, "hide") else bone.bone).hide = True
    assert "hand.L" not in handles(overlay)
    ob.hide_set(True)
    assert not handles(overlay)
    ob.hide_set(False)
    ob.data.pose_position = 'REST'
    assert not handles(overlay)
    ob.data.pose_position = 'POSE'
    assert handles(overlay)
    space().overlay.show_overlays = False
    assert not handles(overlay)


def test_in_pose_mode_only_armatures_in_it_have_handles(overlay):
    first, second = figures.ready("One"), figures.ready("Two")

    def owners():
        return {handle.bone.id_data for handle in overlay("effectors").shown_handles(front())}

    assert owners() == {first, second}
    pose_mode(first)
    assert owners() == {first}
    bpy.ops.object.mode_set(mode='EDIT')
    assert owners() == set()


def test_looking_stores_nothing(overlay):
    figures.figure()
    armatures.chain()
    before = figures.state()
    assert not handles(overlay)
    picked(overlay, (0, 0, 1))
    assert figures.state() == before


def test_the_handle_under_the_mouse_is_found(overlay):
    ob = figures.ready()
    for mode in ('OBJECT', 'POSE'):
        figures.make_active(ob)
        bpy.ops.object.mode_set(mode=mode)
        for name in figures.EFFECTORS:
            assert picked(overlay, head_of(ob, name), aside=(5, -4)) == ob.pose.bones[name]
    assert picked(overlay, (0, 0, 0.3)) is None


def test_handles_are_found_after_the_addon_was_off(overlay, addon):
    addon.disable()
    addon.enable()
    ob = figures.ready()
    assert picked(overlay, head_of(ob, "hand.L")) == ob.pose.bones["hand.L"]


def test_a_handle_is_as_large_on_the_screen_however_far_it_is(overlay):
    ob = figures.ready()
    for name in figures.EFFECTORS:
        ob.pose.bones[name].superpose.enabled = name == "hand.L"
    ob.pose.bones["hand.L"].superpose.target = None
    for away in (-2.0, -40.0):
        context = front((0, away, 1.45))
        assert picked(overlay, head_of(ob, "hand.L"), context, (-13, 0)) == ob.pose.bones["hand.L"]
    context = front((0, -2.0, 1.45))
    assert picked(overlay, head_of(ob, "hand.L"), context, (-15, 0)) is None


def test_the_inside_of_a_targets_box_is_its_effectors_handle(overlay):
    ob = figures.ready()
    target = figures.target_of(ob, "hand.L")
    target.location += Vector((0.3, 0, 0.3))
    target.empty_display_size = 0.15
    armatures.refresh()
    inside = target.matrix_world.translation + Vector((0.1, 0, -0.1))
    assert picked(overlay, inside) == ob.pose.bones["hand.L"]
    ob.pose.bones["hand.L"].superpose.enabled = False
    assert picked(overlay, inside) is None
    context = front()
    assert overlay("picking").target_at(context, on_screen(context, inside)) == target
    target.hide_set(True)
    assert overlay("picking").target_at(context, on_screen(context, inside)) is None


def test_nothing_is_found_while_targets_are_not_shown(overlay):
    ob = figures.ready()
    bpy.context.scene.superpose_show_targets = False
    assert picked(overlay, head_of(ob, "hand.L")) is None
    bpy.context.scene.superpose_show_limits = True
    assert picked(overlay, head_of(ob, "hand.L")) is None


def test_while_the_pose_tool_is_in_use_handles_are_caught_all_the_same(overlay):
    ob = figures.ready()
    pose_mode(ob)
    bpy.context.scene.superpose_show_targets = False
    for idname, found in (("superpose.pose", ob.pose.bones["hand.L"]), ("builtin.select_box", None)):
        context = using(idname)
        assert picked(overlay, head_of(ob, "hand.L"), context) == found
        assert bpy.types.SUPERPOSE_OT_select_handle.poll(context) == (found is not None)


def test_each_viewport_has_its_own_places(overlay):
    """As the quarters of a quad view and a second window have."""
    ob = figures.ready()
    for context in (front(), front((1.0, -7.0, 2.0)), front(size=300)):
        assert picked(overlay, head_of(ob, "hand.R"), context) == ob.pose.bones["hand.R"]
    small = front(size=300)
    assert overlay("picking").handle_at(small, on_screen(front(), head_of(ob, "hand.R"))) is None


def test_undo_and_another_file_leave_no_old_handles(overlay, tmp_path):
    ob = figures.ready()
    bpy.ops.ed.undo_push(message="before")
    ob.pose.bones["hand.L"].superpose.enabled = False
    bpy.ops.ed.undo_push(message="after")
    assert len(handles(overlay)) == 3
    bpy.ops.ed.undo()
    assert len(handles(overlay)) == 4
    armatures.empty_file()
    assert not handles(overlay)


def test_a_click_in_object_mode_makes_the_target_active(overlay):
    ob = figures.ready()
    assert click(head_of(ob, "hand.L")) == {'FINISHED'}
    left, right = (figures.target_of(ob, f"hand.{side}") for side in "LR")
    assert (bpy.context.object, bpy.context.selected_objects) == (left, [left])
    click(head_of(ob, "hand.R"), extend=True)
    assert (bpy.context.object, set(bpy.context.selected_objects)) == (right, {left, right})
    click(head_of(ob, "hand.R"), extend=True)
    assert bpy.context.selected_objects == [left]
    assert click((0, 0, 0.3)) == {'PASS_THROUGH'}
    assert bpy.context.selected_objects == [left]
    assert click(head_of(ob, "hand.R"), dragged=(9, 40)) == {'FINISHED', 'PASS_THROUGH'}, "Blender moves it"
    assert bpy.context.selected_objects == [right]
    assert click(head_of(ob, "hand.R"), dragged=(9, 40)) == {'PASS_THROUGH'}, "with others that are selected"


def test_a_click_on_a_pin_in_object_mode_chooses_it_in_the_list(overlay):
    ob = figures.ready()
    ob.pose.bones["head"].superpose.target = None
    figures.target_of(ob, "hand.L").hide_select = True
    for name in ("head", "hand.L"):
        figures.make_active(figures.target_of(ob, "hips"))
        click(head_of(ob, name))
        assert bpy.context.object == ob
        assert ob.pose.bones[ob.superpose.active_bone_index].name == name


def test_a_click_on_the_box_of_a_target_that_none_heeds_selects_it(overlay):
    ob = figures.ready()
    ob.pose.bones["hand.L"].superpose.enabled = False
    target = figures.target_of(ob, "hand.L")
    armatures.refresh()
    click(target.matrix_world.translation)
    assert bpy.context.object == target


def test_a_click_in_pose_mode_makes_the_bone_active(overlay):
    ob = figures.ready()
    pose_mode(ob)
    assert click(head_of(ob, "hand.L")) == {'FINISHED'}
    assert figures.selected_bones(ob) == ["hand.L"]
    click(head_of(ob, "hand.R"), extend=True)
    assert figures.selected_bones(ob) == ["hand.L", "hand.R"]
    assert bpy.context.active_pose_bone.name == "hand.R"
    assert ob.pose.bones[ob.superpose.active_bone_index].name == "hand.R", "the list shows what was clicked"
    click(head_of(ob, "hand.R"), extend=True)
    assert figures.selected_bones(ob) == ["hand.L"]
    assert click((0, 0, 0.3)) == {'PASS_THROUGH'}
    assert figures.selected_bones(ob) == ["hand.L"]


def test_a_click_takes_the_bone_that_the_pose_tool_lights(overlay):
    """At a joint the one that begins there; with other tools a click on bones is Blender's own."""
    ob = figures.figure()
    pose_mode(ob)
    tool, joint = using("superpose.pose"), head_of(ob, "hand.L")
    assert click(joint, using("builtin.select_box")) == {'PASS_THROUGH'}
    assert click(joint, tool) == {'FINISHED'}
    assert figures.selected_bones(ob) == ["hand.L"]
    click(head_of(ob, "hand.R"), tool, extend=True)
    assert figures.selected_bones(ob) == ["hand.L", "hand.R"]
    assert click((0, 0, 9), tool) == {'PASS_THROUGH'}


def test_without_a_drawing_no_click_is_ours(overlay):
    figures.ready()
    kind = bpy.types.SUPERPOSE_OT_select_handle
    assert kind.poll(front())
    bpy.context.scene.superpose_show_targets = False
    assert not kind.poll(front())


def test_a_rig_of_many_bones_is_looked_through_quickly(overlay):
    ob = armatures.chain(1500, 0.01)
    ob.superpose.scope = 'ALL'
    for name in ("b0", "b700", "b1499"):
        ob.pose.bones[name].superpose.is_effector = True
    context = front()
    shown = overlay("effectors").shown_handles(context)
    assert len(shown) == 3


def test_handles_of_limits_are_left_to_the_other_tools(overlay):
    """They look like those of the Pose tool, whose drags would change a limit unseen."""
    ob = figures.ready()
    pose_mode(ob)
    figures.active(ob, "arm.L").superpose.limit.kind = 'HINGE'
    bpy.context.scene.superpose_show_limits = True
    group = overlay("gizmos").SUPERPOSE_GGT_limit
    assert group.poll(using("builtin.select_box"))
    assert not group.poll(using("superpose.pose"))
