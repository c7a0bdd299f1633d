# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""That a solve was refused, for the panel to say in place of an older outcome.

It is remembered here and not in the file: there a refusal changes nothing, and it is no step to undo.
"""

from bpy.types import Context, Object

from .rig_operator import armature_of

_refusals: dict[int, str] = {}  # by the armature's id in this session, which outlives undo


def forget_refusal(ob: Object) -> None:
    """Take back what was refused: there is a new outcome, or none."""
    _refusals.pop(ob.session_uid, None)


class OutcomeOperator:
    """Mixin of the operators whose outcome the panel shows."""

    def refused(self, context: Context, why: str) -> None:
        _refusals[armature_of(context).session_uid] = why

    @staticmethod
    def refusal_of(ob: Object) -> str:
        """Return why the last solve or bake of the armature was refused, or nothing."""
        return _refusals.get(ob.session_uid, "")
