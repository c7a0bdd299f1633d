# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""Files looked at without a window: what is told is what Blender shows, and nothing is changed."""

import json
from functools import partial
from math import nan

import armatures
import bpy
import figures
import numpy as np
import pytest
from command_line import answer

DONE, FAILED, _, MISSED = range(4)
LAST = 8


@pytest.fixture
def inspect(blend, addon, capfd):
    return partial(answer, addon, capfd, "inspect")


@pytest.fixture
def ob(blend, tmp_path):
    """A figure in a saved file, which is not where its targets are, and turns suddenly."""
    ob = figures.turned_away(figures.ready())
    bpy.context.scene.frame_start, bpy.context.scene.frame_end = 1, LAST
    hand = ob.pose.bones["hand.L"]
    hand.rotation_mode = 'XYZ'
    for frame, angle in ((1, 0.0), (4, 0.0), (5, 1.0), (LAST, 1.0)):
        hand.rotation_euler.x = angle
        hand.keyframe_insert("rotation_euler", frame=frame)
    bpy.context.scene.frame_set(3)
    return ob


def saved(tmp_path):
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "scene.blend"))


def test_what_is_shown_is_told_and_nothing_changed(inspect, ob, tmp_path):
    saved(tmp_path)
    before = figures.state()
    code, told, error = inspect()
    assert code == DONE, error
    assert figures.state() == before
    [about] = json.loads(told)["armatures"]
    assert (about["armature"], about["bones"], about["refusal"]) == ("Figure", 9, "")
    assert [one["bone"] for one in about["effectors"]] == list(figures.EFFECTORS)
    clip = about["clip"]
    assert clip["frames"] == list(range(1, LAST + 1))
    for row, frame in enumerate(clip["frames"]):
        bpy.context.scene.frame_set(frame)
        for column, bone in enumerate(figures.EFFECTORS):
            assert np.isclose(clip["distances"][row][column], figures.distance(ob, bone), atol=1e-5)
            assert np.isclose(clip["angles"][row][column], figures.turn(ob, bone), atol=1e-3)
    assert [(turn["frame"], turn["bone"]) for turn in clip["sudden_turns"]] == [(5, "hand.L")]
    assert np.isclose(clip["sudden_turns"][0]["angle"], 1.0, atol=1e-3)
    assert clip["jumps"] == []


def test_what_live_shows_is_told(inspect, ob, tmp_path):
    """Its bones have keys for one hand alone: without *Live* the body would not go to its targets."""
    target = figures.target_of(ob, "hand.R")
    for frame, y in ((1, 0.1), (LAST, -0.2)):
        target.location.y = y
        target.keyframe_insert("location", frame=frame)
    ob.superpose_live = True
    saved(tmp_path)
    code, told, error = inspect()
    assert code == DONE, error
    clip = json.loads(told)["armatures"][0]["clip"]
    for row, frame in enumerate(clip["frames"]):
        bpy.context.scene.frame_set(frame)
        shown = [figures.distance(ob, bone) for bone in figures.EFFECTORS]
        assert np.allclose(clip["distances"][row], shown, atol=1e-5)
        assert shown[-1] < 1e-3


def test_what_stands_and_what_is_doubtful_is_told(inspect, ob, tmp_path):
    bpy.ops.superpose.mark_frames(bone="hand.R", kind="superpose_contact", frame_start=2, frame_end=4)
    target = figures.target_of(ob, "hand.R")
    for frame, x in ((5, -0.7), (6, nan), (7, -0.7)):
        target.location.x = x
        target.keyframe_insert("location", frame=frame)
    saved(tmp_path)
    [about] = json.loads(inspect()[1])["armatures"]
    assert about["contacts"] == {"hand.R": [[2, 4]]}
    assert [6, 6] in about["doubts"]["hand.R"]
    assert np.isfinite(about["clip"]["distances"]).all()


def test_a_table_can_be_read(inspect, ob, tmp_path):
    saved(tmp_path)
    code, told, _ = inspect("--table", "--json", str(tmp_path / "told.json"))
    assert code == DONE
    assert f"'hand.L'{' ':17}" in told
    assert "8 of 8" in told
    assert "Sudden turns: 'hand.L' by 57° at 5" in told
    assert json.loads((tmp_path / "told.json").read_text())["armatures"][0]["armature"] == "Figure"


@pytest.mark.parametrize(
    ("spoil", "named"), [(figures.name_no_root, "'tail'"), (figures.cross_limit, "'chest'")]
)
def test_what_would_be_refused_is_told_by_name(inspect, ob, tmp_path, spoil, named):
    spoil(ob)
    saved(tmp_path)
    code, told, _ = inspect()
    assert code == DONE
    assert named in json.loads(told)["armatures"][0]["refusal"]
    assert inspect("--strict")[0] == MISSED
    assert "Refused: " in inspect("--table")[1]


def test_strict_is_content_with_what_is_met(inspect, tmp_path):
    ob = figures.ready()
    armatures.refresh()
    saved(tmp_path)
    assert inspect("--strict", "--frame-start", "1", "--frame-end", "2")[0] == DONE
    figures.target_of(ob, "head").location.z += 1
    saved(tmp_path)
    assert inspect("--strict", "--frame-start", "1", "--frame-end", "1")[0] == MISSED


def test_how_far_uneven_scale_shows_axes_off_is_noted(inspect, ob, tmp_path):
    ob.scale.z = 1.2
    saved(tmp_path)
    [about] = json.loads(inspect()[1])["armatures"]
    assert [note for note in about["notes"] if "axes are up to 5.2° off" in note]


def test_motion_is_drawn(inspect, ob, tmp_path):
    saved(tmp_path)
    assert inspect("--svg", str(tmp_path / "drawn"))[0] == DONE
    drawn = (tmp_path / "drawn" / "Figure.svg").read_text()
    assert drawn.startswith("<svg")
    assert "Figure, frames 1 to 8" in drawn


def test_two_pictures_of_one_name_are_refused(inspect, ob, tmp_path):
    ob.name = "Hero A"
    figures.ready("Hero.A")
    saved(tmp_path)
    code, told, error = inspect("--svg", str(tmp_path / "drawn"))
    assert (code, told, error.count("several pictures would be written as 'Hero_A.svg'")) == (FAILED, "", 1)
    assert not (tmp_path / "drawn").exists()


def test_a_closed_standard_output_is_named_unless_the_answer_goes_elsewhere(
    inspect, ob, tmp_path, monkeypatch
):
    saved(tmp_path)
    monkeypatch.setattr("sys.stdout", None)
    code, _, error = inspect()
    assert (code, error.count("Standard output is closed: say with --json")) == (FAILED, 1)
    assert inspect("--json", str(tmp_path / "told.json"))[0] == DONE
    assert json.loads((tmp_path / "told.json").read_text())


def test_a_file_without_effectors_is_named(inspect, tmp_path):
    figures.figure()
    saved(tmp_path)
    code, told, error = inspect()
    assert (code, told, error.count("No armature of the scene 'Scene' has effectors")) == (FAILED, "", 1)
