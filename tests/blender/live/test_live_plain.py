# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""What a move costs where nothing but the solved channels has a say: nothing is worked out twice."""

import sys

import bpy
import figures
import numpy as np
import pytest
from live_figures import MOVE, move


@pytest.fixture
def counted(addon, monkeypatch):
    """How often rooms of the add-on call what costs most, by name."""
    counts = {}

    def count(room, name):
        module = sys.modules[f"{addon.name}.{room}"]
        whole = getattr(module, name)

        def called(*args, **kwargs):
            counts[name] = counts.get(name, 0) + 1
            return whole(*args, **kwargs)

        monkeypatch.setattr(module, name, called)
        counts[name] = 0

    count("armature.problem.stacking", "measured")
    count("armature.problem.stacking", "Skeleton")
    count("armature.rig.reading", "_parents_first")
    count("live.armatures", "evaluate_again")
    count("live.unseen", "present_sight")
    return counts


def test_a_move_of_a_drag_reads_and_looks_at_nothing(ob, counted):
    move(ob)
    counted.update(dict.fromkeys(counted, 0))
    move(ob, way=MOVE / 10, steps=5)
    assert figures.distance(ob, "hand.L") < 1e-4
    assert counted == dict.fromkeys(counted, 0)


def test_an_update_without_a_move_makes_no_skeleton(ob, counted):
    move(ob)
    counted.update(dict.fromkeys(counted, 0))
    for _ in range(3):
        ob.update_tag()
        bpy.context.view_layer.update()
    assert counted == dict.fromkeys(counted, 0) | {"measured": 3, "_parents_first": 3}


def test_a_turn_of_the_armature_turns_the_axes_that_are_free_in_it(ob):
    ob.superpose.root_axes = (False, False, True)
    bpy.context.view_layer.update()
    ob.rotation_euler.x = 0.1
    bpy.context.view_layer.update()
    hips = ob.pose.bones["hips"]
    moved = np.array(ob.matrix_world @ hips.head - ob.matrix_world @ hips.bone.head_local)
    assert np.abs(moved[:2]).max() < 1e-6
    assert moved[2] > 0.01
