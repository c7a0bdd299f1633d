# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""Pin, follow, free: what is set for the selected bones."""

import armatures
import bpy
import figures
import pytest

HAND = "hand.L"


@pytest.fixture
def ob(blend):
    """A figure with targets in Pose Mode."""
    ob = figures.ready()
    figures.make_active(ob)
    bpy.ops.object.mode_set(mode='POSE')
    return ob


def holds(ob, *names):
    return [ob.pose.bones[name].superpose.hold for name in names]


def test_selected_bones_get_what_is_chosen_and_others_keep_theirs(ob):
    for hold in ('PINNED', 'FREE', 'FOLLOWS'):
        figures.select_bones(ob, HAND, "head")
        assert bpy.ops.superpose.set_hold(hold=hold) == {'FINISHED'}
        assert holds(ob, HAND, "head", "hand.R") == [hold, hold, 'FOLLOWS']


def test_the_key_pins_unless_all_are_pinned(ob):
    ob.pose.bones["head"].superpose.hold = 'PINNED'
    figures.select_bones(ob, HAND, "head")
    bpy.ops.superpose.set_hold()
    assert holds(ob, HAND, "head") == ['PINNED', 'PINNED']
    bpy.ops.superpose.set_hold()
    assert holds(ob, HAND, "head") == ['FOLLOWS', 'FOLLOWS']


def test_a_bone_that_is_no_effector_is_pinned_where_it_is(ob):
    figures.select_bones(ob, "forearm.R")
    bpy.ops.superpose.set_hold(hold='PINNED')
    assert figures.effectors(ob)[-1] == "forearm.R"
    elbow = ob.pose.bones["forearm.R"].head.copy()
    figures.target_of(ob, HAND).location.x += 0.1
    armatures.refresh()
    bpy.ops.superpose.solve()
    armatures.refresh()
    assert (ob.pose.bones["forearm.R"].head - elbow).length < 1e-4


def test_of_all_bones_the_effectors_are_meant(ob):
    effectors = figures.effectors(ob)
    figures.select_bones(ob, *ob.pose.bones.keys())
    bpy.ops.superpose.set_hold(hold='PINNED')
    assert figures.effectors(ob) == effectors
    assert set(holds(ob, *effectors)) == {'PINNED'}


def test_what_is_pinned_stays_where_it_is_seen(ob):
    """Its target was elsewhere."""
    figures.target_of(ob, HAND).location.x += 0.3
    armatures.refresh()
    figures.select_bones(ob, HAND)
    bpy.ops.superpose.set_hold(hold='PINNED')
    armatures.refresh()
    assert figures.distance(ob, HAND) < 1e-4


def test_bones_that_are_no_effectors_are_free_as_they_are(ob):
    figures.select_bones(ob, "forearm.R")
    before = figures.state()
    with pytest.raises(RuntimeError, match="are no effectors"):
        bpy.ops.superpose.set_hold(hold='FREE')
    assert figures.state() == before


def test_in_object_mode_the_selected_targets_say_which(ob):
    bpy.ops.object.mode_set(mode='OBJECT')
    figures.make_active(figures.target_of(ob, HAND))
    bpy.ops.superpose.set_hold(hold='PINNED')
    assert holds(ob, HAND, "head") == ['PINNED', 'FOLLOWS']
    bpy.ops.object.select_all(action='DESELECT')
    with pytest.raises(RuntimeError, match="No targets of 'Figure' are selected"):
        bpy.ops.superpose.set_hold(hold='PINNED')


def test_it_says_which_bones_hold_what(ob, capfd):
    figures.select_bones(ob, HAND, "forearm.R")
    for hold, said in (('PINNED', "Pinned"), ('FREE', "Set free"), ('FOLLOWS', "Let follow")):
        bpy.ops.superpose.set_hold(hold=hold)
        assert f"{said} 'hand.L', 'forearm.R'" in "".join(capfd.readouterr())


def test_a_body_that_is_pinned_first_is_set_up_as_by_a_drag(rigify, capfd):
    """Else nothing would hold it but that pin, and the next drag would take it through the air."""
    bpy.ops.object.armature_human_metarig_add()
    ob = bpy.context.object
    bpy.ops.object.mode_set(mode='POSE')
    figures.select_bones(ob, HAND)
    bpy.ops.superpose.set_hold(hold='PINNED')
    assert holds(ob, HAND, "hand.R", "foot.L", "spine") == ['PINNED', 'FOLLOWS', 'PINNED', 'FREE']
    assert "Pinned 'hand.L'; 'metarig' was set up on the way" in "".join(capfd.readouterr())
    foot = ob.pose.bones["foot.L"].head.copy()
    bpy.ops.superpose.pose(bone="spine", translation=(0.1, 0, -0.05))
    assert (ob.pose.bones["foot.L"].head - foot).length < 1e-3


def test_what_is_refused_sets_nothing_up(rigify):
    bpy.ops.object.armature_human_metarig_add()
    ob = bpy.context.object
    bpy.ops.object.mode_set(mode='POSE')
    figures.select_bones(ob, "forearm.L")
    with pytest.raises(RuntimeError, match="are no effectors"):
        bpy.ops.superpose.set_hold(hold='FREE')
    assert figures.effectors(ob) == []
    assert not ob.is_property_set("superpose")
