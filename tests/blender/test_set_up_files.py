# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""Set-ups by role: saved of one rig, loaded onto others with other names, sizes and rolls."""

import json
from importlib import import_module
from math import radians

import armatures
import bpy
import figures
import numpy as np
import pytest
import rigify_rigs

pytestmark = pytest.mark.usefixtures("rigify")

VALID = {
    "schema": "superpose-set-up",
    "version": 1,
    "kind": "human",
    "root": "FREE",
    "limits": True,
    "comfort": False,
    "effectors": {"hips": {}, "hand.L": {"rotation_weight": 0.5, "rotation_axes": [True, False, False]}},
    "stiffness": {"clavicle.L": [0.9]},
}


@pytest.fixture
def path(tmp_path):
    return tmp_path / "set-up.json"


def other_human(rolls=None):
    """A human of another size, with other names and, if given, other rolls."""
    ob = rigify_rigs.metarig("basic_human")
    rng = np.random.default_rng(5)
    with armatures.edited(ob) as bones:
        for bone in bones:
            bone.name = {"spine.006": "head", "spine.003": "chest"}.get(bone.name, bone.name)
            bone.roll += rng.integers(4) * radians(90) if rolls else 0
    ob.scale = (2, 2, 2)
    return ob


def settings(bone):
    kept = bone.superpose
    numbers = bone.superpose_position_weight, bone.superpose_rotation_weight, kept.falloff, kept.stiffness
    return (*numbers, *kept.position_axes, *kept.rotation_axes, kept.hold)


def load(path, **chosen):
    return bpy.ops.superpose.load_set_up(filepath=str(path), **chosen)


def written(path, **changes):
    path.write_text(json.dumps({**VALID, **changes}))
    return path


def changed(ob):
    """The armature with settings of every kind that a file keeps."""
    bpy.ops.superpose.set_up_body(use_live=False)
    bone = ob.pose.bones["hand.L"]
    bone.superpose_position_weight, bone.superpose_rotation_weight = 2.5, 0.1
    hand = bone.superpose
    hand.falloff, hand.hold = 0.75, 'PINNED'
    hand.position_axes, hand.rotation_axes = (True, False, True), (False, True, False)
    figures.select_bones(ob, "forearm.R", "spine.002")
    bpy.ops.superpose.add_effectors(only_ends=False)
    for name, stiffness in (("spine.001", 0.2), ("spine.002", 0.4), ("shoulder.L", 0.5)):
        ob.pose.bones[name].superpose.stiffness = stiffness
    return {bone.name: settings(bone) for bone in ob.pose.bones if bone.is_property_set("superpose")}


def test_what_is_saved_comes_back_on_another_rig(path):
    before = changed(rigify_rigs.metarig("basic_human"))
    bpy.ops.superpose.save_set_up(filepath=str(path))
    ob = other_human()
    assert load(path) == {'FINISHED'}
    names = {"spine.006": "head", "spine.003": "chest"}
    effectors = ["spine", "chest", "head", "hand.L", "hand.R", "foot.L", "foot.R", "spine.002", "forearm.R"]
    assert figures.effectors(ob) == effectors
    for name, kept in before.items():
        assert settings(ob.pose.bones[names.get(name, name)]) == pytest.approx(kept)


def test_rotation_axes_stay_about_the_limb_whatever_the_rolls(path):
    changed(rigify_rigs.metarig("basic_human"))
    bpy.ops.superpose.save_set_up(filepath=str(path))
    ob = other_human(rolls=True)
    load(path)
    # Along the hand the rotation counts: that is Y of any of Blender's bones.
    assert tuple(ob.pose.bones["hand.L"].superpose.rotation_axes) == (False, True, False)


def test_an_axis_to_the_front_is_found_on_bones_with_other_rolls(path):
    ob = rigify_rigs.metarig("basic_human")
    with armatures.edited(ob) as bones:
        bones["hand.L"].align_roll((0, -1, 0))  # Z looks to the front
    bpy.ops.superpose.set_up_body(use_live=False)
    ob.pose.bones["hand.L"].superpose.rotation_axes = (False, False, True)
    bpy.ops.superpose.save_set_up(filepath=str(path))
    assert json.loads(path.read_text())["effectors"]["hand.L"]["rotation_axes"] == [False, True, False]
    ob = other_human()
    with armatures.edited(ob) as bones:
        bones["hand.L"].align_roll((0, 0, 1))  # Z looks up, so X to the front or the back
    load(path)
    assert tuple(ob.pose.bones["hand.L"].superpose.rotation_axes) == (True, False, False)


def test_stiffness_of_a_chain_is_shared_by_more_bones(path):
    ob = rigify_rigs.metarig("basic_human")
    load(written(path, stiffness={"spine": [0.1, 0.3]}))
    stiff = [ob.pose.bones[f"spine.00{number}"].superpose.stiffness for number in (1, 2, 3)]
    assert stiff == pytest.approx([0.1, 0.1, 0.3])


def test_loading_takes_the_place_of_what_effectors_ask_for(path):
    ob = rigify_rigs.metarig("basic_human")
    bpy.ops.superpose.set_up_body(use_live=False)
    ob.pose.bones["hand.L"].superpose_position_weight = 7
    load(written(path), use_live=False)
    assert ob.pose.bones["hand.L"].superpose_position_weight == 1
    assert ob.pose.bones["hand.L"].superpose_rotation_weight == 0.5
    assert len(figures.effectors(ob)) == 7


def test_what_a_file_cannot_keep_is_said(path, capfd):
    ob = rigify_rigs.metarig("basic_human")
    bpy.ops.superpose.set_up_body(use_live=False)
    figures.select_bones(ob, "shin.L")
    bpy.ops.superpose.add_limit(kind='FREE')
    capfd.readouterr()
    bpy.ops.superpose.save_set_up(filepath=str(path))
    without = "without effectors that play no role and your own limits, comfort and shares of twist"
    assert f"{without} (see Save Limits): 'shin.L'" in "".join(capfd.readouterr())


def add_goal(ob, kind, bone=None, other=None, **settings):
    figures.select_bones(ob, *filter(None, (bone, other)))
    if bone:
        ob.data.bones.active = ob.data.bones[bone]
    bpy.ops.superpose.add_goal(kind=kind)
    for name, value in settings.items():
        setattr(ob.superpose.goals[-1], name, value)


def with_goals():
    """A metarig with goals of every kind, unlike new ones."""
    ob = rigify_rigs.metarig("basic_human")
    bpy.ops.superpose.set_up_body(use_live=False)
    figures.make_active(ob)
    add_goal(ob, 'AIM', "spine.006", weight=0.25, influence=0.5)
    add_goal(ob, 'POLE', "forearm.L", rank='MUST')
    add_goal(ob, 'ATTACH', "hand.R", "hand.L", rotation_weight=0.0)
    add_goal(ob, 'PLANE', enabled=False)
    add_goal(ob, 'BALANCE', weight=3.0)
    return ob


def goals(ob, names):
    """What goals ask for, their bones as another rig calls them."""
    called = {"": "", **{bone.name: names.get(bone.name, bone.name) for bone in ob.pose.bones}}
    return [
        (
            goal.kind,
            *(called[name] for name in (goal.bone, goal.upper_bone, goal.end_bone, goal.other_bone)),
            *(goal.weight, goal.position_weight, goal.rotation_weight, goal.influence),
            *(goal.rank, goal.enabled),
        )
        for goal in ob.superpose.goals
    ]


@pytest.mark.parametrize("rolls", [False, True])
def test_goals_come_back_on_another_rig(path, rolls):
    before = with_goals()
    bpy.ops.superpose.save_set_up(filepath=str(path))
    saved = goals(before, {"spine.006": "head", "spine.003": "chest"})
    ob = other_human(rolls)
    assert load(path) == {'FINISHED'}
    assert goals(ob, {}) == saved
    aim, pole, attach, plane, _ = ob.superpose.goals
    assert {aim.target.superpose.rig, pole.target.superpose.rig} == {ob}
    assert (plane.target, attach.target) == (None, None)
    head = ob.pose.bones["head"].matrix
    axis = head.col["XYZ".index(aim.axis[-1])].to_3d() * (-1 if aim.axis.startswith("-") else 1)
    assert axis.angle((0, -1, 0)) < radians(40)  # heads look to the front, whatever their rolls
    bpy.ops.superpose.solve()
    assert not ob.superpose.is_missed  # nothing is asked but what the pose has
    load(path)
    assert len(ob.superpose.goals) == 5


def test_goals_about_objects_are_left_out_by_name(path, capfd):
    ob = with_goals()
    ob.superpose.goals["Plane"].target = ob.superpose.goals["Pole forearm.L"].target
    capfd.readouterr()
    bpy.ops.superpose.save_set_up(filepath=str(path))
    assert "without goals about objects or bones that have no role: 'Plane'" in "".join(capfd.readouterr())
    assert [goal["kind"] for goal in json.loads(path.read_text())["goals"]] == [
        'AIM',
        'POLE',
        'ATTACH',
        'BALANCE',
    ]


def test_without_roles_there_is_nothing_to_save(path):
    ob = armatures.chain(2)
    ob.pose.bones["b0"].superpose.is_effector = True
    figures.refused(bpy.ops.superpose.save_set_up, "plays a role", filepath=str(path))
    assert not path.exists()


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"schema": "superpose-limits"}, "holds no set-up of Superpose"),
        ({"version": 2}, "has version 2; this Superpose reads version 1"),
        ({"kind": "quadruped"}, r"for another kind of body \(quadruped\) than 'metarig' \(human\)"),
        ({"kind": "unicorn"}, "'kind' must be one of"),
        ({"root": "LOOSE"}, "'root' must be one of FREE, ANCHORED"),
        ({"limits": 1}, "'limits' must be true or false"),
        ({"effectors": {"hnad.L": {}}}, "names 'hnad.L', which is no role"),
        ({"effectors": {"wing.L": {}}}, "has a role that can hold the body"),
        ({"effectors": {"hand.L": {"wieght": 1}}}, "effector 'hand.L' has an unknown 'wieght'"),
        ({"effectors": {"hand.L": {"position_weight": -1}}}, "'position_weight' must be a number from 0"),
        ({"effectors": {"hand.L": {"pass_through": 2}}}, "'pass_through' must be a number from 0 to 1"),
        ({"effectors": {"hand.L": {"rotation_axes": [True, 1, 0]}}}, "must be 3 times true or false"),
        ({"effectors": {"hand.L": {"hold": "FIRST"}}}, "'hold' must be one of PINNED, FOLLOWS, FREE"),
        ({"effectors": ["hand.L"]}, "'effectors' must be named values in braces"),
        ({"stiffness": {"clavicle.L": 0.9}}, "must be a list in brackets"),
        ({"stiffness": {"clavicle.L": []}}, "stiffness of 'clavicle.L' has no numbers"),
        ({"stiffness": {"clavicle.L": [2]}}, "must be a number from 0 to 1"),
        ({"goals": {}}, "'goals' must be a list in brackets"),
        ({"goals": [{"bone": "head"}]}, "goal 1 has no 'kind'"),
        ({"goals": [{"kind": "AIM", "bone": "haed"}]}, "goal 1 names 'haed', which is no role"),
        ({"goals": [{"kind": "AIM", "bone": "head", "axis": "up"}]}, "goal 1: 'axis' must be one of along,"),
        ({"goals": [{"kind": "AIM", "bone": "head", "wieght": 1}]}, "goal 1 has an unknown 'wieght'"),
        ({"more": 1}, "The file has an unknown 'more'"),
    ],
)
def test_every_mistake_in_a_file_is_one_sentence(path, changes, said):
    rigify_rigs.metarig("basic_human")
    figures.refused(bpy.ops.superpose.load_set_up, said, filepath=str(written(path, **changes)))


@pytest.mark.parametrize("text", ["", "[1]", "{", "\ufeff{}", '{"a": 1, "a": 2}'])
def test_what_is_no_set_up_is_refused(path, text):
    rigify_rigs.metarig("basic_human")
    path.write_text(text, encoding="utf-8")
    figures.refused(bpy.ops.superpose.load_set_up, "The file", filepath=str(path))


def test_the_shipped_set_ups_are_valid(addon):
    preset = import_module(f"{addon.name}.armature.by_role.preset")
    shipped = preset.shipped_presets()
    kinds = import_module(f"{addon.name}.operators.setup.roles").KINDS
    assert {kind.upper() for kind in shipped} == {name for name, _, _ in kinds} - {'AUTO'}
    for kind, content in shipped.items():
        assert content.kind == kind
        assert preset.preset_from_json(preset.preset_as_json(content)) == content
