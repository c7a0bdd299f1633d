# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""A rig's limits go to a file and come back to the bit; files that do not fit change nothing."""

import json

import armatures
import bpy
import figures
import limited
import numpy as np
import pytest

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
        'HINGE': ("axis", "hinge_min", "hinge_max", "cushion"),
        'CONES': ("cones", "use_twist", "cushion"),
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
        limited.limit_at_random(bone, rng).cushion = rng.uniform(0, 1)
    ob.pose.bones["hips"].superpose.limit.kind = 'FREE'
    before = {name: what_counts(limit) for name, limit in limits_of(ob).items()}
    assert bpy.ops.superpose.export_limits(filepath=str(path)) == {'FINISHED'}
    for bone in ob.pose.bones:
        bone.superpose.limit.kind = 'NONE'
    assert bpy.ops.superpose.import_limits(filepath=str(path)) == {'FINISHED'}
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
        ({**COMFORT, "rotation": [0, 0, 0, 0]}, "comfort pose of 'head'.*length zero"),
        ({**COMFORT, "rotation": [1, 0, 0]}, "comfort pose of 'head'.*4 numbers"),
        ({**COMFORT, "spread": [-1, 1, 1]}, "comfort pose of 'head'.*negative"),
        ({**COMFORT, "colour": 1}, "comfort pose of 'head'.*'colour' is unknown"),
        ({"rotation": [1, 0, 0, 0]}, "comfort pose of 'head'.*'spread_axes' is missing"),
        (7, "comfort pose of 'head'"),
    ],
)
def test_a_comfort_that_makes_no_sense_is_refused_by_name(path, entry, match):
    figures.figure()
    refused(match, written(path, {}, comfort={"chest": COMFORT, "head": entry}))


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
        ({**HINGE, "axis": [0, 0, 0]}, "'head' has a direction that is zero"),
        ({**HINGE, "axis": [1, 0]}, "'head'.*3 numbers"),
        ({**HINGE, "range": "wide"}, "'head'.*2 numbers"),
        ({**HINGE, "range": [0, float("nan")]}, "'head'.*not finite"),
        ({**HINGE, "range": [True, 90]}, "'head'.*2 numbers"),
        ({**HINGE, "colour": 1}, "'head'.*'colour' is unknown"),
        ({"kind": "HINGE", "axis": [1, 0, 0]}, "'head'.*'range' is missing"),
        ({"kind": "SADDLE"}, "'head'.*'SADDLE' is missing or unknown"),
        ({"axis": [1, 0, 0]}, "'head'.*'kind' is missing"),
        (["HINGE"], "'head'"),
        ("HINGE", "'head'"),
        (None, "'head'"),
        ({"kind": "CONES", "cones": [], "twist": None}, "'head' has no cone"),
        ({"kind": "CONES", "cones": [{**CONE, "radius": 270}], "twist": None}, "'head' has a cone"),
        ({"kind": "CONES", "cones": [{"radius": 30}], "twist": None}, "'head'.*'direction' is missing"),
        ({"kind": "CONES", "cones": [CONE], "twist": [5]}, "'head'.*2 numbers"),
        ({"kind": "CONES", "cones": 3, "twist": None}, "'head'"),
        ({"kind": "ELLIPSE", "radii": [1, 2, 3], "twist": None}, "'head'.*4 numbers"),
        ({"kind": "EULER", "order": "XYX", "ranges": [[0, 1]] * 3}, "'head' has the order"),
        ({"kind": "EULER", "order": "XYZ", "ranges": [[0, 1]] * 2}, "'head' needs bounds"),
        ({**HINGE, "soft_rim": -1}, "'head'"),
    ],
)
def test_a_limit_that_makes_no_sense_is_refused_by_name_and_nothing_is_loaded(path, entry, match):
    figures.figure()
    refused(match, written(path, {"chest": HINGE, "head": entry}))


@pytest.mark.parametrize(
    ("changes", "match"),
    [
        ({"version": 2}, "version 2"),
        ({"version": None}, "version None"),
        ({"schema": "something else"}, "no limits of Superpose"),
        ({"limits": []}, "no list of limits"),
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
    refused("no JSON|no limits of Superpose|no text", path)


def test_missing_files_and_folders_are_refused(path):
    ob = figures.figure()
    refused("cannot be read", path)
    ob.pose.bones["head"].superpose.limit.kind = 'FREE'
    with pytest.raises(RuntimeError, match="cannot be written"):
        bpy.ops.superpose.export_limits(filepath=str(path / "missing" / "limits.json"))


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
