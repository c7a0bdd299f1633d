# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""What the operators share whose report the panel shows."""

from collections.abc import Iterable

from bpy.types import Context, Object

from ...reports import is_outdated, refusal_of, refuse
from .rig import armature_of


class ReportOperator:
    """Mixin of the operators whose report the panel shows, a refusal in place of an older report."""

    def refused(self, context: Context, why: str) -> None:
        if not self.refusal(context):  # else there is no armature to say it of
            refuse(armature_of(context), why)

    def report_lines(self, kind: str, message: str, more: Iterable[str]) -> None:
        """Report a message of a kind that fits into the status bar, which shows what is said last.

        ``more``: what is to be read in the Info editor before it; nothing of the empty ones.
        """
        for line in filter(None, more):
            self.report({'INFO'}, line)
        self.report({kind}, message)

    @staticmethod
    def refusal_of(ob: Object) -> str:
        """Return why the last solve or bake of the armature was refused, or nothing."""
        return refusal_of(ob)

    @staticmethod
    def is_outdated(ob: Object) -> bool:
        """Return whether the pose or a target is another than when the armature was solved."""
        return is_outdated(ob)
