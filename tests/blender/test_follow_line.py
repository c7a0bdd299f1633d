# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""A body that follows a motion whose bones all point one way at rest, as some recordings have it."""

import armatures
import bpy
import figures
import numpy as np
import pytest
from mathutils import Matrix, Vector
from walking import LAST, PARTS, TURNED, stander, targets_of, walker

pytestmark = pytest.mark.once
follow = bpy.ops.superpose.follow_motion
LIMBS = ("thigh", "shin"), ("shin", "foot"), ("foot", "toe"), ("upper_arm", "forearm"), ("forearm", "hand")
BENDS = {"thigh.L": -0.4, "shin.L": 0.5}  # as knees do
MOVED = {"spine", *(name for name, _ in LIMBS)}


@pytest.fixture
def body(rigify, made_once):
    return made_once("who is to follow a walk in a line", lambda: (walker(TURNED | BENDS), stander()))


def pointed(ob, name, end, way):
    """Turn a bone so that another one lies that way from it: a leg about the X axis, an arm about Y."""
    bone = ob.pose.bones[name]
    now = ob.pose.bones[end].head - bone.head
    axis = Vector((1, 0, 0)) if "arm" not in name else Vector((0, 1, 0))
    turn = Matrix.Rotation(np.pi, 3, axis) if now.angle(way) > 3 else now.rotation_difference(way).to_matrix()
    turned(bone, turn.to_4x4())


def turned(bone, turn):
    """Turn a bone about its head."""
    pivot = Matrix.Translation(bone.head)
    bone.matrix = pivot @ turn @ pivot.inverted() @ bone.matrix
    armatures.refresh()


def with_rest_in_a_line(ob, is_turned):
    """Give the walker another rest, in which it lies and its limbs point where its trunk does: the walk
    stays. ``is_turned``: limbs are turned about themselves, too, by half a turn.
    """
    frames = []
    for frame in range(1, LAST + 1):
        bpy.context.scene.frame_set(frame)
        frames.append({bone.name: bone.matrix.copy() for bone in ob.pose.bones})
    ob.animation_data_clear()
    figures.make_active(ob)
    for bone in ob.pose.bones:
        bone.matrix_basis = Matrix.Identity(4)
    armatures.refresh()
    for side in "LR":
        for name, end in LIMBS:
            pointed(ob, f"{name}.{side}", f"{end}.{side}", Vector((0, 0, 1)))
        for name in ("thigh", "upper_arm") if is_turned else ():
            turned(ob.pose.bones[f"{name}.{side}"], Matrix.Rotation(np.pi, 4, 'Z'))
    turned(ob.pose.bones["spine"], Matrix.Rotation(np.pi / 2, 4, 'X'))
    bpy.ops.object.mode_set(mode='POSE')
    bpy.ops.pose.armature_apply(selected=False)
    bpy.ops.object.mode_set(mode='OBJECT')
    for frame, matrices in enumerate(frames, 1):
        for bone in ob.pose.bones:
            local, above = bone.bone.matrix_local, bone.parent
            hung = {}
            if above:
                hung = {"parent_matrix": matrices[above.name], "parent_matrix_local": above.bone.matrix_local}
            bone.matrix_basis = bone.bone.convert_local_to_pose(
                matrices[bone.name], local, invert=True, **hung
            )
            if frame == 1 or bone.name.split(".")[0] in MOVED:
                bone.keyframe_insert("location", frame=frame)
                bone.keyframe_insert("rotation_quaternion", frame=frame)


@pytest.mark.parametrize("is_turned", [False, True])
def test_hips_feet_and_hands_go_where_they_go_with_a_rest_that_stands(body, is_turned):
    follow(use_contacts=False)
    wanted = targets_of(body)
    with_rest_in_a_line(bpy.data.objects["Walk"], is_turned)
    figures.make_active(body)
    follow(use_contacts=False)
    rows = [PARTS.index(name) for name in ("spine", "foot.L", "foot.R", "hand.L", "hand.R")]
    apart = np.abs(targets_of(body)[:, rows] - wanted[:, rows])
    assert apart[:, :3].max() < 0.04
    assert apart[:, 3:, :3, 3].max() < 0.02
    assert apart[:, 3:, :3, :3].max() < 0.3  # elbows that hardly bend tell little


def test_limbs_that_do_not_bend_are_said_to_be_turned_by_a_guess(body, capfd):
    leader = bpy.data.objects["Walk"]
    with_rest_in_a_line(leader, False)
    for frame in range(1, LAST + 1):  # as straight as at rest
        bone = leader.pose.bones["forearm.L"]
        bone.matrix_basis = Matrix.Identity(4)
        bone.keyframe_insert("rotation_quaternion", frame=frame)
    figures.make_active(body)
    follow(use_contacts=False)
    said = "'Walk' does not stand at rest, and its limbs do not bend: how 'hand.L' turn about them is a guess"
    assert said in capfd.readouterr().out


@pytest.mark.parametrize(("laid", "gets_up"), [(-1.5, True), (1.5, True), (-1.5, False)])
def test_a_body_that_lies_at_rest_and_stands_in_its_motion_stands(body, laid, gets_up):
    """Motion that lies as its rest does is taken for that of a body whose space is turned."""
    leader = bpy.data.objects["Walk"]
    follow(use_level=False)
    wanted, frames, hips = targets_of(body), range(1, LAST + 1), leader.pose.bones["spine"]
    shown = []
    for frame in frames:
        bpy.context.scene.frame_set(frame)
        shown.append(hips.matrix.copy())
    leader.data.transform(Matrix.Rotation(laid, 4, 'X'))
    leader.data.update_tag()
    armatures.refresh()
    for frame, matrix in zip(frames, shown, strict=True) if gets_up else ():
        bpy.context.scene.frame_set(frame)
        hips.matrix = matrix
        hips.keyframe_insert("location", frame=frame)
        hips.keyframe_insert("rotation_quaternion", frame=frame)
    follow(use_level=False)
    np.testing.assert_allclose(targets_of(body), wanted, atol=0.06)
