# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""The pure files of overlay/, imported without Blender and without the add-on's own __init__.py."""

import sys
from importlib import import_module
from types import ModuleType

from shipped import ROOT

PACKAGE = "superpose_pure"


def pure(name):
    """Return the module overlay/NAME.py, whose solvers are the very modules that the tests import."""
    if PACKAGE not in sys.modules:
        for package, folder in ((PACKAGE, ROOT), (f"{PACKAGE}.overlay", ROOT / "overlay")):
            sys.modules[package] = ModuleType(package)
            sys.modules[package].__path__ = [str(folder)]
        for path in (ROOT / "solvers").rglob("*.py"):
            module = ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")
            sys.modules[f"{PACKAGE}.{module}"] = import_module(module)
    return import_module(f"{PACKAGE}.overlay.{name}")
