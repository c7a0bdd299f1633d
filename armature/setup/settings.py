# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""The solver's settings that the user has set up on an armature."""

from dataclasses import fields

from bpy.types import Object

from ...solvers import Settings


def settings_of(ob: Object) -> Settings:
    """Return the solver's settings; the properties have the names of its fields. Raises SettingsError."""
    of_drags_and_clips = {"haste", "worth", "gradual"}
    names = {field.name for field in fields(Settings)} - of_drags_and_clips
    return Settings(**{name: getattr(ob.superpose, name) for name in names})
