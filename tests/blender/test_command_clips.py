# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""Clips of motion capture without a window: followed, smoothed, or refused by name."""

import json
from functools import partial

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
    ],
)
def test_what_is_wrong_with_a_clip_is_named(command, clip, tmp_path, text, sentence):
    clip.write_text(text)
    code, told, error = command("smooth", "--clips", clip, "--output", tmp_path / "smooth.blend")
    assert (code, error.count(sentence), error.count(f"'{clip}'")) == (FAILED, 1, 1)
    assert sentence in json.loads(told)["tasks"][0]["error"]
    assert [path.name for path in tmp_path.iterdir()] == ["clip.bvh"]


def test_what_the_importer_refuses_is_one_sentence(command, clip, tmp_path):
    clip.write_text(CLIP.replace("ROOT hips", "ROOT"))
    code, told, error = command("smooth", "--clips", clip, "--output", tmp_path / "smooth.blend")
    said = json.loads(told)["tasks"][0]["error"]
    assert (code, said in error) == (FAILED, True)
    assert said == f"Blender cannot read '{clip}': IndexError: list index out of range"


@pytest.mark.parametrize("make", [lambda path: path.unlink(), lambda path: (path.unlink(), path.mkdir())])
def test_clips_that_cannot_be_read_are_named(command, clip, tmp_path, make):
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


@pytest.mark.once
@pytest.mark.parametrize("count", [1, 2, 3])
def test_clips_of_few_frames(command, shared_data, tmp_path, count):
    lines = (shared_data / "motion" / "cmu_07_01_walk.bvh").read_text().splitlines()
    motion = next(number for number, line in enumerate(lines) if line.startswith("Frames:"))
    short = tmp_path / "short.bvh"
    header = [*lines[:motion], f"Frames: {count}", lines[motion + 1]]
    short.write_text("\n".join([*header, *lines[motion + 60 : motion + 60 + count]]))
    code, told, error = command("smooth", "--clips", short, "--output", tmp_path / "smooth.blend")
    assert code == DONE, error
    frames = json.loads(told)["tasks"][0]["record"]["report"]["clip"]["frames"]
    assert frames == list(range(1, count + 1))


@pytest.mark.once
def test_a_body_follows_a_clip(command, rigify, shared_data, tmp_path):
    """A walk of a smaller body: feet step on the floor, to and fro, and every target is met."""
    ob = metarig("human")
    bpy.ops.superpose.set_up_body(use_live=False)
    low, name = min(ob.data.bones[foot].head_local.z for foot in ("foot.L", "foot.R")), ob.name
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "human.blend"))
    walk = shared_data / "motion" / "cmu_07_01_walk.bvh"
    asked = "bake", "--clips", walk, "--output", tmp_path / "walk.blend", "--step", "40", "--frames", "alone"
    code, told, error = command(*asked)
    assert code == DONE, error
    clip = json.loads(told)["tasks"][0]["record"]["report"]["clip"]
    assert np.max(clip["distances"]) < 0.05
    bpy.ops.wm.open_mainfile(filepath=str(tmp_path / "walk.blend"))
    assert bpy.context.scene.render.fps == 120
    bones = bpy.data.objects[name].pose.bones
    places = []
    for frame in clip["frames"]:
        bpy.context.scene.frame_set(frame)
        places.append([bones[foot].head.copy() for foot in ("foot.L", "foot.R")])
    places = np.array(places)
    assert abs(places[..., 2].min() - low) < 0.03
    assert np.ptp(places[..., 1]) > 1.5  # ahead, which is along Y for both
