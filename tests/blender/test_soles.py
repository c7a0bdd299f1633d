# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""Pinned feet hold by their soles: the ball stays, toes and heel stay above the ground, the heel lifts."""

import sys
from dataclasses import replace
from importlib import import_module

import armatures
import bpy
import figures
import numpy as np
import pytest
import rigify_rigs
from mathutils import Matrix, Vector

pytestmark = [pytest.mark.usefixtures("blend", "rigify"), pytest.mark.once]

HELD, LOW, SEEN = 1e-4, 1e-3, 1e-2  # metres: what is exact, what may be below the ground, what is seen
DOWN = (0, 0, -0.44)
# Where hips are dragged and how they are turned, and whether they get there.
WAYS = {
    "down": ((0, 0, -0.3), (0, 0, 0), True),
    "down to the floor": ((0, 0, -0.6), (0, 0, 0), False),
    "aside": ((0.25, 0, -0.3), (0, 0, 0), True),
    "forwards": ((0, -0.3, -0.1), (0, 0, 0), True),
    "turned": ((0, 0, -0.2), (0, 0, 0.7), True),
}


def body(kind="basic_human", without=(), **given):
    """The metarig, set up, in Pose Mode, its bones of the names ``without`` deleted first."""
    ob = rigify_rigs.metarig(kind)
    if without:
        bpy.ops.object.mode_set(mode='EDIT')
        for bone in [bone for bone in ob.data.edit_bones if bone.name.startswith(without)]:
            ob.data.edit_bones.remove(bone)
    bpy.ops.object.mode_set(mode='OBJECT')
    bpy.ops.superpose.set_up_body(**{"use_live": False, "use_targets": False} | given)
    bpy.ops.object.mode_set(mode='POSE')
    return ob


def ends(ob, names):
    """Where heads and tails of the bones are on both sides, armature space, by name."""
    pairs = [(name, end) for name in names for end in ("head", "tail")]
    bones = [(f"{name}.{side}", end) for name, end in pairs for side in "LR"]
    return {(bone, end): np.array(getattr(ob.pose.bones[bone], end)) for bone, end in bones}


def key(ob, frame):
    for bone in ob.pose.bones:
        for path in ("location", "rotation_quaternion"):
            bone.keyframe_insert(path, frame=frame)


def drag(ob, name, way, turn=(0, 0, 0)):
    bpy.ops.superpose.pose(bone=name, translation=way, rotation=turn)
    armatures.refresh()


@pytest.mark.parametrize("way", WAYS)
def test_heels_lift_over_toes_that_stay_and_nothing_goes_below_the_ground(way):
    ob = body()
    before, hips = ends(ob, ("toe", "heel.02")), np.array(ob.pose.bones["spine"].head)
    moved, turned, is_met = WAYS[way]
    drag(ob, "spine", moved, turned)
    after = ends(ob, ("toe", "heel.02"))
    assert max(before[at][2] - after[at][2] for at in before) < LOW
    if way.startswith("down"):
        assert max(after[at][2] - before[at][2] for at in before) > LOW
    toes = [at for at in before if at[0].startswith("toe")]
    assert max(np.linalg.norm(after[at] - before[at]) for at in toes) < HELD
    if is_met:
        np.testing.assert_allclose(np.array(ob.pose.bones["spine"].head) - hips, moved, atol=HELD)


def test_what_soles_ask_for_is_worked_out_anew_where_it_is_elsewhere(addon):
    armature, dragging = (import_module(f"{addon.name}.{room}") for room in ("armature", "dragging.asked"))
    ob = body()
    rig = dragging.on_soles(armature.read_rig(ob), frozenset())
    frame = armature.read_frame(rig, ob, bpy.context.evaluated_depsgraph_get())
    foot, hand = ([one.bone for one in rig.effectors].index(bone) for bone in ("foot.L", "hand.L"))
    batch, settings = armature.Batch(rig, [frame]), armature.settings_of(ob)

    def asked(row, whole=batch):
        targets = frame.targets.copy()
        targets[row, :3, 3] += 0.1
        moved = replace(frame, targets=targets, influences=np.ones(len(targets)))
        return whole.request_in([moved], settings).goals

    assert all(one is other for one, other in zip(asked(hand), asked(hand), strict=True))
    for goal, fresh in zip(asked(foot), asked(foot, armature.Batch(rig, [frame])), strict=True):
        assert repr(goal) == repr(fresh)
    assert repr(asked(hand)) != repr(asked(foot))


def test_a_pin_that_holds_by_its_sole_is_no_miss():
    ob = body()
    drag(ob, "spine", DOWN)
    for foot in (ob.pose.bones[f"foot.{side}"].superpose for side in "LR"):
        assert (foot.is_missed, foot.gave_way, len(foot.reasons)) == (False, False, 0)
        assert foot.position_residual < HELD
    assert ob.superpose.message.startswith("Solved ")
    assert "Heel lifted: 'foot.L', 'foot.R'" in ob.superpose.notes


def test_a_foot_with_a_lifted_heel_has_no_line_to_its_target(addon):
    ob, overlay = body(use_targets=True), import_module(f"{addon.name}.overlay.effectors")
    ob.scale, ob.rotation_euler = (2, 2, 2), (0, 0, 1)
    armatures.refresh()
    bpy.ops.superpose.snap_targets()

    def distance():
        armatures.refresh()
        return {handle.bone.name: handle.distance for handle in overlay.handles_of(ob, 1)}["foot.L"]

    drag(ob, "spine", tuple(2 * np.array(DOWN)))
    assert ob.pose.bones["foot.L"].head.z > ob.data.bones["foot.L"].head_local.z + SEEN
    assert distance() == 0
    figures.target_of(ob, "foot.L").location.x += 0.1
    assert distance() == pytest.approx(0.1, abs=LOW)  # the ball's, as in the list, and not the ankle's


def test_the_sole_stays_flat_as_far_as_the_ankle_bends():
    ob = body()
    before = ends(ob, ("foot", "toe", "heel.02"))
    drag(ob, "spine", (0, 0, -0.05))
    after = ends(ob, ("foot", "toe", "heel.02"))
    assert max(np.linalg.norm(after[at] - before[at]) for at in before) < HELD


def test_the_next_drag_begins_on_lifted_heels_and_comes_back_to_flat_feet():
    """Toes stay where they are, whatever their bend, and the heel may come down to the ground."""
    ob = body(use_targets=True)
    bpy.ops.object.mode_set(mode='OBJECT')
    ob.superpose_live = True
    armatures.refresh()
    before, target = ends(ob, ("toe", "heel.02")), ob.pose.bones["spine"].superpose.target
    begin = target.location.z
    for height in (-0.4, -0.45, -0.02):
        target.location.z = begin + height
        armatures.refresh()
        after = ends(ob, ("toe", "heel.02"))
        assert max(before[at][2] - after[at][2] for at in before) < LOW
    assert max(np.linalg.norm(after[at] - before[at]) for at in before) < HELD


@pytest.mark.parametrize("use_targets", [True, False])
def test_without_live_too_a_heel_that_lifted_comes_down_to_where_it_was_pinned(use_targets):
    ob = body(use_targets=use_targets)
    before = ends(ob, ("foot", "toe", "heel.02"))
    drag(ob, "spine", (0, -0.3, -0.25))
    assert ob.pose.bones["foot.L"].head.z > before["foot.L", "head"][2] + SEEN
    drag(ob, "spine", (0, 0.3, 0.25))
    after = ends(ob, ("foot", "toe", "heel.02"))
    assert max(np.linalg.norm(after[at] - before[at]) for at in before) < HELD


def test_without_targets_heels_come_down_after_however_many_drags():
    """Undone, saved or in an armature that is moved itself: what was lifted comes back when it can."""
    ob = body()
    ob.location, ob.rotation_euler = (1, 2, 0), (0, 0, 1)
    armatures.refresh()
    before = ends(ob, ("foot", "toe", "heel.02"))
    ways = [np.array(way) for way in ((0, -0.1, -0.3), (0.1, 0, -0.1), (0, 0.1, 0.1))]
    for way in ways:
        drag(ob, "spine", tuple(way))
        assert ob.pose.bones["foot.L"].head.z > before["foot.L", "head"][2] + SEEN
    ob.location.x += 1
    armatures.refresh()
    drag(ob, "spine", tuple(-sum(ways)))
    after = ends(ob, ("foot", "toe", "heel.02"))
    assert max(np.linalg.norm(after[at] - before[at]) for at in before) < HELD


@pytest.mark.parametrize("by", ["drag", "hand", "flat"])
def test_without_targets_a_foot_that_did_not_have_to_lift_stays_as_it_is_posed(by):
    """One that was dragged itself since, posed by hand, or has come down."""
    ob, hips = body(), "spine"
    drag(ob, hips, (0, -0.3, -0.25))
    foot = ob.pose.bones["foot.L"]
    if by == "drag":
        drag(ob, foot.name, (0.05, -0.1, 0.1))
    elif by == "hand":
        foot.rotation_mode, foot.rotation_euler = 'XYZ', (0.3, 0.1, 0)
    else:
        drag(ob, hips, (0, 0.3, 0.25))
        foot.rotation_mode, foot.rotation_euler = 'XYZ', (0.0, 0.2, 0)
    armatures.refresh()
    before = np.array(foot.matrix)
    drag(ob, "hand.R", (0, -0.02, 0))
    np.testing.assert_allclose(np.array(foot.matrix), before, atol=HELD)


def test_a_foot_that_is_posed_elsewhere_stays_there_without_live():
    """Its ball is not where the target has it, so that says nothing."""
    ob = body(use_targets=True)
    ob.pose.bones["spine"].superpose.target.location.x += 0.3
    ob.pose.bones["foot.L"].superpose.target.location.x += 0.1
    armatures.refresh()
    before = ends(ob, ("foot",))
    drag(ob, "hand.L", (0, -0.02, 0))
    after = ends(ob, ("foot",))
    assert max(np.linalg.norm(after[at] - before[at]) for at in before) < HELD


def test_without_toes_a_foot_rolls_over_its_end():
    ob = body(without=("toe", "heel"))
    before, tip = ends(ob, ("foot",)), ("foot.L", "tail")
    drag(ob, "spine", DOWN)
    after = ends(ob, ("foot",))
    np.testing.assert_allclose(after[tip], before[tip], atol=HELD)
    assert after["foot.L", "head"][2] > before["foot.L", "head"][2] + SEEN


def test_hooves_stay_above_the_ground():
    ob = body("horse")
    bones = [bone for bone in ob.pose.bones if bone.superpose.is_effector]
    feet = [bone for bone in bones if bone.superpose.hold == 'PINNED']
    assert len(feet) == 4
    before = {bone.name: (bone.head.copy(), bone.tail.copy()) for bone in feet}
    drag(ob, min(bones, key=lambda bone: bone.superpose.order).name, (0, 0, -0.3))
    for bone in feet:
        head, tail = before[bone.name]
        lowest = min(head, tail, key=lambda point: point.z)
        assert min(bone.head.z, bone.tail.z) > lowest.z - LOW
        assert (bone.tail - tail).length < HELD


def test_a_pin_by_the_ankle_keeps_the_ankle():
    ob = body()
    for side in "LR":
        ob.pose.bones[f"foot.{side}"].superpose.use_sole = False
    before = ends(ob, ("foot",))
    drag(ob, "spine", DOWN)
    after = ends(ob, ("foot",))
    assert max(np.linalg.norm(after[at] - before[at]) for at in before if at[1] == "head") < HELD


def test_a_solve_keeps_soles_on_the_ground_and_a_second_one_leaves_the_pose():
    ob = body(use_targets=True)
    ob.pose.bones["spine"].superpose.target.location.z -= 0.3
    armatures.refresh()
    before = ends(ob, ("toe", "heel.02"))
    bpy.ops.superpose.solve()
    armatures.refresh()
    after = ends(ob, ("toe", "heel.02"))
    assert max(before[at][2] - after[at][2] for at in before) < LOW
    bpy.ops.superpose.solve()
    armatures.refresh()
    again = ends(ob, ("toe", "heel.02"))
    assert max(np.linalg.norm(again[at] - after[at]) for at in after) < LOW


def test_a_bake_keeps_soles_on_the_ground():
    ob = body(use_targets=True)
    hips = ob.pose.bones["spine"].superpose.target
    for frame, height in ((1, 0.0), (6, -0.3)):
        hips.location.z += height
        hips.keyframe_insert("location", frame=frame)
    before = ends(ob, ("toe", "heel.02"))
    bpy.ops.superpose.bake(range='CUSTOM', frame_start=1, frame_end=6)
    for frame in range(1, 7):
        bpy.context.scene.frame_set(frame)
        after = ends(ob, ("toe", "heel.02"))
        assert max(before[at][2] - after[at][2] for at in before) < LOW


def test_heels_lift_from_where_a_smooth_motion_is_and_not_from_where_the_body_was(addon, monkeypatch):
    """Frames that gave way to smooth motion counted as met in the pose in which they had begun, too."""
    ob, lifted = body(use_targets=True), sys.modules[f"{addon.name}.dragging.lifted"]
    there = Matrix.Translation((3, 1, 0)) @ Matrix.Rotation(1.6, 4, 'Z')
    for bone in ob.pose.bones:
        if target := bone.superpose.target:
            target.matrix_world = there @ target.matrix_world
            for frame in (1, 9):
                target.keyframe_insert("location", frame=frame)
                target.location.z -= 0.4 * bone.name.startswith("spine")
    begun, begin = [], lifted._begin
    monkeypatch.setattr(lifted, "_begin", lambda *given: begun.append(begin(*given)) or begun[-1])
    bpy.ops.superpose.bake(range='CUSTOM', frame_start=1, frame_end=9, smoothness=0.1)
    (pose,) = begun
    assert np.linalg.norm(pose.translations, axis=-1).max(axis=1).min() > 3


def test_hips_come_down_over_a_step_in_few_steps(addon, monkeypatch):
    """Steps crawled where a leg has to be drawn straight for that."""
    ob, descents = body(use_targets=True), sys.modules[f"{addon.name}.solvers.search.descents"]
    for bone, way in {"spine": (0, 0, -0.35), "spine.006": (0, 0, -0.35), "foot.L": (0, 0.2, 0)}.items():
        ob.pose.bones[bone].superpose.target.location += Vector(way)
    counted, step = [], descents.newton_step_held
    monkeypatch.setattr(descents, "newton_step_held", lambda *given: counted.append(1) or step(*given))
    bpy.ops.superpose.solve()
    assert 0 < len(counted) < 90


def test_a_foot_that_is_dragged_itself_goes_along_whole():
    ob = body()
    begin = np.array(ob.pose.bones["foot.L"].head)
    drag(ob, "foot.L", (0, -0.2, 0.2))
    np.testing.assert_allclose(np.array(ob.pose.bones["foot.L"].head) - begin, (0, -0.2, 0.2), atol=HELD)


@pytest.mark.parametrize("is_live", [True, False])
def test_between_keys_a_foot_rolls_over_its_ball_where_both_have_that_in_one_place(is_live):
    ob = body(use_targets=True)
    ob.scale, ob.rotation_euler.z = (0.5, 0.5, 0.5), 1.0  # which is how targets and armature differ
    ob.pose.bones["foot.L"].superpose_offset = (0.0, 0.02, 0.0)
    armatures.refresh()
    scene, before = bpy.context.scene, ends(ob, ("foot", "toe", "heel.02"))
    key(ob, 1)
    scene.frame_set(9)
    drag(ob, "spine", tuple(0.5 * np.array(ob.matrix_world.to_quaternion() @ Vector((0, -0.3, -0.25)))))
    key(ob, 9)
    balls = [at for at in before if at[0].startswith("toe") and at[1] == "head"]

    def slides():
        """How far the balls are from their places and heels below the ground, at most. Toes bend as keyed."""
        found = []
        for frame in range(1, 10):
            scene.frame_set(frame)
            after = ends(ob, ("foot", "toe", "heel.02"))
            away = max(np.linalg.norm(after[at] - before[at]) for at in balls)
            below = max(before[at][2] - after[at][2] for at in before if at[0].startswith("heel"))
            found.append((away, below))
        return np.max(found, axis=0)

    assert slides()[0] > SEEN
    if is_live:
        ob.superpose_live = True
    else:
        bpy.ops.superpose.bake_pins(range='CUSTOM', frame_start=1, frame_end=9)
    assert (slides() < LOW).all()
