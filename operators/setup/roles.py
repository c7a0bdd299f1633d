# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""What body an armature is: as it is recognised, or as the user says."""

from bpy.props import CollectionProperty, EnumProperty, StringProperty
from bpy.types import Object, PropertyGroup

from ...armature import RigError
from ...armature.by_role.recognised import check_sure, whole_body
from ...bodies import Body, is_name

KINDS = (
    ('AUTO', "As Recognised", "What names and shape tell surely; where they do not, nothing is done"),
    ('HUMAN', "Human", "Held by hips, chest, head, hands and feet"),
    ('QUADRUPED', "Quadruped", "Held by hips, chest, head, fore and hind feet"),
    ('BIRD', "Bird", "Held by hips, chest, head, wings and feet"),
    ('INSECT', "Insect", "Held by its body and the ends of its legs; spiders too"),
    ('CHAIN', "Chain", "Held by both ends: snakes, tails"),
    ('ARM', "Arm", "Anchored, and held by its end: single arms, robots"),
)


class SUPERPOSE_PG_role(PropertyGroup):
    """Which bone plays a role in the body; the group's name is the role's."""

    bone: StringProperty(
        name="Bone", description="Bone that plays this role; where it is empty, nothing is made of the role"
    )


class RolesOperator:
    """Mixin of operators on a body that the user may say more about."""

    kind: EnumProperty(
        name="Kind",
        description="What body it is; naming it accepts what is in doubt",
        items=KINDS,
        options={'SKIP_SAVE'},
    )
    roles: CollectionProperty(
        name="Roles",
        description="Bones that play roles such as hand.L; roles that are not named are recognised",
        type=SUPERPOSE_PG_role,
        options={'SKIP_SAVE'},
    )

    def body_of(self, ob: Object) -> Body:
        """Return the body that the armature is.

        Raises RigError saying what was found and what not, unless that is sure or the user has said it.
        """
        body = whole_body(ob)
        if self.kind == 'AUTO' and not self.roles:
            check_sure(ob, body)
            return body
        kind = body.kind if self.kind == 'AUTO' else self.kind.lower()
        strangers = [role.name for role in self.roles if not is_name(role.name)]
        if strangers:
            raise RigError(f"'{strangers[0]}' is no role of a body")
        return body.confirmed(kind, {role.name: role.bone for role in self.roles})
