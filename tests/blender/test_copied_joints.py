# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""Limits and comfort that Blender's Symmetrize has copied to the other side are told from mirrored ones."""

from importlib import import_module

import armatures
import bpy
import figures
import limited
import numpy as np
import pytest
from drawn_panels import draw

pytestmark = pytest.mark.usefixtures("blend")
ops = bpy.ops.superpose
PAIR = "forearm.L", "forearm.R"


@pytest.fixture
def copied(addon):
    """The bones whose joints are copies of those opposite, by name."""
    copied_from = import_module(f"{addon.name}.armature.setup.copied").copied_from

    def found(ob):
        sources = {bone.name: copied_from(bone) for bone in ob.pose.bones}
        return {name: source.name for name, source in sources.items() if source}

    return found


def symmetrized(kind):
    """A figure whose left elbow has a limit at random of the kind, or a comfort pose, and its copy."""
    ob = figures.ready()
    bone = figures.active(ob, PAIR[0])
    figures.select_bones(ob, PAIR[0])
    if kind == 'COMFORT':
        bone.rotation_quaternion = (1, 0.2, 0.3, -0.1)
        armatures.refresh()
        ops.set_comfort()
        armatures.symmetrize_from_the_left(ob)
        return ob
    limited.limit_at_random(bone, np.random.default_rng(4), kind)
    armatures.symmetrize_from_the_left(ob)
    return ob


@pytest.mark.parametrize("kind", [*limited.KINDS, 'COMFORT'])
def test_what_symmetrize_copies_is_told_until_it_is_mirrored(copied, kind):
    ob = symmetrized(kind)
    assert copied(ob) == dict([PAIR, PAIR[::-1]])
    ops.mirror_limits(source='LEFT')
    assert not copied(ob)


@pytest.mark.parametrize("make", [ops.create_targets, ops.set_up_body], ids=["create", "set up"])
def test_a_copied_effector_gets_a_target_of_its_own(rigify, make):
    bpy.ops.object.armature_human_metarig_add()
    ob = bpy.context.object
    ops.set_up_body(use_live=False)
    own = figures.target_of(ob, "hand.L")
    armatures.symmetrize_from_the_left(ob)
    assert figures.target_of(ob, "hand.R") == own
    make(**({"use_live": False} if make == ops.set_up_body else {}))
    assert figures.target_of(ob, "hand.L") == own
    assert figures.target_of(ob, "hand.R") != own
    assert max(figures.distance(ob, f"hand.{side}") for side in "LR") < 1e-4


def test_a_target_of_the_users_own_may_be_for_both_sides():
    ob = figures.ready()
    shared = bpy.data.objects.new("Sword", None)
    bpy.context.collection.objects.link(shared)
    for name in ("hand.L", "hand.R"):
        ob.pose.bones[name].superpose.target = shared
    figures.refused(ops.create_targets, "Every effector has a target")


def test_equal_limits_that_are_mirror_images_are_no_copies(copied):
    ob = symmetrized('HINGE')
    for name in PAIR:
        ob.pose.bones[name].superpose.limit.axis = (1, 0, 0)
    assert not copied(ob)


def test_limits_that_differ_are_as_the_user_has_them(copied):
    ob = symmetrized('HINGE')
    ob.pose.bones[PAIR[1]].superpose.limit.hinge_max += 0.1
    assert not copied(ob)


def test_the_panel_and_solve_say_which(copied):
    ob = symmetrized('CONES')
    assert "As on 'forearm.L', not mirrored" in draw()
    for name in ("hand.L", "hand.R"):
        ob.pose.bones[name].superpose.target = None
    ops.solve()
    assert "Not mirrored, see Mirror Limits: 'forearm.L', 'forearm.R'" in ob.superpose.notes
    ops.mirror_limits(source='LEFT')
    assert not any("not mirrored" in str(text) for text in draw())
    ops.solve()
    assert "Not mirrored" not in ob.superpose.notes
