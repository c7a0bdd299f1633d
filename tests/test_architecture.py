# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""The rules of the house, read from the source: who may import whom, and how long a thing may be."""

import ast
import re
from functools import cache
from graphlib import TopologicalSorter

import pytest
from shipped import ROOT, shipped_files

pytestmark = pytest.mark.once

NAMED = re.compile(r'(?<!import)_module\("([\w.]+)"\)|(?:{package}|superpose)\.([a-z_]+(?:\.[a-z_]+)+)"')
# And what they take from one.
TAKEN = re.compile(r'_module\(f?"(?:{package}\.|[\w.]*superpose\.)?([a-z_]+(?:\.[a-z_]+)*)"\)\.(\w+)')
LONGEST_FUNCTION = 60
LONGEST_FILE = 400

# Each part of the add-on and the other parts it may import. Panels call operators by bl_idname, so need
# none; properties mirror the solvers' settings.
MAY_IMPORT = {
    "__init__": {"under_way"},
    "under_way": set(),
    "reloads": set(),
    "files": set(),
    "interrupts": set(),
    "properties": {"solvers"},
    "solvers": set(),
    "bodies": set(),
    "presets": {"bodies", "solvers"},
    "armature": {"bodies", "presets", "solvers"},
    "undone": {"armature"},
    "overridden": {"reports"},
    "reports": {"armature", "solvers"},
    "dragging": {"armature", "solvers"},
    "overlay": {"armature", "bodies", "reloads", "reports", "solvers"},
    "operators": {
        *("armature", "bodies", "dragging", "files", "interrupts"),
        *("overlay", "reloads", "reports", "presets", "solvers"),
    },
    "panels": set(),
    "tools": set(),
    "live": {"armature", "dragging", "reloads", "reports", "solvers"},
    "command": {"armature", "files", "interrupts", "reports", "solvers"},
}
# The rooms of the larger parts, and the other rooms of the same part that each may import.
ROOMS = {
    "solvers": {
        "errors": set(),
        "pauses": set(),
        "geometry": set(),
        "settings": {"errors"},
        "superposition": {"errors", "geometry"},
        "limits": {"errors", "geometry"},
        "posture": {"errors", "geometry"},
        "model": {"errors", "geometry", "limits", "posture"},
        "goals": {"errors", "geometry", "model"},
        "request": {"errors", "geometry", "goals", "model", "settings"},
        "problem": {"errors", "geometry", "goals", "limits", "model", "posture", "request", "settings"},
        "steps": {"geometry", "model", "pauses", "problem", "superposition"},
        "methods": {"geometry", "pauses", "problem", "settings", "steps", "superposition"},
        "search": {"geometry", "methods", "pauses", "posture", "problem", "settings", "steps"},
        "finish": {"geometry", "limits", "model", "posture"},
        "kept": {"geometry", "model", "pauses", "problem", "request", "search", "solve"},
        "solve": {
            *("errors", "finish", "geometry", "goals", "model"),
            *("pauses", "problem", "request", "search", "settings", "steps"),
        },
        "clip": {
            *("errors", "geometry", "goals", "model"),
            *("pauses", "problem", "request", "settings", "solve", "steps"),
        },
        "learning": {"errors", "geometry", "limits", "posture"},
        "motion": {"geometry"},
        "comparison": {
            *("geometry", "goals", "limits", "model", "pauses"),
            *("problem", "request", "settings", "solve"),
        },
        "keys": {"errors", "geometry"},
        "fitting": {"geometry", "pauses"},
    },
    "armature": {
        "errors": set(),
        "bone_columns": set(),
        "entries": {"errors"},
        "fcurves": set(),
        "presence": set(),
        "euler_angles": set(),
        "limit_kinds": {"entries", "errors", "euler_angles"},
        "setup": {"bone_columns", "errors", "fcurves", "limit_kinds"},
        "motion": {"errors", "fcurves", "frames", "joints", "problem", "rig", "setup", "solution"},
        "goals": {"errors", "setup"},
        "joints": {"euler_angles", "fcurves", "setup"},
        "limits": {"entries", "errors", "euler_angles", "frames", "joints", "limit_kinds", "setup"},
        "rig": {"bone_columns", "errors", "fcurves", "goals", "joints", "setup"},
        "by_role": {"entries", "errors", "goals", "limits", "rig", "setup"},
        "frames": {"bone_columns", "errors", "fcurves", "joints", "presence", "rig"},
        "problem": {"errors", "fcurves", "frames", "goals", "joints", "rig"},
        "solution": {
            *("errors", "euler_angles", "fcurves", "frames"),
            *("joints", "presence", "problem", "rig", "setup"),
        },
        "autokey": {"fcurves", "frames", "joints", "problem", "rig", "solution"},
        "recording": {
            *("errors", "fcurves", "frames", "joints", "problem"),
            *("rig", "setup", "solution"),
        },
        "reduction": {"bone_columns", "errors", "fcurves", "frames", "joints", "problem", "rig", "solution"},
        "blender_ik": {"frames", "joints", "problem", "rig", "setup", "solution"},
        "controls": {"bone_columns", "errors", "fcurves", "frames", "joints", "rig", "setup", "solution"},
    },
    "operators": {
        "manual": set(),
        "lettering": set(),
        "mixins": set(),
        "setup": {"mixins"},
        "poses": {"mixins"},
        "posing": {"mixins", "setup"},
        "recording": {"mixins"},
        "limits": {"mixins"},
        "comparison": {"lettering", "mixins"},
        "controls": {"mixins", "setup"},
        "clip_report": {"lettering", "mixins"},
        "select_handle": {"mixins"},
        "reasons": {"mixins"},
    },
}
PURE_OVERLAY = (
    "arcs",
    "dials",
    "gimbals",
    "grouped",
    *(f"limit_kinds/{name}" for name in ("__init__", "cones", "ellipse", "euler", "hinge", "kind")),
    "marks",
    "patches",
    "projection",
    "regions",
    "shapes",
    "sheets",
    "strokes",
)
PURE = {"bodies", "solvers", *(f"overlay/{name}.py" for name in PURE_OVERLAY)}
BLENDER = {"bpy", "bpy_extras", "bmesh", "mathutils", "gpu", "gpu_extras", "blf", "addon_utils"}


def name_of(path):
    return path.relative_to(ROOT).as_posix()


def part_of(path):
    return path.relative_to(ROOT).parts[0].removesuffix(".py")


def room_of(path):
    return path.relative_to(ROOT).parts[1].removesuffix(".py")


@cache
def nodes_of(path):
    return list(ast.walk(ast.parse(path.read_text(encoding="utf-8"), filename=str(path))))


@cache
def imported(path):
    """The pairs (level, dotted name) of all names imported anywhere in the file."""
    found = []
    for node in nodes_of(path):
        if isinstance(node, ast.Import):
            found += [(0, alias.name) for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            prefix = [node.module] if node.module else []
            found += [(node.level, ".".join([*prefix, alias.name])) for alias in node.names]
    return found


def imported_first(path, level):
    """The first parts of the names that the file imports from so many levels up; 0 are absolute names."""
    return {name.partition(".")[0] for own, name in imported(path) if own == level}


def imported_within(folder, path):
    """The first names below the folder, which holds the file, that the file's relative imports lead to."""
    place = path.relative_to(folder).parts
    climbs = any(0 < level < len(place) for level, _ in imported(path))
    return imported_first(path, len(place)) | ({place[0].removesuffix(".py")} if climbs else set())


def climbing_out_of(folder, path):
    """The names that the file imports from outside the folder, which holds it."""
    return [name for level, name in imported(path) if level > len(path.relative_to(folder).parts)]


def is_pure(path):
    return part_of(path) in PURE or name_of(path) in PURE


python_files = [path for path in shipped_files() if path.suffix == ".py"]
pure_files = [path for path in python_files if is_pure(path)]
solver_files = [path for path in pure_files if part_of(path) == "solvers"]
files_in_rooms = [path for path in python_files if part_of(path) in ROOMS and room_of(path) != "__init__"]


def faults(paths, fault):
    """What is wrong with which of the files: whatever ``fault`` returns of them that is not empty."""
    assert paths
    return {name_of(path): found for path in paths if (found := fault(path))}


def test_each_part_imports_only_what_it_may():
    """``from .. import __package__ as base_package`` is how a sub-package learns the add-on's name."""
    parts = {part_of(path) for path in python_files}
    assert parts == MAY_IMPORT.keys(), "each part has a row in MAY_IMPORT"

    def fault(path):
        part = part_of(path)
        return imported_within(ROOT, path) - MAY_IMPORT[part] - {part, "__package__"}

    assert not faults(python_files, fault)


def test_each_room_imports_only_the_rooms_it_may():
    rooms = {part: {room_of(path) for path in files_in_rooms if part_of(path) == part} for part in ROOMS}
    assert rooms == {part: set(own) for part, own in ROOMS.items()}, "each room has a row in ROOMS"

    def fault(path):
        part, room = part_of(path), room_of(path)
        return imported_within(ROOT / part, path) - ROOMS[part][room] - {room}

    assert not faults(files_in_rooms, fault)


def test_rooms_of_the_solvers_are_entered_by_their_faces():
    """What a room's __init__ does not export is the room's own business."""

    def fault(path):
        depth = len(path.relative_to(ROOT / "solvers").parts)
        nodes = (node for node in nodes_of(path) if isinstance(node, ast.ImportFrom))
        return [node.module for node in nodes if node.level == depth and "." in (node.module or "")]

    assert not faults(solver_files, fault)


def test_other_parts_enter_the_rooms_of_the_solvers_by_their_faces_too():
    def fault(path):
        depth = len(path.relative_to(ROOT).parts)
        nodes = (node for node in nodes_of(path) if isinstance(node, ast.ImportFrom))
        modules = [node.module or "" for node in nodes if node.level == depth]
        return [name for name in modules if name.startswith("solvers.") and name.count(".") > 1]

    assert not faults(python_files, fault)


def exports(path):
    """The names in the ``__all__`` of a file."""
    assigned = (node.value for node in nodes_of(path) if isinstance(node, ast.Assign))
    return {each.value for face in assigned if isinstance(face, ast.List) for each in face.elts}


def test_what_the_face_of_a_part_exports_is_imported_from_there():
    """And not from the room that has it: there is one way to each name."""
    faces = {part: exports(ROOT / part / "__init__.py") for part in MAY_IMPORT if (ROOT / part).is_dir()}

    def fault(path):
        depth = len(path.relative_to(ROOT).parts)
        nodes = (node for node in nodes_of(path) if isinstance(node, ast.ImportFrom) and node.level == depth)
        pairs = [(node.module.partition("."), node.names) for node in nodes if node.module]
        return [
            name.name
            for (part, _, room), names in pairs
            for name in names
            if room and name.name in faces[part]
        ]

    assert not faults(python_files, fault)


def test_what_the_face_of_a_room_exports_is_used_elsewhere():
    """By another room or part, by the benchmarks or by a test."""
    texts = {path: path.read_text(encoding="utf-8") for path in python_files}
    texts |= {
        path: path.read_text(encoding="utf-8")
        for folder in ("benchmarks", "demo", "tests", "workshop")
        for path in (ROOT / folder).rglob("*.py")
    }
    words = {path: set(re.findall(r"\w+", text)) for path, text in texts.items()}

    def fault(path):
        if path.name != "__init__.py" or path.parent == ROOT / "solvers":  # whose names are for scripts
            return []
        elsewhere = set().union(*(own for other, own in words.items() if path.parent not in other.parents))
        return exports(path) - elsewhere

    assert not faults(python_files, fault)


def test_no_file_reaches_its_own_part_by_way_of_the_root():
    assert not faults(
        python_files,
        lambda path: {part_of(path)} & imported_first(path, len(path.relative_to(ROOT).parts)),
    )


@pytest.mark.parametrize("arrows", [MAY_IMPORT, *ROOMS.values()], ids=["parts", *ROOMS])
def test_no_arrows_lead_round_in_a_circle(arrows):
    assert set(TopologicalSorter(arrows).static_order()) == arrows.keys()


def test_our_own_parts_are_imported_relatively():
    """The add-on's full name depends on the repository it was installed from."""
    ours = MAY_IMPORT.keys() | {"superpose", "bl_ext"}
    assert not faults(python_files, lambda path: imported_first(path, 0) & ours)


def test_no_import_climbs_out_of_the_addon():
    assert not faults(python_files, lambda path: climbing_out_of(ROOT, path))


def test_pure_files_know_no_blender():
    assert not faults(pure_files, lambda path: imported_first(path, 0) & BLENDER)


def test_solvers_stay_in_their_folder():
    assert not faults(solver_files, lambda path: climbing_out_of(ROOT / "solvers", path))


def file_of(module):
    """The file of a module by its name below the root."""
    place = ROOT.joinpath(*module.split("."))
    return place / "__init__.py" if place.is_dir() else place.with_suffix(".py")


def test_modules_that_benchmarks_and_the_demo_name_are_there():
    """And have what is taken from them: they name them in strings, which no other tool reads."""
    sources = [
        path.read_text(encoding="utf-8")
        for folder in ("benchmarks", "demo")
        for path in (ROOT / folder).glob("*.py")
    ]
    named = {name for source in sources for pair in NAMED.findall(source) for name in pair if name}
    assert len(named) > 5
    assert [name for name in named if not file_of(name).exists()] == []
    taken = {pair for source in sources for pair in TAKEN.findall(source)}
    assert len(taken) > 5
    assert [
        pair for pair in taken if not re.search(rf"\b{pair[1]}\b", file_of(pair[0]).read_text("utf-8"))
    ] == []


def test_functions_are_short():
    def fault(path):
        functions = (node for node in nodes_of(path) if isinstance(node, ast.FunctionDef))
        lengths = {node.name: node.end_lineno - node.lineno + 1 for node in functions}
        return {name: length for name, length in lengths.items() if length > LONGEST_FUNCTION}

    assert not faults(python_files, fault)


def test_files_are_short():
    assert not faults(
        python_files, lambda path: len(path.read_text(encoding="utf-8").splitlines()) > LONGEST_FILE
    )


def test_tests_have_names_of_their_own():
    """Without packages below ``tests/`` a second module of a name cannot be collected beside the first."""
    names = [path.name for path in (ROOT / "tests").rglob("*.py")]
    assert {name for name in names if names.count(name) > 1} <= {"conftest.py"}


def test_files_say_their_licence():
    def fault(path):
        text = path.read_text(encoding="utf-8")
        return text and "SPDX-License-Identifier: GPL-3.0-or-later" not in text[:200]

    assert not faults(python_files, fault)


def test_dialogs_keep_their_fields_from_the_mouse():
    """A field under the mouse would take Enter; what is drawn beside the file browser opens no dialog."""
    beside_files = {ROOT / "operators/clip_report/save.py", ROOT / "operators/setup/file.py"}

    def fault(path):
        text = path.read_text(encoding="utf-8")
        return "def draw(" in text and "fields_of(" not in text

    drawn = [path for path in (ROOT / "operators").rglob("*.py") if path not in beside_files]
    assert len(drawn) > len(beside_files)
    assert not [path.name for path in drawn if fault(path)]
