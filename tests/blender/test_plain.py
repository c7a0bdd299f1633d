# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""Which set-ups are so plain that what is solved is what is shown, and that all others are looked at."""

from importlib import import_module

import armatures
import bpy
import figures
import pytest
import swayed

pytestmark = pytest.mark.usefixtures("blend")


@pytest.fixture
def is_plain(addon):
    return import_module(f"{addon.name}.armature").is_plain


def as_it_is(ob):
    pass


def animated(ob):
    for bone, path in (("forearm.L", "rotation_quaternion"), ("hips", "location"), ("hand.R", "scale")):
        ob.pose.bones[bone].keyframe_insert(path, frame=1)
    for name in (
        "superpose_influence",
        "superpose_position_weight",
        "superpose_rotation_weight",
        "superpose_offset",
    ):
        ob.pose.bones["hand.L"].keyframe_insert(name, frame=1)
    ob.keyframe_insert("location", frame=1)
    figures.target_of(ob, "hand.L").keyframe_insert("rotation_euler", frame=1)


def with_parents(ob):
    thing = armatures.new_object("Above")
    figures.target_of(ob, "hand.L").parent = ob.parent = thing
    figures.target_of(ob, "hand.R").parent = ob


def after_another(ob):
    other = armatures.chain(3, name="Other")
    other.pose.bones["b0"].keyframe_insert("location", frame=1)
    effector = ob.pose.bones["hand.L"].superpose
    effector.target, effector.target_bone = other, "b1"
    child = figures.target_of(ob, "hand.R")
    child.parent, child.parent_type, child.parent_bone = other, 'BONE', "b2"
    return other


@pytest.mark.parametrize("setup", [as_it_is, animated, with_parents, after_another])
def test_keys_parents_and_other_plain_armatures_are_plain(is_plain, setup):
    ob = figures.ready()
    setup(ob)
    assert is_plain(ob)


@pytest.mark.parametrize("sway", swayed.ANIMATED + swayed.HANGING)
def test_what_may_show_something_else_is_not(is_plain, sway):
    ob = figures.ready()
    sway(ob)
    assert not is_plain(ob)


def constrained(other):
    other.pose.bones["b0"].constraints.new('LIMIT_LOCATION').mute = True


def in_tracks(other):
    swayed.into_strip(other)


def driven(other):
    other.data.driver_add("display_type")


def on_a_curve(other):
    other.parent = armatures.new_object("Curve", bpy.data.curves.new("Curve", 'CURVE'))


def on_vertices(other):
    mesh = bpy.data.meshes.new("Mesh")
    mesh.from_pydata([(0, 0, 0)], [], [])
    other.parent, other.parent_type = armatures.new_object("Mesh", mesh), 'VERTEX'


SPOILED = (constrained, in_tracks, driven, on_a_curve, on_vertices)


@pytest.mark.parametrize("spoil", SPOILED)
@pytest.mark.parametrize("own", [True, False])
def test_an_armature_of_which_that_is_not_known_is_not(is_plain, spoil, own):
    ob = figures.ready()
    other = after_another(ob)
    other.animation_data.action.name = "Any"
    armatures.new_object("Any")
    if own:
        ob.animation_data_create().action = bpy.data.actions.new("Own")
        with armatures.edited(ob) as bones:
            bones.new("b0").tail = (0, 0, 1)
    spoil(ob if own else other)
    assert not is_plain(ob)


def posed_far(ob):
    ob.pose.bones["hips"].location.x = 1e4


def posed_aside(ob):
    ob.pose.bones["hips"].location.x = 10


def spun(ob):
    ob.pose.bones["chest"].rotation_mode = 'XYZ'
    ob.pose.bones["chest"].rotation_euler.y = 1e4


def built_far(ob):
    with armatures.edited(ob) as bones:
        for bone in bones:
            bone.translate(armatures.Vector((1e4, 0, 0)))


@pytest.mark.parametrize("pose", [posed_far, spun, built_far, posed_aside])
def test_what_single_precision_rounds_is_not(is_plain, pose):
    ob = figures.ready()
    pose(ob)
    armatures.refresh()
    assert is_plain(ob) == (pose is posed_aside)


@pytest.mark.parametrize("name", ["frame_change_post", "depsgraph_update_post"])
@pytest.mark.parametrize("module", ["other", None])  # a function that ``exec`` makes is of no module
def test_where_scripts_of_others_take_part_it_is_not(is_plain, name, module):
    ob = figures.ready()
    handlers = getattr(bpy.app.handlers, name)

    def handler(*_):
        pass

    handler.__module__ = module
    handlers.append(handler)
    try:
        assert not is_plain(ob)
    finally:
        handlers.remove(handler)


def test_live_posing_of_our_own_leaves_it_plain(is_plain):
    ob = figures.ready()
    ob.superpose_live = True
    assert is_plain(ob)
