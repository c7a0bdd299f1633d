# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""The overlay shows the limits that a solve keeps to, where the solve has them, and stores nothing."""

from dataclasses import fields
from importlib import import_module
from math import radians
from types import SimpleNamespace

import armatures
import bpy
import figures
import limited
import numpy as np
import pytest
from mathutils import Vector

KINDS = ('OURS', 'OURS', 'RIG', 'LIMIT_ROTATION', 'LOCKED')


@pytest.fixture
def shown(addon, blend):
    """The module overlay/shown.py."""
    return import_module(f"{addon.name}.overlay.shown")


def limits_of(shown, ob, choice='ALL'):
    bpy.context.scene.superpose_limits_of = choice
    return {one.limit.bone: one for one in shown.limits_of(ob, shown.chosen_bones(bpy.context, ob))}


def hinge(ob, name):
    limit = ob.pose.bones[name].superpose.limit
    limit.kind = 'HINGE'
    return limit


def any_limit_at_random(bone, rng):
    """Give the bone a limit, of the rig's kinds or of ours."""
    kind = rng.choice(KINDS)
    if kind == 'RIG':
        bone.use_ik_limit_x, bone.ik_min_x, bone.ik_max_x = True, -radians(20), radians(rng.uniform(30, 90))
        bone.lock_ik_z = True
    elif kind == 'LIMIT_ROTATION':
        constraint = bone.constraints.new('LIMIT_ROTATION')
        constraint.owner_space, constraint.use_limit_x = 'LOCAL', True
        constraint.min_x, constraint.max_x = -0.3, 0.4
    elif kind == 'LOCKED':
        bone.lock_rotation = (False, True, True)
    else:
        limited.limit_at_random(bone, rng)


def numbers(limit):
    found = (getattr(limit, field.name) for field in fields(limit) if field.name not in {"bone", "order"})
    return np.concatenate([np.ravel(flat(value)) for value in found])


def flat(value):
    return [part for pair in value for part in (*pair[0], pair[1])] if is_chain(value) else value


def is_chain(value):
    return isinstance(value, tuple) and isinstance(value[0], tuple)


@pytest.mark.parametrize("seed", range(12))
def test_what_is_shown_is_what_the_solve_keeps_to(rooms, shown, seed):
    rng = np.random.default_rng(seed)
    ob = armatures.random_tree(rng)
    armatures.pose_at_random(ob, rng, scaling='UNIFORM')
    armatures.transform_at_random(ob, rng, armatures.OBJECTS[seed % len(armatures.OBJECTS)])
    ob.superpose.root_location = 'ANCHORED'
    for bone in ob.pose.bones:
        any_limit_at_random(bone, rng)
    for name in armatures.tips(ob):
        armatures.add_effector(ob, name, armatures.new_object("Target"))
    rig, _, (skeleton, pose, _) = armatures.read(rooms.armature, ob)
    drawn = limits_of(shown, ob)
    assert len(skeleton.limits) > 2
    for limit in skeleton.limits:
        one, index = drawn[limit.bone], rig.names.index(limit.bone)
        assert type(one.limit) is type(limit)
        assert getattr(one.limit, "order", "") == getattr(limit, "order", "")
        np.testing.assert_allclose(numbers(one.limit), numbers(limit), atol=1e-4)
        turned = rooms.geometry.quaternion_to_matrix(pose.rotations[0, index])
        assert rooms.geometry.angle_between(turned, one.local) < 1e-3


@pytest.mark.parametrize("seed", range(6))
def test_the_bone_is_drawn_where_it_is(shown, seed):
    """Through the frame and the local rotation +Y of length one is the bone, also under a mirrored parent."""
    rng = np.random.default_rng(seed)
    ob = armatures.random_tree(rng)
    armatures.pose_at_random(ob, rng, scaling='UNIFORM')
    armatures.transform_at_random(ob, rng, armatures.OBJECTS[seed])
    armatures.refresh()
    for bone in ob.pose.bones:
        frame, local = shown.place(ob, bone)
        np.testing.assert_allclose(frame.translation, ob.matrix_world @ bone.head, atol=1e-4)
        tip = frame @ Vector(local[:, 1])
        size = (ob.matrix_world @ bone.tail - ob.matrix_world @ bone.head).length
        assert (tip - ob.matrix_world @ bone.tail).length < 1e-3 * size


def test_looking_stores_nothing(shown):
    ob = figures.figure()
    before = figures.state()
    for choice in ('ACTIVE', 'SELECTED', 'ALL'):
        assert not limits_of(shown, ob, choice)
    assert figures.state() == before
    assert not ob.is_property_set("superpose")


def test_limits_are_shown_before_there_is_an_effector(shown):
    ob = figures.figure()
    hinge(ob, "head")
    assert set(limits_of(shown, ob)) == {"head"}
    assert not ob.is_property_set("superpose")


def test_choices(shown):
    ob = figures.ready()
    for name in ("arm.L", "forearm.L", "head"):
        hinge(ob, name)
    ob.data.bones.active = ob.data.bones["head"]
    figures.select_bones(ob, "arm.L", "chest")
    assert set(limits_of(shown, ob, 'ACTIVE')) == {"head"}
    assert set(limits_of(shown, ob, 'SELECTED')) == {"arm.L"}
    assert set(limits_of(shown, ob, 'ALL')) == {"arm.L", "forearm.L", "head"}


def test_hidden_bones_are_left_out(shown):
    ob = figures.ready()
    hinge(ob, "head")
    hinge(ob, "chest")
    head = ob.pose.bones["head"]
    (head if hasattr(head, "hide") else head.bone).hide = True
    hidden = ob.data.collections.new("Hidden")
    hidden.assign(ob.data.bones["chest"])
    assert set(limits_of(shown, ob)) == {"chest"}
    hidden.is_visible = False
    assert not limits_of(shown, ob)


def test_what_is_scaled_to_nothing_is_left_out(shown):
    ob = figures.ready()
    for name in ("hips", "head", "forearm.L"):
        hinge(ob, name)
    ob.pose.bones["head"].scale = (0, 0, 0)
    ob.pose.bones["arm.L"].scale = (0, 0, 0)
    armatures.refresh()
    assert set(limits_of(shown, ob)) == {"hips"}


def test_a_limit_that_allows_nothing_is_not_drawn_and_hides_no_other(shown):
    ob = figures.ready()
    hinge(ob, "head").hinge_min = 3.0
    hinge(ob, "chest")
    assert set(limits_of(shown, ob)) == {"chest"}


def test_where_limits_do_not_count_none_is_shown(shown):
    ob = figures.ready()
    hinge(ob, "head")
    ob.superpose.use_limits = False
    assert not limits_of(shown, ob)
    ob.superpose.use_limits, ob.data.pose_position = True, 'REST'
    assert not limits_of(shown, ob)


def test_a_target_stands_for_its_armature(shown):
    ob = figures.ready()
    target = figures.target_of(ob, "head")
    for active, mode, rigs in ((ob, 'OBJECT', [ob]), (target, 'OBJECT', [ob]), (None, 'OBJECT', [])):
        objects = SimpleNamespace(object=active, view_layer=bpy.context.view_layer)
        assert shown.shown_rigs(objects) == rigs, mode
    figures.make_active(ob)
    bpy.ops.object.mode_set(mode='POSE')
    assert shown.shown_rigs(bpy.context) == [ob]
    bpy.ops.object.mode_set(mode='EDIT')
    assert shown.shown_rigs(bpy.context) == []


def viewport():
    """A 3D viewport of the file's; none is drawn."""
    areas = (area for screen in bpy.data.screens for area in screen.areas)
    space = next(area.spaces.active for area in areas if area.type == 'VIEW_3D')
    space.overlay.show_overlays = True
    return space


def boxes(addon, ob):
    """Where the boxes of targets are and their colours, as they are drawn while the object is active."""
    armatures.refresh()
    context = SimpleNamespace(
        space_data=viewport(),
        view_layer=bpy.context.view_layer,
        preferences=bpy.context.preferences,
        object=ob,
    )
    targets = import_module(f"{addon.name}.overlay.target_boxes")
    shown = targets.boxes_of(context, targets.shown_targets(context))
    return {tuple(frame.translation): (frame, colour) for frame, colour in shown}


def test_boxes_are_where_the_targets_are_that_can_be_seen(addon, shown):
    ob = figures.ready()
    ob.pose.bones["head"].superpose.target = armatures.new_object("Mine")
    bpy.data.objects.remove(bpy.data.objects["Figure head target"])
    figures.target_of(ob, "hips").hide_set(True)
    left, right = (figures.target_of(ob, f"hand.{side}") for side in "LR")
    left.select_set(True)
    viewport().overlay.show_extras = True
    found = boxes(addon, ob)
    assert set(found) == {tuple(hand.matrix_world.translation) for hand in (left, right)}
    frame, colour = found[tuple(right.matrix_world.translation)]
    assert (frame.to_scale() - Vector((1, 1, 1)) * right.empty_display_size).length < 1e-6
    assert colour == tuple(right.color[:3])
    selected = found[tuple(left.matrix_world.translation)][1]
    assert selected == tuple(bpy.context.preferences.themes[0].view_3d.object_selected)
    viewport().overlay.show_extras = False
    assert not boxes(addon, ob)


def test_boxes_of_effectors_that_take_no_part_are_grey(addon, shown):
    ob = figures.ready()
    viewport().overlay.show_extras = True
    ob.pose.bones["hand.L"].superpose.enabled = False
    ob.superpose.active_bone_index = ob.pose.bones.find("hand.R")
    bpy.ops.superpose.remove_effector()  # its target stays
    found = boxes(addon, ob)
    right = bpy.data.objects["Figure hand.R target"]
    for target, is_grey in ((figures.target_of(ob, "hand.L"), True), (right, True), ("head", False)):
        target = figures.target_of(ob, target) if isinstance(target, str) else target
        _, colour = found[tuple(target.matrix_world.translation)]
        assert (np.ptp(colour) == 0) == is_grey
