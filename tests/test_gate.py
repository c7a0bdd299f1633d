# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""The gate itself: it runs the rings it is told to, one alone too, and fails with any of them."""

import os
import subprocess
import sys

import pytest
from shipped import ROOT

GATE = ROOT / "workshop" / "gate.sh"
PROGRAM = """#!/bin/bash
case "$*" in *--python-expr*) echo python=3.99 ;; *) echo "program ran: $*"; exit {code} ;; esac
"""

pytestmark = [
    pytest.mark.once,
    pytest.mark.skipif(os.name != "posix", reason="the gate is a shell script"),
    pytest.mark.skipif("bpy" in sys.modules, reason="once is enough, and needs a plain Python"),
]


@pytest.fixture
def cache(tmp_path):
    """Environments without a download: this Python, and an empty folder for a program's pytest."""
    (tmp_path / "pure").symlink_to(sys.prefix)
    for package in ("scipy", "hypothesis"):
        (tmp_path / "site-3.99" / package).mkdir(parents=True)
    return tmp_path


@pytest.fixture
def program(tmp_path):
    """Makes what answers like a Blender program, and then ends with the code."""

    def make(code):
        path = tmp_path / f"program-{code}"
        path.write_text(PROGRAM.format(code=code), encoding="utf-8")
        path.chmod(0o755)
        return str(path)

    return make


def gate(cache, *rings, arguments="--version"):
    known = os.environ | {"SUPERPOSE_CACHE": str(cache), "PYTEST_ARGS": arguments}
    return subprocess.run([GATE, *rings], env=known, capture_output=True, text=True, check=False)


def logged(cache, ring):
    return (cache / "logs" / f"{ring.removeprefix('/').replace('/', '_')}.log").read_text(encoding="utf-8")


def test_a_ring_without_blender_runs_alone(cache):
    done = gate(cache, "pure")
    assert done.returncode == 0, done.stdout + done.stderr
    assert "pytest" in logged(cache, "pure")


def test_a_blender_program_runs_alone(cache, program):
    blender = program(0)
    done = gate(cache, blender)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "program ran" in logged(cache, blender)


def test_one_failed_ring_fails_the_gate_and_the_others_still_run(cache, program):
    good, bad = program(0), program(9)
    done = gate(cache, bad, good)
    assert done.returncode == 1
    assert "FAILED (exit 9)" in done.stdout
    assert "program ran" in logged(cache, good)


def test_a_gate_without_rings_says_so(cache):
    done = gate(cache)
    assert done.returncode == 2
    assert "no ring is named" in done.stderr


def test_tests_that_are_marked_slow_run_in_their_ring_only(cache, tmp_path):
    case = tmp_path / "test_both.py"
    case.write_text("import pytest\ndef test_a(): 0\n@pytest.mark.slow\ndef test_b(): 0\n", encoding="utf-8")
    done = gate(cache, "pure", "slow", arguments=f"-v -c {ROOT / 'tests' / 'pytest.ini'} {case}")
    assert done.returncode == 0, done.stdout + done.stderr
    assert ("test_a PASSED" in logged(cache, "pure"), "test_b" in logged(cache, "pure")) == (True, False)
    assert ("test_b PASSED" in logged(cache, "slow"), "test_a" in logged(cache, "slow")) == (True, False)


def test_of_two_parts_each_test_is_in_one_and_what_is_marked_once_in_both(cache, tmp_path):
    case = tmp_path / "test_many.py"
    names = "abcdefgh"
    tests = "".join(f"def test_{name}(): 0\n" for name in names)
    case.write_text(f"import pytest\n{tests}@pytest.mark.once\ndef test_once(): 0\n", encoding="utf-8")
    arguments = f"-v -c {ROOT / 'tests' / 'pytest.ini'} -p conftest --rootdir {ROOT / 'tests'} {case}"
    found = []
    for part in ("1/2", "2/2"):
        done = gate(cache, f"pure:{part}", arguments=arguments)
        assert done.returncode == 0, done.stdout + done.stderr
        assert "test_once PASSED" in logged(cache, f"pure:{part}")
        found.append({name for name in names if f"test_{name} PASSED" in logged(cache, f"pure:{part}")})
    assert found[0] | found[1] == set(names)
    assert not found[0] & found[1]
    assert all(found)


HALVES = ["/opt/blender:1/2", "/opt/blender:2/2"]


@pytest.mark.parametrize(("blender", "first"), [("", ["once"]), ("/opt/blender", HALVES)])
def test_what_one_blender_is_enough_for_runs_in_the_program_or_in_a_ring_of_its_own(blender, first):
    told = ("MAKEFLAGS", "RINGS", "PROGRAMS", "WHEELS", "KERNELS")  # by the make that runs this
    known = {name: value for name, value in os.environ.items() if name not in told}
    line = ["make", "-n", "test", f"BLENDER={blender}"]
    done = subprocess.run(line, cwd=ROOT, env=known, capture_output=True, text=True, check=True)
    rings = done.stdout.rpartition("workshop/gate.sh")[2].split()
    assert (rings[: len(first)], "once" in rings) == (first, not blender)
