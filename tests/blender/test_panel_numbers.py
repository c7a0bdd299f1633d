# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""Numbers and long texts in panels: digits, units, and lines of the sidebar's width."""

from importlib import import_module
from types import SimpleNamespace

import armatures
import bpy
import figures
import numpy as np
import pytest
from drawn_panels import Layout, draw, draw_panel

pytestmark = pytest.mark.usefixtures("blend")


@pytest.mark.parametrize("width", range(8))
def test_numbers_stay_with_their_units(width):
    ob = figures.ready()
    bpy.ops.superpose.solve()
    ob.superpose.message = f"Missed 2 of 4, {'x' * (10 + width)} up to 9.4 mm, 12 µm"
    lines = [text for text in draw_panel("SUPERPOSE_PT_report") if "mm" in text or "µm" in text]
    assert any("9.4 mm" in line for line in lines)
    assert any("12 µm" in line for line in lines)


@pytest.mark.parametrize(
    ("degrees", "words"),
    [(0.0004, "0°"), (0.0006, "0.001°"), (0.254, "0.25°"), (6.04, "6°"), (99.7, "100°"), (153.4, "153°")],
)
def test_angles_are_said_to_two_digits(addon, degrees, words):
    assert import_module(f"{addon.name}.reports.words").angle_text(np.radians(degrees)) == words


@pytest.mark.parametrize(
    ("system", "length", "words"),
    [
        ('METRIC', 4e-7, "0 m"),
        ('METRIC', 6e-7, "1 µm"),
        ('METRIC', 9e-7, "1 µm"),
        ('METRIC', 1.2e-6, "1.2 µm"),
        ('METRIC', 3e-4, "0.3 mm"),
        ('IMPERIAL', 1e-5, "0'"),
        ('IMPERIAL', 2e-5, "1 thou"),
        ('IMPERIAL', 2e-4, "7.9 thou"),
        ('NONE', 4e-7, "0"),
        ('NONE', 1.2e-5, "0.000012"),
    ],
)
def test_lengths_are_said_in_units_that_there_are(addon, system, length, words):
    bpy.context.scene.unit_settings.system = system
    text = import_module(f"{addon.name}.reports.words").length_text
    assert text(bpy.context.scene, length) == words


@pytest.mark.parametrize(
    ("length", "degrees", "words"),
    [
        (0.057, 3.5, "5.7 cm, 3.5°"),
        (0.057, 0.05, "5.7 cm"),
        (0.000062, 4.1, "4.1°"),
        (0.000062, 0.05, "62 µm"),
        (0.0000003, 0.05, "under 1 µm"),
        (0.0, 0.05, "0 m"),
    ],
)
def test_of_what_is_missed_only_what_can_be_seen_is_said(addon, length, degrees, words):
    text = import_module(f"{addon.name}.reports.words").miss_text
    assert text(bpy.context.scene, length, np.radians(degrees), visible=0.001) == words


@pytest.mark.once
@pytest.mark.parametrize(
    ("length", "words"),
    [(0.012, ("all within 1.2 cm", "Within 1.2 cm")), (0.0, ("all met", "Met: 0 m, 0° off"))],
)
def test_what_gave_way_to_smooth_motion_and_can_be_seen_is_not_called_met(addon, length, words):
    text, visible = import_module(f"{addon.name}.reports.words"), 0.001
    left = bpy.context.scene, length, 0.0, visible
    assert (text.met_text(*left), text.left_text(*left, "")) == words


@pytest.mark.parametrize(
    ("milliseconds", "words"), [(0.4385, "0.44 ms"), (7.26, "7.3 ms"), (12.3, "12 ms"), (1234.5, "1234 ms")]
)
def test_times_of_a_comparison_fit_their_column(milliseconds, words):
    row = {"name": "", "solved": 1.0, "miss": "", "milliseconds": milliseconds, "cannot": ""}
    figures.ready().superpose.contestants = [row]
    assert words in draw()


class Row(Layout):
    """A row of a list, so wide: what is split off has its share."""

    def __init__(self, drawn, shares):
        super().__init__(drawn)
        self.shares = shares

    def split(self, factor, **_):
        assert 0 <= factor <= 1
        return Row(self.drawn, [factor * self.shares[0], (1 - factor) * self.shares[0]])

    def row(self, **_):
        return Row(self.drawn, [self.shares.pop(0)])

    def label(self, text="", icon='NONE'):
        self.shares[0] -= 1 if icon != 'NONE' else self.width_of(text)
        self.drawn.append((text, icon, self.shares[0]))


@pytest.mark.once
@pytest.mark.parametrize("miss", ["", "9 cm", "0.57 mm"])
def test_how_far_something_is_off_is_read_whole_in_a_list_or_left_out(addon, miss):
    why, lines = (import_module(f"{addon.name}.panels.{name}") for name in ("why", "lines"))
    Row.width_of = staticmethod(lambda text: lines.text_width(text) + lines.ASIDE)
    said = []
    for room in np.arange(0.5, 9.0, 0.25):
        row = Row([], [room])
        name = why.draw_result(row, miss, 'ERROR', room)
        words = [text for text, *_ in row.drawn if text]
        assert words in ([], [miss])
        if words:
            assert row.drawn[-1][-1] >= -1e-9, "cut"
            assert name.shares[0] >= 0.25 * room, "no room for the name"
        assert row.drawn[-1][1] == 'ERROR'
        said.append(bool(words))
    assert said == sorted(said)
    assert said[-1] == bool(miss)


def row_of_list(*bones):
    """What the list of effectors draws of these bones."""
    kind, layout = bpy.types.SUPERPOSE_UL_effectors, Layout()
    drawn = SimpleNamespace(bitflag_filter_item=1)
    kind.filter_items(drawn, bpy.context, bones[0].id_data.pose, "bones")
    for bone in bones:
        kind.draw_item(drawn, bpy.context, layout, None, bone, 0, None, "")
    return layout.drawn


@pytest.mark.parametrize(
    ("width", "miss", "is_read"),
    [
        (8.8, "17 cm", False),
        (8.8, "16°", True),
        (9.2, "17 cm", True),
        (9.2, "9.8 cm", False),
        (9.2, "1.25 m", False),
        (9.8, "1.25 m", True),
        (9.8, "0.57 mm", False),
        (10.7, "0.57 mm", True),
    ],
)
def test_no_miss_is_shown_where_a_window_would_cut_it(addon, monkeypatch, width, miss, is_read):
    """As seen in a window of Blender 5.2: a panel so wide has room for the miss beside some name, or not."""
    effectors = import_module(f"{addon.name}.panels.effectors")
    ob = figures.ready()
    bpy.ops.superpose.solve()
    bone = ob.pose.bones["hand.L"]
    bone.superpose.is_missed, bone.superpose.miss = True, miss
    monkeypatch.setattr(effectors, "sidebar_width", lambda _context: width)
    assert (miss in row_of_list(bone)) == is_read


def test_names_that_a_result_leaves_little_room_for_keep_their_ends(addon, monkeypatch):
    effectors = import_module(f"{addon.name}.panels.effectors")
    ob = figures.ready()
    ob.pose.bones["hand.L"].name = "FrontLowerLeg.L"
    bpy.ops.superpose.solve()
    bone = ob.pose.bones["FrontLowerLeg.L"]
    monkeypatch.setattr(effectors, "sidebar_width", lambda _context: 11.3)
    assert row_of_list(bone)[-1] == "FrontLowerLeg.L"
    bone.superpose.is_missed, bone.superpose.miss = True, "22 cm"
    cut = row_of_list(bone)[-1]
    assert (cut[:2], cut[-2:]) == ("Fr", ".L")
    assert len(cut) < len(bone.name)


@pytest.mark.parametrize(("count", "is_read"), [(7, True), (8, False)])
def test_a_bar_to_scroll_the_list_takes_room_from_misses(addon, monkeypatch, count, is_read):
    """As seen in a window of Blender 5.2: a list of eight effectors has the bar, one of seven has none."""
    effectors = import_module(f"{addon.name}.panels.effectors")
    ob = figures.ready()
    bpy.ops.superpose.solve()
    bone = ob.pose.bones["hand.L"]
    bone.superpose.is_missed, bone.superpose.miss = True, "1.25 m"
    free = [other for other in ob.pose.bones if not effectors.is_effector(other)]
    for other in free[: count - len(figures.EFFECTORS)]:
        other.superpose.is_effector = True
    monkeypatch.setattr(effectors, "sidebar_width", lambda _context: 9.8)
    assert ("1.25 m" in row_of_list(bone)) == is_read


def test_the_list_says_nothing_of_another_pose(addon):
    ob = figures.ready()
    figures.target_of(ob, "hand.R").location.x -= 5
    armatures.refresh()
    bpy.ops.superpose.solve()
    bone = ob.pose.bones["hand.R"]
    assert bone.superpose.miss in row_of_list(bone)
    bone.location.x += 1
    assert bone.superpose.miss not in row_of_list(bone)


@pytest.mark.once
def test_the_bones_and_the_pose_are_looked_through_once_however_many_rows_are_drawn(addon, monkeypatch):
    """On a rig of 1,500 bones that takes milliseconds."""
    module, looks = import_module(f"{addon.name}.panels.effectors"), []
    ob = figures.ready()
    bpy.ops.superpose.solve()
    for name in ("is_result_true", "is_effector"):
        ask = getattr(module, name)
        monkeypatch.setattr(module, name, lambda of, ask=ask: looks.append(of) or ask(of))
    row_of_list(*(ob.pose.bones[name] for name in figures.EFFECTORS))
    assert looks == [*ob.pose.bones, ob]


@pytest.mark.parametrize(
    ("width", "miss", "is_read"),
    [
        (8.6, "17 cm", False),
        (9.0, "9.8 cm", False),
        (9.4, "17 cm", True),
        (9.4, "0.57 mm", False),
        (10.2, "0.57 mm", True),
    ],
)
def test_no_miss_of_a_goal_is_shown_where_a_window_would_cut_it(addon, monkeypatch, width, miss, is_read):
    """As seen in a window of Blender 5.2, where the name's sign takes room, too."""
    goals = import_module(f"{addon.name}.panels.goals")
    ob = figures.ready()
    ob.data.bones.active = ob.data.bones["head"]
    bpy.ops.superpose.add_goal(kind='AIM')
    bpy.ops.superpose.solve()
    goal = ob.superpose.goals[0]
    goal.is_missed, goal.miss = True, miss
    monkeypatch.setattr(goals, "sidebar_width", lambda _context: width)
    layout = Layout()
    goals.SUPERPOSE_UL_goals.draw_item(None, bpy.context, layout, None, goal, 0, None, "")
    assert (miss in layout.drawn) == is_read


def test_names_in_the_list_are_read_without_the_namespace_that_all_begin_with(blend):
    ob = figures.ready()
    bones = [ob.pose.bones[name] for name in figures.EFFECTORS]
    for bone in bones[:3]:
        bone.name = f"mixamorig:{bone.name}"
    assert {"mixamorig:hips", "hand.R"} <= set(row_of_list(*bones))
    bones[3].name = "mixamorig:hand.R"
    assert set(figures.EFFECTORS) <= set(row_of_list(*bones))
    bones[3].name = "other:hand.R"
    assert {"mixamorig:hips", "other:hand.R"} <= set(row_of_list(*bones))


def test_a_new_goal_is_called_after_its_bone_without_a_namespace(blend):
    """Of 'Aim mixamorig:Head' the list had room for 'Aim mixamorig:H...'."""
    ob = figures.ready()
    ob.pose.bones["head"].name = "mixamorig:head"
    figures.active(ob, "mixamorig:head")
    bpy.ops.superpose.add_goal(kind='AIM')
    bpy.ops.superpose.add_goal(kind='AIM')
    assert [goal.name for goal in ob.superpose.goals] == ["Aim head", "Aim head 2"]


@pytest.mark.once
def test_of_a_bake_the_worst_frame_that_is_missed_is_told(addon):
    """Not what frames leave that gave way as was asked, nor the turn of one with the place of another."""
    report = SimpleNamespace(
        missed=np.array([[False, False], [True, False], [True, False]]),
        gave_way=np.zeros((3, 2), bool),
        distances=np.array([[0.5, 0.5], [0.2, 0.1], [0.1, 0.1]]),
        angles=np.array([[0.9, 0.9], [0.1, 0.1], [0.2, 0.1]]),
        badness=np.array([[0.0, 0.0], [3.0, 0.0], [2.0, 0.0]]),
        out_of_reach=np.zeros((3, 2)),
    )
    worst = import_module(f"{addon.name}.reports.shown")._worst_of(report)
    assert worst == [(True, False, 0.2, 0.1, 0.0), (False, False, 0.5, 0.9, 0.0)]
