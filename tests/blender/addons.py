# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""Add-ons that tests switch on and off."""

from dataclasses import dataclass

import addon_utils


@dataclass(frozen=True)
class Addon:
    """An add-on by its full module name, to be switched on and off."""

    name: str

    def enable(self):
        errors = []  # Blender would print them and carry on
        module = addon_utils.enable(self.name, default_set=True, handle_error=errors.append)
        if errors:
            raise errors[0]
        return module

    def disable(self):
        addon_utils.disable(self.name, default_set=True)
