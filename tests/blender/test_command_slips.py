# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""Slips at the command line: frames that are far away, and files of one's own that are in the way."""

import os
import re
import shutil
from importlib import import_module
from pathlib import Path

import bpy
import figures
import pytest
from command_line import answer, beside, saved

pytestmark = [pytest.mark.usefixtures("blend"), pytest.mark.once]

DONE, FAILED, USAGE, _ = range(4)
FRAMES = 5


@pytest.fixture
def file(tmp_path):
    """A saved file: a figure whose hand's target has keys from frame 2 on."""
    ob = figures.ready()
    bpy.context.scene.frame_start, bpy.context.scene.frame_end = 1, FRAMES
    figures.target_of(ob, "hand.L").keyframe_insert("location", frame=2)
    return saved(ob, tmp_path / "scene.blend")


@pytest.fixture
def command(addon, capfd):
    return lambda *arguments: answer(addon, capfd, *arguments)


@pytest.mark.parametrize(
    ("ends", "code", "why"),
    [
        ((1, 99999999), USAGE, "'99999999' is not a whole number from -1048574 to 1048574"),
        ((1, 1048574), FAILED, "go far beyond those of the scene and of all keys, 1 to 5; if you mean them"),
        ((-20000, 3), FAILED, "Frames -20000 to 3 go far beyond"),
    ],
)
@pytest.mark.parametrize("kind", ["bake", "smooth", "inspect"])
def test_frames_that_are_far_away_are_refused(command, file, tmp_path, kind, ends, code, why):
    before = beside(file)
    output = () if kind == "inspect" else ("--output", tmp_path / "far.blend")
    found, _, error = command(kind, *output, "--frame-start", ends[0], "--frame-end", ends[1])
    assert found == code
    assert why in error
    assert beside(file) == before


@pytest.mark.parametrize(
    ("ends", "why"),
    [
        (["--frame-start", "3"], "--frame-start needs --frame-end beside it"),
        (["--frame-end", "3"], "--frame-end needs --frame-start beside it"),
        (["--range", "scene", "--frame-start", "2", "--frame-end", "3"], "--frame-start needs --range"),
        (["--frame-start", "3", "--frame-end", "2"], "--frame-start 3 comes after --frame-end 2"),
    ],
)
@pytest.mark.parametrize("kind", ["bake", "smooth", "inspect"])
def test_ends_that_make_no_range_are_refused(command, file, tmp_path, kind, ends, why):
    before = beside(file)
    output = () if kind == "inspect" else ("--output", tmp_path / "part.blend")
    code, told, error = command(kind, *output, *ends)
    assert (code, told, error.count(f"error: {why}")) == (USAGE, "", 1)
    assert beside(file) == before


def test_frames_that_only_keys_have_are_not_far_away(command, file, tmp_path):
    figures.target_of(bpy.data.objects["Figure"], "hand.L").keyframe_insert("location", frame=30000)
    bpy.ops.wm.save_mainfile()
    ends = "--frame-start", 29999, "--frame-end", 30000
    assert command("bake", "--output", tmp_path / "far.blend", *ends)[0] == DONE


@pytest.mark.parametrize("text", ["mine", "[1, 2]", '{"output": 1}'])
def test_a_file_of_ones_own_where_the_record_would_be_stays(command, file, tmp_path, text):
    own = tmp_path / "baked.superpose.json"
    own.write_text(text)
    for more in (("--dry-run",), ()):
        code, _, error = command("bake", "--output", tmp_path / "baked.blend", *more)
        assert code == FAILED
        assert f"'{own}' is there already, and is no record of an output" in error
    assert own.read_text() == text
    assert not (tmp_path / "baked.blend").exists()
    assert command("bake", "--output", tmp_path / "baked.blend", "--replace")[0] == DONE
    assert own.read_text() != text


def test_baked_in_place_a_file_stays_a_file_of_ones_own(command, file, tmp_path):
    own, before = tmp_path / "scene.superpose.json", file.read_bytes()
    own.write_text("mine")
    assert command("bake", "--in-place", "--replace")[0] == FAILED
    assert (own.read_text(), file.read_bytes()) == ("mine", before)


def test_a_file_of_a_newer_blender_is_not_written_over(command, file, tmp_path):
    """This one reads only what it knows of it."""
    bpy.ops.wm.save_as_mainfile(filepath=str(file), compress=False)
    head, digits, rest = re.split(rb"(?<=v)(0?\d{3})", file.read_bytes(), maxsplit=1)
    newer = head + str(int(digits) + 1).zfill(len(digits)).encode() + rest
    file.write_bytes(newer)
    code, _, said = command("bake", "--in-place")
    assert code == FAILED
    assert "'scene.blend' was saved by Blender" in said
    assert file.read_bytes() == newer
    assert command("bake", "--output", tmp_path / "baked.blend")[0] == DONE


@pytest.mark.parametrize("more", [(), ("--dry-run",)])
@pytest.mark.parametrize("where", [("--in-place",), ("--replace", "--output", "scene.blend")])
def test_a_file_that_may_not_be_written_to_stays(command, file, monkeypatch, where, more):
    """Whoever runs tests may write to any, and so is told otherwise."""
    before = file.read_bytes()
    monkeypatch.chdir(file.parent)
    monkeypatch.setattr(os, "access", lambda path, mode: Path(path) != file)
    code, _, error = command("bake", *where, *more)
    assert (code, error.count(f"'{file}' cannot be written: Permission denied")) == (FAILED, 1)
    assert (beside(file), file.read_bytes()) == ([file.name], before)


def test_a_link_that_leads_to_itself_is_named(command, file, tmp_path):
    ring = tmp_path / "ring.blend"
    ring.symlink_to(ring)
    bpy.ops.wm.save_userpref()  # the file is done by a Blender of its own
    code, _, error = command("bake", "--output", tmp_path / "baked", "--files", ring)
    assert code == FAILED
    assert f"'{ring}' cannot be read" in error
    assert (tmp_path / "baked" / file.name).exists()


def test_a_blender_that_cannot_be_started_is_told(addon, command, file, tmp_path, monkeypatch):
    other = tmp_path / "other.blend"
    shutil.copy(file, other)
    children = import_module(f"{addon.name}.command.children")
    monkeypatch.setattr(children, "command_line", lambda *_: [str(tmp_path / "no program")])
    code, _, error = command("bake", "--output", tmp_path / "baked", "--files", other)
    told = "Blender cannot be started: No such file or directory"
    assert (code, error.count(f"scene.blend: {told}"), error.count(f"other.blend: {told}")) == (FAILED, 1, 1)
    assert not (tmp_path / "baked").exists()


@pytest.mark.parametrize("name", ["n" * 300 + ".blend", "n" * 300, "n" * 235 + ".blend"])
@pytest.mark.parametrize("more", [(), ("--dry-run",)])
def test_an_output_whose_name_is_too_long_is_refused(command, file, tmp_path, name, more):
    before = beside(file)
    code, _, error = command("bake", "--output", tmp_path / name, *more)
    assert code == FAILED
    assert "cannot be written: File name too long" in error
    assert beside(file) == before


@pytest.mark.parametrize("option", ["--json", "--svg"])
def test_an_answer_whose_name_is_too_long_is_refused_before_anything_is_done(command, file, tmp_path, option):
    before = beside(file)
    place = tmp_path / ("n" * 252 + option.replace("--", "."))
    code, _, error = command("bake", "--output", tmp_path / "baked.blend", option, place)
    assert code == FAILED
    assert "cannot be written: File name too long" in error
    assert beside(file) == before


def test_a_source_whose_name_is_too_long_is_named(command, file, tmp_path):
    code, _, error = command("bake", "--output", tmp_path / "baked.blend", "--clips", "n" * 300 + ".bvh")
    assert code == FAILED
    assert "n.bvh' cannot be read: File name too long" in error


@pytest.mark.parametrize("places", [("one.svg", "one.svg"), ("one", "one")])
@pytest.mark.parametrize("kind", ["bake", "inspect"])
def test_the_answer_and_the_picture_have_places_of_their_own(command, file, tmp_path, kind, places):
    before = beside(file)
    output = () if kind == "inspect" else ("--output", tmp_path / "baked.blend")
    answer, picture = (tmp_path / place for place in places)
    code, _, error = command(kind, *output, "--json", answer, "--svg", picture)
    assert code == FAILED
    assert "is read or made by Superpose: name another file for the SVG" in error
    assert beside(file) == before
