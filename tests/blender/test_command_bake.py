# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""Bakes without a window: every output is there whole or not at all, and nothing is done twice."""

import json
import os
import resource
import signal
import subprocess
from importlib import import_module
from math import nan
from threading import Thread
from types import SimpleNamespace

import bpy
import figures
import pytest
from command_line import answer, beside, content, keys_in, saved

pytestmark = pytest.mark.usefixtures("blend")

DONE, FAILED, USAGE, MISSED = range(4)
FRAMES = 6


@pytest.fixture
def file(tmp_path):
    """A saved file: a figure, which is active and whose hand is to move through some frames, and an empty."""
    return saved(moving(), tmp_path / "scene.blend")


def moving():
    ob = figures.turned_away(figures.ready())
    target = figures.target_of(ob, "hand.L")
    for frame in (1, FRAMES):
        target.keyframe_insert("location", frame=frame)
        target.location.z += 0.1
    bpy.context.scene.frame_start, bpy.context.scene.frame_end = 1, FRAMES
    return ob


@pytest.fixture
def command(addon, capfd):
    """Call the command as Blender does: the exit code, what standard output says as JSON, standard error."""

    def call(*arguments):
        code, output, error = answer(addon, capfd, *arguments)
        assert "user_default/superpose/" not in error  # where a traceback of ours would lead
        return code, json.loads(output) if output else None, error

    return call


def states(answer):
    return [task["state"] for task in answer[1]["tasks"]]


def test_it_writes_what_the_operator_bakes(command, file, tmp_path):
    before = file.read_bytes()
    code, told, error = command("bake", "--output", tmp_path / "out" / "baked.blend", "--step", "2")
    assert code == DONE
    assert file.read_bytes() == before
    assert beside(tmp_path / "out" / "baked.blend") == ["baked.blend", "baked.superpose.json"]
    [task] = told["tasks"]
    assert (task["state"], task["error"]) == ("done", "")
    report = task["record"]["report"]
    assert report["message"].startswith("Baked 3 frames")
    assert (report["clip"]["armature"], report["clip"]["frames"]) == ("Figure", [1, 3, 5])
    assert json.loads((tmp_path / "out" / "baked.superpose.json").read_text()) == task["record"]
    assert "Reading frame 1 of 3" in error
    written = keys_in(tmp_path / "out" / "baked.blend")
    bpy.ops.wm.open_mainfile(filepath=str(file))
    with bpy.context.temp_override(object=bpy.data.objects["Figure"], selected_objects=[]):
        bpy.ops.superpose.bake(step=2)
    assert written == figures.keys(bpy.data.objects["Figure"].animation_data.action)


def test_an_end_of_the_range_makes_it_one_of_its_own(command, file, tmp_path):
    command("bake", "--output", tmp_path / "part.blend", "--frame-start", "2", "--frame-end", "3")
    frames = {int(frame) for points in keys_in(tmp_path / "part.blend").values() for frame, _ in points}
    assert frames == {2, 3}


def test_what_is_done_is_not_done_again(command, file, tmp_path):
    output = tmp_path / "baked.blend"
    first = command("bake", "--output", output)
    before = output.stat()
    again = command("bake", "--output", output)
    assert (again[0], states(again)) == (DONE, ["was done already"])
    assert again[1]["tasks"][0]["record"] == first[1]["tasks"][0]["record"]
    assert output.stat().st_mtime_ns == before.st_mtime_ns


def test_another_file_is_not_written_over_unless_that_is_said(command, file, tmp_path):
    output = tmp_path / "baked.blend"
    command("bake", "--output", output)
    before = output.read_bytes()
    code, told, error = command("bake", "--output", output, "--step", "2")
    assert (code, told["failed"]) == (FAILED, 1)
    assert "is there already" in error
    assert output.read_bytes() == before
    assert command("bake", "--output", output, "--step", "2", "--replace")[0] == DONE
    assert output.read_bytes() != before


@pytest.mark.once
def test_what_another_version_has_made_is_another_file(command, file, tmp_path):
    output, record = tmp_path / "baked.blend", tmp_path / "baked.superpose.json"
    command("bake", "--output", output)
    made = json.loads(record.read_text())
    made["made_from"]["by"] = "Superpose 0.0.1"
    record.write_text(json.dumps(made))
    assert states(command("bake", "--output", output)) == ["failed"]
    assert states(command("bake", "--output", output, "--replace")) == ["done"]


def test_in_place_is_done_once(command, file, tmp_path):
    assert states(command("bake", "--in-place")) == ["done"]
    assert keys_in(file)
    drawn = tmp_path / "drawn.svg"
    assert states(command("bake", "--in-place", "--svg", drawn)) == ["was done already"]
    assert "frames 1 to 6" in drawn.read_text()


def test_a_dry_run_does_nothing(command, file, tmp_path):
    before = beside(file)
    answer = command("bake", "--output", tmp_path / "new" / "baked.blend", "--dry-run")
    assert (answer[0], states(answer), beside(file)) == (DONE, ["to be done"], before)


def test_missed_targets_are_told_and_count_if_asked(command, tmp_path):
    ob = moving()
    ob.pose.bones["hips"].superpose.hold = 'PINNED'
    figures.target_of(ob, "hand.L").location.x += 9
    figures.target_of(ob, "hand.L").keyframe_insert("location", frame=3)
    saved(ob, tmp_path / "far.blend")
    code, told, _ = command("bake", "--output", tmp_path / "baked.blend")
    assert (code, told["tasks"][0]["record"]["report"]["missed"]) == (DONE, True)
    assert command("bake", "--output", tmp_path / "baked.blend", "--strict")[0] == MISSED


def test_targets_that_are_nowhere_in_some_frames_are_named(command, tmp_path):
    ob = moving()
    target = figures.target_of(ob, "hand.R")
    for frame, place in enumerate([(-0.6, 0, 1.4), (nan, nan, nan), (-0.6, 0, 1.4)], 2):
        target.location = place
        target.keyframe_insert("location", frame=frame)
    saved(ob, tmp_path / "nan.blend")
    code, told, _ = command("bake", "--output", tmp_path / "baked.blend")
    notes = told["tasks"][0]["record"]["report"]["notes"]
    assert (code, [note for note in notes if "hand.R" in note]) == (DONE, ["Bridged: 'hand.R' at 3"])


@pytest.mark.parametrize(("first", "last"), [(4, 4), (4, 5)])
def test_clips_of_one_frame_and_of_two(command, file, tmp_path, first, last):
    output = tmp_path / "short.blend"
    assert command("bake", "--output", output, "--frame-start", first, "--frame-end", last)[0] == DONE
    frames = {int(frame) for points in keys_in(output).values() for frame, _ in points}
    assert frames == set(range(first, last + 1))


def edited(ob):
    figures.make_active(ob)
    bpy.ops.object.mode_set(mode='EDIT')


def clear_effectors(ob):
    for bone in ob.pose.bones:
        bone.superpose.is_effector = False


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        (lambda ob: bpy.data.objects.remove(ob), "There is no armature in the scene 'Scene'"),
        (clear_effectors, "effectors: set one up first, by Set Up Body or bpy.ops.superpose.set_up_body()"),
        (lambda ob: setattr(ob.superpose, "root_bone", "tail"), "'tail'"),
        (edited, "Armature 'Figure' is in edit mode"),
    ],
)
def test_what_cannot_be_baked_is_named_and_leaves_nothing(command, tmp_path, change, sentence):
    ob = moving()
    bpy.ops.object.empty_add()
    change(ob)
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "scene.blend"))
    code, told, error = command("bake", "--output", tmp_path / "new" / "baked.blend")
    assert (code, error.count(sentence)) == (FAILED, 1)
    assert sentence in told["tasks"][0]["error"]
    assert "poll" not in told["tasks"][0]["error"] + error
    assert not (tmp_path / "new").exists()


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ((), "one of the arguments --output --in-place is required"),
        (("--output", "a.blend", "--jobs", "0"), "'0' is not a whole number from 1 on"),
        (("--output", "a.blend", "--step", "0"), "'0' is not a whole number from 1 to"),
        (("--output", "a.blend", "--smoothness", "nan"), "'nan' is not a number from 0 to 1"),
        (("--output", "a.blend", "--files", "other.blend"), "2 files are made, and 'a.blend' is one"),
        (
            ("--output", "out", "--files", "sub/scene.blend"),
            "several files would be written as 'scene.blend'",
        ),
    ],
)
def test_arguments_that_make_no_sense_are_named(command, file, arguments, sentence):
    code, told, error = command("bake", *arguments)
    assert (code, told, error.count(sentence)) == (USAGE, None, 1)


def test_two_runs_on_one_output(addon, command, file, tmp_path):
    output = tmp_path / "baked.blend"
    locks = import_module(f"{addon.name}.command.locks")
    with locks.held(output):
        code, _, error = command("bake", "--output", output)
    assert (code, error.count(f"Another run is writing '{output}'")) == (FAILED, 1)
    assert not output.exists()
    assert command("bake", "--output", output)[0] == DONE


def test_what_a_killed_run_left_is_no_hindrance(command, file, tmp_path):
    """Its lock, its half of a file, and a record of a file that never came."""
    output = tmp_path / "baked.blend"
    command("bake", "--output", tmp_path / "whole.blend")
    for name in (".baked.blend.lock", ".baked.blend.part", ".baked.blend.part@"):
        (tmp_path / name).write_bytes(b"half")
    (tmp_path / "baked.superpose.json").write_bytes((tmp_path / "whole.superpose.json").read_bytes())
    assert states(command("bake", "--output", output)) == ["done"]
    assert not [name for name in beside(output) if name.startswith(".")]
    assert keys_in(output) == keys_in(tmp_path / "whole.blend")


@pytest.fixture
def full_disk():
    """No file may grow beyond some kilobytes."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    handler = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)

    def fill(size):
        resource.setrlimit(resource.RLIMIT_FSIZE, (size, before[1]))

    yield fill
    resource.setrlimit(resource.RLIMIT_FSIZE, before)
    signal.signal(signal.SIGXFSZ, handler or signal.SIG_DFL)


# Less than the .blend file, and more than is told, which goes to a file too while pytest looks.
@pytest.mark.parametrize("room", [20_000, 40_000])
def test_a_full_disk_leaves_files_as_they_were(command, file, tmp_path, full_disk, room):
    output, before = tmp_path / "baked.blend", beside(file)
    full_disk(room)
    code, told, error = command("bake", "--output", output)
    full_disk(resource.RLIM_INFINITY)
    assert code == FAILED
    assert "cannot be written" in error
    assert told["tasks"][0]["error"] in error
    assert beside(file) == before


def test_an_interrupt_leaves_everything_as_it_was(command, file, tmp_path, monkeypatch):
    """As Esc does, at the first frame that is read."""
    before, state = beside(file), content(file)
    progress = bpy.types.SUPERPOSE_OT_bake.progress_text

    def interrupted(self, done):
        signal.raise_signal(signal.SIGINT)
        return progress(self, done)

    monkeypatch.setattr(bpy.types.SUPERPOSE_OT_bake, "progress_text", interrupted)
    code, told, error = command("bake", "--output", tmp_path / "baked.blend")
    assert (code, told["failed"], error.count("cancelled")) == (FAILED, 1, 1)
    assert (beside(file), content(file)) == (before, state)


def program(*arguments, **how):
    """Start a Blender of its own."""
    bpy.ops.wm.save_userpref()
    line = [bpy.app.binary_path, "-b", "--command", "superpose", *map(str, arguments)]
    return subprocess.Popen(line, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, **how)


a_program = pytest.mark.skipif(not bpy.app.binary_path, reason="a wheel has no command line")


@a_program
def test_killed_in_the_middle_and_gone_on_with(command, file, tmp_path):
    """When the first of two files is done, and the second begun."""
    (tmp_path / "second.blend").write_bytes(file.read_bytes())
    asked = "bake", "--files", file, tmp_path / "second.blend", "--output", tmp_path / "out", "--jobs", "1"
    run = program(*asked, start_new_session=True)
    next(line for line in run.stderr if line.startswith("second.blend: Reading"))
    os.killpg(run.pid, signal.SIGKILL)
    run.stderr.read()  # to the end of all who could write there
    run.wait()
    assert not (tmp_path / "out" / "second.blend").exists()
    again = program(*asked, "--json", tmp_path / "answer.json")
    assert again.communicate()[1].count("Reading frame 1 ") == 1
    assert again.returncode == DONE
    told = json.loads((tmp_path / "answer.json").read_text())
    assert [task["state"] for task in told["tasks"]] == ["was done already", "done"]
    assert beside(tmp_path / "out" / "x") == [
        f"{name}.{suffix}" for name in ("scene", "second") for suffix in ("blend", "superpose.json")
    ]
    assert keys_in(tmp_path / "out" / "scene.blend") == keys_in(tmp_path / "out" / "second.blend")


def test_a_blender_stops_when_the_one_that_has_started_it_does(addon, command, file, tmp_path, monkeypatch):
    """Its standard input ends then, here at the first frame that is read."""
    child = import_module(f"{addon.name}.command.task_of_run")
    ended = SimpleNamespace(read=lambda *_: b"", _exit=lambda _: None)
    progress = bpy.types.SUPERPOSE_OT_bake.progress_text

    def abandoned(self, done):
        thread = Thread(target=child.stop_with_input)
        thread.start()
        thread.join()
        return progress(self, done)

    monkeypatch.setattr(child, "os", ended)
    monkeypatch.setattr(child, "sleep", lambda _: None)
    monkeypatch.setattr(bpy.types.SUPERPOSE_OT_bake, "progress_text", abandoned)
    before = beside(file)
    code, told, error = command("bake", "--output", tmp_path / "baked.blend")
    assert (code, told["failed"], error.count("cancelled")) == (FAILED, 1, 1)
    assert beside(file) == before


@pytest.mark.once
@pytest.mark.skipif(bool(bpy.app.binary_path), reason="in a program, what is killed is done side by side")
def test_files_side_by_side(command, file, tmp_path):
    """In Blenders of their own, one of which refuses."""
    bpy.data.objects["Figure"].superpose.root_bone = "tail"
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "broken.blend"))
    bpy.ops.wm.save_userpref()
    code, told, error = command(
        "bake", "--files", file, "--output", tmp_path / "out", "--jobs", "2", "--step", "5"
    )
    assert code == FAILED, error
    assert [task["state"] for task in told["tasks"]] == ["failed", "done"], error
    assert [line for line in error.splitlines() if "broken.blend" in line and "'tail'" in line], error
    assert "'tail'" in told["tasks"][0]["error"]
    assert "scene.blend: Reading frame 1 of 2" in error
    assert beside(tmp_path / "out" / "x") == ["scene.blend", "scene.superpose.json"]


def test_an_answer_that_cannot_be_written_is_no_success(command, file, tmp_path):
    nowhere, before = file / "answer.json", beside(file)
    code, told, error = command("bake", "--output", tmp_path / "baked.blend", "--json", nowhere)
    assert (code, told) == (FAILED, None)
    assert error.count(f"'{nowhere}' cannot be written: Not a directory") == 1
    assert beside(file) == before


@pytest.mark.once
@pytest.mark.parametrize(
    ("option", "name", "sentence"),
    [
        ("--json", "scene.blend", "is read or made by Superpose: name another file for the JSON"),
        ("--json", "baked.blend", "is read or made by Superpose: name another file for the JSON"),
        ("--json", "baked.superpose.json", "is read or made by Superpose: name another file for the JSON"),
        ("--json", "notes.txt", "is there already, and is no JSON file"),
        ("--json", ".", "is there already, and is no JSON file"),
        ("--svg", "notes.svg", "is there already, and is no SVG file"),
    ],
)
def test_an_answer_takes_the_place_of_nothing_else(command, file, monkeypatch, option, name, sentence):
    monkeypatch.chdir(file.parent)
    for notes in ("notes.txt", "notes.svg"):
        (file.parent / notes).write_text("mine")
    before, content = beside(file), file.read_bytes()
    for asked in (("bake", "--output", "baked.blend"), ("inspect",))[: 1 if name == "baked.blend" else 2]:
        code, told, error = command(*asked, option, name)
        assert (code, told, error.count(f"'{name}' {sentence}")) == (FAILED, None, 1)
    assert (beside(file), file.read_bytes()) == (before, content)


def test_an_answer_takes_the_place_of_another(command, file, tmp_path):
    """Also of an empty file; its folder is made."""
    place, empty = tmp_path / "told" / "answer.json", tmp_path / "empty.json"
    empty.touch()
    for _ in range(2):
        for file in (place, empty):
            assert command("bake", "--output", tmp_path / "new.blend", "--dry-run", "--json", file)[0] == DONE
            assert json.loads(file.read_text())["to be done"] == 1
