# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""Rigs as they come: which bone plays which role, with their names and without."""

import json

import bpy
import numpy as np
import pytest
from rigify_rigs import generated, metarig
from role_tables import RIGIFY, SHARED

from bodies import SURE, recognise

pytestmark = [pytest.mark.usefixtures("rigify"), pytest.mark.once]

# The shares of roles that have to be right with names and without, where the kind is told.
WITH_NAMES, HUMANS, QUADRUPEDS = 0.99, 0.98, 0.95
QUARTER_TURN = np.array([[1.0, 0.0, 0.0], [0.0, 0.0, -1.0], [0.0, 1.0, 0.0]])


def rig_of(ob):
    """Names, parents' names and heads of an armature."""
    bones = ob.data.bones
    parents = [bone.parent and bone.parent.name for bone in bones]
    return [bone.name for bone in bones], parents, np.array([bone.head_local for bone in bones])


def numbered(names, parents, heads):
    """The rig with numbers for names, and the name of each number."""
    number = {name: str(index) for index, name in enumerate(names)}
    return (list(number.values()), [parent and number[parent] for parent in parents], heads), names


def variants(rig):
    """The rig as it is, a hundred times as large, and turned, each with its names and without."""
    for names, parents, heads in (rig, (*rig[:2], 100 * rig[2]), (*rig[:2], rig[2] @ QUARTER_TURN.T)):
        yield recognise(names, parents, heads), dict(zip(names, names, strict=True)), True
        plain, _ = numbered(names, parents, heads)
        yield recognise(*plain), dict(zip(names, plain[0], strict=True)), False


def right(body, table, name_of, prefix=""):
    """Which of a table's bones have the part and place, and which the side, that they should have."""
    parts, sides = [], []
    for bone, (part, side, place) in table.roles.items():
        role = body.roles.get(name_of[prefix + bone])
        parts.append(role is not None and (role.part, role.place) == (part, place))
        sides.append(role is not None and role.side == side)
    return parts, sides


def check(rig, table):
    for body, name_of, is_named in variants(rig):
        parts, sides = right(body, table, name_of)
        if body.kind != table.kind:
            assert body.sure < SURE, f"{body.kind} instead of {table.kind}"
            continue
        least = WITH_NAMES if is_named else HUMANS if table.kind == "human" else QUADRUPEDS
        assert np.mean(parts or [True]) >= least
        assert np.mean(sides or [True]) >= least
        assert not is_named or all(sides)


@pytest.mark.parametrize("name", RIGIFY)
def test_metarigs(name):
    rig, table = rig_of(metarig(name)), RIGIFY[name]
    check(rig, table)
    for body, _, is_named in variants(rig):
        assert body.kind == table.kind
        assert body.is_sure or not is_named or table.kind == "unknown"


@pytest.mark.slow
@pytest.mark.parametrize("name", ["human", "cat", "horse"])
def test_generated_rigs_by_their_joints(name):
    table, (names, parents, heads) = RIGIFY[name], rig_of(generated(name))
    body = recognise(names, parents, heads)
    parts, sides = right(body, table, dict(zip(names, names, strict=True)), "ORG-")
    assert (body.kind, body.is_sure, all(parts), all(sides)) == (table.kind, True, True, True)


@pytest.mark.slow
def test_a_control_rig_without_names_is_not_told_surely():
    rig, _ = numbered(*rig_of(generated("human")))
    assert not recognise(*rig).is_sure


@pytest.mark.parametrize(
    "name",
    ["khronos_CesiumMan", "m2m_human_fingers", "m2m_dragon", "m2m_spider", "quaternius_horse"],
)
def test_imported_rigs(shared_data, name):
    bpy.ops.import_scene.gltf(filepath=str(shared_data / "rigs" / f"{name}.glb"))
    ob = next(ob for ob in bpy.data.objects if ob.type == 'ARMATURE')
    check(rig_of(ob), table_for(name))


@pytest.mark.parametrize(
    "name",
    ["cmu_07_01_walk", "cmu_14_14_jumping_jacks_rawskel", "fair_child8_zombie_zup", "leap_right_hand_mm"],
)
def test_skeletons_of_motion_capture(shared_data, name):
    check(skeleton_of_bvh(shared_data / "motion" / f"{name}.bvh"), table_for(name))


def test_a_rig_of_makehuman(shared_data):
    bones = json.loads((shared_data / "rigs" / "mpfb2_rig.default.json").read_text())
    heads = np.array([bone["head"]["default_position"] for bone in bones.values()])
    check((list(bones), [bone["parent"] or None for bone in bones.values()], heads), table_for("mpfb2"))


def table_for(name):
    return next(table for key, table in SHARED.items() if name.startswith(key))


def skeleton_of_bvh(path):
    """Names, parents' names and heads: the sums of the file's offsets."""
    joints, above, name = {}, [], None
    for line in path.read_text().partition("MOTION")[0].splitlines():
        word, *rest = line.split() or [""]
        if word in {"ROOT", "JOINT", "End"}:
            name = rest[0] if word != "End" else None
        elif word == "{":
            above.append(name)
        elif word == "}":
            above.pop()
        elif word == "OFFSET" and name:
            parent = above[-2] if len(above) > 1 else None
            joints[name] = parent, np.array(rest, dtype=float) + (joints[parent][1] if parent else 0)
    return (
        list(joints),
        [parent for parent, _ in joints.values()],
        np.array([head for _, head in joints.values()]),
    )
