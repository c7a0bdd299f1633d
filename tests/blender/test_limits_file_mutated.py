# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""Files with something wrong in them: what is loaded is what they say and solves; the rest is refused."""

import copy
import json

import armatures
import bpy
import figures
import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

pytestmark = pytest.mark.once

EXAMPLES = settings(
    max_examples=2 * settings().max_examples, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
HINGE = {"kind": "HINGE", "axis": [1.0, 0.0, 0.0], "range": [-5.0, 140.0], "soft_rim": 3.0}
CONE = {"direction": [0.0, 1.0, 0.0], "radius": 60.0}
VALID = {
    "schema": "superpose-limits",
    "version": 1,
    "armature": "Figure",
    "limits": {
        "forearm.L": HINGE,
        "arm.L": {"kind": "CONES", "cones": [CONE, {**CONE, "direction": [0.5, 1.0, 0.0]}], "twist": None},
        "hand.L": {"kind": "ELLIPSE", "radii": [80.0, 70.0, 20.0, 30.0], "twist": [-80.0, 80.0]},
        "head": {"kind": "EULER", "order": "XYZ", "ranges": [[-45.0, 45.0]] * 3, "soft_rim": 5.0},
        "chest": {"kind": "FREE"},
    },
    "comfort": {
        "arm.R": {"rotation": [1.0, 0.0, 0.0, 0.0], "spread": [20.0] * 3, "spread_axes": [1.0, 0, 0, 0]},
        "forearm.R": {
            **{"rotation": [1.0, 0.0, 0.0, 0.0], "spread": [20.0] * 3, "spread_axes": [1.0, 0, 0, 0]},
            **{"limb": [0.0, 1.0, 0.0], "towards": [0.0, 0.0, 1.0]},
        },
    },
}
NUMBERS = st.one_of(
    st.floats(width=64),
    st.floats(-400, 400),
    st.integers(),
    st.sampled_from(
        [0, -0.0, 1e-300, 1e-46, 1e-30, 1e30, 1e39, 1e300, 180, 180.00001, 360, 361, 1000, -1, 10**400]
    ),
)
VALUES = st.recursive(
    st.one_of(
        st.none(),
        st.booleans(),
        NUMBERS,
        st.text(max_size=4),
        st.sampled_from(["\ud800", "\0", "HINGE", "ZYX"]),
    ),
    lambda inner: st.lists(inner, max_size=5) | st.dictionaries(st.text(max_size=4), inner, max_size=3),
    max_leaves=6,
)


def places(value, path=()):
    """The ways to every value inside a value, and whether it is a number."""
    yield path, isinstance(value, float)
    pairs = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, inner in pairs:
        yield from places(inner, (*path, key))


def changed(draw, content):
    """The content with one value replaced, most often a number, taken away or given another name."""
    change = draw(st.sampled_from(["number", "number", "number", "replace", "remove", "rename"]))
    every = [path for path, number in places(content) if path and (number or change != "number")]
    if not every:
        return content
    *way, last = draw(st.sampled_from(every))
    owner = content
    for key in way:
        owner = owner[key]
    if change in {"number", "replace"}:
        owner[last] = draw(NUMBERS if change == "number" else VALUES)
        return content
    value = owner.pop(last)
    if change == "rename" and isinstance(owner, dict):
        owner[draw(st.text(max_size=3) | st.sampled_from(["\ud800", "arm\0", "HAND.L"]))] = value
    return content


@pytest.fixture
def path(blend, tmp_path):
    ob = figures.ready()
    ob.superpose.iterations, ob.superpose.restarts = 6, 0  # how near it comes makes no difference
    return tmp_path / "limits.json"


def load(path, text):
    """Load a file's text, and return whether it was taken; if not, the bones are as before."""
    path.write_text(text, encoding="utf-8")
    armatures.refresh()
    before = figures.state()
    try:
        bpy.ops.superpose.import_limits(filepath=str(path))
    except RuntimeError as error:
        said = str(error).strip()
        assert said.startswith("Error: ")
        assert "Traceback" not in said
        assert figures.state() == before
        return False
    return True


def angles(content):
    """The angles that stay what they are, however they are written, by bone."""
    found = {}
    for name, limit in content["limits"].items():
        found[name] = [limit.get("soft_rim", 0), *limit.get("radii", ())]
        found[name] += [cone["radius"] for cone in limit.get("cones", ())]
    return found | {
        f"{name} at ease": comfort["spread"] for name, comfort in content.get("comfort", {}).items()
    }


def check(path, text):
    ob = bpy.context.object
    if load(path, text):
        said = angles(json.loads(text))
        assert bpy.ops.superpose.solve() == {'FINISHED'}
        if any(said.values()):
            bpy.ops.superpose.export_limits(filepath=str(path))
            kept = angles(json.loads(path.read_text(encoding="utf-8")))
            assert kept.keys() == said.keys()
            for name, numbers in said.items():
                assert np.allclose(numbers, kept[name], rtol=1e-6, atol=1e-30), name
    for bone in ob.pose.bones:
        bone.superpose.property_unset("limit")
        bone.superpose.property_unset("comfort")


@EXAMPLES
@given(data=st.data())
def test_whatever_is_wrong_is_refused_in_a_sentence(path, data):
    content = copy.deepcopy(VALID)
    for _ in range(data.draw(st.integers(0, 3))):
        content = changed(data.draw, content)
    check(path, json.dumps(content))


@EXAMPLES
@given(
    place=st.integers(0, 600), taken=st.integers(0, 9), put=st.text(max_size=3) | st.sampled_from('{}[],:"0-')
)
def test_damaged_text_is_refused_in_a_sentence(path, place, taken, put):
    text = json.dumps(VALID)
    put = put.encode("utf-8", "replace").decode()
    check(path, text[:place] + put + text[place + taken :])


@pytest.mark.parametrize("closed", [True, False])
def test_brackets_without_end_are_refused(path, closed):
    deep = "[" * 100_000 + "]" * 100_000 * closed
    assert not load(path, json.dumps(VALID)[:-1] + f', "deep": {deep}' + "}" * closed)


def test_a_file_of_many_names_is_refused(path):
    content = {**VALID, "limits": {f"bone {number}": HINGE for number in range(30_000)}}
    assert not load(path, json.dumps(content))


@pytest.mark.parametrize("count", [33, 10_000, 100_000])
def test_a_file_of_many_cones_is_refused(path, count):
    chain = {"kind": "CONES", "cones": [CONE] * count, "twist": None}
    assert not load(path, json.dumps({**VALID, "limits": {"head": chain}}))
