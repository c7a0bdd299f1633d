# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""What operators share that save to a JSON file or load one."""

from pathlib import Path
from typing import TYPE_CHECKING

import bpy
from bpy.props import StringProperty
from bpy.types import Context, Event
from bpy_extras.io_utils import ExportHelper

from ...armature import RigError
from ...files import path_text, read_text, write_text
from .paths import path_from
from .rig import armature_of

if TYPE_CHECKING:
    from bpy.stub_internal.rna_enums import OperatorReturnItems


class JsonFile:
    """Mixin of operators with a file browser that shows files named .json. Methods raise RigError."""

    filename_ext = ".json"
    filter_glob: StringProperty(default="*.json", description="Files that are shown", options={'HIDDEN'})

    @property
    def path(self) -> Path:
        return path_from(self.filepath)

    @property
    def file_name(self) -> str:
        """The file's name for a message."""
        return path_text(self.path.name)

    def read_text(self) -> str:
        try:
            return read_text(self.path, encoding="utf-8-sig")
        except OSError as error:
            raise RigError(f"'{path_text(self.path)}' cannot be read: {error.strerror}") from error
        except UnicodeDecodeError as error:
            raise RigError(f"'{self.file_name}' is not a text file") from error

    def write_text(self, text: str) -> None:
        try:
            write_text(self.path, text + "\n")
        except OSError as error:
            raise RigError(f"'{path_text(self.path)}' cannot be written: {error.strerror}") from error


class SavedFile(JsonFile, ExportHelper):
    """Mixin of operators that save something of an armature: ``what``, by which its file is named."""

    what = ""

    def invoke(self, context: Context, event: Event) -> "set[OperatorReturnItems]":
        """Propose a file named after the armature, beside the .blend file."""
        name = f"{bpy.path.clean_name(armature_of(context).name)}_{self.what}"
        self.filepath = str(Path(bpy.data.filepath).with_name(name) if bpy.data.filepath else Path(name))
        self.check(context)  # gives it its ending
        return super().invoke(context, event)
