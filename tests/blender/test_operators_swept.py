# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""Every operator on armatures in every bad way: refused in one sentence with nothing changed, or done."""

from math import inf, nan

import armatures
import bpy
import figures
import pytest
import whole_file
from test_operators_refusals import EVERY

pytestmark = [pytest.mark.usefixtures("blend"), pytest.mark.once]

LEFT_OUT = {"help", "compare_solvers"}  # opens a browser, takes seconds
READERS = {"import_limits", "load_set_up"}  # of files that others write
ASKED = {
    "bake": {"range": 'CUSTOM', "frame_start": 1, "frame_end": 3},
    "pose": {"bone": "hand.L", "translation": (0.01, 0, 0)},
    "add_goal": {"kind": 'AIM'},
    "add_limit": {"kind": 'CONES'},
    "set_hold": {"hold": 'PINNED'},
    "set_up_body": {"kind": 'HUMAN'},
}


def without_bones():
    figures.make_active(armatures.new_object("Empty", bpy.data.armatures.new("Empty")))


def out_of_the_scene():
    ob, group = figures.ready(), bpy.data.collections.new("Away")
    bpy.context.scene.collection.children.link(group)
    group.objects.link(ob)
    bpy.context.scene.collection.objects.unlink(ob)
    bpy.context.view_layer.layer_collection.children["Away"].exclude = True


def hidden():
    figures.ready().hide_viewport = True


def bones_hidden():
    for bone in figures.ready().pose.bones:
        (bone if hasattr(bone, "hide") else bone.bone).hide = True


def at_rest():
    figures.ready().data.pose_position = 'REST'


def all_locked():
    for bone in figures.ready().pose.bones:
        bone.lock_location = bone.lock_rotation = bone.lock_scale = (True,) * 3
        bone.lock_rotation_w = True


def in_tweak_mode():
    ob = figures.ready()
    ob.pose.bones["arm.L"].keyframe_insert("rotation_quaternion", frame=1)
    animation = ob.animation_data
    track, action = animation.nla_tracks.new(), animation.action
    track.strips.new("Strip", 1, action).select = True
    animation.action, animation.nla_tracks.active = None, track
    animation.use_tweak_mode = True


def with_a_mesh_painted():
    ob, mesh = figures.ready(), bpy.data.meshes.new("Skin")
    mesh.from_pydata([(0, 0, 0), (1, 0, 0), (0, 1, 0)], [], [(0, 1, 2)])
    skin = armatures.new_object("Skin", mesh)
    skin.modifiers.new("Armature", 'ARMATURE').object = ob
    figures.make_active(skin)
    bpy.ops.object.mode_set(mode='WEIGHT_PAINT')


def with_a_deleted_target():
    bpy.data.objects.remove(figures.target_of(figures.ready(), "head"))


def without_its_root():
    figures.name_no_root(figures.ready())


def with_odd_names():
    for number, bone in enumerate(figures.ready("Fïg'ure\" \\ \n").data.bones):
        bone.name = f"b'\"][\\{number}é"


def with_goals_of_no_bones():
    ob = figures.ready()
    figures.active(ob, "head")
    for kind in ('AIM', 'PLANE', 'BALANCE'):
        bpy.ops.superpose.add_goal(kind=kind)
    for goal in ob.superpose.goals:
        goal.bone = "nowhere"


def set_to(part, **values):
    """A way in which the figure, one of its bones or a target has values that no pose has."""

    def spoil():
        ob = figures.ready()
        figures.active(ob, "head")
        figures.select_bones(ob, "head", "chest")
        chest, target = ob.pose.bones["chest"], figures.target_of(ob, "head")
        owner = {"armature": ob, "bone": chest, "target": target}[part]
        for name, value in values.items():
            setattr(owner, name, value)

    spoil.__name__ = f"{part}_{'_'.join(map(str, values.items()))}"
    return spoil


def slow(way):
    """What spoils the same as another, and is refused as that is."""
    return pytest.param(way, marks=pytest.mark.slow)


WAYS = [
    *(without_bones, figures.figure, out_of_the_scene, hidden, bones_hidden, at_rest, all_locked),
    *(in_tweak_mode, with_a_mesh_painted, with_a_deleted_target, without_its_root, with_odd_names),
    *(with_goals_of_no_bones, slow(set_to("armature", location=(nan, 0, 0)))),
    *(set_to("armature", scale=scale) for scale in ((inf, 1, 1), (0, 0, 0))),
    slow(set_to("armature", scale=(1e30,) * 3)),
    *(set_to("bone", location=(0, nan, 0)), slow(set_to("bone", rotation_quaternion=(nan, 1, 0, 0)))),
    *(set_to("bone", rotation_quaternion=(0, 0, 0, 0)), set_to("bone", scale=(0, 0, 0))),
    *(set_to("target", location=(nan, 0, 0)), set_to("target", scale=(0, 0, 0))),
]


def asked(name, folder):
    """What the operator is called with."""
    given = dict(ASKED.get(name, {}))
    if "filepath" in getattr(bpy.ops.superpose, name).get_rna_type().properties:
        given["filepath"] = str(folder / name.partition("_")[2])
    return given


def refusal(name, folder):
    """Call the operator; return why it was refused, or nothing."""
    try:
        result = getattr(bpy.ops.superpose, name)(**asked(name, folder))
    except RuntimeError as error:
        return str(error)
    assert result == {'FINISHED'}, name
    return ""


def anew(way):
    armatures.empty_file()
    way()


@pytest.mark.parametrize("way", WAYS, ids=lambda way: way.__name__)
def test_refused_with_nothing_changed_or_done(way, tmp_path):
    """What is refused is called once more, one after the other, and the file is read after all of that."""
    way()
    lost, refused = whole_file.nowhere(), {}
    for name in sorted({*EVERY} - LEFT_OUT, key=lambda name: (name in READERS, name)):
        why = refusal(name, tmp_path)
        assert "Traceback" not in why, name
        assert why.count("Error:") <= 1, name
        assert whole_file.nowhere() <= lost, name
        if why:
            refused[name] = why
        else:
            anew(way)
    anew(way)
    before = whole_file.content()
    assert {name: refusal(name, tmp_path) for name in refused} == refused
    after = whole_file.content()
    changed = {path: after.get(path) for path in before if after.get(path) != before[path]}
    assert not changed, refused
    assert after.keys() == before.keys(), refused
