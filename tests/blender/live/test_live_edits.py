# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""While targets are dragged the rig is read no more: whatever is edited between two moves must be noticed.

The oracle is a fresh read of everything at each move for which none was thought necessary.
"""

import sys

import armatures
import bpy
import figures
import pytest
from live_figures import MOVE, channels, move

WORDS = ("", "hips", "forearm.L", "nobody")
LEFT_ALONE = {  # what ends the session, or is no setting of a rig
    *("name", "mode", "select", "hide", "active", "superpose_live", "id_data", "rna_type", "use_fake_user"),
    *("followed", "followed_frame", "stand", "library_weak_reference", "active_bone_index"),
}


class Checked:
    """Compares with a fresh read whenever a move is followed without one; counts these ``moves``."""

    def __init__(self, follower):
        self.moves, self.stale, self.follower = 0, [], follower
        self.moved_on = follower.Follower._moved_on

    def also_read(self, known, ob, depsgraph, in_haste):
        request = self.moved_on(known, ob, depsgraph, in_haste)
        if request is not None:
            self.moves += 1
            self.stale += self.differences(request, ob, depsgraph)
        return request

    def differences(self, request, ob, depsgraph):
        try:
            fresh = self.follower.read(ob, depsgraph)
        except Exception as error:  # Blender would only print it
            return [str(error)]
        same = {
            "wanted": fresh.wanted == request.wanted,
            "settings": fresh.settings == request.settings,
            "words": fresh.rig.targets == request.rig.targets,
            "channels": fresh.frame.has_pose_of(request.frame),
        }
        return [name for name, is_same in same.items() if not is_same]


@pytest.fixture
def checked(addon, monkeypatch):
    checked = Checked(sys.modules[f"{addon.name}.live.follower"])
    monkeypatch.setattr(checked.follower.Follower, "_moved_on", lambda *args: checked.also_read(*args))
    return checked


def dragged():
    """A figure that is being dragged, with something of every kind to edit."""
    ob = figures.ready()
    ob.superpose.method, ob.superpose.iterations = 'CCD', 1  # where it ends makes no difference
    limit = ob.pose.bones["forearm.L"].superpose.limit
    limit.kind = 'CONES'
    limit.cones.add()
    limit.cones.add().radius = 0.9
    ob.pose.bones["arm.L"].superpose.comfort.is_set = True
    goal = ob.superpose.goals.add()
    goal.kind, goal.bone, goal.upper_bone, goal.end_bone = 'POLE', "forearm.R", "arm.R", "hand.R"
    goal.target = armatures.new_object("Pole")
    goal.target.location = (-0.4, 1, 1.4)
    clamp = ob.pose.bones["arm.R"].constraints.new('LIMIT_ROTATION')
    clamp.use_limit_x, clamp.min_x, clamp.max_x, clamp.owner_space = True, -1, 1, 'LOCAL'
    figures.target_of(ob, "head").constraints.new('LIMIT_LOCATION')
    ob.superpose_live = True
    armatures.refresh()
    move(ob, way=MOVE / 2)
    return ob


def owners(ob):
    """Whatever a rig is read from."""
    bones = ob.pose.bones
    return {
        "effector": bones["hand.R"].superpose,
        "effector that is moved": bones["hand.L"].superpose,
        "joint": bones["arm.L"].superpose,
        "limit": bones["forearm.L"].superpose.limit,
        "cone": bones["forearm.L"].superpose.limit.cones[1],
        "comfort": bones["arm.L"].superpose.comfort,
        "set-up": ob.superpose,
        "goal": ob.superpose.goals[0],
        "pose bone": bones["forearm.L"],
        "rest": bones["forearm.L"].bone,
        "root": bones["hips"],
        "constraint": bones["arm.R"].constraints[0],
        "armature": ob.data,
        "armature object": ob,
        "target that is moved": figures.target_of(ob, "hand.L"),
        "target": figures.target_of(ob, "hand.R"),
        "constraint of a target": figures.target_of(ob, "head").constraints[0],
    }


KINDS = (
    *("effector", "effector that is moved", "joint", "limit", "cone", "comfort", "set-up", "goal"),
    *("pose bone", "rest", "root", "constraint", "armature", "armature object"),
    *("target that is moved", "target", "constraint of a target"),
)


def editable(owner):
    """Its properties that can be set, by name."""
    return [
        prop
        for prop in owner.bl_rna.properties
        if not prop.is_readonly
        and prop.identifier not in LEFT_ALONE
        and (
            prop.type in {'BOOLEAN', 'INT', 'FLOAT', 'ENUM', 'STRING'}
            or prop.identifier in {"target", "parent"}
        )
    ]


def value_of(rng, owner, prop):
    """Some other value for a property."""
    if prop.type == 'POINTER':
        return (None, *bpy.context.scene.objects)[rng.integers(len(bpy.context.scene.objects) + 1)]
    if prop.type == 'STRING':
        return str(rng.choice(WORDS))
    if prop.type == 'ENUM':
        chosen = str(rng.choice([item.identifier for item in prop.enum_items] or ["none"]))
        return {chosen} if prop.is_enum_flag else chosen
    if prop.type == 'BOOLEAN':
        values = rng.random(prop.array_length or 1) < 0.5
    else:
        values = rng.uniform(max(prop.hard_min, -2), min(prop.hard_max, 9), prop.array_length or 1)
    plain = [{'BOOLEAN': bool, 'INT': int, 'FLOAT': float}[prop.type](value) for value in values]
    return plain if prop.is_array else plain[0]


@pytest.mark.parametrize("kind", KINDS)
def test_an_edit_of_any_property_between_two_moves_is_noticed(checked, rng, kind):
    taken = 0
    for _ in range(3):
        bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
        owner = owners(dragged())[kind]
        prop = rng.choice(editable(owner))
        try:
            setattr(owner, prop.identifier, value_of(rng, owner, prop))
        except (AttributeError, TypeError, ValueError):
            continue  # Blender does not take it
        taken += 1
        move_on()
        assert not checked.stale, f"{prop.identifier} of {kind}"
    assert taken


def move_on():
    """Two more moves, unless the target has gone."""
    for _ in range(2):
        target = bpy.data.objects["Figure"].pose.bones["hand.L"].superpose.target
        if target is not None:
            target.location += MOVE / 8
        armatures.refresh()


EDITS = {
    "goal added": lambda ob: ob.superpose.goals.add(),
    "goal removed": lambda ob: ob.superpose.goals.remove(0),
    "cone added": lambda ob: ob.pose.bones["forearm.L"].superpose.limit.cones.add(),
    "cone removed": lambda ob: ob.pose.bones["forearm.L"].superpose.limit.cones.remove(0),
    "cones in another order": lambda ob: ob.pose.bones["forearm.L"].superpose.limit.cones.move(0, 1),
    "constraint added": lambda ob: ob.pose.bones["arm.L"].constraints.new('COPY_ROTATION'),
    "constraint removed": lambda ob: ob.pose.bones["arm.R"].constraints.remove(
        ob.pose.bones["arm.R"].constraints[0]
    ),
    "driver": lambda ob: ob.pose.bones["arm.L"].driver_add("rotation_quaternion", 1),
    "key": lambda ob: ob.pose.bones["arm.L"].keyframe_insert("rotation_quaternion", frame=1),
    "bone renamed": lambda ob: setattr(ob.pose.bones["forearm.L"], "name", "other"),
    "effector renamed": lambda ob: setattr(ob.pose.bones["hand.R"], "name", "other"),
    "target renamed": lambda ob: setattr(figures.target_of(ob, "hand.L"), "name", "other"),
    "another target": lambda ob: setattr(
        ob.pose.bones["hand.R"].superpose, "target", figures.target_of(ob, "head")
    ),
    "target deleted": lambda ob: bpy.data.objects.remove(figures.target_of(ob, "hand.R")),
    "target carried": lambda ob: setattr(figures.target_of(ob, "hand.L"), "parent", ob),
    "target constrained": lambda ob: setattr(
        figures.target_of(ob, "hand.L").constraints.new('COPY_LOCATION'), "target", ob
    ),
    "target switched off": lambda ob: setattr(figures.target_of(ob, "hand.R"), "hide_viewport", True),
    "posed by hand": lambda ob: setattr(ob.pose.bones["arm.R"], "rotation_quaternion", (1, 0.2, 0, 0)),
    "posed untold": lambda ob: ob.pose.bones.foreach_set("location", [0.01] * 3 * len(ob.pose.bones)),
    "rest edited": lambda ob: edited(ob),
    "new data": lambda ob: setattr(ob, "data", ob.data.copy()),
    "undone": lambda ob: undone(),
}


def edited(ob):
    with armatures.edited(ob) as bones:
        bones["forearm.L"].tail.x += 0.05


def undone():
    bpy.ops.ed.undo_push(message="before")
    bpy.data.objects["Figure"].superpose.iterations = 7
    bpy.ops.ed.undo_push(message="edited")
    bpy.ops.ed.undo()


@pytest.mark.parametrize("edit", EDITS.values(), ids=EDITS)
def test_what_comes_and_goes_between_two_moves_is_noticed(checked, edit):
    ob = dragged()
    edit(ob)
    move_on()
    assert not checked.stale


def test_moves_of_one_drag_are_followed_without_a_fresh_read(checked):
    ob = dragged()
    before = checked.moves
    move(ob, steps=5, way=MOVE / 10)
    assert checked.moves == before + 5


def stiff_arm(ob):
    """The head is pinned, so the chest does not turn for the hand either."""
    bpy.ops.superpose.add_limit(kind='HINGE')
    for name in ("arm.L", "forearm.L"):
        limit = ob.pose.bones[name].superpose.limit
        limit.minimum = limit.maximum = 0
    ob.pose.bones["head"].superpose.hold = 'PINNED'
    ob.superpose.root_location = 'ANCHORED'


def far_aim(ob):
    bpy.ops.superpose.add_goal(kind='AIM')
    goal = ob.superpose.goals[0]
    goal.rank, goal.target.location = 'MUST', (0, -3, 3)


@pytest.mark.parametrize(
    ("give", "remove"), [(stiff_arm, "remove_limit"), (far_aim, "remove_goal")], ids=["limit", "goal"]
)
def test_what_an_operator_removes_counts_no_more(ob, give, remove):
    """Blender itself tells of nothing that is removed."""
    figures.make_active(ob)
    bpy.ops.object.mode_set(mode='POSE')
    figures.select_bones(ob, "arm.L", "forearm.L")
    figures.active(ob, "forearm.L")
    give(ob)
    move(ob)
    held = channels(ob)
    getattr(bpy.ops.superpose, remove)()
    armatures.refresh()
    let_go = channels(ob)
    ob.update_tag()
    armatures.refresh()
    assert held != let_go == channels(ob)
