# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""Keys that move another object too, as its action is the same: who bakes is told."""

import armatures
import bpy
import figures
import pytest

pytestmark = pytest.mark.usefixtures("blend")

TOLD = "The same keys also move 'Other': the action is shared"


def share(ob, other):
    """Have another object moved by the action, in the way that Blender takes keys for both."""
    animation = other.animation_data_create()
    animation.action = ob.animation_data.action
    if hasattr(animation, "action_slot"):
        animation.action_slot = ob.animation_data.action_slot


def share_by_strip(ob, other):
    """As a strip of the NLA, which is of the first suitable slot."""
    other.animation_data_create().nla_tracks.new().strips.new("Strip", 1, ob.animation_data.action)


def share_nothing(ob, other):
    """The other has an action of its own."""
    other.keyframe_insert("location", frame=1)


@pytest.fixture
def ob():
    """A figure that is keyed in all frames of a clip, and another that is not."""
    other, ob = figures.ready("Other"), figures.ready()
    target = figures.target_of(ob, "hand.L")
    for frame, up in ((1, 0.0), (4, 0.2)):
        target.location.z += up
        target.keyframe_insert("location", frame=frame)
    bake()
    assert other.animation_data is None
    return ob


def bake(action='NEW'):
    bpy.ops.superpose.bake(range='CUSTOM', frame_start=1, frame_end=4, action=action)


@pytest.mark.parametrize("sharing", [share, share_by_strip])
@pytest.mark.parametrize("action", ['CURRENT', 'NEW'])
def test_a_bake_names_who_has_the_same_keys(ob, sharing, action):
    sharing(ob, bpy.data.objects["Other"])
    bake(action)
    assert (TOLD in ob.superpose.notes.splitlines()) == (action == 'CURRENT')


def test_a_bake_names_nobody_with_an_action_of_its_own(ob):
    share_nothing(ob, bpy.data.objects["Other"])
    bake('CURRENT')
    assert "Other" not in ob.superpose.notes


def test_fewer_keys_are_told_too(ob, capfd):
    share(ob, bpy.data.objects["Other"])
    bpy.ops.superpose.reduce_keys(
        range='CUSTOM', frame_start=1, frame_end=4, keys='REDUCED', action='CURRENT'
    )
    assert TOLD in capfd.readouterr().out


def test_a_target_that_the_same_keys_move_is_told_as_it_is_shown(ob):
    other = bpy.data.objects["Other"]
    share(ob, other)
    hand = ob.pose.bones["hand.L"]
    hand.superpose.target, hand.superpose.target_bone = other, "hand.L"
    hand.superpose_offset, hand.superpose_rotation_weight = (0, 0.2, 0), 0
    bake('CURRENT')
    bpy.context.scene.frame_set(4)
    point = hand.matrix @ armatures.Vector(hand.superpose_offset)
    distance = (point - other.pose.bones["hand.L"].head).length
    assert distance > 0.1
    assert hand.superpose.position_residual == pytest.approx(distance, abs=1e-4)
    assert "moves its target" in ob.superpose.strays


@pytest.mark.skipif(bpy.app.version < (4, 4, 0), reason="slots came in 4.4")
def test_an_action_without_a_slot_of_ones_own_gets_one(ob):
    """As Blender's own keys would have it: the one that is there moves another."""
    other = bpy.data.objects["Other"]
    action = ob.animation_data.action
    before = figures.keys(action)
    other.animation_data_create().action = action
    other.animation_data.action_slot = None
    figures.make_active(other)
    figures.target_of(other, "hand.L").location.z += 0.1
    armatures.refresh()
    bake('CURRENT')
    assert other.animation_data.action == action
    assert other.animation_data.action_slot not in (None, ob.animation_data.action_slot)
    (strip,) = action.layers[0].strips
    of_ob = strip.channelbag(ob.animation_data.action_slot).fcurves
    assert {(c.data_path, c.array_index): [tuple(k.co) for k in c.keyframe_points] for c in of_ob} == before
    assert "shared" not in other.superpose.notes


@pytest.mark.skipif(bpy.app.version < (4, 4, 0), reason="slots came in 4.4")
def test_a_slot_that_ones_own_strip_plays_is_taken_again(ob):
    action, slot = ob.animation_data.action, ob.animation_data.action_slot.identifier
    figures.pushed_down(ob).mute = True
    ob.animation_data.action, ob.animation_data.action_slot = action, None
    bake('CURRENT')
    assert ob.animation_data.action_slot.identifier == slot
    assert len(action.slots) == 1
