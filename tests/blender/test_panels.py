# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""Panels draw in every state, call operators that exist, show properties that exist, and store nothing."""

import re
from dataclasses import fields
from importlib import import_module
from types import SimpleNamespace

import armatures
import bpy
import figures
import pytest
import rigify_rigs
from drawn_panels import Layout, draw, draw_panel, panels
from windowed import Window

import solvers

pytestmark = pytest.mark.usefixtures("blend")


def test_every_panel_is_in_the_tab():
    assert panels()
    for panel in panels():
        assert (panel.bl_space_type, panel.bl_region_type) == ('VIEW_3D', 'UI')
        assert panel.bl_category == "Superpose"
        assert not getattr(panel, "bl_parent_id", "") or hasattr(bpy.types, panel.bl_parent_id)


def test_without_an_armature_nothing_but_that_is_said():
    words = ["Make an armature the active", "object", "", ""]
    assert draw_panel("SUPERPOSE_PT_main") == [*words, "SUPERPOSE_PT_report"]
    assert not [panel for panel in panels() if hasattr(panel, "poll") and panel.poll(bpy.context)]


def test_of_an_instance_of_a_character_is_said_how_to_come_by_its_armature():
    """As File > Link leaves it. It was told to be no armature."""
    ob = figures.figure("Hero")
    cast = bpy.data.collections.new("Cast")
    cast.objects.link(ob)
    shown = armatures.new_object("Cast")
    shown.instance_type, shown.instance_collection = 'COLLECTION', cast
    figures.make_active(shown)
    way = "choose Object > Apply > Make Instances Real first"
    told = " ".join(draw_panel("SUPERPOSE_PT_main")[:4])
    assert told == f"'Cast' only shows the armature 'Hero' of a collection: {way}"
    figures.refused(bpy.ops.superpose.set_up_body, way)


def test_without_anything_asked_there_are_a_hint_and_the_next_step():
    figures.figure()
    bone = "Make a bone active to set its stiffness, twist, speed and limit"
    limits = "superpose_show_limits superpose_limits_of SUPERPOSE_MT_limits"
    buttons = ["superpose.set_up_body", "superpose.load_set_up", "superpose.add_effectors"]
    said = ["Set up the body, or select", "bones and add effectors", "", ""]
    assert draw_panel("SUPERPOSE_PT_main") == [*buttons, *said, "SUPERPOSE_PT_report"]
    controls = "superpose.make_body superpose.fit_controls"
    assert f"{bone} {controls} SUPERPOSE_MT_add_goal {limits}" in " ".join(draw())


@pytest.mark.parametrize("active", [None, "chest"])
def test_the_menu_of_limits_is_there_with_and_without_an_active_bone(active):
    ob = figures.ready()
    ob.data.bones.active = ob.data.bones.get(active) if active else None
    assert "SUPERPOSE_MT_limits" in draw()


def test_in_pose_mode_the_box_says_that_a_drag_is_all_it_takes():
    ob = figures.figure()
    bpy.ops.object.mode_set(mode='POSE')
    assert "Drag a bone with Pose Body" in " ".join(draw_panel("SUPERPOSE_PT_main"))
    bpy.ops.superpose.pose(bone="hand.L", translation=(0, 0, -0.1))
    assert ob.superpose.message in draw_panel("SUPERPOSE_PT_report")


def rows(drawn):
    """What a panel draws, without its words: as many and the same rows mean that nothing moves."""
    return [line if re.fullmatch(r"[a-z_.]+|SUPERPOSE_\w+", line) else "words" for line in drawn]


def test_the_panel_holds_still_whatever_it_has_to_say():
    ob = figures.ready()
    before = draw_panel("SUPERPOSE_PT_main")
    bpy.ops.superpose.solve()
    figures.target_of(ob, "hand.R").location.x -= 5
    armatures.refresh()
    outdated = draw_panel("SUPERPOSE_PT_main")
    bpy.ops.superpose.solve()
    missed = draw_panel("SUPERPOSE_PT_main")
    ob.superpose.strays, ob.superpose.notes = (
        "'hand.R' is 3 cm off: " + "why, " * 40,
        "A bone stays as it is\n" * 9,
    )
    much = draw_panel("SUPERPOSE_PT_main")
    figures.target_of(ob, "head").scale = (0, 0, 0)
    armatures.refresh()
    with pytest.raises(RuntimeError):
        bpy.ops.superpose.solve()
    refused = draw_panel("SUPERPOSE_PT_main")
    states = before, outdated, missed, much, refused
    assert len({tuple(drawn) for drawn in states}) == len(states)
    assert len({tuple(rows(drawn)) for drawn in states}) == 1


@pytest.mark.usefixtures("rigify")
def test_a_body_that_is_live_says_what_to_do_before_it_is_first_solved():
    ob = rigify_rigs.metarig("basic_human")
    bpy.ops.superpose.set_up_body()
    texts = draw_panel("SUPERPOSE_PT_report")
    assert "Move a target: the body follows" in texts
    assert "Not solved yet" not in texts
    bpy.ops.object.mode_set(mode='POSE')  # in which no target can be clicked
    texts = " ".join(draw_panel("SUPERPOSE_PT_report"))
    assert "Drag a bone with Pose Body" in texts
    assert "Move a target" not in texts
    ob.superpose_live = False
    assert "Not solved yet" in draw_panel("SUPERPOSE_PT_report")


def test_the_panel_holds_still_while_a_first_drag_sets_the_body_up():
    figures.figure()
    before = draw_panel("SUPERPOSE_PT_main")
    figures.ready()

    def in_a_drag(makes_set_up):
        properties = SimpleNamespace(makes_set_up=makes_set_up)
        drag = SimpleNamespace(bl_idname="SUPERPOSE_OT_pose", properties=properties)
        context = Window()
        context.window = SimpleNamespace(modal_operators=[drag])
        return context

    polls = [bpy.types.SUPERPOSE_PT_effectors.poll(in_a_drag(first)) for first in (True, False)]
    assert polls == [False, True]
    assert draw_panel("SUPERPOSE_PT_main", in_a_drag(True)) == before
    assert draw_panel("SUPERPOSE_PT_main", in_a_drag(False)) == draw_panel("SUPERPOSE_PT_main") != before


def test_while_a_bake_runs_the_box_says_that_and_nothing_of_before():
    ob = figures.ready()
    bpy.ops.superpose.solve()
    context = Window()
    context.window = SimpleNamespace(modal_operators=[SimpleNamespace(bl_idname="SUPERPOSE_OT_bake")])
    ob.pose.bones["hand.L"].location.x += 1
    drawn = " ".join(draw_panel("SUPERPOSE_PT_main", context))
    assert "Working: see the status bar" in drawn
    assert "Pose changed" not in drawn


def test_all_that_is_said_is_behind_the_button():
    ob = figures.ready()
    bpy.ops.superpose.solve()
    ob.superpose.strays = "'hand.R' is 3 cm off: " + "why, " * 40
    ob.superpose.notes = "\n".join(f"Bone {number} stays as it is" for number in range(9))
    in_box, everything = draw_panel("SUPERPOSE_PT_main"), " ".join(draw_panel("SUPERPOSE_PT_report"))
    assert any(line.endswith("…") for line in in_box)
    for text in (ob.superpose.message, ob.superpose.strays.strip(), *ob.superpose.notes.splitlines()):
        assert text in everything


def test_the_preferences_say_where_it_is_found(addon):
    preferences = import_module(f"{addon.name}.panels.preferences").SuperposePreferences
    assert isinstance(bpy.context.preferences.addons[addon.name].preferences, preferences)
    layout = Layout()
    preferences.draw(SimpleNamespace(layout=layout), bpy.context)
    assert layout.drawn[-1] == "superpose.help"


def test_what_concerns_the_whole_rig_has_a_section_of_its_own():
    figures.figure()
    names = ("set_up_body", "save_set_up", "load_set_up", "apply_limit_preset", "human_comfort")
    drawn = draw_panel("SUPERPOSE_PT_whole")
    assert drawn == [*(f"superpose.{name}" for name in names), "superpose.remove_setup"]
    assert bpy.types.SUPERPOSE_PT_root.bl_parent_id == "SUPERPOSE_PT_whole"


@pytest.mark.parametrize("set_up", [figures.figure, figures.ready])
def test_why_the_buttons_are_greyed_out_is_said(set_up):
    ob, other = set_up(), figures.figure("Other")
    figures.make_active(ob)
    assert "Several armatures" not in " ".join(draw())
    other.select_set(True)
    assert "Several armatures are selected (Figure, Other): select only one" in " ".join(draw())
    bpy.ops.object.mode_set(mode='POSE')
    told = "Several armatures are in Pose Mode (Figure, Other): Pose Body drags any of them"
    assert told in " ".join(draw())


@pytest.mark.parametrize("active", [None, "chest"])
def test_looking_stores_nothing(active):
    ob = figures.figure()
    ob.data.bones.active = ob.data.bones.get(active) if active else None
    before = figures.state()
    draw()
    assert figures.state() == before


def test_limits_and_comfort_are_set_up_without_an_effector():
    ob = figures.figure()
    figures.select_bones(ob, "chest")
    ob.data.bones.active = ob.data.bones["chest"]
    assert {"In force: Free", "superpose.add_limit", "superpose.set_comfort"} <= set(draw())
    bpy.ops.superpose.add_limit(kind='HINGE')
    bpy.ops.superpose.set_comfort()
    assert {"In force: Hinge (Superpose)", "hinge_min", "superpose_show_limits", "spread"} <= set(draw())


def test_whatever_was_stored_without_effectors_the_next_step_is_shown():
    ob = figures.figure()
    assert not ob.superpose.is_solved  # looking stores the settings
    bpy.context.scene.superpose_show_limits = True
    drawn = draw()
    assert "superpose.add_effectors" in drawn
    assert "superpose.solve" not in drawn


def test_a_set_up_armature_shows_everything():
    figures.ready()
    buttons = {"solve", "reset", "add_effectors", "remove_effector", "create_targets", "snap_targets", "bake"}
    settings = {
        "target",
        "superpose_influence",
        "superpose_position_weight",
        "root_bone",
        "scope",
        "tolerance",
    }
    assert {*settings, *(f"superpose.{name}" for name in buttons)} <= set(draw())


def test_a_target_that_is_active_shows_its_armature():
    ob = figures.ready()
    figures.make_active(figures.target_of(ob, "head"))
    assert "superpose.solve" in draw()


def test_what_a_solve_noticed_is_shown():
    ob = figures.ready()
    ob.pose.bones["chest"].superpose.stiffness = 1
    ob.pose.bones["chest"].constraints.new('LIMIT_LOCATION')
    ob.superpose.root_location = 'ANCHORED'
    ob.pose.bones["hips"].superpose.stiffness = 1
    bpy.ops.superpose.solve()
    assert any("'chest' stays as it is" in text for text in draw_panel("SUPERPOSE_PT_report"))


def test_a_comparison_is_shown_as_a_table(tmp_path):
    ob = figures.ready()
    assert "Solved" not in draw()
    bpy.ops.superpose.compare_solvers(directory=str(tmp_path), iterations=2, use_blender=False)
    drawn = draw()
    assert ob.superpose.compared in drawn
    for who in ob.superpose.contestants:
        solved, miss, time = drawn[drawn.index(who.name) + 1 :][:3]
        assert miss == who.miss
        assert float(time.removesuffix(" ms")) == pytest.approx(who.milliseconds, rel=0.05)
        mark = solved.removeprefix(f"{who.solved:.0%}")
        assert f"{mark} {who.cannot}" in " ".join(map(str, drawn)) if who.cannot else not mark


def test_what_solvers_cannot_do_is_said_below_the_table_in_full():
    words = "Ignores limits that are no ranges of angles"
    row = {"name": "", "solved": 0.0, "miss": "", "milliseconds": 0.0, "cannot": words}
    figures.ready().superpose.contestants = [row]
    drawn = draw()
    assert "0%¹" in drawn
    assert f"¹ {words}" not in drawn, "a line that is wider than the sidebar"
    assert f"¹ {words}" in " ".join(map(str, drawn))


@pytest.mark.parametrize("mode", ['OBJECT', 'POSE', 'EDIT'])
def test_every_mode(mode):
    figures.ready()
    bpy.ops.object.mode_set(mode=mode)
    assert "superpose.solve" in draw()


def test_a_target_bone_is_chosen_where_the_target_is_an_armature():
    ob, other = figures.ready(), figures.figure("Other")
    figures.make_active(ob)
    assert "target_bone" not in draw()
    ob.pose.bones[ob.superpose.active_bone_index].superpose.target = other
    assert "target_bone" in draw()


def test_a_method_shows_its_own_settings_only():
    ob = figures.ready()
    assert "restarts" in draw()
    for method, parameters in solvers.PARAMETERS.items():
        ob.superpose.method = method
        told = {name for names in solvers.PARAMETERS.values() for name in names}
        assert set(draw()) & told == set(parameters)


def test_the_panel_says_what_the_method_ignores_of_this_set_up():
    ob = figures.ready()
    chest = ob.pose.bones["chest"].superpose
    chest.stiffness, chest.comfort.is_set = 0.5, True
    first = ob.pose.bones[figures.EFFECTORS[0]].superpose
    first.hold = 'PINNED'
    goal = ob.superpose.goals.add()
    for method, features in solvers.UNSUPPORTED.items():
        ob.superpose.method = method
        drawn = " ".join(map(str, draw()))
        assert all(words in drawn for words in features.values())
    chest.stiffness, chest.comfort.is_set = 1, False
    first.hold = 'FREE'
    goal.rank = 'MUST'
    ob.superpose.method = 'DLS'
    assert solvers.UNSUPPORTED['DLS']["ranks"] in " ".join(map(str, draw()))
    goal.enabled = False
    ob.pose.bones["head"].ik_stiffness_y = 0.3
    ob.superpose.method = 'FABRIK'
    assert solvers.UNSUPPORTED['FABRIK']["stiffness"] in " ".join(map(str, draw()))
    ob.superpose.use_limits = False
    for bone in figures.EFFECTORS:
        ob.pose.bones[bone].superpose_rotation_weight = 0
    every = {words for features in solvers.UNSUPPORTED.values() for words in features.values()}
    for method in solvers.METHODS:
        ob.superpose.method = method
        drawn = " ".join(map(str, draw()))
        assert not any(words in drawn for words in every)


def test_the_settings_of_the_solver_are_those_of_the_object():
    """By name, kind and default, and what a menu offers is what the solver takes."""
    properties = figures.figure().superpose.bl_rna.properties
    of_drags = "haste", "worth", "gradual"
    kept = [field for field in fields(solvers.Settings) if field.name not in of_drags]
    for field in kept:
        default = properties[field.name].default
        assert default == pytest.approx(field.default), field.name
    assert set(properties["method"].enum_items.keys()) == set(solvers.METHODS)
    assert all(len(item.description) > 40 for item in properties["method"].enum_items)


def test_the_list_shows_the_effectors_in_their_order():
    ob = figures.ready()
    ob.superpose.active_bone_index = ob.pose.bones.find("head")
    bpy.ops.superpose.move_effector(direction='DOWN')
    view = bpy.types.SUPERPOSE_UL_effectors
    flags, places = view.filter_items(SimpleNamespace(bitflag_filter_item=1), bpy.context, ob.pose, "bones")
    shown = sorted(zip(places, flags, ob.pose.bones.keys(), strict=True))
    assert [name for _, flag, name in shown if flag] == ["hips", "hand.L", "head", "hand.R"]
    assert sorted(places) == list(range(len(ob.pose.bones)))


def test_every_setting_has_a_name_and_a_tooltip_of_one_sentence():
    ob = figures.figure()
    bone = ob.pose.bones[0].superpose
    groups = (ob.superpose, bone, bone.limit, bone.comfort, bone.limit.cones.add())
    for prop in (prop for group in groups for prop in group.bl_rna.properties):
        if prop.identifier not in {"rna_type", "name"}:
            assert prop.name[0].isupper(), prop.identifier
            assert len(prop.description) > 10
            assert not prop.description.endswith(".")
            assert not prop.is_animatable


def test_the_influence_can_be_keyed():
    bone = armatures.chain(1).pose.bones[0]
    assert bone.keyframe_insert("superpose_influence", frame=1)


def test_every_operator_says_what_it_does():
    for name in dir(bpy.ops.superpose):
        kind = getattr(bpy.ops.superpose, name).get_rna_type()
        assert len(kind.description) > 10
        assert not kind.description.endswith(".")
        assert "\n" not in kind.description  # a docstring's line break and indent would show in the tooltip
        assert all(prop.description for prop in kind.properties if prop.identifier != "rna_type")
