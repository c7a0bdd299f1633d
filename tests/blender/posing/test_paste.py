# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""A pose that is pasted is a pose and nothing else: what is set up of the bones stays."""

import armatures
import bpy
import figures
import numpy as np
import pytest
from live_figures import channels

pytestmark = pytest.mark.usefixtures("blend")
IS_ASKED = hasattr(bpy.app.handlers, "blend_import_post")  # in Blender 4.2 an operator of ours has the keys
paste = bpy.ops.pose.paste if IS_ASKED else bpy.ops.superpose.paste_pose


@pytest.fixture
def copied():
    """A figure with other settings on both sides whose pose was copied, and that was set up further since."""
    ob = figures.ready()
    for side, most in (("L", 1.0), ("R", 0.5)):
        limit = ob.pose.bones[f"arm.{side}"].superpose.limit
        limit.kind, limit.hinge_max = 'HINGE', most
    ob.pose.bones["hand.L"].superpose.hold = 'PINNED'
    ob.pose.bones["hand.L"].superpose_position_weight = 0.25
    ob.pose.bones["arm.L"].rotation_quaternion = (0.6, 0.8, 0.0, 0.0)
    bpy.ops.object.mode_set(mode='POSE')
    bpy.ops.pose.select_all(action='SELECT')
    bpy.ops.pose.copy()
    ob.pose.bones["arm.R"].superpose.limit.hinge_max = 0.75
    ob.pose.bones["chest"].superpose.stiffness = 0.5
    bpy.ops.pose.transforms_clear()
    return ob


def settings(ob):
    kept = {bone.name: bone for bone in ob.pose.bones if bone.is_property_set("superpose")}
    own = ("superpose_position_weight", "superpose_rotation_weight", "superpose_influence")
    return {
        name: (figures.plain(bone.superpose), bone.superpose.target, [getattr(bone, one) for one in own])
        for name, bone in kept.items()
    }


@pytest.mark.parametrize("flipped", [False, True])
def test_settings_and_targets_stay(copied, flipped):
    before = settings(copied)
    objects = set(bpy.data.objects)
    assert paste(flipped=flipped) == {'FINISHED'}
    assert settings(copied) == before
    assert set(bpy.data.objects) == objects
    assert all(figures.target_of(copied, name) for name in figures.EFFECTORS)
    posed = copied.pose.bones["arm.R" if flipped else "arm.L"]
    assert np.isclose(abs(posed.rotation_quaternion[0]), 0.6)


def test_with_live_targets_go_along(copied):
    copied.pose.bones["hand.L"].superpose.hold = 'FOLLOWS'
    copied.superpose_live = True
    armatures.refresh()
    before = channels(copied)
    paste(flipped=True)
    armatures.refresh()
    assert channels(copied) != before
    assert all(figures.distance(copied, name) < 1e-4 for name in figures.EFFECTORS)


@pytest.mark.skipif(not IS_ASKED, reason="Blender 4.2 pastes what is stored too")
def test_settings_are_pasted_on_no_bone_that_has_none(copied):
    bpy.ops.object.mode_set(mode='OBJECT')
    other = figures.figure()
    bpy.ops.object.mode_set(mode='POSE')
    bpy.ops.pose.paste()
    assert np.isclose(abs(other.pose.bones["arm.L"].rotation_quaternion[0]), 0.6)
    assert not any(bone.is_property_set("superpose") for bone in other.pose.bones)


def test_an_armature_that_is_appended_keeps_its_settings(copied, tmp_path):
    before = settings(copied).keys()
    bpy.data.libraries.write(str(tmp_path / "figure.blend"), {copied})
    with bpy.data.libraries.load(str(tmp_path / "figure.blend")) as (_, loaded):
        loaded.objects = [copied.name]
    assert settings(loaded.objects[0]).keys() == before


def test_a_pose_is_pasted_while_the_weights_of_a_mesh_are_painted(copied):
    """There the mesh is active, and the armature in Pose Mode."""
    before, mesh = settings(copied), bpy.data.objects.new("Skin", bpy.data.meshes.new("Skin"))
    mesh.data.from_pydata(np.eye(3).tolist(), [], [(0, 1, 2)])
    mesh.modifiers.new("Armature", 'ARMATURE').object = copied
    bpy.context.collection.objects.link(mesh)
    bpy.context.view_layer.objects.active = mesh
    bpy.ops.object.mode_set(mode='WEIGHT_PAINT')
    assert paste() == {'FINISHED'}
    assert settings(copied) == before
    assert np.isclose(abs(copied.pose.bones["arm.L"].rotation_quaternion[0]), 0.6)
