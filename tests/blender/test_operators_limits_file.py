# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""A rig's limits go to a file and come back to the bit; files that do not fit change nothing."""

import json
import os
from pathlib import Path

import armatures
import bpy
import figures
import limited
import numpy as np
import pytest
from windowed import Window, operator

pytestmark = pytest.mark.usefixtures("blend")


@pytest.fixture
def path(tmp_path):
    return tmp_path / "limits.json"


def limits_of(ob):
    kept = [bone for bone in ob.pose.bones if bone.is_property_set("superpose")]
    return {bone.name: figures.plain(bone.superpose.limit) for bone in kept}


def what_counts(limit):
    """What of a stored limit belongs to its kind."""
    fields = {
        'FREE': (),
        'HINGE': ("axis", "hinge_min", "hinge_max", "hinge_play", "cushion"),
        'CONES': ("cones", "limb", "use_twist", "cushion"),
        'ELLIPSE': ("radii", "use_twist", "cushion"),
        'EULER': ("order", "euler_min", "euler_max", "cushion"),
    }[limit["kind"]]
    twist = ("twist_min", "twist_max") if "use_twist" in fields and limit["use_twist"] else ()
    kept = {name: limit[name] for name in ("kind", *fields, *twist)}
    if "cones" in kept:  # their names are for library overrides
        kept["cones"] = [(cone["direction"], cone["radius"]) for cone in kept["cones"]]
    return kept


@pytest.mark.parametrize("seed", range(20))
def test_the_round_trip_is_exact(path, seed):
    rng = np.random.default_rng(seed)
    ob = figures.figure()
    for bone in list(ob.pose.bones)[1:]:
        limit = limited.limit_at_random(bone, rng)
        limit.cushion = rng.uniform(0, 1)
        if rng.random() < 0.5:
            limit.hinge_play, limit.limb = rng.uniform(0, 1), rng.normal(size=3)
    ob.pose.bones["hips"].superpose.limit.kind = 'FREE'
    before = {name: what_counts(limit) for name, limit in limits_of(ob).items()}
    assert bpy.ops.superpose.export_limits(filepath=str(path)) == {'FINISHED'}
    for bone in ob.pose.bones:
        bone.superpose.limit.kind = 'NONE'
    assert bpy.ops.superpose.import_limits(filepath=str(path)) == {'FINISHED'}
    assert bpy.context.scene.superpose_show_limits
    assert {name: what_counts(limit) for name, limit in limits_of(ob).items()} == before


def test_files_are_read_by_people_too(path):
    ob = figures.figure()
    limit = ob.pose.bones["forearm.L"].superpose.limit
    limit.kind, limit.hinge_min, limit.hinge_max = 'HINGE', *np.radians((-5, 140))
    bpy.ops.superpose.export_limits(filepath=str(path))
    content = json.loads(path.read_text(encoding="utf-8"))
    assert content == {
        "schema": "superpose-limits",
        "version": 1,
        "armature": "Figure",
        "limits": {"forearm.L": {"kind": "HINGE", "axis": [1, 0, 0], "range": [-5, 140], "soft_rim": 0}},
        "comfort": {},
    }


def test_comfort_goes_with_it_to_the_bit(path, rng):
    ob = figures.figure()
    for name in ("head", "arm.L"):
        comfort = ob.pose.bones[name].superpose.comfort
        comfort.is_set, comfort.spread = True, rng.uniform(0, 1, 3)
        comfort.rotation, comfort.spread_axes = rng.normal(size=(2, 4))
    comfort.limb, comfort.towards = rng.normal(size=(2, 3))
    comfort.ties = rng.uniform(-0.2, 0.2, 24)
    before = {name: figures.plain(ob.pose.bones[name].superpose.comfort) for name in ("head", "arm.L")}
    bpy.ops.superpose.export_limits(filepath=str(path))
    for name in before:
        ob.pose.bones[name].superpose.property_unset("comfort")
    bpy.ops.superpose.import_limits(filepath=str(path))
    assert {name: figures.plain(ob.pose.bones[name].superpose.comfort) for name in before} == before


COMFORT = {"rotation": [1, 0, 0, 0], "spread": [20, 20, 20], "spread_axes": [1, 0, 0, 0]}


@pytest.mark.parametrize(
    ("entry", "match"),
    [
        ({**COMFORT, "rotation": [0, 0, 0, 0]}, "comfort pose of 'head': 'rotation' must not be all zero"),
        ({**COMFORT, "rotation": [1, 0, 0]}, "comfort pose of 'head': 'rotation' must be 4 numbers"),
        (
            {**COMFORT, "spread": [-1, 1, 1]},
            "comfort pose of 'head': 'spread' must be 3 numbers from 0 to 180",
        ),
        ({**COMFORT, "colour": 1}, "comfort pose of 'head' has an unknown 'colour'"),
        ({"rotation": [1, 0, 0, 0]}, "comfort pose of 'head' has no 'spread_axes'"),
        ({**COMFORT, "limb": [0, 1, 0]}, "comfort pose of 'head' has no 'towards'"),
        (
            {**COMFORT, "limb": [0, 1, 0], "towards": [0, 0, 0]},
            "comfort pose of 'head': 'towards' must not be all zero",
        ),
        ({**COMFORT, "ties": [0.1] * 9}, "comfort pose of 'head': 'ties' must be 24 numbers from -1 to 1"),
        ({**COMFORT, "ties": [0.5] * 24}, "comfort pose of 'head': 'ties' must be shorter than 1"),
        (7, "comfort pose of 'head' must be named values"),
    ],
)
def test_a_comfort_that_makes_no_sense_is_refused_by_name(path, entry, match):
    figures.figure()
    refused(match, written(path, {}, comfort={"chest": COMFORT, "head": entry}))


def test_a_comfort_without_a_side_and_ties_takes_away_those_which_a_limb_had(path):
    ob = figures.figure()
    comfort = ob.pose.bones["head"].superpose.comfort
    comfort.is_set, comfort.limb, comfort.towards = True, (0, 1, 0), (0, 0, 1)
    comfort.ties = [0.1] * 24
    bpy.ops.superpose.import_limits(filepath=str(written(path, {}, comfort={"head": COMFORT})))
    assert not any((*comfort.limb, *comfort.towards, *comfort.ties))


def test_bones_that_the_file_does_not_name_keep_theirs(path):
    ob = figures.figure()
    ob.pose.bones["head"].superpose.limit.kind = 'FREE'
    bpy.ops.superpose.export_limits(filepath=str(path))
    ob.pose.bones["chest"].superpose.limit.kind = 'FREE'
    bpy.ops.superpose.import_limits(filepath=str(path))
    assert ob.pose.bones["chest"].superpose.limit.kind == 'FREE'


def refused(match, path):
    armatures.refresh()
    before = figures.state()
    with pytest.raises(RuntimeError, match=match):
        bpy.ops.superpose.import_limits(filepath=str(path))
    assert figures.state() == before


def written(path, named, /, **changes):
    content = {"schema": "superpose-limits", "version": 1, "limits": named} | changes
    path.write_text(json.dumps(content), encoding="utf-8")
    return path


HINGE = {"kind": "HINGE", "axis": [1, 0, 0], "range": [0, 90]}
CONE = {"direction": [0, 1, 0], "radius": 30}


@pytest.mark.parametrize(
    ("entry", "match"),
    [
        ({**HINGE, "range": [90, 0]}, "'head' allows nothing"),
        ({**HINGE, "axis": [0, 0, 0]}, "'head': 'axis' must not be all zero"),
        ({**HINGE, "axis": [1, 0]}, "'head'.*3 numbers"),
        ({**HINGE, "range": "wide"}, "'head'.*2 numbers"),
        ({**HINGE, "range": [0, float("nan")]}, "'head': 'range' must be 2 numbers from -360 to 360"),
        ({**HINGE, "range": [True, 90]}, "'head'.*2 numbers"),
        ({**HINGE, "colour": 1}, "'head' has an unknown 'colour'"),
        ({"kind": "HINGE", "axis": [1, 0, 0]}, "'head' has no 'range'"),
        ({"kind": "SADDLE"}, "'head': 'kind' must be one of FREE, HINGE"),
        ({"axis": [1, 0, 0]}, "'head' has no 'kind'"),
        (["HINGE"], "'head' must be named values"),
        ("HINGE", "'head'"),
        (None, "'head'"),
        ({"kind": "CONES", "cones": [], "twist": None}, "'head' has no cone"),
        (
            {"kind": "CONES", "cones": [{**CONE, "radius": 270}], "twist": None},
            "Cone 1 .*'head': 'radius' must be a number from 0 to 180",
        ),
        ({"kind": "CONES", "cones": [{"radius": 30}], "twist": None}, "Cone 1 .*'head' has no 'direction'"),
        ({"kind": "CONES", "cones": [CONE], "twist": [5]}, "'head'.*2 numbers"),
        ({"kind": "CONES", "cones": 3, "twist": None}, "'head': 'cones' must be a list"),
        ({"kind": "ELLIPSE", "radii": [1, 2, 3], "twist": None}, "'head'.*4 numbers"),
        ({"kind": "EULER", "order": "XYX", "ranges": [[0, 1]] * 3}, "'head': 'order' must be one of XYZ"),
        ({"kind": "EULER", "order": "XYZ", "ranges": [[0, 1]] * 2}, "'head': 'ranges' must be 3 pairs"),
        ({**HINGE, "soft_rim": -1}, "'head': 'soft_rim' must be a number from 0 to 180"),
        ({**HINGE, "soft_rim": 1000}, "'head': 'soft_rim'"),
        ({**HINGE, "axis": [1e-300, 0, 0]}, "'head': 'axis' must not be all zero"),
        ({**HINGE, "range": [0, 10**400]}, "'head': 'range'"),
        ({**HINGE, "kind": []}, "'head': 'kind'"),
    ],
)
def test_a_limit_that_makes_no_sense_is_refused_by_name_and_nothing_is_loaded(path, entry, match):
    figures.figure()
    refused(match, written(path, {"chest": HINGE, "head": entry}))


@pytest.mark.parametrize(
    ("changes", "match"),
    [
        ({"version": 2}, "version 2"),
        ({"version": None}, "no version number"),
        ({"version": True}, "no version number"),
        ({"version": "1"}, "no version number"),
        ({"colour": 1}, "The file has an unknown 'colour'"),
        ({"schema": "something else"}, "no limits of Superpose"),
        ({"limits": []}, "The file: 'limits' must be named values"),
        ({"comfort": None}, "The file: 'comfort' must be named values"),
    ],
)
def test_another_schema_or_version_is_refused(path, changes, match):
    figures.figure()
    refused(match, written(path, {"head": HINGE}, **changes))


def test_a_file_for_another_rig_is_refused_and_names_a_bone(path):
    figures.figure()
    refused(
        "another rig: 'Figure' has no bone 'tail' and 1 more",
        written(path, {"head": HINGE, "tail": HINGE, "fin": HINGE}),
    )


@pytest.mark.parametrize("content", [b"", b"{", b"[]", b"3", b"\xff\xfe\x00", b'{"a": 1, "a": 2}'])
def test_what_is_no_such_file_is_refused(path, content):
    figures.figure()
    path.write_bytes(content)
    refused("no JSON|no limits of Superpose|is not a text file|must be named values|'a' twice", path)


def test_the_mark_that_windows_puts_before_texts_is_no_fault(path):
    ob = figures.figure()
    written(path, {"head": HINGE})
    path.write_bytes(b"\xef\xbb\xbf" + path.read_bytes())
    bpy.ops.superpose.import_limits(filepath=str(path))
    assert ob.pose.bones["head"].superpose.limit.kind == 'HINGE'


def test_missing_files_and_folders_are_refused(path):
    ob = figures.figure()
    refused("cannot be read", path)
    ob.pose.bones["head"].superpose.limit.kind = 'FREE'
    with pytest.raises(RuntimeError, match="cannot be written"):
        bpy.ops.superpose.export_limits(filepath=str(path / "missing" / "limits.json"))


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no pipes with names here")
def test_a_pipe_is_neither_waited_for_nor_replaced(path, limited_figure):
    os.mkfifo(path)
    refused("cannot be read: It is no file but a device or pipe", path)
    match = "cannot be written: It is no file but a device or pipe"
    figures.refused(bpy.ops.superpose.export_limits, match, filepath=str(path))
    assert path.is_fifo()


@pytest.mark.parametrize("folder", ["", "/", "."])
def test_a_folder_is_no_file(limited_figure, folder):
    figures.refused(bpy.ops.superpose.import_limits, "cannot be read: Is a directory", filepath=folder)
    figures.refused(bpy.ops.superpose.export_limits, "cannot be written: Is a directory", filepath=folder)


def test_a_file_that_cannot_be_written_whole_stays_as_it_was(path, limited_figure, monkeypatch):
    path.write_text("before")

    def breaks(self, text, **_):
        with self.open("w") as file:
            file.write(text[:10])
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "write_text", breaks)
    with pytest.raises(RuntimeError, match="cannot be written: No space left"):
        bpy.ops.superpose.export_limits(filepath=str(path))
    assert path.read_text() == "before"
    assert list(path.parent.iterdir()) == [path]


def test_a_link_stays_a_link_and_modes_stay(path, limited_figure, tmp_path):
    real = tmp_path / "real.json"
    real.write_text("before")
    real.chmod(0o640)
    path.symlink_to(real)
    bpy.ops.superpose.export_limits(filepath=str(path))
    assert path.is_symlink()
    assert json.loads(real.read_text())["limits"] == {"head": {"kind": "FREE"}}
    assert real.stat().st_mode & 0o777 == 0o640


@pytest.fixture
def limited_figure():
    """A figure with one limit, in a file that is not saved."""
    ob = figures.figure()
    ob.pose.bones["head"].superpose.limit.kind = 'FREE'
    return ob


def test_names_that_are_no_text_are_written_read_and_said(path, limited_figure):
    strange = str(path.with_name(os.fsdecode(b"\xff.json")))
    assert bpy.ops.superpose.export_limits(filepath=strange) == {'FINISHED'}
    limited_figure.pose.bones["head"].superpose.limit.kind = 'NONE'
    assert bpy.ops.superpose.import_limits(filepath=strange) == {'FINISHED'}
    assert limited_figure.pose.bones["head"].superpose.limit.kind == 'FREE'
    Path(strange).write_bytes(b"{")
    refused("no JSON", strange)
    Path(strange).write_bytes(b"\xff\xfe")
    refused("'\N{REPLACEMENT CHARACTER}.json' is not a text file", strange)
    Path(strange).unlink()
    refused("\N{REPLACEMENT CHARACTER}.json' cannot be read", strange)
    missing = str(path / os.fsdecode(b"\xff.json"))
    figures.refused(bpy.ops.superpose.export_limits, "'.*' cannot be written", filepath=missing)


def test_beside_a_file_that_is_not_saved_there_is_no_place(path, limited_figure, monkeypatch):
    monkeypatch.chdir(path.parent)
    path.write_text("{}")
    for act in (bpy.ops.superpose.export_limits, bpy.ops.superpose.import_limits):
        figures.refused(act, "not saved yet", filepath="//limits.json")
    assert path.read_text() == "{}"


def test_beside_a_saved_file_there_is(path, limited_figure):
    bpy.ops.wm.save_as_mainfile(filepath=str(path.with_name("scene.blend")))
    assert bpy.ops.superpose.export_limits(filepath="//limits.json") == {'FINISHED'}
    assert json.loads(path.read_text(encoding="utf-8"))["limits"] == {"head": {"kind": "FREE"}}


def test_without_limits_there_is_nothing_to_save(path):
    figures.figure()
    with pytest.raises(RuntimeError, match="No bone of 'Figure' has a limit or a comfort pose"):
        bpy.ops.superpose.export_limits(filepath=str(path))
    assert not path.exists()


def test_a_limit_that_allows_nothing_is_not_saved(path):
    ob = figures.figure()
    ob.pose.bones["head"].superpose.limit.kind = 'CONES'
    with pytest.raises(RuntimeError, match="'head' has no cone"):
        bpy.ops.superpose.export_limits(filepath=str(path))
    assert not path.exists()


@pytest.mark.parametrize("name", ["export_limits", "save_set_up"])
def test_a_file_is_proposed_that_is_named_after_the_armature_and_what_it_keeps(name):
    ob, window, proposed = figures.figure(), Window(), []
    ob.name = "Rig.001"
    window.window_manager.fileselect_add = proposed.append
    save = operator(name)
    assert save.invoke(window, None) == {'RUNNING_MODAL'}
    assert proposed == [save]
    assert save.path.name == f"Rig_001_{'limits' if name == 'export_limits' else 'set_up'}.json"
