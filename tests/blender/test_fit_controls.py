# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""Rigs whose joints follow controls: their body is made, posed, and the controls are fitted to it."""

import re
from importlib import import_module
from math import radians

import armatures
import bpy
import figures
import pytest
import rigify_rigs
from drawn_panels import draw_panel
from jointed import apart, drag, jointed, made_body
from mathutils import Matrix

NEAR, TURNED, CALM, CLOSE = 2e-3, 0.02, 0.4, 0.25  # metres, radians


@pytest.fixture
def rig(rigify):
    return jointed()


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
    own = [rig.pose.bones[name].matrix_basis for name in ("torso", "hips", "chest")]
    assert max(basis.to_quaternion().angle for basis in own) < CALM  # none far, and others back again
    assert max(basis.translation.length for basis in own) < CLOSE


def within(body):
    """What the panel says of a fit: metres, and radians."""
    found = re.search(r"joints within (\S+ \S+) and (\S+)°", body.superpose.fitted)
    return bpy.utils.units.to_value('METRIC', 'LENGTH', found[1]), radians(float(found[2]))


@pytest.mark.parametrize("scale", [(1, 1, 1), (-2, -2, -2), (-1, 1, 1), (1, 1.5, 0.5)])
def test_what_is_said_is_what_blender_shows(rig, scale):
    rig.scale, rig.location = scale, (1, 2, 3)
    for name in ("move_upper_arm.L", "move_forearm.L", "move_hand.L"):
        rig.pose.bones[name].lock_rotation = rig.pose.bones[name].lock_location = (True,) * 3
    armatures.refresh()
    body = made_body(rig, use_targets=False)
    turn(body, "forearm.L")
    bpy.ops.superpose.fit_controls()
    distance, angle = within(body)
    assert distance == pytest.approx(apart(body, rig)[0], rel=0.05)
    if len({abs(axis) for axis in scale}) == 1:  # else all is sheared
        assert angle == pytest.approx(apart(body, rig)[1], rel=0.1)
    assert body.superpose.is_fitted_off
    assert "Locked: 'move_upper_arm.L', 'move_forearm.L', 'move_hand.L'" in body.superpose.fitted


def turn(body, *names, by=(0.9, 0.3, 0.2, 0.1)):
    """Turn bones of the body, which becomes the active object."""
    for name in names:
        body.pose.bones[name].rotation_mode = 'QUATERNION'
        body.pose.bones[name].rotation_quaternion = by
    figures.make_active(body)
    armatures.refresh()


def test_what_stands_still_is_refused(rig):
    body = made_body(rig)
    rig.hide_viewport = True
    figures.make_active(body)
    figures.refused(bpy.ops.superpose.fit_controls, "Armature 'Rig' is switched off in viewports")


def test_a_body_that_shows_its_rest_is_refused(rig):
    body = made_body(rig)
    turn(body, "forearm.L")
    body.data.pose_position = 'REST'
    figures.refused(bpy.ops.superpose.fit_controls, "'Rig body' shows its rest position")


def give_shapes(rig):
    """Give all controls a shape."""
    shape = armatures.new_object("Shape", bpy.data.meshes.new("Shape"))
    for bone in rig.pose.bones:
        if not bone.name.startswith("ORG-"):
            bone.custom_shape = shape


def keyed_bones(ob):
    return {bone_of(curve) for curve in figures.curves(ob.animation_data.action)}


def bone_of(curve):
    return curve.data_path.split('"')[1]


@pytest.mark.usefixtures("only_available")
@pytest.mark.parametrize("frames", ['PRESENT', 'RANGE'])
def test_only_what_changes_is_keyed(rig, frames):
    for bone in rig.pose.bones:  # of joints that are connected nothing else than the turn is copied
        bone.lock_location = (bone.name != "move_spine",) * 3
    rig.pose.bones["move_toe.R"].keyframe_insert("scale", frame=40)
    body = made_body(rig)
    turn(body, "forearm.L", "hand.L")
    bpy.context.scene.tool_settings.use_keyframe_insert_auto = frames == 'PRESENT'
    bpy.ops.superpose.fit_controls(
        frames=frames, range='CUSTOM', frame_start=1, frame_end=2, action='CURRENT'
    )
    limb = {"move_forearm.L", "move_hand.L"}
    assert keyed_bones(rig) == {*limb, "move_toe.R"}


@pytest.mark.usefixtures("only_available")
def test_what_a_driver_writes_is_neither_moved_nor_keyed(rig):
    arm = rig.pose.bones["move_upper_arm.L"]
    give_shapes(rig)  # else controls are those that nothing else places
    arm.rotation_mode = 'XYZ'
    arm.driver_add("rotation_euler", 0).driver.expression = "0.2"
    arm.driver_add("location", 1).driver.expression = "0.0"
    armatures.refresh()
    body = made_body(rig)
    turn(body, "upper_arm.L", "hand.L")
    bpy.context.scene.tool_settings.use_keyframe_insert_auto = True
    bpy.ops.superpose.fit_controls()
    curves = figures.curves(rig.animation_data.action)
    driven = [(curve.data_path, curve.array_index) for curve in rig.animation_data.drivers]
    assert not [curve for curve in curves if (curve.data_path, curve.array_index) in driven]
    assert any(bone_of(curve) == arm.name for curve in curves)


def test_a_control_with_one_locked_axis_turns_about_the_others(rig):
    hand = rig.pose.bones["move_hand.L"]
    hand.rotation_mode, hand.lock_rotation, hand.rotation_euler = 'XYZ', (False, True, False), (0.1, 0.3, 0.2)
    hand.lock_location = (True,) * 3
    armatures.refresh()
    body, before = made_body(rig), hand.rotation_euler.copy()
    body.pose.bones["hand.L"].matrix_basis @= Matrix.Rotation(0.3, 4, 'X')
    figures.make_active(body)
    armatures.refresh()
    off = apart(body, rig)[1]
    bpy.ops.superpose.fit_controls()
    armatures.refresh()
    assert apart(body, rig)[1] < 0.3 * off
    assert hand.rotation_euler.y == before.y
    assert hand.rotation_euler.x != before.x


def test_a_switch_that_is_keyed_is_followed(rig):
    """From frame 3 on the left arm copies other controls, which have keys of their own before that."""
    with armatures.edited(rig) as bones:
        for name in ("upper_arm.L", "forearm.L", "hand.L"):
            other, like = bones.new(f"other_{name}"), bones[f"move_{name}"]
            other.head, other.tail, other.roll = like.head, like.tail, like.roll
            other.parent = bones.get(f"other_{like.parent.name[5:]}") or bones["move_shoulder.L"]
            other.use_deform = False
    figures.make_active(rig)
    for name in ("upper_arm.L", "forearm.L", "hand.L"):
        constraint = rig.pose.bones[f"ORG-{name}"].constraints.new('COPY_TRANSFORMS')
        constraint.target, constraint.subtarget = rig, f"other_{name}"
        for frame, influence in ((2, 0.0), (3, 1.0)):
            constraint.influence = influence
            constraint.keyframe_insert("influence", frame=frame)
    for frame, x in ((1, 0.1), (2, 0.2)):
        rig.pose.bones["other_hand.L"].location.x = x
        rig.pose.bones["other_hand.L"].keyframe_insert("location", frame=frame)
    bpy.context.scene.frame_set(1)
    body = made_body(rig)
    turn(body, "forearm.L", "hand.L")
    bpy.ops.superpose.fit_controls(frames='RANGE', range='CUSTOM', frame_start=1, frame_end=4)
    for frame in range(1, 5):
        bpy.context.scene.frame_set(frame)
        assert apart(body, rig)[0] < NEAR
    bpy.context.scene.frame_set(1)
    assert rig.pose.bones["other_hand.L"].location.x == pytest.approx(0.1)


def test_the_panel_says_how_near_the_joints_are_and_what_was_left(rig):
    body = made_body(rig)
    figures.make_active(rig)
    drawn = draw_panel("SUPERPOSE_PT_main")
    assert drawn[:2] == ["superpose.fit_controls", "superpose.make_body"]
    assert "Pose 'Rig body', then fit" in " ".join(drawn)
    turn(body, "forearm.L")
    bpy.ops.superpose.fit_controls()
    for active in (body, rig):
        figures.make_active(active)
        drawn = draw_panel("SUPERPOSE_PT_main")
        assert "Fitted" in " ".join(drawn)
        assert "superpose.fit_controls" in drawn
        assert "joints within" in " ".join(draw_panel("SUPERPOSE_PT_report"))
    figures.make_active(body)
    bpy.ops.superpose.solve()
    assert "Fitted" not in " ".join(draw_panel("SUPERPOSE_PT_main"))


def test_controls_of_limbs_that_hang_on_nothing_are_fitted(rig):
    """Each hand's control hangs on no bone; the upper arm follows it by what the forearm has."""
    with armatures.edited(rig) as bones:
        for side in "LR":
            control, like = bones.new(f"ik_hand.{side}"), bones[f"ORG-hand.{side}"]
            control.head, control.tail, control.roll = like.head, like.tail, like.roll
            control.use_deform = False
    figures.make_active(rig)
    for side in "LR":
        joints = [rig.pose.bones[f"ORG-{name}.{side}"] for name in ("upper_arm", "forearm", "hand")]
        for joint in joints:
            joint.constraints.remove(joint.constraints[0])
        reach, turned = joints[1].constraints.new('IK'), joints[2].constraints.new('COPY_ROTATION')
        for constraint in (reach, turned):
            constraint.target, constraint.subtarget = rig, f"ik_hand.{side}"
        reach.chain_count = 2
    armatures.refresh()
    body = made_body(rig)
    drag(body, "hand.L", (-0.1, -0.15, 0.15))
    bpy.ops.superpose.fit_controls()
    armatures.refresh()
    hand, joint = body.pose.bones["hand.L"], rig.pose.bones["ORG-hand.L"]
    assert (hand.matrix.translation - joint.matrix.translation).length < 0.01
    assert apart(body, rig)[0] < 0.08


def test_of_two_controls_that_carry_all_one_is_fitted(rig):
    """Neither of them hangs on anything, and all others only turn."""
    with armatures.edited(rig) as bones:
        bones["move_spine"].parent = None
        root = bones.new("root")
        root.tail, root.use_deform = (0, 0, 0.3), False
    figures.make_active(rig)
    constraint = rig.pose.bones["move_spine"].constraints.new('CHILD_OF')
    constraint.target, constraint.subtarget = rig, "root"
    give_shapes(rig)
    for bone in rig.pose.bones:
        bone.lock_location = [bone.name not in ("root", "move_spine")] * 3
    armatures.refresh()
    body = made_body(rig)
    body.pose.bones["spine"].location = 0.1, 0.2, 0.1
    turn(body, "forearm.L")
    bpy.ops.superpose.fit_controls()
    armatures.refresh()
    assert apart(body, rig)[0] < NEAR
    tops = [rig.pose.bones[name].matrix_basis.is_identity for name in ("root", "move_spine")]
    assert tops.count(True) == 1


def test_controls_of_another_armature_are_named(rig):
    others = armatures.new_object("Others", rig.data.copy())
    for bone in rig.pose.bones:
        for constraint in bone.constraints:
            constraint.target = others
    figures.make_active(rig)
    armatures.refresh()
    made_body(rig)
    with pytest.raises(RuntimeError, match="they follow 'Others', whose controls are not"):
        bpy.ops.superpose.fit_controls()


def test_where_nothing_changes_nothing_is_keyed(rig):
    made_body(rig)
    bpy.ops.superpose.fit_controls(frames='RANGE', range='CUSTOM', frame_start=1, frame_end=2)
    assert rig.animation_data is None or rig.animation_data.action is None
    assert not bpy.data.actions


@pytest.mark.once
def test_live_does_not_look_on_while_controls_are_placed(rig, monkeypatch, addon):
    bpy.ops.superpose.make_body(use_targets=True)
    body = bpy.data.objects["Rig body"]
    drag(body, "hand.L", (-0.1, -0.2, 0.25))
    follower = import_module(f"{addon.name}.live.follower").Follower
    seen, follow = [], follower.follow

    def counted(*given, **how):
        seen.append(given)
        return follow(*given, **how)

    monkeypatch.setattr(follower, "follow", counted)
    bpy.ops.superpose.fit_controls()
    assert len(seen) < 5  # of some sixty times that controls are placed
