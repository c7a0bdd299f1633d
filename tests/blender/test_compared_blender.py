# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""Compare Solvers: what Blender's own solvers are told of roots, locked bones and points on bones."""

import json

import armatures
import bpy
import figures
import numpy as np
import pytest

pytestmark = [pytest.mark.usefixtures("blend"), pytest.mark.once]

BLENDERS = ("Blender Standard", "Blender iTaSC")


def asked(count=4, at=(1, -1, 2), **settings):
    """A chain of bones, the last of which is to be somewhere."""
    ob = armatures.chain(count)
    target = armatures.new_object("Target")
    target.location = at
    armatures.add_effector(ob, f"b{count - 1}", target, **{"rotation_weight": 0} | settings)
    ob.superpose.root_location = 'ANCHORED'
    figures.make_active(ob)
    armatures.refresh()
    return ob


def root_asked(ob):
    """Have the root asked elsewhere, too."""
    target = armatures.new_object("Root")
    target.location, target.rotation_euler = (1, 0, 1), (0.3, 0.4, 0.5)
    armatures.add_effector(ob, "b0", target)
    armatures.refresh()


def compared(folder):
    """The rows of the table, by solver."""
    given = {"directory": str(folder), "iterations": 100, "seconds": 60.0}
    bpy.ops.superpose.compare_solvers(problems='PRESENT', **given)
    (path,) = folder.glob("*.json")
    return {row["solver"]: row for row in json.loads(path.read_text(encoding="utf-8"))["rows"]}


@pytest.mark.parametrize(("stiff", "is_said"), [("b0 b1", False), ("b1", True)])
def test_bones_that_may_not_turn_are_held_above_the_others_and_said_between_them(tmp_path, stiff, is_said):
    ob = asked()
    ob.pose.bones["b0"].rotation_quaternion = ob.pose.bones["b1"].rotation_quaternion = (0.9, 0.3, 0.2, 0.1)
    for name in stiff.split():
        ob.pose.bones[name].superpose.stiffness = 1
    armatures.refresh()
    rows = compared(tmp_path)
    for solver in BLENDERS:
        assert ("may not turn" in rows[solver]["cannot"]) == is_said
        if not is_said:
            assert rows[solver]["worst_length"] == pytest.approx(rows["Superpose"]["worst_length"], abs=1e-3)


def test_stiff_bones_turn_less(tmp_path):
    ob = asked()
    turned = []
    for stiffness in (0, 0.99):
        ob.pose.bones["b0"].superpose.stiffness = ob.pose.bones["b2"].superpose.stiffness = stiffness
        folder = tmp_path / str(stiffness)
        folder.mkdir()
        turned.append(compared(folder)["Blender Standard"]["degrees_from_start"])
    assert turned[0] != pytest.approx(turned[1], abs=1)


def test_roots_move_along_their_free_axes_alone(tmp_path):
    ob = asked()
    root_asked(ob)
    ob.superpose.root_location, ob.superpose.root_axes = 'FREE', (False, False, True)
    rows = compared(tmp_path)
    for solver in BLENDERS:
        assert rows[solver]["worst_length"] == pytest.approx(1, abs=0.01)  # what is left of the root alone


def test_roots_that_may_not_turn_do_not(tmp_path):
    ob = asked()
    root_asked(ob)
    ob.pose.bones["b0"].superpose.stiffness = 1
    ob.superpose.root_location = 'FREE'
    rows = compared(tmp_path)
    left = np.degrees(armatures.Euler((0.3, 0.4, 0.5)).to_quaternion().angle)
    for solver in BLENDERS:
        assert rows[solver]["worst_degrees"] > left / 2


@pytest.mark.parametrize(("along", "aside"), [(0, 0), (1, 0), (0.2, 0.4)])
def test_points_that_are_no_ends_of_bones_are_said(tmp_path, along, aside):
    ob, is_said = asked(), aside > 0
    ob.pose.bones["b3"].superpose_offset = aside, along * ob.pose.bones["b3"].length, 0
    armatures.refresh()
    rows = compared(tmp_path)
    for solver in BLENDERS:
        assert ("heads or tails" in rows[solver]["cannot"]) == is_said
        assert bool(rows[solver]["solved"]) != is_said


def test_one_anchored_bone_points_at_its_target(tmp_path):
    asked(1, (0.5, 0, 1), offset=(0, 1, 0))
    rows = compared(tmp_path)
    for solver in BLENDERS:
        assert rows[solver]["worst_length"] == pytest.approx(np.hypot(0.5, 1) - 1, abs=1e-3)


@pytest.mark.parametrize(("count", "is_said"), [(255, False), (256, True)])
def test_chains_that_are_too_long_for_blender_are_said(rooms, count, is_said):
    ob = asked(count)
    said = rooms.armature.blender_ignores(rooms.armature.read_rig(ob), ob)
    assert said == (("Chains end after 255 bones",) if is_said else ())
