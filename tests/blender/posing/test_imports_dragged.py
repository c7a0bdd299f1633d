# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""A body as it was imported, nothing set up: one drag of its hand, and it moves as bodies do."""

from importlib import import_module
from math import degrees, radians

import armatures
import bpy
import figures
import humanoids
import numpy as np
import pytest
import rigify_rigs
from armatures import Matrix
from handheld import head_of, pose_mode

pytestmark = [pytest.mark.usefixtures("rigify"), pytest.mark.once]

MIXAMO = {
    "hips": "mixamorig:Hips",
    "spine": "mixamorig:Spine mixamorig:Spine1 mixamorig:Spine2",
    "neck": "mixamorig:Neck mixamorig:Neck1",
    "head": "mixamorig:Head",
    "clavicle": "mixamorig:*Shoulder",
    "upper_arm": "mixamorig:*Arm",
    "forearm": "mixamorig:*ForeArm",
    "hand": "mixamorig:*Hand",
    "thigh": "mixamorig:*UpLeg",
    "shin": "mixamorig:*Leg",
    "foot": "mixamorig:*Foot",
    "toe": "mixamorig:*ToeBase",
}
VRM = {
    "hips": "J_Bip_C_Hips",
    "spine": "J_Bip_C_Spine J_Bip_C_Chest J_Bip_C_UpperChest",
    "neck": "J_Bip_C_Neck J_Bip_C_Neck1",
    "head": "J_Bip_C_Head",
    "clavicle": "J_Bip_*_Shoulder",
    "upper_arm": "J_Bip_*_UpperArm",
    "forearm": "J_Bip_*_LowerArm",
    "hand": "J_Bip_*_Hand",
    "thigh": "J_Bip_*_UpperLeg",
    "shin": "J_Bip_*_LowerLeg",
    "foot": "J_Bip_*_Foot",
    "toe": "J_Bip_*_ToeBase",
}


def body_of(addon, ob):
    return import_module(f"{addon.name}.armature.setup.body").recognised_body(ob)


def renamed(addon, names, sides):
    """A human whose bones have other names."""
    ob = rigify_rigs.metarig("basic_human")
    roles = dict(body_of(addon, ob).roles)
    for bone, role in roles.items():
        new = names[role.part].split()[role.place - 1]
        ob.data.bones[bone].name = new.replace("*", sides.get(role.side, ""))
    return ob


def mixamo(addon, _):
    """In centimetres, Y up, as FBX files are."""
    ob = renamed(addon, MIXAMO, {"L": "Left", "R": "Right"})
    to_file = Matrix.Scale(100, 4) @ Matrix.Rotation(radians(-90), 4, 'X')
    ob.data.transform(to_file)
    ob.matrix_world = to_file.inverted()
    return ob


LIMBS = {"upper_arm", "forearm", "hand", "thigh", "shin", "foot"}
IMPORTS = {
    "Mixamo": mixamo,
    "VRM": lambda addon, _: renamed(addon, VRM, {"L": "L", "R": "R"}),
    "MakeHuman": lambda _, folder: humanoids.makehuman(folder),
    "glTF": lambda _, folder: humanoids.imported(folder),
    "BVH": lambda _, folder: humanoids.captured(folder),
}


@pytest.mark.parametrize("kind", IMPORTS)
def test_one_drag_of_a_hand_is_all_it_takes(addon, shared_data, kind):
    ob = pose_mode(IMPORTS[kind](addon, shared_data))
    body = body_of(addon, ob)
    hand, feet = body.bone("hand.L"), [body.bone(f"foot.{side}") for side in "LR"]
    size = max(ob.dimensions)
    before, stood = head_of(ob, hand), [head_of(ob, foot) for foot in feet]
    way = 0.06 * size * np.array([0.0, -1.0, 1.0])
    assert bpy.ops.superpose.pose(bone=hand, translation=way) == {'FINISHED'}
    armatures.refresh()
    assert len(figures.effectors(ob)) == 7
    np.testing.assert_allclose(head_of(ob, hand) - before, way, atol=1e-3 * size)
    for foot, place in zip(feet, stood, strict=True):
        np.testing.assert_allclose(head_of(ob, foot), place, atol=1e-3 * size)
    collar = ob.pose.bones[body.bones("clavicle", "L")[0]]
    assert degrees(collar.matrix_basis.to_quaternion().normalized().angle) < 35
    outside = import_module(f"{addon.name}.armature.limits.outside").left_outside(ob, ())
    assert not {name for name in outside if body.roles[name].part in LIMBS}
