# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""That a solve was refused, for the panel to say in place of an older report.

It is remembered here and not in the file: there a refusal changes nothing, and it is no step to undo.
"""

from bpy.types import Object

_refusals: dict[int, str] = {}  # by the armature's id in this session, which outlives undo


def forget_refusal(ob: Object) -> None:
    """Take back what was refused: there is a new report, or none."""
    _refusals.pop(ob.session_uid, None)


def refuse(ob: Object, why: str) -> None:
    """Remember why the armature was not solved."""
    _refusals[ob.session_uid] = why


def refusal_of(ob: Object) -> str:
    """Return why the last solve or bake of the armature was refused, or nothing."""
    return _refusals.get(ob.session_uid, "")
