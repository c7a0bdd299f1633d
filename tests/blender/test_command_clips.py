# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""Clips of motion capture without a window: followed, smoothed, or refused by name."""

import json
import os
from functools import partial
from importlib import import_module
from pathlib import Path

import bpy
import figures
import numpy as np
import pytest
from command_line import answer
from rigify_rigs import metarig

DONE, FAILED, USAGE = range(3)
CLIP = """HIERARCHY
ROOT hips
{
 OFFSET 0 0 0
 CHANNELS 6 Xposition Yposition Zposition Zrotation Xrotation Yrotation
 JOINT chest
 {
  OFFSET 0 1 0
  CHANNELS 3 Zrotation Xrotation Yrotation
  End Site
  {
   OFFSET 0 1 0
  }
 }
}
MOTION
Frames: 2
Frame Time: 0.04
0 0 0 0 0 0 0 0 0
0 1 0 0 0 0 0 0 0
"""


@pytest.fixture
def command(blend, addon, capfd):
    return partial(answer, addon, capfd)


@pytest.fixture
def clip(tmp_path):
    path = tmp_path / "clip.bvh"
    path.write_text(CLIP)
    return path


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("", "it does not begin with HIERARCHY"),
        ("no clip", "it does not begin with HIERARCHY"),
        (CLIP[: CLIP.index("MOTION")], "is cut off: it has no MOTION"),
        (CLIP[: CLIP.index("2\n")], "is cut off or damaged: it ends in its header"),
        (CLIP[: CLIP.rindex("0 1 0")], "is cut off: 9 numbers are no 2 frames of 9 channels"),
        (CLIP[:-3], "is cut off: 17 numbers are no 2 frames of 9 channels"),
        (CLIP.replace("0 1 0 0 0 0", "0 1 0 x 0 0"), "'x' where a number should be"),
        (CLIP.replace("0 1 0 0 0 0", "0 nan 0 0 0 0"), "'nan' where a number should be"),
        (CLIP.replace("0 1 0 0 0 0", "0 1 0 0 -inf 0"), "'-inf' where a number should be"),
        (CLIP.replace("CHANNELS 3", "CHANNELS nan"), "'nan' where a whole number should be"),
        (CLIP.replace("CHANNELS 3", "CHANNELS 1e999"), "'1e999' where a whole number should be"),
        (CLIP.replace("OFFSET 0 1 0", "OFFSET 0 x 0"), "'x' where a number should be"),
        (CLIP.replace("OFFSET 0 1 0", "OFFSET 0 nan 0"), "'nan' where a number should be"),
        (CLIP.replace("Frames: 2", "Frames: 2.0"), "'2.0' where a whole number should be"),
        (CLIP.replace("Frames: 2", "Frames: 0"), "has no motion: 9 channels, 0 frames of 0.04 s"),
        (CLIP.replace("0.04", "0"), "has no motion: 9 channels, 2 frames of 0 s"),
        (CLIP.replace("0 0\n0 1", "0 0 0 1"), "has 18 numbers in a line, where Blender reads a frame of 9"),
        (CLIP.replace("0 1 0", "0\n1 0"), "has the line 'OFFSET 0' where Blender reads one of 'OFFSET'"),
        (CLIP.replace("0 1 0 0 0 0", "0 1 0\n0 0 0"), "has 3 numbers in a line, where"),
        (CLIP.replace("MOTION\n", "MOTION "), "is cut off: it has no MOTION"),
        (CLIP.replace("2\nFrame", "2 Frame"), "has the line 'Frames: 2 Frame Time: 0.04' where"),
        (CLIP.replace("Frames: 2", "Frames:2"), "has the line 'Frames:2' where"),
        (CLIP.replace("HIERARCHY\n", "HIERARCHY "), "has the line 'HIERARCHY ROOT hips' where"),
        ("\ufeff" + CLIP, "begins with a byte order mark"),
        (CLIP.replace("}", "", 1), "its braces do not match"),
        (CLIP.replace("}", "}}", 1), "its braces do not match"),
        (CLIP.replace("}", "}\n}", 1), "its braces do not match"),
        (CLIP.replace("hips\n{", "hips {"), "has the line 'OFFSET 0 0 0' where Blender reads one of '{'"),
        (CLIP.replace("ROOT hips", "ROOT"), "has a joint without a name"),
        (
            CLIP.replace("CHANNELS 3 Zrotation", "CHANNELS 2"),
            "channels Xrotation Yrotation for joint 'chest'",
        ),
        (CLIP.replace("CHANNELS 3 Z", "CHANNELS 3 X"), "'chest': Blender reads rotations about three axes"),
        (CLIP.replace("CHANNELS 3", "CHANNELS 2"), "has 3 channels for joint 'chest', and says 2"),
        (CLIP.replace("  CHANNELS 3 Zrotation Xrotation Yrotation\n", ""), "where Blender reads one of"),
    ],
)
def test_what_is_wrong_with_a_clip_is_named(command, clip, tmp_path, text, sentence):
    clip.write_text(text)
    code, told, error = command("smooth", "--clips", clip, "--output", tmp_path / "smooth.blend")
    assert (code, error.count(sentence), error.count(f"'{clip}'")) == (FAILED, 1, 1)
    assert sentence in json.loads(told)["tasks"][0]["error"]
    assert [path.name for path in tmp_path.iterdir()] == ["clip.bvh"]


def test_what_the_importer_refuses_is_one_sentence(command, clip, tmp_path):
    clip.write_text(CLIP.replace("0.04", "1e-320"))
    code, told, error = command("smooth", "--clips", clip, "--output", tmp_path / "smooth.blend")
    said = json.loads(told)["tasks"][0]["error"]
    assert (code, said in error) == (FAILED, True)
    assert said == f"Blender cannot read '{clip}': OverflowError: cannot convert float infinity to integer"


def test_text_of_another_encoding_is_no_clip(command, clip, tmp_path):
    clip.write_bytes(CLIP.replace("hips", "H\xfcfte").encode("latin-1"))
    code, _, error = command("smooth", "--clips", clip, "--output", tmp_path / "smooth.blend")
    assert (code, error.count(f"'{clip}' is no BVH file: it is no UTF-8 text")) == (FAILED, 1)


INSTEAD = [lambda _: None, Path.mkdir, *([os.mkfifo] if hasattr(os, "mkfifo") else [])]


@pytest.mark.parametrize("make", INSTEAD)
def test_clips_that_cannot_be_read_are_named(command, clip, tmp_path, make):
    clip.unlink()
    make(clip)
    code, _, error = command("smooth", "--clips", clip, "--output", tmp_path / "smooth.blend")
    assert (code, error.count(f"'{clip}' cannot be read: ")) == (FAILED, 1)


def test_a_clip_without_a_body_is_named(command, clip, tmp_path):
    figures.ready()
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "scene.blend"))
    code, _, error = command("bake", "--clips", clip, "--output", tmp_path / "baked.blend")
    assert code == FAILED
    assert "has too" in error or "was not recognised" in error
    assert not (tmp_path / "baked.blend").exists()


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (("bake", "--in-place"), "--in-place: clips are read only, so name an --output"),
        (("bake", "--files", "other.blend", "--output", "a.blend"), "2 files are made, and 'a.blend' is one"),
        (("smooth", "--output", "a.blend"), "2 files are made, and 'a.blend' is one"),
        (("smooth", "--output", "a.BLEND"), "2 files are made, and 'a.BLEND' is one"),
        (("bake", "--output", ""), "--output: name a .blend file or a folder"),
    ],
)
def test_arguments_that_make_no_sense_are_named(command, clip, tmp_path, arguments, sentence):
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "scene.blend"))
    code, _, error = command(*arguments, "--clips", clip)
    assert (code, error.count(sentence)) == (USAGE, 1)


def test_outputs_are_named_after_clips(command, clip, tmp_path):
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "scene.blend"))
    other = tmp_path / "other.blend"
    other.write_bytes((tmp_path / "scene.blend").read_bytes())
    asked = "--clips", clip, "--output", tmp_path / "out", "--dry-run"

    def names(*arguments):
        told = json.loads(command(*arguments, *asked)[1])
        return [task["output"].rpartition("/")[2] for task in told["tasks"]]

    assert names("bake") == ["clip.blend"]
    assert names("bake", "--files", other) == ["scene_clip.blend", "other_clip.blend"]
    assert names("smooth") == ["scene.blend", "clip.blend"]


def test_a_file_that_is_there_is_no_pattern(command, clip, tmp_path):
    names = ["walk[1]", "walk1", "walk2"]
    for name in names:
        (tmp_path / f"{name}.bvh").write_text(CLIP)

    def outputs(pattern):
        asked = "smooth", "--clips", tmp_path / pattern, "--output", tmp_path / "out", "--dry-run"
        return [task["output"].rpartition("/")[2] for task in json.loads(command(*asked)[1])["tasks"]]

    assert outputs("walk[1].bvh") == ["walk[1].blend"]
    assert outputs("walk[12].bvh") == ["walk1.blend", "walk2.blend"]


def walk_of(shared_data, tmp_path, count):
    """A file with so many frames of a walk."""
    lines = (shared_data / "motion" / "cmu_07_01_walk.bvh").read_text().splitlines()
    motion = next(number for number, line in enumerate(lines) if line.startswith("Frames:"))
    short = tmp_path / "short.bvh"
    header = [*lines[:motion], f"Frames: {count}", lines[motion + 1]]
    short.write_text("\n".join([*header, *lines[motion + 60 : motion + 60 + count]]))
    return short


@pytest.mark.once
@pytest.mark.parametrize("count", [1, 2, 3])
def test_clips_of_few_frames(command, shared_data, tmp_path, count):
    short = walk_of(shared_data, tmp_path, count)
    code, told, error = command("smooth", "--clips", short, "--output", tmp_path / "smooth.blend")
    assert code == DONE, error
    frames = json.loads(told)["tasks"][0]["record"]["report"]["clip"]["frames"]
    assert frames == list(range(1, count + 1))


@pytest.fixture
def human(rigify, tmp_path):
    """The human metarig, set up and saved; its name, and how high its ankles are."""
    ob = metarig("human")
    bpy.ops.superpose.set_up_body(use_live=False)
    low = min(ob.data.bones[foot].head_local.z for foot in ("foot.L", "foot.R"))
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "human.blend"))
    return ob.name, low


def ankles(name, frames):
    """Where both ankles are (frames, 2, 3) in the open file."""
    bones, places = bpy.data.objects[name].pose.bones, []
    for frame in frames:
        bpy.context.scene.frame_set(frame)
        places.append([bones[foot].head.copy() for foot in ("foot.L", "foot.R")])
    return np.array(places)


@pytest.mark.once
def test_a_body_follows_a_clip(command, human, shared_data, tmp_path):
    """A walk of a smaller body, on a floor that sinks by 12 cm: feet step on a level one, to and fro."""
    name, low = human
    walk = shared_data / "motion" / "cmu_07_01_walk.bvh"
    objects = len(bpy.data.objects)
    asked = "bake", "--clips", walk, "--output", tmp_path / "walk.blend", "--step", "20", "--frames", "alone"
    code, told, error = command(*asked, "--frame-start", "10", "--frame-end", "290")
    assert code == DONE, error
    report = json.loads(told)["tasks"][0]["record"]["report"]
    assert any("was tilted by" in note and "made level" in note for note in report["notes"])
    assert any("by rotation alone" in note for note in report["notes"])
    clip = report["clip"]
    assert np.max(clip["distances"]) < 0.05
    bpy.ops.wm.open_mainfile(filepath=str(tmp_path / "walk.blend"))
    scene = bpy.context.scene
    assert (scene.render.fps, scene.frame_start, scene.frame_end) == (120, 10, 290)
    assert len(bpy.data.objects) == objects + 3  # the clip, and the targets of toes
    assert [bpy.context.object, *bpy.context.selected_objects] == [bpy.data.objects[name]] * 2
    places = ankles(name, clip["frames"])
    assert np.abs(places[..., 2].min(axis=1) - low).max() < 0.03
    assert np.ptp(places[..., 1]) > 1.5  # ahead, which is along Y for both


@pytest.mark.once
def test_a_live_body_is_not_posed_while_a_clip_is_read(
    command, addon, human, shared_data, tmp_path, monkeypatch
):
    """Nor does it make a difference to what is baked that it is."""
    follower = import_module(f"{addon.name}.live.follower").Follower
    entered, enter = [], follower.enter_frame
    monkeypatch.setattr(follower, "enter_frame", lambda *asked: entered.append(asked) or enter(*asked))
    short, baked, counts = walk_of(shared_data, tmp_path, 12), {}, {}
    for is_live in (False, True):
        bpy.ops.wm.open_mainfile(filepath=str(tmp_path / "human.blend"))
        bpy.data.objects[human[0]].superpose_live = is_live
        bpy.ops.wm.save_mainfile()
        entered.clear()
        output = tmp_path / f"{is_live}.blend"
        code, _, error = command("bake", "--clips", short, "--output", output, "--frames", "alone")
        assert code == DONE, error
        counts[is_live] = len(entered)
        bpy.ops.wm.open_mainfile(filepath=str(output))
        baked[is_live] = ankles(human[0], range(1, 13))
    assert counts[True] < 6, counts
    assert np.abs(baked[True] - baked[False]).max() < 1e-5


@pytest.mark.once
def test_a_floor_stays_tilted_for_whoever_says_so(command, human, shared_data, tmp_path):
    name, _ = human
    walk = shared_data / "motion" / "cmu_07_01_walk.bvh"
    asked = "bake", "--clips", walk, "--output", tmp_path / "walk.blend", "--step", "140", "--no-level"
    code, told, error = command(*asked, "--frame-start", "20", "--frame-end", "300")
    assert code == DONE, error
    report = json.loads(told)["tasks"][0]["record"]["report"]
    assert any("was tilted by" in note and "is kept" in note for note in report["notes"])
    bpy.ops.wm.open_mainfile(filepath=str(tmp_path / "walk.blend"))
    lowest = ankles(name, report["clip"]["frames"])[..., 2].min(axis=1)
    assert lowest[0] - lowest[-1] > 0.05


@pytest.mark.once
def test_what_is_up_in_a_clip_is_told_by_its_body(command, addon, shared_data, tmp_path):
    """The same skeleton, its axes named otherwise, is imported the same way up."""
    clips = import_module(f"{addon.name}.command.clips")
    text = (shared_data / "motion" / "cmu_07_01_walk.bvh").read_text()
    header, _, rows = text.partition("MOTION")
    for up, order in (("Y", (0, 1, 2)), ("Z", (0, 2, 1)), ("X", (1, 0, 2))):
        lines = [turned(line, order) for line in header.splitlines()]
        path = tmp_path / f"{up}.bvh"
        path.write_text("\n".join(lines) + "\nMOTION" + rows)
        body = import_module(f"{addon.name}.armature.setup.body").recognised_body(clips.imported(path))
        assert body.up[2] > 0.9


def turned(line, order):
    """A line of a skeleton whose offsets have their axes in another order; a swap turns one of them round."""
    words = line.split()
    if words[:1] != ["OFFSET"]:
        return line
    first, *others = (float(words[1 + axis]) for axis in order)
    offset = [first if order == (0, 1, 2) else -first, *others]
    return "OFFSET " + " ".join(map(str, offset))
