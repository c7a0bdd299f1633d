# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""Compare Solvers: its files, Blender's own solvers on a copy, and that nothing in the file changes."""

import csv
import json
import os
from importlib import import_module
from pathlib import Path
from types import SimpleNamespace
from xml.etree import ElementTree

import armatures
import bpy
import figure_goals
import figures
import numpy as np
import pytest

pytestmark = pytest.mark.usefixtures("blend")

KINDS = ('PRESENT', 'RANDOM', 'CLIP')
FEW = {"count": 2, "iterations": 2}


@pytest.fixture(autouse=True)
def _timed_once(addon, monkeypatch):
    """However slow the machine is, there are as many runs every time."""
    for part in ("contest", "trace"):
        monkeypatch.setattr(import_module(f"{addon.name}.solvers.comparison.{part}"), "RUNS", 1)


def ready():
    """A figure whose left hand has to go somewhere, over three frames."""
    ob = figures.turned_away(figures.ready())
    hand = figures.target_of(ob, "hand.L")
    for frame in (1, 3):
        hand.keyframe_insert("location", frame=frame)
        hand.location.z -= 0.1
    scene = bpy.context.scene
    scene.frame_start, scene.frame_end = 1, 3
    scene.frame_set(2)
    return ob


def state():
    """What must stay: all but the table that the panel shows."""
    whole = figures.state()
    for ob in whole["objects"].values():
        for result in ("compared", "contestants_json"):
            (ob["setup"] or {}).pop(result, None)
    extra = {name: sorted(getattr(bpy.data, name).keys()) for name in ("curves", "worlds", "node_groups")}
    return whole | extra


def compared(folder, kind, **given):
    assert bpy.ops.superpose.compare_solvers(problems=kind, directory=str(folder), **FEW | given) == {
        'FINISHED'
    }
    return {path.suffix: path for path in folder.iterdir()}


@pytest.mark.once
@pytest.mark.parametrize("kind", KINDS)
def test_files_agree_and_every_solver_has_its_row(kind, tmp_path):
    ob = ready()
    files = compared(tmp_path, kind)
    assert set(files) == {".csv", ".json", ".svg", ".png"}
    document = json.loads(files[".json"].read_text(encoding="utf-8"))
    rows = list(csv.DictReader(files[".csv"].read_text(encoding="utf-8").splitlines()))
    assert [row["solver"] for row in rows] == [row["solver"] for row in document["rows"]]
    labels = {item.name for item in ob.superpose.bl_rna.properties["method"].enum_items}
    assert labels | {"Blender Standard", "Blender iTaSC"} <= {row["solver"] for row in rows}
    assert [curve["solver"] for curve in document["curves"]] == [row["solver"] for row in rows]
    assert document["about"]["armature"] == ob.name
    smooth = [row["acceleration"] is not None for row in document["rows"]]
    assert all(smooth) if kind == 'CLIP' else not any(smooth)
    root = ElementTree.fromstring(files[".svg"].read_text(encoding="utf-8"))
    words = {element.text for element in root.iter("{http://www.w3.org/2000/svg}text")}
    assert {row["solver"] for row in rows} <= words


@pytest.mark.once
def test_the_plot_of_a_solved_pose_says_so(tmp_path):
    figures.ready()
    files = compared(tmp_path, 'PRESENT')
    assert not json.loads(files[".json"].read_text(encoding="utf-8"))["curves"]
    assert "at its target from the start" in files[".svg"].read_text(encoding="utf-8")


@pytest.mark.once
def test_the_panel_says_who_ran_out_of_time(tmp_path):
    ob = ready()
    files = compared(tmp_path, 'PRESENT', iterations=1000, seconds=0.01, use_blender=False)
    rows = json.loads(files[".json"].read_text(encoding="utf-8"))["rows"]
    assert any(row["out_of_time"] for row in rows)
    late = [who.name for who in ob.superpose.contestants if "Ran out of time" in who.cannot]
    assert late == [row["solver"] for row in rows if row["out_of_time"]]


@pytest.mark.once
@pytest.mark.parametrize(
    ("kind", "mode"),
    [
        *(('PRESENT', 'POSE'), ('RANDOM', 'OBJECT'), ('CLIP', 'POSE')),
        *(pytest.param(kind, 'OBJECT', marks=pytest.mark.slow) for kind in ('PRESENT', 'CLIP')),
        pytest.param('RANDOM', 'POSE', marks=pytest.mark.slow),
    ],
)
def test_nothing_is_changed(kind, mode, tmp_path):
    ob = ready()
    bpy.ops.object.mode_set(mode=mode)
    figures.select_bones(ob, "chest")
    ob.pose.bones["arm.L"].rotation_quaternion = (0.9, 0.1, 0.2, 0.3)
    armatures.refresh()
    before = state()
    compared(tmp_path, kind)
    assert state() == before


@pytest.mark.once
def test_an_unkeyed_pose_of_an_animated_figure_stays(tmp_path):
    ob = ready()
    arm = ob.pose.bones["arm.L"]
    arm.keyframe_insert("rotation_quaternion", frame=2)
    arm.rotation_quaternion = (0.9, 0.1, 0.2, 0.3)
    armatures.refresh()
    before = state()
    compared(tmp_path, 'CLIP')
    assert state() == before


@pytest.mark.once
def test_it_is_no_step_to_undo(tmp_path):
    ob = ready()
    bpy.ops.ed.undo_push(message="before")
    name, before = ob.name, tuple(ob.location)
    ob.location.x += 1
    bpy.ops.ed.undo_push(message="moved")
    compared(tmp_path, 'PRESENT')
    bpy.ops.ed.undo()
    assert tuple(bpy.data.objects[name].location) == before


@pytest.mark.once
def test_the_panels_table_is_that_of_the_file(tmp_path):
    ob = ready()
    files = compared(tmp_path, 'RANDOM')
    rows = json.loads(files[".json"].read_text(encoding="utf-8"))["rows"]
    shown = [(who.name, who.solved, who.cannot) for who in ob.superpose.contestants]
    assert shown == [(row["solver"], pytest.approx(row["solved"]), row["cannot"]) for row in rows]
    assert "2 random poses" in ob.superpose.compared


def test_the_picture_is_an_image_with_the_plots_words_and_curves(tmp_path):
    ready()
    files = compared(tmp_path, 'PRESENT')
    compared(tmp_path, 'PRESENT')  # the second is loaded in the first one's place
    (image,) = [image for image in bpy.data.images if image.filepath]
    assert image.filepath == str(files[".png"])
    pixels = np.empty(4 * image.size[0] * image.size[1], np.float32)
    image.pixels.foreach_get(pixels)
    picture = pixels.reshape(image.size[1], image.size[0], 4)[::-1, :, :3]
    title, legend = picture[20:60, 100:600], picture[80:400, 1250:]
    assert (title < 0.5).mean() > 0.01
    assert np.ptp(legend, axis=-1).max() > 0.5  # colours
    assert (picture[-20:] == 1).all()


def results_of_blender(addon, ob, solver, times=1):
    """What one of Blender's solvers makes of three random problems, so many times over."""
    names = ("armature", "operators.comparison.contestants", "solvers.comparison")
    part = {name: import_module(f"{addon.name}.{name}") for name in names}
    rig = part["armature"].read_rig(ob)
    actor = stage(addon, problems='RANDOM', count=3)
    frames = ended(actor.frames(bpy.context, ob, rig))
    problems = actor.problems_of(bpy.context, ob, rig, frames)
    with part["operators.comparison.contestants"].blender(rig, ob, problems, solver) as who:
        return ended(part["solvers.comparison"].compete([who] * times, problems, 300))


def own_limit(addon, ob, bone, kind, *given):
    """Give the bone a limit of its own."""
    kinds, limits = (import_module(f"{addon.name}.{name}") for name in ("solvers", "armature.setup.limits"))
    limits.store_limit(ob.pose.bones[bone], getattr(kinds, kind)(bone, *given))


@pytest.mark.parametrize("axis", [(1, 0, 0), (0, 0, -1)])
@pytest.mark.parametrize("solver", ['LEGACY', 'ITASC'])
def test_blenders_solvers_keep_to_hinges_of_superpose(addon, solver, axis):
    ob = figures.ready()
    for bone in ("forearm.L", "forearm.R"):
        ob.pose.bones[bone].use_ik_limit_y = True  # what the bone's own limit overrides
        ob.pose.bones[bone].ik_min_y = ob.pose.bones[bone].ik_max_y = 0
        own_limit(addon, ob, bone, "Hinge", axis, -0.2, 0.3)
    before = state()
    (result,) = results_of_blender(addon, ob, solver)
    assert not result.contestant.cannot
    assert result.violations.max() < 1e-3
    assert state() == before


def test_limits_that_blender_cannot_keep_to_are_said(addon):
    ob = figures.ready()
    own_limit(addon, ob, "forearm.L", "Hinge", (0.6, 0.8, 0), -0.5, 1.0)
    (result,) = results_of_blender(addon, ob, 'LEGACY')
    assert "limits that are no ranges" in result.contestant.cannot
    ob.superpose.use_limits = False
    (result,) = results_of_blender(addon, ob, 'LEGACY')
    assert not result.contestant.cannot


@pytest.mark.parametrize("solver", ['LEGACY', 'ITASC'])
def test_blenders_solvers_meet_what_can_be_met_and_every_time_alike(addon, solver):
    """An independent check that the copy is asked the same: with many iterations nothing is left."""
    ob = figures.turned_away(figures.ready())
    ob.location, ob.rotation_euler, ob.scale = (1, 2, 3), (0.3, 0.2, 0.1), (2, 2, 2)
    armatures.refresh()
    first, *others = results_of_blender(addon, ob, solver, times=6)
    assert not first.contestant.cannot
    assert first.lengths.max() < 1e-3
    assert np.degrees(first.angles.max()) < 0.01
    for other in others:
        assert abs(other.rotations - first.rotations).max() < 1e-3


@pytest.mark.once
def test_goals_are_measured_of_all_and_said_of_those_that_ignore_them(tmp_path):
    """The head looks aside: who takes goals turns it there, and nobody else is said to have solved it."""
    ob = figure_goals.ready("hips", "hand.L")
    figure_goals.add(ob, 'AIM', "head").target.location = (0.6, -1.0, 1.9)
    armatures.refresh()
    files = compared(tmp_path, 'PRESENT', iterations=60)
    rows = json.loads(files[".json"].read_text(encoding="utf-8"))["rows"]
    ignoring = {row["solver"] for row in rows if "Ignores goals" in row["cannot"]}
    assert {"Sweeps Only", "Blender Standard", "Blender iTaSC"} <= ignoring
    solved = {row["solver"] for row in rows if row["solved"]}
    assert "Superpose" in solved
    assert not solved & ignoring
    compared(tmp_path, 'RANDOM')
    assert not any("goals" in who.cannot for who in ob.superpose.contestants)


@pytest.mark.once
def test_blenders_solvers_can_be_left_out(tmp_path):
    ob = ready()
    compared(tmp_path, 'PRESENT', use_blender=False)
    assert not [who.name for who in ob.superpose.contestants if "Blender" in who.name]


def stage(addon, **given):
    """The operator without Blender around it, to stop it anywhere."""
    operator = import_module(f"{addon.name}.operators.comparison.compare").SUPERPOSE_OT_compare_solvers
    methods = ("work", "blenders", "frames", "problems_of", "follow", "tell", "about")
    values = {
        "problems": 'PRESENT',
        "seed": 0,
        "in_sequence": True,
        "seconds": 1e6,
        "use_blender": True,
        "show": False,
        "directory": "",
    }
    actor = SimpleNamespace(**values | FEW | given, report=lambda *_: None)
    assert set(operator.__annotations__) <= vars(actor).keys()
    for method in methods:
        setattr(actor, method, getattr(operator, method).__get__(actor))
    return actor


def ended(steps):
    """What a generator returns when it is through."""
    while True:
        try:
            next(steps)
        except StopIteration as end:
            return end.value


@pytest.mark.once
@pytest.mark.parametrize(
    "kind", [*(pytest.param(kind, marks=pytest.mark.slow) for kind in ('PRESENT', 'RANDOM')), 'CLIP']
)
def test_stopped_anywhere_it_leaves_nothing(addon, kind, tmp_path):
    ob = ready()
    before = state()
    actor = stage(addon, problems=kind, directory=str(tmp_path))
    total = sum(1 for _ in actor.work(bpy.context, ob))
    assert total > 20
    for path in tmp_path.iterdir():
        path.unlink()
    for stop in np.linspace(1, total - 1, 4).astype(int):
        steps = actor.work(bpy.context, ob)
        for _ in range(stop):
            next(steps)
        steps.close()
        assert state() == before
        assert not list(tmp_path.iterdir())


def refused(match, **given):
    before = state()
    with pytest.raises(RuntimeError, match=match) as refusal:
        bpy.ops.superpose.compare_solvers(**FEW | given)
    assert "Traceback" not in str(refusal.value)
    assert state() == before


def test_an_unsaved_file_needs_a_folder():
    ready()
    refused("not saved yet")


def asked(ob, directory=""):
    """Call the operator as a window does, which stands in; return it and whether its dialog is shown."""
    kind = bpy.types.SUPERPOSE_OT_compare_solvers
    manager = SimpleNamespace(invoke_props_dialog=lambda *_, **__: {'RUNNING_MODAL'})
    operator = SimpleNamespace(directory=directory, confirm_text="")
    layer = bpy.context.view_layer
    context = SimpleNamespace(object=ob, view_layer=layer, selected_objects=[ob], window_manager=manager)
    return operator, kind.ask(operator, context, None)


def test_in_an_unsaved_file_the_dialog_begins_with_the_users_folder(monkeypatch, tmp_path):
    monkeypatch.setattr(Path, "home", lambda: tmp_path)
    operator, state = asked(ready())
    assert state == {'RUNNING_MODAL'}
    assert operator.directory == str(tmp_path)


def test_in_an_unsaved_file_what_cannot_be_saved_in_is_refused_before_anything_is_asked():
    ob = ready()
    for directory, complaint in (("//", "not saved yet"), ("/no/such/folder", "no folder")):
        with pytest.raises(ValueError, match=complaint):
            asked(ob, directory)


def test_beside_a_file_that_is_not_saved_there_is_no_folder(tmp_path, monkeypatch):
    ready()
    (tmp_path / "results").mkdir()
    monkeypatch.chdir(tmp_path)
    refused("not saved yet", directory="//results")


@pytest.mark.once
def test_a_folder_whose_name_is_no_text_takes_the_files(tmp_path):
    ready()
    folder = tmp_path / os.fsdecode(b"\xff")
    folder.mkdir()
    assert set(compared(folder, 'PRESENT')) == {".csv", ".json", ".svg", ".png"}


def test_a_folder_that_takes_no_file_is_named_at_once():
    ready()
    if not Path("/proc").is_dir():
        pytest.skip("there is no /proc here")
    refused("Nothing can be saved in '/proc'", directory="/proc")


@pytest.mark.once
@pytest.mark.parametrize("suffix", ["csv", "json", "svg", "png"])
def test_files_that_cannot_be_written_are_said(tmp_path, suffix):
    ready()
    (tmp_path / f"Figure_solvers.{suffix}").mkdir()
    refused("cannot be saved in|cannot be written", directory=str(tmp_path))


def test_a_folder_that_is_not_there_is_named(tmp_path):
    ready()
    refused("There is no folder '.*gone'", directory=str(tmp_path / "gone"))


def test_a_figure_without_effectors_is_refused(tmp_path):
    figures.figure()
    refused("no enabled effector", directory=str(tmp_path))


@pytest.mark.once
def test_a_clip_of_one_frame_has_no_smoothness(tmp_path):
    ready()
    bpy.context.scene.frame_start = bpy.context.scene.frame_end = 3
    files = compared(tmp_path, 'CLIP')
    rows = json.loads(files[".json"].read_text(encoding="utf-8"))["rows"]
    assert all(row["acceleration"] is None for row in rows)


@pytest.mark.once
def test_a_saved_file_has_table_and_plot_beside_it(tmp_path):
    ready()
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "scene.blend"))
    bpy.ops.superpose.compare_solvers(**FEW)
    names = {path.name for path in tmp_path.iterdir()}
    assert {f"scene_Figure_solvers.{suffix}" for suffix in ("csv", "json", "svg", "png")} <= names
