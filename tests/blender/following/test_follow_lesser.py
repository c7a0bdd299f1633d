# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""A body that follows one which has not all that it has."""

import sys

import armatures
import bpy
import figures
import numpy as np
import pytest
from walking import PARTS, bones_of, targets_of

follow = bpy.ops.superpose.follow_motion


def turns(rotations):
    """By how much rotations (frames, 3, 3) differ from the first."""
    traces = np.einsum("ij,fij->f", rotations[0], rotations)
    return np.arccos(np.clip((traces - 1) / 2, -1, 1))


def test_an_effector_that_the_motion_has_not_follows_nothing(leader, body, capfd):
    with armatures.edited(leader) as bones:
        bones.remove(bones["breast.L"])
    figures.make_active(body)
    body.pose.bones["breast.L"].superpose.is_effector = True
    bpy.ops.superpose.create_targets()
    follow()
    idle = body.pose.bones["breast.L"].superpose
    assert idle.target is None
    assert not idle.enabled  # it would hold the body back where it began
    assert "nothing to follow for 'breast.L'; 'breast.L' disabled" in capfd.readouterr().out
    assert figures.target_of(body, "hand.L").animation_data.action


def test_what_is_disabled_comes_back_where_that_fails(leader, body, monkeypatch, addon):
    with armatures.edited(leader) as bones:
        bones.remove(bones["breast.L"])
    figures.make_active(body)
    body.pose.bones["breast.L"].superpose.is_effector = True
    bpy.ops.superpose.create_targets()
    before, targets = figures.state_of(body), sys.modules[f"{addon.name}.armature.motion.given_targets"]

    def fail(*_):
        raise RuntimeError("no target can be made")

    monkeypatch.setattr(targets, "_given", fail)
    with pytest.raises(RuntimeError, match="no target can be made"):
        follow()
    assert figures.state_of(body) == before
    assert body.pose.bones["breast.L"].superpose.enabled


def test_a_head_turns_with_the_neck_of_a_body_that_has_no_head(leader, body):
    """And whose neck is one bone: all above is gone."""
    with armatures.edited(leader) as bones:
        for bone in bones["spine.004"].children_recursive:
            bones.remove(bone)
        bones["spine.004"].name = "neck"
    figures.make_active(body)
    follow()
    assert body.pose.bones["spine.006"].superpose.enabled
    head = turns(targets_of(body)[:, PARTS.index("spine.006"), :3, :3])
    np.testing.assert_allclose(head, turns(bones_of(leader, ("neck",))[:, 0, :3, :3]), atol=1e-3)
    assert head.max() > 0.1


def test_a_body_without_effectors_is_refused(leader, body):
    for bone in body.pose.bones:
        bone.superpose.is_effector = False
    figures.refused(follow, f"'{body.name}' has no effectors: set up its body first")
