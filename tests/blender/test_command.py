# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""The command line prints a table, or says in one sentence on standard error what is wrong."""

import subprocess
from functools import partial
from importlib import import_module

import bpy
import figures
import pytest
from command_line import answer

pytestmark = pytest.mark.usefixtures("blend")

FAILED, USAGE = 1, 2
QUICK = ("--iterations", "2")
NO_SENSE = [
    ("--seed", "-99999999999", "is not a whole number from 0 to 2147483647"),
    ("--seed", "99999999999", "is not a whole number from 0 to 2147483647"),
    ("--seed", "0.5", "is not a whole number from 0 to"),
    ("--seed", "9" * 5000, "is not a whole number from 0 to"),
    ("--count", "0", "is not a whole number from 1 to 10000"),
    ("--count", "-5", "is not a whole number from 1 to 10000"),
    ("--count", "10001", "is not a whole number from 1 to 10000"),
    ("--iterations", "0", "is not a whole number from 1 to 1000000"),
    ("--iterations", "nan", "is not a whole number from 1 to 1000000"),
    ("--seconds", "nan", "is not a number from 0.01 to 3600"),
    ("--seconds", "inf", "is not a number from 0.01 to 3600"),
    ("--seconds", "0", "is not a number from 0.01 to 3600"),
    ("--seconds", "soon", "is not a number from 0.01 to 3600"),
    ("--problems", "sideways", "invalid choice: 'sideways'"),
    ("--problem", "nothing", "invalid choice: 'nothing'"),
    ("--colour", "red", "unrecognized arguments: --colour red"),
]


@pytest.fixture
def file(tmp_path):
    """A saved file: a figure, which is active and has a hand that must move, an empty and a second scene."""
    ob = figures.turned_away(figures.ready())
    bpy.ops.object.empty_add()
    elsewhere = figures.figure("Elsewhere")
    bpy.data.scenes.new("Other").collection.objects.link(elsewhere)
    bpy.context.scene.collection.objects.unlink(elsewhere)
    figures.make_active(ob)
    return saved(tmp_path / "scene.blend")


def saved(path):
    bpy.ops.wm.save_as_mainfile(filepath=str(path))
    return path


@pytest.fixture
def command(addon, capfd):
    """Call the command as Blender does: the exit code, standard output and standard error."""
    return partial(answer, addon, capfd, "compare")


def check_failure(answer, code, sentence):
    """One sentence, on standard error alone."""
    assert answer[:2] == (code, "")
    assert answer[2].count(sentence) == 1
    assert "Traceback" not in answer[2]


def check_table(ob, output):
    labels = [who.name for who in ob.superpose.contestants]
    assert len(labels) > 9
    assert [line[:32].strip() for line in output.splitlines()] == labels


@pytest.mark.once
def test_it_compares_and_prints_the_table_alone(command, file, tmp_path):
    given = ("--problems", "random", "--count", "2", "--output", str(tmp_path))
    code, output, _ = command("--armature", "Figure", *given, *QUICK)
    assert code == 0
    check_table(bpy.data.objects["Figure"], output)
    assert (tmp_path / "scene_Figure_solvers.csv").exists()


@pytest.mark.once
def test_the_folder_to_save_in_is_made(command, file, tmp_path):
    folder = tmp_path / "results" / "today"
    assert command("--output", str(folder), *QUICK)[0] == 0
    assert (folder / "scene_Figure_solvers.csv").exists()


@pytest.mark.once
def test_a_file_saved_with_a_target_active_means_its_armature(command, file):
    figures.make_active(figures.target_of(bpy.data.objects["Figure"], "hand.L"))
    code, output, _ = command(*QUICK)
    assert code == 0
    check_table(bpy.data.objects["Figure"], output)


@pytest.mark.parametrize(("option", "value", "sentence"), NO_SENSE)
def test_arguments_that_make_no_sense_are_named(command, file, option, value, sentence):
    answer = command(option, value)
    check_failure(answer, USAGE, sentence)
    assert len(answer[2].splitlines()) == 2  # the usage, and what is wrong


@pytest.mark.parametrize(
    ("name", "sentence"),
    [
        ("Nobody", "There is no object 'Nobody' in the scene 'Scene'"),
        ("", "There is no object '' in the scene 'Scene'"),
        ("\udcff", "There is no object"),
        ("Elsewhere", "There is no object 'Elsewhere' in the scene 'Scene'"),
        ("Empty", "'Empty' is not an armature"),
        ("Figure head target", "'Figure head target' is not an armature"),
    ],
)
def test_what_is_no_armature_of_the_scene_is_named(command, file, name, sentence):
    answer = command("--armature", name, *QUICK)
    check_failure(answer, FAILED, sentence)
    assert len(answer[2].splitlines()) == 1


def test_an_active_object_that_is_no_armature_is_named(command, file):
    figures.make_active(bpy.data.objects["Empty"])
    check_failure(command(*QUICK), FAILED, "'Empty' is not an armature")


@pytest.mark.once
def test_without_an_active_object_an_armature_has_to_be_named(command, file):
    bpy.context.view_layer.objects.active = None
    check_failure(command(*QUICK), FAILED, "No object is active in this file: name an armature")
    assert command("--armature", "Figure", *QUICK)[0] == 0


def test_without_a_file_there_is_nothing_to_compare(command, tmp_path):
    figures.ready()
    check_failure(command("--output", str(tmp_path)), FAILED, "No .blend file is open")


def test_what_the_operator_refuses_is_said_on_standard_error(command, file):
    bpy.data.objects["Figure"].superpose.root_bone = "tail"
    check_failure(command(*QUICK), FAILED, "'tail'")


def test_a_folder_that_was_made_for_nothing_goes(command, file, tmp_path):
    bpy.data.objects["Figure"].superpose.root_bone = "tail"
    check_failure(command("--output", str(tmp_path / "results" / "today"), *QUICK), FAILED, "'tail'")
    assert not (tmp_path / "results").exists()
    (tmp_path / "kept").mkdir()
    check_failure(command("--output", str(tmp_path / "kept"), *QUICK), FAILED, "'tail'")
    assert (tmp_path / "kept").is_dir()


@pytest.mark.once
def test_folders_that_take_no_files_are_named(command, file):
    check_failure(command("--output", str(file), *QUICK), FAILED, f"The folder '{file}' cannot be made")
    (file.parent / "scene_Figure_solvers.csv").mkdir()
    check_failure(command(*QUICK), FAILED, "Table and plot cannot be saved in")


def program(file, *arguments):
    """Run a Blender of its own on the file: the exit code and what it says."""
    bpy.ops.wm.save_userpref()
    line = [bpy.app.binary_path, "-b", file, "--command", "superpose", *arguments]
    run = subprocess.run(line, capture_output=True, text=True, timeout=120)
    return run.returncode, run.stdout, run.stderr


a_program = pytest.mark.skipif(not bpy.app.binary_path, reason="a wheel has no command line")


@a_program
def test_a_blender_of_its_own_prints_the_table(file):
    code, output, error = program(file, "compare", "--iterations", "3")
    assert code == 0, output + error
    assert "Superpose, No Restarts" in output
    assert (file.parent / "scene_Figure_solvers.svg").exists()


@a_program
@pytest.mark.parametrize(
    ("arguments", "code", "sentence"),
    [
        (("compare", "--armature", "Empty"), FAILED, "'Empty' is not an armature"),
        pytest.param(
            *(("compare", "--seconds", "nan"), USAGE, "'nan' is not a number"), marks=pytest.mark.slow
        ),
        ((), USAGE, "required: COMMAND"),
    ],
)
def test_a_blender_of_its_own_ends_with_the_code_and_the_sentence(file, arguments, code, sentence):
    ended, _, error = program(file, *arguments)
    assert ended == code
    assert error.count(sentence) == 1
    assert "Traceback" not in error


@a_program
@pytest.mark.parametrize("content", [None, b"no blend file"])
def test_a_file_that_blender_cannot_open_is_no_other_file(tmp_path, content):
    path = tmp_path / "broken.blend"
    if content is not None:
        path.write_bytes(content)
    ended, _, error = program(path, "compare")
    assert (ended, error.count("No .blend file is open")) == (FAILED, 1)


def test_half_an_answer_of_a_blender_is_none(addon, tmp_path):
    results = import_module(f"{addon.name}.command.results")
    answer = tmp_path / "0.json"
    answer.write_text('{"output": "baked.ble')
    assert results.read_result(answer) is None
