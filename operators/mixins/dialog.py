# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""Where the fields of a dialog are, so that Enter and Esc are the dialog's."""

from bpy.types import UILayout

# Share of the width that fields have. Blender opens a dialog with the mouse at nine tenths of it, and where
# the dialog has no room below, over a field, which would take Enter and Esc.
FIELDS = 0.8
WIDTH = 360  # pixels


def fields_of(layout: UILayout) -> UILayout:
    """Return a column of the layout for fields beside their names, none of them under the mouse."""
    col = layout.split(factor=FIELDS).column()
    col.use_property_split = True
    col.use_property_decorate = False
    return col
