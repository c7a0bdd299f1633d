# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""The clip report as a user has it: its picture, its files, and the panel."""

from dataclasses import replace
from importlib import import_module
from itertools import pairwise
from types import SimpleNamespace
from xml.etree import ElementTree

import bpy
import figures
import numpy as np
import pytest
from drawn_panels import draw_panel
from test_clip_report import reaching
from windowed import Window, operator

pytestmark = [pytest.mark.usefixtures("blend"), pytest.mark.once]


@pytest.fixture
def ours(addon):
    reports = import_module(f"{addon.name}.reports")
    comparison = import_module(f"{addon.name}.solvers.comparison")
    picture = import_module(f"{addon.name}.operators.clip_report.picture")
    lettering = import_module(f"{addon.name}.operators.lettering")
    return SimpleNamespace(reports=reports, comparison=comparison, picture=picture, lettering=lettering)


def bake():
    reaching(figures.ready())
    bpy.ops.superpose.mark_frames(kind="superpose_contact", bone="hand.L", frame_start=7, frame_end=9)
    bpy.ops.superpose.bake()


@pytest.fixture
def baked(blend, made_once):
    return made_once("baked", bake)


def test_the_picture_has_a_curve_for_each_effector_and_what_needs_a_look(ours, baked):
    report = ours.reports.clip_report_of(baked)
    drawing = ours.reports.clip_picture(report)
    lines = [shape for shape in drawing.shapes if isinstance(shape, ours.comparison.Line)]
    places = np.array([point for line in lines for point in line.points])
    assert (places >= 0).all()
    assert (places <= (drawing.width, drawing.height)).all()
    curves = [np.array(line.points) for line in lines if len(line.points) == len(report.frames)]
    assert len(curves) == 2 * len(report.names) + 1
    for values, curve in zip([*report.distances.T, *report.angles.T, report.speeds], curves, strict=True):
        assert np.allclose(curve[:, 0], np.linspace(curve[0, 0], curve[-1, 0], len(curve)), atol=1)
        assert np.allclose(np.argsort(curve[:, 1])[0], values.argmax()) or np.ptp(curve[:, 1]) < 1e-6
    across = curves[0][:, 0]
    looks = {line.points[0][0] for line in lines if line.dash == (8.0, 6.0)}
    worst = [across[report.frames.index(frame)] for frame in sorted(report.worst)]
    assert np.allclose(sorted(looks), worst, atol=1)
    (stands,) = bars(ours, drawing, "#d55e00", "#0072b2", "#009e73", "#cc79a7")
    half = (across[1] - across[0]) / 2
    assert np.allclose([x for x, _ in stands.points], [across[6] - half, across[8]], atol=1)


@pytest.mark.parametrize(("times", "height"), [(0.1, 0.1), (1.0, 1.0), (10.0, 1.0)])
def test_curves_are_as_high_as_what_they_show_can_be_seen_and_say_of_how_much_they_are_most(
    ours, times, height, baked
):
    report = ours.reports.clip_report_of(baked)
    many = len(report.frames), len(report.names)
    there = replace(report, distances=np.full(many, times * 0.02), visible=np.full((many[0], 1), 0.02))
    shapes = ours.reports.clip_picture(there).shapes
    words = [shape.words for shape in shapes if isinstance(shape, ours.comparison.Text)]
    most = {0.1: "2 mm of 2 cm", 1.0: "2 cm", 10.0: "20 cm"}[times]
    assert words[words.index("Distance") + 1] == f"up to {most}"
    lines = [shape for shape in shapes if isinstance(shape, ours.comparison.Line)]
    upper, lower = [line.points[0][1] for line in lines if line.width == 2.0][:2]
    first = next(line for line in lines if line.width == 3.0 and len(line.points) == many[0])
    assert [y for _, y in first.points] == pytest.approx([lower - height * (lower - upper)] * many[0])


def test_the_speed_of_a_leap_out_of_the_first_pose_is_cut_off(ours, baked):
    report, top = ours.reports.clip_report_of(baked), 2.0
    speeds = np.linspace(0.0, top, len(report.frames))
    speeds[0] = 9 * top
    shapes = ours.reports.clip_picture(replace(report, speeds=speeds)).shapes
    words = [shape.words for shape in shapes if isinstance(shape, ours.comparison.Text)]
    assert words[words.index("Fastest joint") + 1] == "up to 2 m/s (18 m/s)"
    heights = [y for _, y in [shape.points for shape in shapes if len(getattr(shape, "points", ())) > 2][-1]]
    assert heights[0] == heights[-1] == min(heights)


def bars(ours, drawing, *colours):
    """The bars of a picture in some colours."""
    lines = [shape for shape in drawing.shapes if isinstance(shape, ours.comparison.Line)]
    return [line for line in lines if line.width == 6.0 and line.colour.lower() in colours]


def test_a_bar_of_one_frame_can_be_seen_however_many_frames_there_are(ours, baked):
    report = ours.reports.clip_report_of(baked)
    count = 400
    rows = np.arange(count) % len(report.frames)
    parts = ("distances", "angles", "missed", "gave_way", "visible", "contacts", "speeds")
    long = replace(
        report,
        frames=tuple(range(1, count + 1)),
        fastest=(report.fastest[0],) * count,
        **{name: np.take(getattr(report, name), rows, axis=0) for name in parts},
    )
    for one in (report, long):
        found = bars(ours, ours.reports.clip_picture(one), "#cc0000")
        assert found
        for line in found:
            (start, _), (end, _) = line.points
            assert end - start >= 8 - 1e-6 or end == pytest.approx(456)


@pytest.mark.parametrize(
    ("worst", "written"),
    [((15, 17), 2), ((17, 15), 2), ((15, 16, 17), 2), ((1, 4, 3), 2), ((40, 39), 1), ((8, 20, 31), 3)],
)
def test_numbers_of_frames_are_clear_of_each_other(ours, worst, written, baked):
    report = ours.reports.clip_report_of(baked)
    rows = np.zeros(40, int)
    parts = ("distances", "angles", "missed", "gave_way", "visible", "contacts", "speeds")
    long = replace(
        report,
        frames=tuple(range(1, 41)),
        fastest=(report.fastest[0],) * 40,
        worst=worst,
        **{name: np.take(getattr(report, name), rows, axis=0) for name in parts},
    )
    texts = [
        shape for shape in ours.reports.clip_picture(long).shapes if isinstance(shape, ours.comparison.Text)
    ]
    spans = []
    with ours.lettering.lettering() as letters:
        for text in texts:
            if text.words.isdigit():
                wide = np.ptp(letters(text.words)[..., 0]) * text.size
                start = text.place[0] - {"start": 0, "middle": 0.5, "end": 1}[text.anchor] * wide
                spans.append((start, start + wide))
    assert len(spans) == written
    assert all(0 <= start < end <= 464 for start, end in spans)
    assert all(end + 4 < after for (_, end), (after, _) in pairwise(sorted(spans)))


def test_what_is_pinned_stands(ours):
    ob = reaching(figures.ready())
    ob.pose.bones["hips"].superpose.hold = 'PINNED'
    bpy.ops.superpose.bake()
    report = ours.reports.clip_report_of(ob)
    stands = dict(zip(report.names, report.contacts.all(axis=0), strict=True))
    assert [name for name, does in stands.items() if does] == ["'hips'"]


def test_one_frame_alone_has_a_picture_too(ours):
    ob = reaching(figures.ready())
    bpy.ops.superpose.bake(range='CUSTOM', frame_start=5, frame_end=5)
    svg = ours.comparison.to_svg(ours.reports.clip_picture(ours.reports.clip_report_of(ob)))
    assert "frames 5 to 5" in svg


def test_the_picture_is_painted_once_for_each_report(ours, monkeypatch, baked):
    ob, painted = baked, []
    inner = ours.picture.painted
    monkeypatch.setattr(ours.picture, "painted", lambda drawing: painted.append(drawing) or inner(drawing))
    for _ in range(2):
        ours.picture._paint_soon(ob.name)
    assert len(painted) == 1
    bpy.ops.superpose.bake(range='CUSTOM', frame_start=1, frame_end=3)
    ours.picture._paint_soon(ob.name)
    assert len(painted) == 2
    bpy.ops.superpose.solve()
    ours.picture._paint_soon(ob.name)
    assert len(painted) == 2


def test_reports_are_saved_by_the_ending(tmp_path, baked):
    ob = baked
    for name in ("clip.json", "clip.SVG"):
        bpy.ops.superpose.save_clip_report(filepath=str(tmp_path / name))
    assert (tmp_path / "clip.json").read_text(encoding="utf-8").strip() == ob.superpose.clip_report
    texts = [part.text for part in ElementTree.parse(tmp_path / "clip.SVG").getroot().iter()]
    assert f"{ob.name}, frames 1 to 9" in texts


def test_a_file_is_proposed_that_ends_as_its_format_does(tmp_path, baked):
    ob, window, proposed = baked, Window(), []
    window.window_manager.fileselect_add = proposed.append
    save = operator("save_clip_report")
    assert save.invoke(window, None) == {'RUNNING_MODAL'}
    assert proposed == [save]
    assert save.path.name == f"{ob.name}_clip.svg"
    save.file_format = 'JSON'
    assert save.check(window)
    assert save.path.name == f"{ob.name}_clip.json"
    save.filepath = str(tmp_path / "walk.v2")
    assert save.check(window)
    assert save.path == tmp_path / "walk.v2.json"
    assert not save.check(window)


def test_pictures_are_square_however_many_effectors_there_are(ours, baked):
    report = ours.reports.clip_report_of(baked)
    count = len(report.names)
    wide = replace(
        report,
        names=8 * report.names,
        **{name: np.tile(getattr(report, name), 8) for name in ("distances", "angles", "missed", "gave_way")},
    )
    for one in (report, wide):
        drawing = ours.reports.clip_picture(one)
        assert drawing.width == drawing.height
        lowest = max(shape.place[1] for shape in drawing.shapes if isinstance(shape, ours.comparison.Text))
        assert lowest < drawing.height
    assert len(wide.names) == 8 * count


def test_the_box_of_a_bake_leads_to_its_report(baked):
    assert "SUPERPOSE_PT_clip_report" in draw_panel("SUPERPOSE_PT_main")
    bpy.ops.superpose.solve()
    assert "SUPERPOSE_PT_clip_report" not in draw_panel("SUPERPOSE_PT_main")


def test_the_picture_is_asked_for_before_the_button_that_shows_it_is_pressed(monkeypatch, baked):
    ob, asked = baked, []
    monkeypatch.setattr(bpy.types.SUPERPOSE_OT_save_clip_report, "picture", asked.append)
    draw_panel("SUPERPOSE_PT_main")
    assert asked == [ob]
    bpy.ops.superpose.solve()
    draw_panel("SUPERPOSE_PT_main")
    assert asked == [ob]


def test_marks_say_whose_they_are(baked):
    ob = baked
    for bone in figures.EFFECTORS[:2]:
        ob.superpose.active_bone_index = ob.pose.bones.find(bone)
        drawn = draw_panel("SUPERPOSE_PT_recording")
        assert f"'{bone}', in this frame:" in drawn
        assert drawn.index(f"'{bone}', in this frame:") < drawn.index("superpose_mask")


@pytest.mark.parametrize(
    ("name", "match"), [("clip.txt", "neither in .json nor in .svg"), ("no/clip.json", "cannot be written")]
)
def test_what_cannot_be_saved_is_refused(tmp_path, name, match, baked):
    figures.refused(bpy.ops.superpose.save_clip_report, match, filepath=str(tmp_path / name))
    assert not list(tmp_path.iterdir())


def test_without_a_bake_there_is_nothing_to_save_or_mark(tmp_path):
    figures.ready()
    bpy.ops.superpose.solve()
    path = str(tmp_path / "clip.json")
    figures.refused(bpy.ops.superpose.save_clip_report, "there is no clip report", filepath=path)
    figures.refused(bpy.ops.superpose.mark_worst_frames, "No frame of the last bake")
    figures.refused(bpy.ops.superpose.unmark_worst_frames, "There are no markers")


def test_the_panel_lists_the_frames_and_takes_there(ours, baked):
    ob = baked
    worst = ours.reports.clip_report_of(ob).worst
    drawn = draw_panel("SUPERPOSE_PT_clip_report")
    assert drawn.count("superpose.go_to_frame") == len(worst)
    assert "superpose.unmark_worst_frames" not in drawn
    bpy.ops.superpose.mark_worst_frames()
    assert "superpose.unmark_worst_frames" in draw_panel("SUPERPOSE_PT_clip_report")
    bpy.ops.superpose.go_to_frame(frame=worst[0])
    assert bpy.context.scene.frame_current == worst[0]
    bpy.ops.superpose.solve()
    assert not bpy.types.SUPERPOSE_PT_clip_report.poll(bpy.context)


def test_a_frame_that_needs_a_look_names_what_the_box_names(ours, baked):
    """Of what is missed the head is less far away, but more than the hand by what can be seen."""
    report = ours.reports.clip_report_of(baked)
    row = report.frames.index(report.worst[0])
    head, hand = (report.names.index(f"'{name}'") for name in ("head", "hand.L"))
    missed, angles = report.missed.copy(), report.angles.copy()
    missed[row, [head, hand]], angles[row, head] = True, 3.0
    turned = replace(report, missed=missed, angles=angles)
    for told, name in ((report, "hand.L"), (turned, "head")):
        assert ours.reports.look_text(bpy.context.scene, told, report.worst[0]).startswith(f"'{name}' ")


def box_of_words(letters, text):
    """Where the words are: left, right, top and bottom."""
    drawn = letters(text.words) * text.size
    (left, low), (right, high) = drawn.min(axis=(0, 1)), drawn.max(axis=(0, 1))
    begin = text.place[0] - {"start": 0.0, "middle": 0.5, "end": 1.0}[text.anchor] * (right + left)
    return begin + left, begin + right, text.place[1] - high, text.place[1] - low


def boxes_of_line(line):
    """Where the parts of a line are, as wide as it is."""
    for (x, y), (to_x, to_y) in pairwise(line.points):
        half_x, half_y = line.width / 2 * (x == to_x), line.width / 2 * (y == to_y)
        yield min(x, to_x) - half_x, max(x, to_x) + half_x, min(y, to_y) - half_y, max(y, to_y) + half_y


@pytest.mark.parametrize("count", [4, 7, 12])
def test_words_are_clear_of_each_other_and_of_all_lines(ours, count, baked):
    """However many effectors there are, and however long their names."""
    report, long = ours.reports.clip_report_of(baked), "'QuickRigCharacter_Reference:{}_LeftHandIndex1'"
    shape = (len(report.frames), count)
    crowded = replace(
        report,
        armature=40 * "body",
        names=tuple((long if number % 2 else "'hand.{}'").format(number) for number in range(count)),
        worst=report.frames,
        **{name: np.ones(shape) for name in ("distances", "angles")},
        **{name: np.ones(shape, bool) for name in ("missed", "gave_way", "contacts")},
    )
    drawing = ours.reports.clip_picture(crowded)
    with ours.lettering.lettering() as letters:
        texts = (shape for shape in drawing.shapes if isinstance(shape, ours.comparison.Text))
        words = [box_of_words(letters, text) for text in texts]
    lines = [shape for shape in drawing.shapes if isinstance(shape, ours.comparison.Line)]
    others = [box for line in lines for box in boxes_of_line(line)]
    for place, (left, right, top, bottom) in enumerate(words):
        assert 0 <= left < right <= drawing.width
        for other in (*words[place + 1 :], *others):
            is_beside = other[0] >= right - 0.5 or other[1] <= left + 0.5
            assert is_beside or other[2] >= bottom - 0.5 or other[3] <= top + 0.5
