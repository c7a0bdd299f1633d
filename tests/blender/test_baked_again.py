# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""A bake of what was baked, of which nothing has been changed since, leaves the motion as it is."""

import json

import armatures
import bpy
import figures
import numpy as np
import pytest
import rigify_rigs
from led_hands import heads, lead

ALIKE = 1e-4
LAST = 40


@pytest.fixture
def stretched(blend):
    """A figure whose hand is led out of reach and back."""
    ob = figures.ready()
    ob.pose.bones["hips"].superpose.hold = 'PINNED'
    lead(figures.target_of(ob, "hand.L"), (0.3, -0.3, -1.6), LAST)
    bpy.ops.superpose.bake()
    assert ob.superpose.is_missed
    yield ob
    bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)


def moved(ob, before):
    return np.abs(heads(ob) - before).max(axis=(1, 2))


def told(ob):
    """What is told to be missed, and to give way, in each frame."""
    report = json.loads(ob.superpose.clip_report)
    return report["missed"], report["gave_way"]


def test_what_cannot_be_met_is_left_as_it_is_and_told_again(stretched):
    once, said = heads(stretched), told(stretched)
    bpy.ops.superpose.bake()
    assert moved(stretched, once).max() < ALIKE
    assert told(stretched) == said


def kept_off(ob, count):
    """The human, whose hips are led down and up farther than its feet, which stand, let them go; baked."""
    bpy.ops.superpose.set_up_body(use_live=False)
    lead(figures.target_of(ob, "spine"), (0, -0.1, -0.35), count)
    for bone in ob.pose.bones:
        bone.superpose.hold = 'FOLLOWS'
    for side in "LR":
        for kind in ("superpose_contact", "superpose_tip_contact"):
            bpy.ops.superpose.mark_frames(kind=kind, bone=f"foot.{side}", frame_start=1, frame_end=count)
    bpy.ops.superpose.bake()
    assert ob.superpose.is_missed
    return ob


@pytest.mark.once
def test_so_it_is_where_contacts_keep_a_body_off(rigify):
    ob = kept_off(rigify_rigs.metarig("basic_human"), 21)
    once, (missed, _) = heads(ob), told(ob)
    bpy.ops.superpose.bake()
    assert moved(ob, once).max() < ALIKE
    assert told(ob)[0] == missed  # what only follows is off by about what can be seen of the body as it was


@pytest.mark.once
def test_so_is_a_part_that_gives_way_for_what_is_beside_it(rigify):
    ob = kept_off(rigify_rigs.metarig("basic_human"), 40)
    once, first = heads(ob), int(np.argmax(np.any(told(ob)[0], axis=1)))
    part = {"range": 'CUSTOM', "frame_start": 1, "action": 'CURRENT'}
    for last in (first - 8, first - 1):
        bpy.ops.superpose.bake(**part, frame_end=last)
        assert moved(ob, once).max() < ALIKE


def test_part_of_what_cannot_be_met_is_left_as_it_is(stretched):
    once = heads(stretched)
    bpy.ops.superpose.bake(range='CUSTOM', frame_start=10, frame_end=13, action='CURRENT')
    assert moved(stretched, once).max() < ALIKE
    bpy.ops.superpose.bake()
    assert moved(stretched, once).max() < ALIKE


@pytest.mark.once
@pytest.mark.parametrize("how", ["bake", "reduce_keys"])
def test_what_has_fewer_keys_is_left_within_their_bounds(stretched, how):
    once = heads(stretched)
    getattr(bpy.ops.superpose, how)(keys='REDUCED')
    assert 0 < moved(stretched, once).max() < 1e-3
    bpy.ops.superpose.bake(keys='REDUCED')
    assert moved(stretched, once).max() < 2e-3


@pytest.mark.once
def test_what_has_been_asked_since_is_found(stretched):
    once, target = heads(stretched), figures.target_of(stretched, "hand.L")
    bpy.context.scene.frame_set(3)
    target.location.y -= 0.01
    target.keyframe_insert("location")
    bpy.ops.superpose.bake()
    armatures.refresh()
    bpy.context.scene.frame_set(3)
    assert figures.distance(stretched, "hand.L") < ALIKE
    assert moved(stretched, once)[LAST // 2 - 3 : LAST // 2 + 3].max() < ALIKE
    stretched.pose.bones["hips"].superpose.hold = 'FREE'
    bpy.ops.superpose.bake()
    assert moved(stretched, once).max() > 0.1


@pytest.mark.once
def test_a_body_that_has_been_posed_since_is_solved(stretched):
    once = heads(stretched)
    stretched.animation_data_clear()
    for bone in stretched.pose.bones:
        bone.matrix_basis.identity()
    bpy.ops.superpose.bake()
    assert moved(stretched, once).max() < ALIKE
