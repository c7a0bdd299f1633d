# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""Clips on many machines: what Flamenco and Dask are told to do, with a stand-in for Blender."""

import json
import shutil
import subprocess
import sys

import pytest
from shipped import ROOT

pytestmark = pytest.mark.once

# Does what Blender is asked to, but for the work: fails for one clip, and says which options it got.
BLENDER = """#!{python}
import sys
from pathlib import Path
given = dict(zip(sys.argv, sys.argv[1:]))
if "broken" in given["--clips"]:
    sys.exit("Error: the clip is broken")
Path(given["--output"]).write_text(" ".join(sys.argv[1:]))
"""
# What Flamenco has for job types: tasks and commands are kept as they are told.
FLAMENCO = """
const author = {
    Task: (name, type) => ({ name, type, commands: [], addCommand(one) { this.commands.push(one); } }),
    Command: (name, parameters) => ({ name, parameters }),
};
const job = { settings: JSON.parse(process.argv[1]), tasks: [], addTask(task) { this.tasks.push(task); } };
compileJob(job);
console.log(JSON.stringify({ type: JOB_TYPE, tasks: job.tasks }));
"""
SETTINGS = {
    "clips": r"/takes/walk.bvh; Z:\takes\Run Fast.BVH ;",
    "output": "/baked/",
    "smoothness": 0.5,
    "clean": True,
    "step": 2,
    "blendfile": "/jobs/rig.blend",
}


@pytest.fixture
def stand_in(tmp_path):
    path = tmp_path / "blender"
    path.write_text(BLENDER.format(python=sys.executable))
    path.chmod(0o755)
    return path


@pytest.fixture
def flamenco():
    """Compile a job of our type: its exit code, and what it says."""
    if not shutil.which("node"):
        pytest.skip("no node to run a job type of Flamenco with")
    script = (ROOT / "farm" / "superpose-clips.js").read_text(encoding="utf-8")

    def compiled(**changes):
        line = ["node", "-e", script + FLAMENCO, json.dumps(SETTINGS | changes)]
        run = subprocess.run(line, capture_output=True, text=True, timeout=60)
        return run.returncode, run.stdout or run.stderr

    return compiled


def test_flamenco_gets_a_task_for_each_clip(flamenco):
    code, said = flamenco()
    assert code == 0, said
    told = json.loads(said)
    named = [(task["name"], task["type"]) for task in told["tasks"]]
    assert named == [("walk", "blender"), ("Run Fast", "blender")]
    [command] = told["tasks"][1]["commands"]
    asked = command["parameters"]
    assert command["name"] == "blender-render"
    run = [asked[name] for name in ("exe", "exeArgs", "argsBefore", "blendfile")]
    assert run == ["{blender}", "{blenderArgs}", [], "/jobs/rig.blend"]
    line = "--command superpose bake --clips|Z:\\takes\\Run Fast.BVH|--output|/baked/Run Fast.blend|--clean"
    assert asked["args"][:8] == [*line.split("|")[0].split(), *line.split("|")[1:]]
    assert asked["args"][8:] == ["--smoothness", "0.5", "--step", "2"]


def test_flamenco_asks_for_every_setting_that_is_used(flamenco):
    told = json.loads(flamenco()[1])["type"]
    assert {setting["key"] for setting in told["settings"]} == SETTINGS.keys()


@pytest.mark.parametrize(
    ("clips", "sentence"),
    [
        ("/a/walk.bvh;/b/walk.bvh", "Several clips are called walk"),
        ("/a/walk.bvh;/takes/*.bvh", "/takes/*.bvh is a pattern"),
        (" ; ", "No clip is named"),
    ],
)
def test_flamenco_refuses_jobs_that_make_no_sense(flamenco, clips, sentence):
    code, said = flamenco(clips=clips)
    assert code != 0
    assert sentence in said


def dask(*arguments):
    line = [sys.executable, ROOT / "farm" / "dask_clips.py", *arguments]
    return subprocess.run(line, capture_output=True, text=True, timeout=120)


def test_dask_does_clips_with_two_workers_and_tells_which_fails(stand_in, tmp_path):
    pytest.importorskip("distributed", reason="Dask is not installed")
    clips = [tmp_path / f"{name}.bvh" for name in ("walk", "broken", "run")]
    asked = "rig.blend", "--clips", *clips, "--output", tmp_path, "--blender", stand_in, "--workers", "2"
    run = dask(*asked, "--", "--step", "2")
    assert run.returncode == 1, run.stderr
    assert f"{clips[1]}: failed with 1: Error: the clip is broken" in run.stderr
    assert run.stderr.count(": done") == 2
    told = (tmp_path / "walk.blend").read_text()
    assert told.startswith(f"-b rig.blend --command superpose bake --clips {clips[0]} --output ")
    assert told.endswith("walk.blend --step 2")
    assert (tmp_path / "run.blend").exists()


def test_dask_tells_of_a_task_whose_worker_ended_and_goes_on(tmp_path):
    """Dask gives an error in place of a result then."""
    pytest.importorskip("distributed", reason="Dask is not installed")
    ending = """
import sys
sys.path.insert(0, sys.argv[1])
import dask_clips
def do(line):
    if "b.bvh" in line:
        raise MemoryError("the worker ended")
    return 0, ""
dask_clips.do = do
sys.exit(dask_clips.main(["rig.blend", "--clips", "a.bvh", "b.bvh", "c.bvh", "--output", "out"]))
"""
    line = [sys.executable, "-c", ending, ROOT / "farm"]
    run = subprocess.run(line, capture_output=True, text=True, timeout=120, cwd=tmp_path)
    assert run.returncode == 1
    assert "b.bvh: failed with 1: MemoryError: the worker ended" in run.stderr
    assert run.stderr.count(": done") == 2


def test_dask_names_a_scheduler_that_is_not_there():
    pytest.importorskip("distributed", reason="Dask is not installed")
    run = dask("rig.blend", "--clips", "a.bvh", "--output", "out", "--scheduler", "nothing://here")
    assert (run.returncode, run.stderr.count("The scheduler 'nothing://here' cannot be had: ")) == (1, 1)
    assert "Traceback" not in run.stderr


def test_dask_names_a_program_that_is_not_there_and_clips_of_one_name(tmp_path):
    pytest.importorskip("distributed", reason="Dask is not installed")
    asked = "rig.blend", "--output", tmp_path, "--clips", "a/walk.bvh"
    run = dask(*asked, "--blender", tmp_path / "nowhere")
    assert (run.returncode, run.stderr.count("cannot be run: No such file")) == (1, 1)
    run = dask(*asked, "b/walk.bvh")
    assert (run.returncode, run.stderr.count("several clips have the same name")) == (2, 1)
