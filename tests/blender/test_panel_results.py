# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""How a solve went is shown: what it left, why, and what can be done about it."""

import re

import armatures
import bpy
import figures
import pytest
from drawn_panels import draw, draw_panel

pytestmark = pytest.mark.usefixtures("blend")


def test_the_result_is_shown():
    ob = figures.ready()
    bpy.ops.superpose.solve()
    assert ob.superpose.message in draw()


def test_the_boxes_leave_out_a_namespace_as_the_list_does():
    ob = figures.ready()
    for bone in ob.pose.bones:
        bone.name = f"mixamorig:{bone.name}"
    hand = ob.pose.bones["mixamorig:hand.L"]
    hand.superpose.target.location.x += 5
    ob.superpose.active_bone_index = ob.pose.bones.find(hand.name)
    bpy.ops.superpose.solve()
    ob.superpose.notes = "Gave way: 'mixamorig:foot.L' by 3 cm"
    assert "'mixamorig:head'" in " ".join(each.words for each in hand.superpose.reasons)
    shown = " ".join(map(str, [*draw_panel("SUPERPOSE_PT_main"), *draw_panel("SUPERPOSE_PT_effectors")]))
    assert "'head'" in shown
    assert "'foot.L'" in shown
    assert "mixamorig:" not in shown


@pytest.mark.parametrize("name", ["solve", "bake"])
def test_a_refusal_takes_the_place_of_the_result_without_touching_the_file(name):
    ob = figures.ready()
    bpy.ops.superpose.solve()
    figures.target_of(ob, "head").scale = (0, 0, 0)
    armatures.refresh()
    before, message = figures.state(), ob.superpose.message
    with pytest.raises(RuntimeError):
        getattr(bpy.ops.superpose, name)()
    drawn = draw()
    assert "The target 'Figure head target' is scaled to zero" in " ".join(drawn)
    assert message not in drawn
    assert not any(line.startswith("Met: ") for line in map(str, drawn))
    assert figures.state() == before
    figures.target_of(ob, "head").scale = (1, 1, 1)
    bpy.ops.superpose.solve()
    effector = ob.pose.bones[ob.superpose.active_bone_index].superpose
    assert {ob.superpose.message, effector.left} <= set(draw())


def test_a_refusal_to_set_a_body_up_is_read_until_something_else_is_set_up():
    ob = figures.figure()
    before = figures.state()
    with pytest.raises(RuntimeError):
        bpy.ops.superpose.set_up_body()
    assert "is not surely recognised" in " ".join(draw_panel("SUPERPOSE_PT_report"))
    assert figures.state() == before
    figures.select_bones(ob, "hand.L")
    bpy.ops.superpose.add_effectors()
    assert "Not solved yet" in draw_panel("SUPERPOSE_PT_report")


def test_a_body_that_is_set_up_has_no_result_of_a_drag_before_that():
    """The box said that one effector was met, and the list that none was solved."""
    ob = armatures.chain(4)
    bpy.ops.object.mode_set(mode='POSE')
    bpy.ops.superpose.pose(bone="b3", translation=(0, 0.3, -0.3))
    assert "Solved 1 effector: all met" in draw_panel("SUPERPOSE_PT_report")
    bpy.ops.superpose.set_up_body(kind='ARM', roles=[{"name": "tip", "bone": "b3"}], use_live=False)
    assert figures.effectors(ob) == ["b3"]
    assert "Not solved yet" in draw_panel("SUPERPOSE_PT_report")


def test_a_refused_drag_is_read_in_place_of_the_result_and_one_of_no_bone_is_not():
    ob = figures.ready()
    bpy.ops.superpose.solve()
    ob.data.bones.active = None
    with pytest.raises(RuntimeError, match="Choose a bone"):
        bpy.ops.superpose.pose()
    assert ob.superpose.message in draw_panel("SUPERPOSE_PT_report")
    with pytest.raises(RuntimeError):
        bpy.ops.superpose.pose(bone="tentacle", translation=(0, 0, 1))
    assert "Armature 'Figure' has no bone 'tentacle'" in draw_panel("SUPERPOSE_PT_report")
    bpy.ops.superpose.pose(bone="hand.L", translation=(0, 0, -0.1))
    assert ob.superpose.message in draw_panel("SUPERPOSE_PT_report")


def test_what_is_left_is_said_in_the_units_of_the_list(addon):
    ob = figures.ready()
    figures.target_of(ob, "hand.R").location.x -= 5
    armatures.refresh()
    bpy.ops.superpose.solve()
    ob.superpose.active_bone_index = ob.pose.bones.find("hand.R")
    effector, drawn = ob.pose.bones["hand.R"].superpose, draw()
    assert effector.left.startswith(f"Missed by {effector.miss}")
    assert effector.left in drawn
    assert effector.reasons[0].words == "too short for all targets at once"
    figures.target_of(ob, "hand.R").location.x += 5
    armatures.refresh()
    bpy.ops.superpose.solve()
    drawn = draw()
    assert re.fullmatch(r"Met: .+m, 0° off", effector.left)
    assert effector.left in drawn
    assert "Out of Reach" not in drawn


CURES = {
    'STRAY': None,
    'SHORT': None,
    'LIMIT': "superpose.show_limit",
    'PIN': "superpose.release_pin",
    'EFFECTOR': "superpose.show_effector",
    'GOAL': "superpose.show_goal",
    'CONTACT': None,
    'TARGET': None,
    'HASTE': None,
    'LONG': None,
    'COMFORT': None,
    'STUCK': None,
}


@pytest.mark.once
def test_what_was_asked_for_nothing_but_to_stay_did_not_meet_anything():
    """While another is dragged, or without a target."""
    ob = figures.ready()
    hand, hips = (ob.pose.bones[name].superpose for name in ("hand.L", "hips"))
    hips.hold = 'PINNED'
    bpy.ops.superpose.pose(bone="hand.L", translation=(0, 0, 0.02))
    assert hand.left.startswith("Met: ")
    assert hips.left == "Stayed in place"
    bpy.ops.superpose.solve()
    assert hips.left.startswith("Met: ")
    hips.target = None
    bpy.ops.superpose.solve()
    assert hips.left == "Stayed in place"


@pytest.mark.parametrize("kind", CURES)
def test_a_reason_is_shown_with_what_can_be_done_about_it(kind):
    ob = figures.ready()
    effector = ob.pose.bones[ob.superpose.active_bone_index].superpose
    effector.is_solved = effector.is_missed = True
    effector.reasons = [{"kind": kind, "about": "arm.L", "words": "the arm is why"}]
    drawn = draw()
    after = drawn[drawn.index("The arm is why") + 1]
    assert after == (CURES[kind] or "")
    effector.is_missed = False
    assert "The arm is why" not in draw()


def test_of_many_reasons_those_are_shown_about_which_something_can_be_done():
    ob = figures.ready()
    effector = ob.pose.bones[ob.superpose.active_bone_index].superpose
    effector.is_solved = effector.is_missed = True
    effector.reasons = [
        {"kind": kind, "about": "arm.L", "words": f"{kind.lower()} and so on"}
        for kind in ('SHORT', 'STUCK', 'LIMIT', 'PIN')
    ]
    drawn = draw()
    assert {"superpose.show_limit", "superpose.release_pin"} <= set(drawn)


def test_what_gave_way_is_shown_without_a_warning():
    ob = figures.ready()
    effector = ob.pose.bones[ob.superpose.active_bone_index].superpose
    effector.is_solved = effector.gave_way = True
    effector.left = "Gave way by 3 cm"
    effector.reasons = [{"kind": 'EFFECTOR', "about": "hips", "words": "'hips' pulls the other way"}]
    drawn = draw()
    assert {"Gave way by 3 cm", "'hips' pulls the other way"} <= set(drawn)


def test_reasons_are_as_high_whatever_they_say():
    ob = figures.ready()
    effector = ob.pose.bones[ob.superpose.active_bone_index].superpose
    cures = {"superpose.show_limit", "superpose.show_goal"}

    def height():
        return len([name for name in draw_panel("SUPERPOSE_PT_effectors") if name not in cures])

    heights = {height()}
    effector.is_solved = effector.is_missed = True
    effector.left, reasons = "Missed by 1 m", []
    for words in ("short", "long " * 12, "longer " * 40):
        for kind in ('LIMIT', 'GOAL'):
            reasons.append({"kind": kind, "about": "arm.L", "words": words.strip()})
            effector.reasons = reasons
            heights.add(height())
            has_dots = any(line.endswith("…") for line in draw_panel("SUPERPOSE_PT_effectors"))
            assert has_dots == (len(effector.reasons) > 3), "two short ones fit, and one of two lines"
    assert len(heights) == 1


def test_what_a_bake_missed_is_said_of_its_worst_frame(addon):
    ob = figures.ready()
    ob.pose.bones["hips"].superpose.hold = 'PINNED'
    target = figures.target_of(ob, "hand.R")
    for frame, far in ((1, 0.0), (4, -5.0), (6, 0.0)):
        target.location.x += far if frame == 4 else 5.0 * (frame == 6)
        target.keyframe_insert("location", frame=frame)
    bpy.ops.superpose.bake(range='CUSTOM', frame_start=1, frame_end=6)
    ob.superpose.active_bone_index = ob.pose.bones.find("hand.R")
    effector = ob.pose.bones["hand.R"].superpose
    assert (effector.is_of_frame, effector.worst_frame) == (True, 4)
    assert "superpose.go_to_frame" in draw()
    bpy.ops.superpose.solve()
    assert not effector.is_of_frame
    assert "superpose.go_to_frame" not in draw()


def test_the_report_behind_the_button_gives_the_reasons_of_every_miss():
    ob = figures.ready()
    for name in ("hand.L", "hand.R"):
        figures.target_of(ob, name).location.z += 5
    armatures.refresh()
    bpy.ops.superpose.solve()
    told = " ".join(draw_panel("SUPERPOSE_PT_report"))
    missed = [bone for bone in ob.pose.bones if bone.superpose.is_missed]
    assert len(missed) > 1
    for bone in missed:
        reasons = (reason.words for reason in bone.superpose.reasons)
        assert "; ".join([f"'{bone.name}': {bone.superpose.left}", *reasons]) in told
    figures.target_of(ob, "hand.L").location.z += 5
    armatures.refresh()
    assert missed[0].superpose.left not in " ".join(draw_panel("SUPERPOSE_PT_report"))


def test_what_was_found_in_targets_is_read_before_the_last_bake_until_the_next():
    ob = figures.ready()
    target = figures.target_of(ob, "hand.L")
    for frame in range(1, 31):
        target.location.z += 0.005 + 0.6 * ((frame == 15) - (frame == 16))
        target.keyframe_insert("location", frame=frame)
    bpy.context.scene.frame_start, bpy.context.scene.frame_end = 1, 30
    assert bpy.ops.superpose.bake() == {'FINISHED'}
    baked = ob.superpose.message
    bpy.ops.superpose.find_lost()
    told = draw_panel("SUPERPOSE_PT_report")
    assert told[:2] == ["Masked: 'hand.L' at 15", baked]
    bpy.ops.superpose.mark_frames(kind='superpose_mask', bone="hand.L", frame_start=20, frame_end=20)
    assert draw_panel("SUPERPOSE_PT_report")[0] == baked
    bpy.ops.superpose.find_lost()
    bpy.ops.superpose.bake()
    assert draw_panel("SUPERPOSE_PT_report")[0] == ob.superpose.message
    assert not any("Masked" in line for line in draw_panel("SUPERPOSE_PT_report"))
    bpy.ops.superpose.find_lost(range='CUSTOM', frame_start=1, frame_end=9)
    assert draw_panel("SUPERPOSE_PT_report")[0] == "No target is doubtful in 9 frames"
