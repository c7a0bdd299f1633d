# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""What captured humans do is done within the limits of human joints."""

import addon_utils
import armatures
import bpy
import figures
import numpy as np
import pytest

pytestmark = [pytest.mark.usefixtures("blend"), pytest.mark.once]

SIX = ("hip", "head", "lHand", "rHand", "lFoot", "rFoot")


def follower_of(recorded):
    """A copy at rest, limited and eased as a human is, whose six effectors follow the recorded bones."""
    ob = recorded.copy()
    bpy.context.collection.objects.link(ob)
    ob.animation_data_clear()
    for bone in ob.pose.bones:
        bone.matrix_basis = armatures.Matrix()
    figures.make_active(ob)
    figures.select_bones(ob, *SIX)
    bpy.ops.superpose.add_effectors()
    for name in SIX:
        effector = ob.pose.bones[name].superpose
        effector.target, effector.target_bone = recorded, name
    bpy.ops.superpose.apply_limit_preset()
    bpy.ops.superpose.human_comfort()
    return ob


def missed(recorded, ob):
    """How far the effectors are off, in shares of the skeleton's height, and by which angle, at most."""
    size = np.ptp([bone.head_local for bone in ob.data.bones], axis=0).max()
    pairs = [(ob.pose.bones[name].matrix, recorded.pose.bones[name].matrix) for name in SIX]
    away = max((mine.translation - theirs.translation).length for mine, theirs in pairs)
    turned = max(
        mine.to_quaternion().rotation_difference(theirs.to_quaternion()).angle for mine, theirs in pairs
    )
    return away / size, np.degrees(turned)


@pytest.mark.parametrize(
    "clip",
    [
        "cmu_02_06_bend_scoop_f500-1700",
        pytest.param("cmu_14_32_sit_stepstool_f100-1300", marks=pytest.mark.slow),
    ],
)
def test_captured_motion_is_met_within_body_limits(shared_data, clip):
    """In 95 % of frames, of bodies that stoop, look up and sit."""
    addon_utils.enable("io_anim_bvh")
    bpy.ops.import_anim.bvh(filepath=str(shared_data / "motion" / f"{clip}.bvh"))
    recorded = bpy.context.object
    ob, met = follower_of(recorded), []
    for frame in range(1, 1200, 75):
        bpy.context.scene.frame_set(frame)
        bpy.ops.superpose.solve()
        armatures.refresh()
        away, turned = missed(recorded, ob)
        met.append(away < 1e-3 and turned < 0.1)
    assert np.mean(met) >= 0.95
