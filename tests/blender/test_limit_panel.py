# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""The panel of the active bone's limit: its fields, and what it says is in force."""

from importlib import import_module

import bpy
import figures
import numpy as np
import pytest
from drawn_panels import draw

pytestmark = pytest.mark.usefixtures("blend")


def limited_bone(ob, kind):
    bone = ob.pose.bones["arm.L"]
    ob.data.bones.active = ob.data.bones["arm.L"]
    figures.select_bones(ob, "arm.L")
    if kind:
        bpy.ops.superpose.add_limit(kind=kind)
    return bone


FIELDS = {
    'HINGE': {"axis", "hinge_min", "hinge_max", "cushion"},
    'CONES': {"SUPERPOSE_UL_cones", "direction", "radius", "use_twist", "twist_min", "twist_max", "cushion"},
    'ELLIPSE': {"radii", "use_twist", "twist_min", "twist_max", "cushion"},
    'EULER': {"order", "euler_min", "euler_max", "cushion"},
    'FREE': set(),
}


@pytest.mark.parametrize("kind", FIELDS)
def test_a_limit_shows_its_own_fields_only(kind):
    ob = figures.ready()
    limited_bone(ob, kind)
    drawn = set(draw())
    others = set().union(*FIELDS.values()) - FIELDS[kind]
    assert FIELDS[kind] <= drawn
    assert not others & drawn


def test_what_is_stored_is_offered_and_drawn_under_the_same_name(addon):
    stored = import_module(f"{addon.name}.properties.limit").KINDS
    offered = import_module(f"{addon.name}.armature.limit_kinds").KINDS
    drawn = import_module(f"{addon.name}.overlay.limit_kinds").drawn_kind
    assert [*stored] == ['NONE', 'FREE', *offered]
    assert all(kind.LABEL == stored[name].label for name, kind in offered.items())
    rest = np.array([1.0, 0.0, 0.0, 0.0])
    assert all(drawn(kind.around("bone", rest, 'XYZ')) for kind in offered.values())


def test_limits_can_be_shown_from_their_panel():
    ob = figures.ready()
    ob.data.bones.active = ob.data.bones["chest"]
    assert {"superpose_show_limits", "superpose_limits_of"} <= set(draw())


def test_a_free_twist_shows_no_range():
    ob = figures.ready()
    limited_bone(ob, 'CONES').superpose.limit.use_twist = False
    assert "twist_min" not in draw()


def rotation_limit(bone, **ranges):
    constraint = bone.constraints.new('LIMIT_ROTATION')
    constraint.owner_space = 'LOCAL'
    for axis, (low, high) in ranges.items():
        setattr(constraint, f"use_limit_{axis}", True)
        setattr(constraint, f"min_{axis}", low)
        setattr(constraint, f"max_{axis}", high)
    return constraint


def elbow(bone):
    rotation_limit(bone, x=(0, 2), y=(0, 0), z=(0, 0))


def muted(bone):
    rotation_limit(bone, x=(0, 2)).mute = True


def ik_knee(bone):
    bone.lock_ik_y = bone.lock_ik_z = bone.use_ik_limit_x = True


def locked(bone):
    bone.lock_rotation = (True, True, True)


def partly_locked(bone):
    bone.rotation_mode, bone.lock_rotation = 'XYZ', (False, True, False)


@pytest.mark.parametrize(
    ("prepare", "kind", "lines"),
    [
        (None, None, ["In force: Free"]),
        (muted, None, ["In force: Free"]),
        (elbow, None, ["In force: Hinge about X", "from Limit Rotation"]),
        (ik_knee, None, ["In force: Hinge about X", "from IK settings"]),
        (locked, None, ["In force: Held", "from rotation locks"]),
        (partly_locked, None, ["In force: Angles", "from rotation locks"]),
        (ik_knee, 'CONES', ["In force: Cones (Superpose)"]),
        (ik_knee, 'FREE', ["In force: Free (Superpose)"]),
        (elbow, 'HINGE', ["In force: Hinge (Superpose)", "Limit Rotation holds as well"]),
        (partly_locked, 'EULER', ["In force: Angles (Superpose)", "Rotation locks hold as well"]),
        (locked, 'HINGE', ["In force: Hinge (Superpose)", "But held by rotation locks"]),
    ],
)
def test_the_limit_in_force_is_named(prepare, kind, lines):
    ob = figures.ready()
    bone = limited_bone(ob, kind)
    if prepare:
        prepare(bone)
    drawn = draw()
    first = drawn.index(lines[0])
    assert drawn[first : first + len(lines)] == lines


def test_without_joint_limits_no_limit_is_in_force():
    ob = figures.ready()
    limited_bone(ob, 'HINGE')
    ob.superpose.use_limits = False
    assert "In force: none, Joint Limits are off" in draw()


def test_looking_at_a_bone_gives_it_no_limit():
    ob = figures.ready()
    bone = limited_bone(ob, None)
    draw()
    assert not bone.superpose.is_property_set("limit")


def set_up_at_random(bone, rng):
    """Locks, Limit Rotation and IK settings, as rigs have them."""
    bone.rotation_mode = 'XYZ'
    bone.lock_rotation = (rng.random(3) < 0.2).tolist()
    for axis in "xyz":
        setattr(bone, f"lock_ik_{axis}", bool(rng.random() < 0.3))
        setattr(bone, f"use_ik_limit_{axis}", bool(rng.random() < 0.3))
    if rng.random() < 0.4:
        axis = "xyz"[rng.integers(3)]
        reach = rng.choice([0.0, 0.5])
        rotation_limit(bone, **{axis: (-reach, reach)}).mute = bool(rng.random() < 0.3)


@pytest.mark.once
@pytest.mark.parametrize("seed", range(60))
def test_what_is_said_to_be_in_force_is_what_the_solver_takes(addon, seed):
    """Free, held, a hinge or angles: told by the panel from settings, and by the limit that is read."""
    joints = import_module(f"{addon.name}.armature.joints.joint")
    ob = figures.ready()
    bone = limited_bone(ob, None)
    set_up_at_random(bone, np.random.default_rng(seed))
    (joint,) = joints.read_joints(ob, [bone])
    limit = joints.limit_of(joint, bone.name, np.array([[1.0, 0, 0, 0]]))
    left = 0 if joint.held else 3 if limit is None else int((limit.upper - limit.lower > 1e-6).sum())
    said = next(line for line in draw() if line.startswith("In force: ")).removeprefix("In force: ")
    kind = {0: "Held", 1: "Hinge about"}.get(left, "Free" if limit is None else "Angles")
    assert said.startswith(kind)
