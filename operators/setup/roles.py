# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""What body an armature is: as it is recognised, or as the user says, in a dialog or by properties."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import replace
from textwrap import wrap
from typing import TYPE_CHECKING

from bpy.props import CollectionProperty, EnumProperty, StringProperty
from bpy.types import Context, Event, Object, PropertyGroup, UILayout

from ...armature import RigError
from ...armature.by_role.made_roles import as_made
from ...armature.by_role.plan import what_places
from ...armature.by_role.preset import shipped_presets
from ...armature.by_role.recognised import check_sure, doubtful_holds, whole_body
from ...armature.setup.body import standing_as_told
from ...bodies import Body, is_name, label
from ...overlay.roles import RolesShown, colour_number
from ..mixins.dialog import FIELDS, fields_of
from ..mixins.rig import armature_of

if TYPE_CHECKING:
    from bpy.stub_internal.rna_enums import OperatorReturnItems

KINDS = (
    ('AUTO', "As Recognised", "The body that names and shape show; nothing is done if that is not sure"),
    ('HUMAN', "Human", "Held by hips, chest, head, hands and feet"),
    ('QUADRUPED', "Quadruped", "Held by hips, chest, head, fore and hind feet"),
    ('BIRD', "Bird", "Held by hips, chest, head, wings and feet"),
    ('INSECT', "Insect", "Held by its body and the ends of its legs; spiders too"),
    ('CHAIN', "Chain", "Held by both ends: snakes, tails"),
    ('ARM', "Arm", "Anchored, and held by its end: single arms, robots"),
)
WIDTH, LINE = 440, 64  # of the dialog, pixels and characters


class SUPERPOSE_PG_role(PropertyGroup):
    """Which bone plays a role in the body; the group's name is the role's."""

    bone: StringProperty(name="Bone", description="Bone that plays this role; if empty, the role is left out")


class RolesOperator:
    """Mixin of operators on a body of which the user may say what it is; they implement ``draw_choices``.

    The dialog lists the holds of the kind of body, and the viewport shows all roles while it is open.
    """

    kind: EnumProperty(
        name="Kind",
        description="Which kind of body it is; if you choose a kind, bones that are in doubt are accepted",
        items=KINDS,
        options={'SKIP_SAVE'},
    )
    roles: CollectionProperty(
        name="Roles",
        description="Bones that play roles such as hand.L; the other roles are recognised",
        type=SUPERPOSE_PG_role,
        options={'SKIP_SAVE'},
    )

    recognised: Body | None = None  # what the dialog speaks of
    obstacle = ""  # why it cannot be set up as it was recognised
    listed = ""  # the kind whose roles are listed
    doubtful: frozenset[str] = frozenset()  # those of them that were not told surely
    shown: RolesShown | None = None

    def body_of(self, ob: Object) -> Body:
        """Return the body that the armature is.

        Raises RigError saying what was found and what not, unless that is sure or the user has said it.
        """
        body = whole_body(ob)
        made = self.made_before(ob, body)
        if self.kind == 'AUTO':
            check_sure(ob, body, [*made, *(role.name for role in self.roles)])
        told = self.as_told(body, made) if made or self.roles or self.kind != 'AUTO' else body
        return told if told.kind == body.kind else standing_as_told(ob, told)

    def made_before(self, ob: Object, body: Body) -> dict[str, str]:
        """Return the bones by role that the body has since the user has said so in a set-up before."""
        return as_made(ob, self.of_kind(body))

    def of_kind(self, body: Body) -> Body:
        """Return the body as one of the chosen kind."""
        return body if self.kind == 'AUTO' else replace(body, kind=self.kind.lower())

    def as_told(self, body: Body, made: Mapping[str, str]) -> Body:
        """Return the body as the properties say that it is, or as it was ``made`` if they say nothing.

        Raises RigError naming what is no role.
        """
        strangers = [role.name for role in self.roles if not is_name(role.name)]
        if strangers:
            raise RigError(f"'{strangers[0]}' is no role of a body")
        told = {**made, **{role.name: role.bone for role in self.roles}}
        return body.confirmed(self.of_kind(body).kind, told)

    def as_drawn(self, body: Body) -> Body:
        """Return the body as the dialog says that it is, in doubt where it was not told surely."""
        told = self.as_told(body, {})
        is_same, surely = told.kind == body.kind, dict(body.roles)
        roles = {
            name: replace(role, sure=surely[name].sure)
            for name, role in told.roles.items()
            if name in surely and (role.part, role.side) == (surely[name].part, surely[name].side)
        }
        return replace(told, sure=body.sure if is_same else 0.0, roles={**told.roles, **roles})

    def invoke(self, context: Context, _event: Event) -> "set[OperatorReturnItems]":
        ob = armature_of(context)
        self.recognised = whole_body(ob)
        kinds = {kind for kind, _, _ in KINDS}
        self.kind = self.recognised.kind.upper() if self.recognised.kind.upper() in kinds else 'HUMAN'
        self.list_roles(ob)
        self.obstacle = what_places(ob, self.recognised.holds().values())
        self.shown = RolesShown(ob, self.recognised)
        if self.made_before(ob, self.recognised):
            self.shown.show(self.as_drawn(self.recognised))
        return context.window_manager.invoke_props_dialog(self, width=WIDTH, confirm_text="Set Up")

    def check(self, context: Context) -> bool:
        """Follow what the user changes in the dialog; Blender draws it anew where this returns True."""
        if self.recognised is None:  # no dialog, but the panel of the last operation
            return False
        if self.kind != self.listed:
            self.list_roles(armature_of(context))
        self.shown.show(self.as_drawn(self.recognised))
        return True

    def cancel(self, _context: Context) -> None:
        """End what the dialog shows; Blender calls this where the dialog or the file is closed."""
        if self.shown:
            self.shown.end()

    def list_roles(self, ob: Object) -> None:
        """List the holds of the chosen kind of body, with the bones of a set-up before or as recognised."""
        self.listed = self.kind
        body, made = self.of_kind(self.recognised), self.made_before(ob, self.recognised)
        told = body.kind == self.recognised.kind
        doubted = (*body.missing(), *(doubtful_holds(body) if told else body.holds()))
        self.doubtful = frozenset(doubted) - made.keys()
        preset = shipped_presets().get(body.kind)
        self.roles.clear()
        for name in preset.effectors if preset else ():
            if body.bone(name) or name in (*body.missing(), *body.told):
                role = self.roles.add()
                role.name, role.bone = name, made.get(name, body.bone(name))

    def draw(self, context: Context) -> None:
        layout = self.layout
        if self.recognised:
            self.draw_recognised(layout, self.recognised)
        fields_of(layout).prop(self, "kind")
        self.draw_roles(layout.column(align=True), armature_of(context))
        self.draw_choices(fields_of(layout).column(heading="Make"))

    def draw_recognised(self, layout: UILayout, body: Body) -> None:
        """Say what was recognised, how surely, and what does not fit."""
        col = layout.column(align=True)
        how = "Recognised" if body.is_sure else "Not surely recognised"
        sure = f"{how}: {body.kind.capitalize()}, {int(100 * body.sure)} % sure"
        col.label(
            text=sure if body.holds() else "Not recognised",
            icon='QUESTION' if self.doubtful else 'CHECKMARK',
        )
        for note in filter(None, (*body.notes, self.obstacle)):
            for place, line in enumerate(wrap(note, LINE)):
                col.label(text=line, icon='BLANK1' if place else 'ERROR')

    def draw_roles(self, col: UILayout, ob: Object) -> None:
        """Draw a field for the bone of each role, in the viewport's colours; what is in doubt is red, and so
        is a bone that has two roles, which cannot be.

        Beside an empty one it says that nothing is made of the role.
        """
        uses = Counter(role.bone for role in self.roles if role.bone)
        col.use_property_split = True
        col.use_property_decorate = False
        for role in self.roles:
            part, _, side = role.name.partition(".")
            row = col.split(factor=FIELDS, align=True)
            row.alert = role.name in self.doubtful or uses[role.bone] > 1
            row.row().prop_search(role, "bone", ob.data, "bones", text=label(role.name))
            note = ("left out", "", "twice")[min(uses[role.bone], 2)]
            row.label(text=note, icon=f"COLLECTION_COLOR_{colour_number(part, side):02}")
