# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""Which bones an operator is about."""

from collections.abc import Iterable

from bpy.types import Context, Object, PoseBone

from ...armature import RigError, is_selected
from ...reports import names_text
from ..mixins.rig import RigOperator, armature_of

SCOPES = (
    ('SELECTED', "Selected Bones", "The bones that are selected"),
    ('ALL', "All Bones", "Every bone of the armature"),
)


def active_bone(ob: Object) -> PoseBone:
    """Return the active bone; raises RigError."""
    active = ob.data.bones.active
    if active is None:
        raise RigError(f"No bone of '{ob.name}' is active")
    return ob.pose.bones[active.name]


def chosen_bones(ob: Object, scope: str = 'SELECTED') -> list[PoseBone]:
    """Return the bones that a scope names, the active one where none is selected; raises RigError."""
    chosen = [bone for bone in ob.pose.bones if scope == 'ALL' or is_selected(bone)]
    if not chosen and ob.data.bones.active is None:
        raise RigError(f"No bones of '{ob.name}' are selected")
    return chosen or [active_bone(ob)]


def names_of(bones: Iterable[PoseBone]) -> str:
    """Return which bones an operator was about: in Object Mode nobody sees which are selected."""
    return names_text([bone.name for bone in bones])


class ActiveBoneOperator(RigOperator):
    """Mixin of operators on the active bone; ``check_bone`` says beforehand why one cannot be used."""

    @classmethod
    def check_context(cls, context: Context) -> None:
        cls.check_bone(active_bone(armature_of(context)))

    @classmethod
    def check_bone(cls, bone: PoseBone) -> None:
        """Raise RigError where the operator has nothing to do on the bone."""
