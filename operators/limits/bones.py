# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""Which bones an operator is about."""

from collections.abc import Iterable

from bpy.types import Context, Object, PoseBone

from ...armature import RigError, bone_meant, bones_meant
from ...reports import names_text
from ..mixins.rig import RigOperator, armature_of

SCOPES = (
    ('SELECTED', "Selected Bones", "The bones that are selected"),
    ('ALL', "All Bones", "Every bone of the armature"),
)


def active_bone(context: Context, ob: Object) -> PoseBone:
    """Return the active bone; raises RigError."""
    active = bone_meant(context, ob)
    if active is None:
        raise RigError(f"No bone of '{ob.name}' is active")
    return active


def chosen_bones(context: Context, ob: Object, scope: str = 'SELECTED') -> list[PoseBone]:
    """Return the bones that a scope names, the active one where none is selected; raises RigError."""
    chosen = list(ob.pose.bones) if scope == 'ALL' else bones_meant(context, ob)
    if not chosen and bone_meant(context, ob) is None:
        raise RigError(f"No bones of '{ob.name}' are selected")
    return chosen or [active_bone(context, ob)]


def names_of(bones: Iterable[PoseBone]) -> str:
    """Return which bones an operator was about: in Object Mode nobody sees which are selected."""
    return names_text([bone.name for bone in bones])


class ActiveBoneOperator(RigOperator):
    """Mixin of operators on the active bone; ``check_bone`` says beforehand why one cannot be used."""

    @classmethod
    def check_context(cls, context: Context) -> None:
        cls.check_bone(active_bone(context, armature_of(context)))

    @classmethod
    def check_bone(cls, bone: PoseBone) -> None:
        """Raise RigError where the operator has nothing to do on the bone."""
