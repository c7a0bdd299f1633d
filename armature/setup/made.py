# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""Which of a bone's settings Set Up Body has made, so that it can take back these and nothing else."""

from bpy.types import PoseBone


def made_of(bone: PoseBone) -> set[str]:
    """Return which of EFFECTOR, STIFFNESS, LIMIT, COMFORT, TWIST, SPEED, ROOT were made; stores nothing."""
    return bone.superpose.made if bone.is_property_set("superpose") else set()


def is_made(bone: PoseBone, what: str) -> bool:
    return what in made_of(bone)


def note_made(bone: PoseBone, what: str) -> None:
    bone.superpose.made |= {what}


def forget_made(bone: PoseBone, what: str) -> None:
    """Forget that it was made: the user has set it since, or it is gone."""
    made = made_of(bone)
    if made == {what}:
        bone.superpose.property_unset("made")
    elif what in made:
        bone.superpose.made = made - {what}
