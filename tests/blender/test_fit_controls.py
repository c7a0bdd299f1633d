# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""Rigs whose joints follow controls: their body is made, posed, and the controls are fitted to it."""

from math import tau

import armatures
import bpy
import figures
import pytest
import rigify_rigs
from mathutils import Vector

NEAR, TURNED, CALM = 2e-3, 0.02, 0.4  # metres, radians


@pytest.fixture
def rig(rigify):
    """A human of joints, each of which copies a control beside it."""
    ob = rigify_rigs.metarig("basic_human")
    with armatures.edited(ob) as bones:
        joints = list(bones)
        for bone in joints:
            bone.name = f"ORG-{bone.name}"
        controls = {bone: bones.new(bone.name.replace("ORG-", "move_")) for bone in joints}
        for bone, control in controls.items():
            control.head, control.tail, control.roll = bone.head, bone.tail, bone.roll
            control.parent, control.use_deform = controls.get(bone.parent), False
    for bone in ob.pose.bones:
        if bone.name.startswith("ORG-"):
            constraint = bone.constraints.new('COPY_TRANSFORMS')
            constraint.target, constraint.subtarget = ob, bone.name.replace("ORG-", "move_")
    ob.name = "Rig"
    figures.make_active(ob)
    armatures.refresh()
    return ob


def made_body(rig, **options):
    bpy.ops.superpose.make_body(use_live=False, **options)
    return bpy.data.objects[f"{rig.name} body"]


def drag(body, bone, by):
    """Solve with a target moved, the body active."""
    figures.target_of(body, bone).location += Vector(by)
    figures.make_active(body)
    armatures.refresh()
    bpy.ops.superpose.solve()
    armatures.refresh()


def apart(body, rig):
    """How far joints are from the body's bones at most, as Blender shows both: metres, and radians."""
    pairs = [
        (body.matrix_world @ bone.matrix, rig.matrix_world @ rig.pose.bones[f"ORG-{bone.name}"].matrix)
        for bone in body.pose.bones
    ]
    turns = [one.to_quaternion().rotation_difference(other.to_quaternion()).angle for one, other in pairs]
    distances = [(one.translation - other.translation).length for one, other in pairs]
    return max(distances), max(min(turn, tau - turn) for turn in turns)


def test_set_up_body_says_what_is_to_be_done(rig):
    with pytest.raises(RuntimeError, match=r"The body of 'Rig' follows controls.*press Make Body"):
        bpy.ops.superpose.set_up_body()


def test_the_body_lies_in_the_joints_and_hangs_together(rig):
    rig.pose.bones["move_upper_arm.L"].rotation_mode = 'XYZ'
    rig.pose.bones["move_upper_arm.L"].rotation_euler = 0.3, 0.2, -0.4
    rig.location, rig.rotation_euler, rig.scale = (1, 2, 3), (0.1, 0.2, 0.3), (2, 2, 2)
    armatures.refresh()
    body = made_body(rig)
    distance, angle = apart(body, rig)
    assert distance < 1e-5
    assert angle < 1e-3
    assert [bone.name for bone in body.pose.bones if bone.parent is None] == ["spine"]
    assert body.data.bones["hand.L"].parent.name == "forearm.L"
    assert bpy.context.object == figures.target_of(body, "hand.L")


@pytest.mark.parametrize("mode", ['QUATERNION', 'XYZ', 'AXIS_ANGLE'])
def test_controls_are_put_where_the_body_is(rig, mode):
    for bone in rig.pose.bones:
        bone.rotation_mode = mode
    rig.location, rig.scale = (1, 2, 3), (0.5, 0.5, 0.5)
    armatures.refresh()
    body = made_body(rig)
    drag(body, "hand.L", (-0.1, -0.2, 0.25))
    assert apart(body, rig)[0] > 0.05
    bpy.ops.superpose.fit_controls()
    armatures.refresh()
    distance, angle = apart(body, rig)
    assert distance < NEAR * 0.5
    assert angle < TURNED


def test_locked_channels_keep_every_bit(rig):
    hand, foot = (rig.pose.bones[name] for name in ("move_hand.L", "move_foot.L"))
    hand.lock_rotation, hand.lock_location = (True,) * 3, (True,) * 3
    foot.rotation_mode, foot.lock_rotation, foot.rotation_euler = 'XYZ', (False, True, True), (0.1, 0.0, 0.0)
    armatures.refresh()
    body, before = made_body(rig), hand.matrix_basis.copy()
    drag(body, "hand.L", (0, -0.2, 0.2))
    bpy.ops.superpose.fit_controls()
    assert hand.matrix_basis == before
    assert tuple(foot.rotation_euler)[1:] == (0.0, 0.0)


def test_a_range_is_keyed_frame_by_frame_and_the_present_frame_stays(rig):
    body, scene = made_body(rig), bpy.context.scene
    target = figures.target_of(body, "hand.L")
    for frame, height in ((1, 0.0), (5, 0.2)):
        target.location.z += height
        target.keyframe_insert("location", frame=frame)
    figures.make_active(body)
    bpy.ops.superpose.bake(range='CUSTOM', frame_start=1, frame_end=5)
    scene.frame_set(3)
    bpy.ops.superpose.fit_controls(frames='RANGE', range='CUSTOM', frame_start=1, frame_end=5)
    assert scene.frame_current == 3
    for frame in range(1, 6):
        scene.frame_set(frame)
        assert apart(body, rig)[0] < NEAR


def test_the_body_follows_the_rig_again(rig):
    body = made_body(rig)
    rig.pose.bones["move_thigh.L"].location.z += 0.1
    armatures.refresh()
    figures.make_active(rig)
    bpy.ops.superpose.make_body()
    armatures.refresh()
    assert apart(body, rig)[0] < 1e-5
    assert len([ob for ob in bpy.data.objects if ob.type == 'ARMATURE']) == 2


@pytest.mark.parametrize(
    ("spoil", "match"),
    [
        (lambda rig, body: setattr(body.superpose, "control_rig", None), "has no body: press Make Body"),
        (lambda rig, body: setattr(rig.data, "pose_position", 'REST'), "'Rig' shows its rest position"),
        (
            lambda rig, body: [
                setattr(b, "lock_rotation", (True,) * 3) or setattr(b, "lock_location", (True,) * 3)
                for b in rig.pose.bones
            ],
            "No bone of 'Rig'",
        ),
    ],
)
def test_what_cannot_be_fitted_is_refused_by_name_and_nothing_changes(rig, spoil, match):
    body = made_body(rig)
    drag(body, "hand.L", (0, -0.2, 0.2))
    spoil(rig, body)
    before = figures.state_of(rig)
    with pytest.raises(RuntimeError, match=match):
        bpy.ops.superpose.fit_controls()
    assert figures.state_of(rig) == before


def test_another_body_is_refused(rig):
    body = made_body(rig)
    with armatures.edited(body) as bones:
        bones["hand.L"].head.x += 0.1
    figures.make_active(body)
    with pytest.raises(RuntimeError, match=r"'Rig body' is not the body of 'Rig': at rest 'hand.L'"):
        bpy.ops.superpose.fit_controls()


def test_an_armature_without_controls_needs_no_body(rigify):
    rigify_rigs.metarig("basic_human")
    with pytest.raises(RuntimeError, match="follow no controls: press Set Up Body"):
        bpy.ops.superpose.make_body()


@pytest.mark.once
@pytest.mark.parametrize("kind", ["basic_human", pytest.param("human", marks=pytest.mark.slow)])
@pytest.mark.parametrize(("is_fk", "near"), [(1.0, NEAR), (0.0, 0.02)])
def test_a_generated_rigify_rig_is_fitted(rigify, kind, is_fk, near):
    rig = rigify_rigs.generated(kind)
    for limb in ("upper_arm_parent.L", "upper_arm_parent.R", "thigh_parent.L", "thigh_parent.R"):
        rig.pose.bones[limb]["IK_FK"] = is_fk
    rig.update_tag()
    armatures.refresh()
    body = made_body(rig)
    drag(body, "hand.L", (-0.1, -0.2, 0.3))
    assert apart(body, rig)[0] > 0.1
    bpy.ops.superpose.fit_controls()
    armatures.refresh()
    assert apart(body, rig)[0] < near
    assert rig.pose.bones["root"].matrix_basis.is_identity
    turns = [rig.pose.bones[name].matrix_basis.to_quaternion().angle for name in ("torso", "hips", "chest")]
    assert max(turns) < CALM  # none far, and others back again
