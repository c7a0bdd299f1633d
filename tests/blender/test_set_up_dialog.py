# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""The dialog of Set Up Body: what was recognised, what the user makes of it, and what the viewport shows."""

from dataclasses import replace
from types import SimpleNamespace

import bpy
import drawn_panels
import figures
import numpy as np
import pytest
import rigify_rigs
import windowed

pytestmark = pytest.mark.usefixtures("rigify")

HANDS_AND_FEET = [f"{part}.{side}" for part in ("hand", "foot") for side in "LR"]


class Roles(list):
    """Stands in for the operator's collection of roles."""

    def add(self):
        self.append(SimpleNamespace(bl_rna=SimpleNamespace(properties={"bone"})))
        return self[-1]

    @property
    def bones(self):
        return {role.name: role.bone for role in self}


@pytest.fixture
def dialog():
    """Opens the dialog for the active armature; what was shown is ended."""
    opened = []

    def open_dialog():
        wanted = dict.fromkeys(("use_targets", "use_limits", "use_comfort", "use_live"), True)
        made = windowed.operator("set_up_body", roles=Roles(), kind='AUTO', **wanted)
        made.bl_rna = bpy.ops.superpose.set_up_body.get_rna_type()
        window = windowed.Window()
        window.window_manager.invoke_props_dialog = lambda *_, **__: {'RUNNING_MODAL'}
        assert made.invoke(window, None) == {'RUNNING_MODAL'}
        opened.append(made)
        return made

    yield open_dialog
    for made in opened:
        made.cancel(bpy.context)


def drawn(made):
    made.layout = drawn_panels.Layout()
    made.draw(bpy.context)
    return made.layout.drawn


def test_it_lists_what_was_recognised(dialog):
    rigify_rigs.metarig("human")
    made = dialog()
    assert made.kind == 'HUMAN'
    assert made.roles.bones == {
        "hips": "spine",
        "chest": "spine.003",
        "head": "spine.006",
        **{name: name for name in HANDS_AND_FEET},
    }
    assert not made.doubtful
    assert "Recognised: Human, 99 % sure" in drawn(made)


def test_what_was_not_found_is_listed_and_marked(dialog):
    rigify_rigs.metarig("shark")
    made = dialog()
    assert made.kind == 'HUMAN'
    assert {"hips", "head", *HANDS_AND_FEET} <= set(made.roles.bones)
    assert not any(made.roles.bones[name] for name in ("hips", *HANDS_AND_FEET))
    assert made.doubtful == set(made.roles.bones)


def test_another_kind_lists_its_own_roles(dialog):
    rigify_rigs.metarig("wolf")
    made = dialog()
    made.kind = 'BIRD'
    assert made.check(bpy.context)
    assert {"wing.L", "foot.R"} <= set(made.roles.bones)
    assert made.doubtful == set(made.roles.bones)


def test_what_is_in_doubt_is_said_and_drawn_so_whatever_the_user_changes(dialog):
    """Its lines became as thick as sure ones with the first press in the dialog."""
    rigify_rigs.metarig("wolf")
    made = dialog()
    made.use_live = False
    made.check(bpy.context)
    assert made.shown.body.doubtful == made.recognised.doubtful == ()
    made.kind = 'INSECT'
    made.check(bpy.context)
    assert set(made.shown.body.doubtful) == set(made.recognised.roles)
    made.recognised, made.kind = replace(made.recognised, sure=0.21), 'QUADRUPED'
    made.check(bpy.context)
    assert "Not surely recognised: Quadruped, 21 % sure" in drawn(made)
    assert set(made.shown.body.doubtful) == set(made.recognised.roles)


def test_what_the_user_says_is_set_up(dialog):
    ob = rigify_rigs.metarig("basic_human")
    made = dialog()
    for role in made.roles:
        role.bone = {"chest": "spine.002", "foot.R": ""}.get(role.name, role.bone)
    made.check(bpy.context)
    assert made.execute(bpy.context) == {'FINISHED'}
    assert figures.effectors(ob) == ["spine", "spine.002", "spine.006", "hand.L", "hand.R", "foot.L"]


def test_a_field_that_is_emptied_says_so(dialog):
    rigify_rigs.metarig("basic_human")
    made = dialog()
    assert "left out" not in drawn(made)
    made.roles[3].bone = ""
    assert drawn(made).count("left out") == 1


def test_a_bone_in_two_fields_is_marked_in_both(dialog):
    rigify_rigs.metarig("basic_human")
    made = dialog()
    assert "twice" not in drawn(made)
    made.roles[3].bone = made.roles[4].bone
    assert drawn(made).count("twice") == 2


def test_a_hand_can_be_dragged_at_once(dialog):
    ob = rigify_rigs.metarig("basic_human")
    dialog().execute(bpy.context)
    assert bpy.context.object == figures.target_of(ob, "hand.L")
    assert bpy.context.selected_objects == [bpy.context.object]


def test_on_a_generated_rig_it_says_what_is_possible(dialog):
    rigify_rigs.generated("basic_human")
    words = " ".join(drawn(dialog()))
    assert "follows controls" in words
    assert "Add Effectors" in words


def test_opening_and_closing_it_changes_nothing(dialog):
    rigify_rigs.metarig("basic_human")
    before = figures.state()
    made = dialog()
    assert made.shown.handle is not None
    made.cancel(bpy.context)
    assert made.shown.handle is None
    assert figures.state() == before


@pytest.mark.parametrize("name", ["basic_human", "wolf"])
def test_every_bone_with_a_role_is_drawn_from_its_joint(dialog, name):
    ob = rigify_rigs.metarig(name)
    made = dialog()
    strokes = list(made.shown.strokes(ob))
    assert {bone for bone, _ in strokes} == set(made.recognised.roles)
    for bone, points in strokes:
        assert np.allclose(points[0], ob.pose.bones[bone].head)
