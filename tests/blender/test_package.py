# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""The built zip: valid, complete, without the workshop, and it installs and enables."""

import subprocess
import sys
import zipfile
from pathlib import Path

import addon_utils
import bpy
import pytest
from shipped import MANIFEST, shipped_files

TOP_LEVEL = {"blender_manifest.toml", "LICENSE", "README.md"}


def extension_command():
    """A Blender program has the command built in; a wheel brings it as a script."""
    if bpy.app.binary_path:
        return [bpy.app.binary_path, "--factory-startup", "--command", "extension"]
    return [sys.executable, Path(addon_utils.__file__).parents[1] / "addons_core/bl_pkg/cli/blender_ext.py"]


def run_extension_command(*arguments):
    run = subprocess.run([*extension_command(), *arguments], capture_output=True, text=True, timeout=120)
    assert run.returncode == 0, run.stdout + run.stderr
    return run.stdout


@pytest.fixture(scope="module")
def package(root, tmp_path_factory):
    path = tmp_path_factory.mktemp("dist") / "superpose.zip"
    run_extension_command("build", "--source-dir", root, "--output-filepath", path)
    return path


@pytest.fixture
def repository(addon, tmp_path):
    """A fresh local repository; the checkout is off meanwhile, as both have the same class names."""
    addon.disable()
    repos = bpy.context.preferences.extensions.repos
    repo = repos.new(name="Trial", module="superpose_trial", custom_directory=str(tmp_path))
    yield repo.module
    addon_utils.disable("bl_ext.superpose_trial.superpose", default_set=True)
    repos.remove(next(repo for repo in repos if repo.module == "superpose_trial"))
    addon.enable()


def test_package_is_valid(package):
    assert "Success" in run_extension_command("validate", package)


def test_package_holds_the_shipped_files_only(root, package):
    shipped = {path.relative_to(root).as_posix() for path in shipped_files()}
    top_level = {name for name in TOP_LEVEL if (root / name).exists()}
    manual = {path.relative_to(root).as_posix() for path in (root / "manual").rglob("*.*")}
    with zipfile.ZipFile(package) as archive:
        assert set(archive.namelist()) == manual | shipped | top_level


def test_manifest_asks_for_nothing():
    assert not MANIFEST.keys() & {"wheels", "permissions", "platforms"}
    assert len(MANIFEST["tagline"]) <= 64


def test_package_installs_and_enables(repository, package):
    bpy.ops.extensions.package_install_files(
        filepath=str(package), repo=repository, enable_on_install=True, overwrite=True
    )
    assert addon_utils.check(f"bl_ext.{repository}.superpose") == (True, True)
