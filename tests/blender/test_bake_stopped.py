# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""A bake that is stopped, wherever it is, leaves the animation and all else as it was."""

from importlib import import_module
from itertools import takewhile
from types import SimpleNamespace

import armatures
import bpy
import figures
import numpy as np
import pytest
import swayed

pytestmark = pytest.mark.usefixtures("blend")

KEY = ("co", "handle_left", "handle_right", "amplitude", "back", "period")
CHOICES = ("easing", "handle_left_type", "handle_right_type", "interpolation", "type")
FLAGS = ("select_control_point", "select_left_handle", "select_right_handle")


def bake_of(action, keys='EVERY'):
    """The operator's own work, without a window."""
    kind = bpy.types.SUPERPOSE_OT_bake
    names = ("work", "baked", "ask", "find", "planted", "write", "jumps", "results", "tell")
    names += ("key_choice", "reduced", "remember", "take_up")
    methods = {name: getattr(kind, name) for name in names}
    given = {"range": 'SCENE', "frame_start": 1, "frame_end": 9, "step": 1, "action": action}
    operator = SimpleNamespace(**given, frames='TOGETHER', smoothness=0.0, use_clean=False, keys=keys)
    operator.largest_error, operator.largest_turn = 0.001, 0.002
    operator.phase, operator.report = "", lambda *_: None
    for name, method in methods.items():
        setattr(operator, name, method.__get__(operator))
    return operator


def without_animation(ob):
    swayed.keyed_inheritance(ob)  # on the armature's data


def with_an_action(ob):
    for frame in (1, 3, 20):
        ob.pose.bones["forearm.L"].rotation_quaternion = (1, 0.1 * frame, 0, 0)
        ob.pose.bones["forearm.L"].keyframe_insert("rotation_quaternion", frame=frame, group="Ours")
        ob.pose.bones["hand.R"].keyframe_insert("scale", frame=frame)
    for number, curve in enumerate(figures.curves(ob.animation_data.action)):
        for key in curve.keyframe_points[number % 2 :]:
            key.select_control_point, key.interpolation, key.handle_left_type = True, 'BOUNCE', 'FREE'
        curve.update()
    swayed.keyed_inheritance(ob)


def without_a_slot(ob):
    with_an_action(ob)
    if hasattr(ob.animation_data, "action_slot"):
        ob.animation_data.action_slot = None


def with_an_empty_action(ob):
    swayed.keyed_inheritance(ob)
    ob.animation_data_create().action = bpy.data.actions.new("Empty")


def in_tweak_mode(ob):
    with_an_action(ob)
    swayed.into_strip(ob)
    track = ob.animation_data.nla_tracks[0]
    track.select = track.strips[0].select = True
    ob.animation_data.use_tweak_mode = True


def animation(ob):
    """Everything about the animation of the armature object."""
    held = ob.animation_data
    if held is None:
        return None
    slot = getattr(held, "action_slot", None)
    return held.action and held.action.name, slot and slot.identifier, [contents(a) for a in bpy.data.actions]


def contents(action):
    slots = len(action.slots) if hasattr(action, "slots") else 0
    layers = len(action.layers) if hasattr(action, "layers") else 0
    return action.name, action.use_fake_user, slots, layers, [of_curve(c) for c in figures.curves(action)]


def of_curve(curve):
    keys = [[plain(getattr(key, name)) for name in KEY + CHOICES + FLAGS] for key in curve.keyframe_points]
    return curve.data_path, curve.array_index, curve.group and curve.group.name, keys


def plain(value):
    return value if isinstance(value, (str, bool, float)) else tuple(value)


SETUPS = (without_animation, with_an_action, without_a_slot, with_an_empty_action)
BAKES = [(setup, action) for setup in SETUPS for action in ('NEW', 'CURRENT')] + [(in_tweak_mode, 'CURRENT')]
PHASES = ("Reading frame", "Checking frame")


@pytest.mark.parametrize("phase", PHASES)
@pytest.mark.parametrize(("setup", "action"), BAKES)
def test_a_bake_that_is_stopped_leaves_all_as_it_was(setup, action, phase):
    ob = figures.turned_away(figures.ready())
    setup(ob)
    bpy.context.scene.frame_end = 9
    bpy.context.scene.frame_set(4, subframe=0.25)
    ob.pose.bones["arm.R"].rotation_quaternion = (1, 0.2, 0, 0)
    armatures.refresh()
    before = figures.state(), animation(ob)
    rotations = figures.rotations(ob)
    operator = bake_of(action)
    steps = operator.work(bpy.context, ob)
    for done in steps:
        if operator.phase == phase and done == 5:
            break
    steps.close()
    assert operator.phase == phase
    assert (figures.state(), animation(ob)) == before
    assert np.array_equal(figures.rotations(ob), rotations)


def test_an_armature_that_is_deleted_while_frames_are_checked_leaves_no_action():
    ob = figures.turned_away(figures.ready())
    swayed.keyed_inheritance(ob)
    bpy.context.scene.frame_end = 9
    before = set(bpy.data.actions)
    operator = bake_of('NEW')
    steps = operator.work(bpy.context, ob)
    while operator.phase != "Checking frame":
        next(steps)
    bpy.data.objects.remove(ob)
    with pytest.raises(ReferenceError):
        list(steps)
    assert set(bpy.data.actions) == before


@pytest.mark.parametrize("setup", [with_an_action, without_a_slot])
def test_an_armature_that_is_deleted_while_frames_are_checked_leaves_its_action_as_it_was(setup):
    ob = figures.turned_away(figures.ready())
    setup(ob)
    bpy.context.scene.frame_end = 9
    ob.animation_data.action.use_fake_user = True
    before = [contents(action) for action in bpy.data.actions]
    operator = bake_of('CURRENT')
    steps = operator.work(bpy.context, ob)
    while operator.phase != "Checking frame":
        next(steps)
    assert [contents(action) for action in bpy.data.actions] != before
    bpy.data.objects.remove(ob)
    with pytest.raises(ReferenceError):
        list(steps)
    assert [contents(action) for action in bpy.data.actions] == before


def test_while_it_runs_no_lines_lead_to_targets_of_other_frames(addon):
    """The body is posed for none of the frames that are gone through, least of all where it is live."""
    ob = figures.ready()
    target = figures.target_of(ob, "hand.L")
    for frame in (1, 9):
        target.location.z += 0.4
        target.keyframe_insert("location", frame=frame)
    bpy.context.scene.frame_set(9)
    effectors = import_module(f"{addon.name}.overlay.effectors")

    def lines():
        return [handle.bone.name for handle in effectors.handles_of(ob, 9.0) if handle.distance > 0]

    before = lines()
    steps = bake_of('NEW').work(bpy.context, ob)
    next(steps)
    during = lines()
    steps.close()
    assert (before, during, lines()) == (["hand.L"], [], ["hand.L"])


def test_what_is_told_to_be_read_is_what_is_read(addon):
    """Contacts that go on beside the range have a say, so their frames are read as well."""
    ob = figures.ready()
    figures.target_of(ob, "hand.L").keyframe_insert("location", frame=1)
    kind = "superpose_contact"
    bpy.ops.superpose.mark_frames(kind=kind, bone="hand.L", frame_start=5, frame_end=30)
    bake, told = bake_of('NEW'), []
    steps = bake.work(bpy.context, ob)
    for done in takewhile(lambda _: bake.phase == "Reading frame", steps):
        told.append((done, bake.total))
    steps.close()
    assert told[-1][0] > 9
    assert told == [(done, told[-1][0]) for done in range(1, len(told) + 1)]
