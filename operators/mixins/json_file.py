# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""What operators share that save to a JSON file or load one."""

from pathlib import Path

from bpy.props import StringProperty

from ...armature import RigError
from ...files import path_text, read_text, write_text
from .paths import path_from


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
            raise RigError(f"'{self.file_name}' is no text") from error

    def write_text(self, text: str) -> None:
        try:
            write_text(self.path, text + "\n")
        except OSError as error:
            raise RigError(f"'{path_text(self.path)}' cannot be written: {error.strerror}") from error
