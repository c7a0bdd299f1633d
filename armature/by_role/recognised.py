# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""Which body an armature is, of what hangs together in it, and whether that is sure enough to act on."""

from collections import Counter
from collections.abc import Collection

from bpy.types import Object

from ...bodies import SURE, Body, said
from ..errors import RigError
from ..setup.body import recognised_body


def whole_body(ob: Object) -> Body:
    """Return the body of the armature object without what hangs on nothing, such as loose hooves."""
    body = recognised_body(ob)
    if not body.roles:
        return body
    tops = _tops(ob)
    hips = body.holds().get("hips")
    most = tops[hips] if hips else Counter(tops[name] for name in body.roles).most_common(1)[0][0]
    return body.of({name for name in body.roles if tops[name] == most})


def check_sure(ob: Object, body: Body, told: Collection[str] = ()) -> None:
    """Raise RigError, saying what was found and what not, unless the body is sure and so are all holds.

    ``told``: the holds of which the user says which bones they are.
    """
    if not body.is_sure or {*body.missing(), *doubtful_holds(body)} - set(told):
        raise RigError(f"{what_was_found(ob, body)}; choose kind and bones in the dialog of Set Up Body")


def doubtful_holds(body: Body) -> list[str]:
    """Return the holds whose bones are not told surely."""
    recognised = {name: bone for name, bone in body.holds().items() if name not in body.told}
    return [name for name, bone in recognised.items() if min(body.sure, body.roles[bone].sure) < SURE]


def what_was_found(ob: Object, body: Body) -> str:
    """Say in one sentence what body it seems to be, how surely, and which holds were found and which not."""
    notes = [note for note in body.notes if not note.startswith("Not found")]
    if not body.holds():
        return "; ".join((f"The body of '{ob.name}' was not recognised", *notes))
    doubted = doubtful_holds(body) if body.is_sure else []
    certain = [name for name in body.holds() if name not in doubted]
    parts = [
        f"'{ob.name}' is not surely recognised ({body.kind}, {int(100 * body.sure)} % sure)",
        f"found {', '.join(map(said, certain)) or 'nothing'}",
    ]
    parts += [f"in doubt {', '.join(map(said, doubted))}"] if doubted else []
    parts += [f"not found {', '.join(map(said, body.missing()))}"] if body.missing() else []
    return "; ".join((*parts, *notes))


def _tops(ob: Object) -> dict[str, str]:
    """Return for each bone the topmost one that it hangs on, or itself."""
    tops: dict[str, str] = {}
    for bone in ob.data.bones:  # parents come first
        tops[bone.name] = tops[bone.parent.name] if bone.parent else bone.name
    return tops
