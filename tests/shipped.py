# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""What goes to users: the manifest's word, read in one place."""

import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
MANIFEST = tomllib.loads((ROOT / "blender_manifest.toml").read_text(encoding="utf-8"))


def shipped_folders():
    packages = sorted(init.parent for init in ROOT.glob("*/__init__.py"))
    excluded = MANIFEST["build"]["paths_exclude_pattern"]
    return [folder for folder in packages if f"/{folder.name}/" not in excluded]


def shipped_files():
    """Root modules and everything inside the shipped folders, caches left out."""
    inside = (path for folder in shipped_folders() for path in folder.rglob("*") if path.is_file())
    return sorted(path for path in [*ROOT.glob("*.py"), *inside] if "__pycache__" not in path.parts)
