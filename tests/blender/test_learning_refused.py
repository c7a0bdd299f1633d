# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""What limits cannot be learned from is refused by name, and nothing is changed."""

import armatures
import figures
import pytest
from waving import kinds, learn, waving

pytestmark = pytest.mark.usefixtures("blend")


def refused(match, **options):
    before = figures.state()
    with pytest.raises(RuntimeError, match=match):
        learn(**options)
    assert figures.state() == before


def test_what_cannot_be_learned_from_is_refused_and_nothing_changes():
    ob = figures.figure()
    refused("has no action")
    refused("No action in this file", source='ACTIONS')
    refused("ends \\(1\\) before it starts \\(9\\)", source='CUSTOM', frame_start=9, frame_end=1)
    refused("no preview range", source='PREVIEW')
    waving(ob)
    refused("limits or comfort", use_limits=False, use_comfort=False)
    ob.pose.bones["chest"].scale = (0, 1, 1)
    refused("'chest'.* scaled to zero")
    ob.pose.bones["chest"].scale = (1, 3, 1)
    ob.pose.bones["arm.L"].bone.inherit_scale = 'FULL'
    refused("'arm.L'.* sheared")


def test_without_any_turn_there_is_nothing_to_learn():
    waving(bones=(), forearm=(0.5, 0.5))
    refused("No bone turns in the 20 frames")


def test_roots_alone_do_not_learn_unless_they_are_selected():
    ob = armatures.chain(count=1)
    figures.make_active(ob)
    for frame in (1, 9):
        ob.pose.bones["b0"].rotation_quaternion = (1, frame, 0, 0)
        ob.pose.bones["b0"].keyframe_insert("rotation_quaternion", frame=frame)
    refused("only root bones")
    figures.select_bones(ob, "b0")
    learn(scope='SELECTED')
    assert kinds(ob) == {"b0": 'HINGE'}


def test_a_strip_in_tweak_mode_is_refused():
    ob = waving()
    animation = ob.animation_data
    animation.nla_tracks.new().strips.new("wave", 1, animation.action)
    animation.action = None
    animation.nla_tracks[0].select = animation.nla_tracks[0].strips[0].select = True
    animation.use_tweak_mode = True
    armatures.refresh()
    refused("tweak mode")


def test_an_action_for_other_bones_is_refused():
    ob = figures.figure()
    other = armatures.chain()
    other.pose.bones["b1"].keyframe_insert("rotation_euler", frame=1)
    figures.make_active(ob)
    refused("No action in this file", source='ACTIONS')
