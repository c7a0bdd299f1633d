# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""The set-ups that come with the extension, by role."""

from pathlib import Path


def shipped_set_ups() -> dict[str, Path]:
    """Return the files of set-ups, by the kind of body that each is for."""
    return {path.stem: path for path in sorted((Path(__file__).parent / "set_ups").glob("*.json"))}
