# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""What body a rig is, from names, parents and rest positions of its joints: names and shape put together.

Names tell left and right, always, and a human's parts; the shape tells all else, and how sure names are.
"""

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace

import numpy as np

from .agreement import AGREED, agreed, are_all_legs, limbs_are_called, rows_of, with_named_legs
from .animals import as_of_an_animal
from .body import SURE, Body
from .directions import directions
from .holds import said
from .joints import joints_of
from .letters import with_sides
from .machines import has_axes, without_axes
from .named import MIDDLE, OF_THE_MIDDLE, SIDED, Named, named
from .plans import CHAIN, HUMAN, SINGLE_ARM, UNKNOWN
from .role import LIMBS, Role
from .shaped import Shaped, shaped
from .tree import Array, Tree, tree_of
from .words import is_of_face, is_of_machine

# A root that carries this share of the joints, this far from the body's own in sizes, is another body.
_HALF, _APART = 0.4, 0.1
# The share of a human's parts that names must tell.
_WHOLE, _PARTLY = 0.8, 0.3
_SURELY, _BY_NAMES, _IN_CONFLICT = 0.99, 0.95, 0.6
_BESIDE = 0.97  # a role by shape, beside the plan
_FINGERS_ALIKE = 0.55  # a finger of a gripper is at least so long as another
# A chain is most of the joints; a long one without branches is no arm.
_MOST, _LONG, _LONG_SURE = 0.7, 12, 0.92
_ESSENTIAL = {(part, part in SIDED) for part in (*SIDED, *MIDDLE)}  # and whether of a side
_OF_LINKS = (Role("head"), *(Role(part, side) for part in ("hand", "foot") for side in "LR"))
# Names that tell more than this share of the joints tell more than a chain does.
_TOLD = 0.5


def recognise(names: Sequence[str], parents: Sequence[str | None], heads: Array) -> Body:
    """Return the body of a rig: ``names`` of J bones, of their ``parents``, and ``heads`` (J, 3) at rest."""
    if not len(names):
        return Body(UNKNOWN, 0.0, {})
    tree = joints_of(tree_of(names, parents, heads))
    spelt = replace(tree, names=with_sides(without_axes(tree.names)))
    told = named(spelt)
    shape = with_named_legs(spelt, _shape(spelt, told))
    if len(told.twice) >= len(SIDED) and not (shape is not None and are_all_legs(spelt, shape)):
        return Body(UNKNOWN, 0.0, {}, notes=(f"More than one body: {', '.join(told.twice)} exist twice",))
    if shape is None and told.human < _PARTLY:
        return _without_limbs(tree, told)
    kind, sure = _kind(spelt, told, shape)
    if shape is not None and _is_human(shape):
        told, shape = _without_astray(tree, told, shape)
    roles = _roles(tree, told, shape, kind, sure)
    body = replace(_body(tree, shape, kind, sure, roles), told=_left_out(tree, roles))
    if has_axes(tree.names):
        body = replace(body, told={**body.told, **_at_last_links(body)})
    if kind == HUMAN and sure <= _IN_CONFLICT and (told.animal or told.human >= _WHOLE):
        body = replace(body, notes=(*body.notes, "It may be an animal"))
    body = replace(body, hung=_hung(tree, body))
    second = None if told.human >= _WHOLE else _second_body(tree)
    if second is None:
        return body
    note = f"More than one body: '{tree.names[second]}' carries another"
    return replace(body, sure=min(sure, _IN_CONFLICT), notes=(*body.notes, note))


def _shape(tree: Tree, told: Named) -> Shaped | None:
    """Return what the shape tells; of a whole human by names, without what may be worn or carried.

    That is all that names do not tell, and a tail, as long as the rest is a human by its shape too.
    """
    called = {tree.names[at]: LIMBS[role.part] for at, role in told.roles.items() if role.part in LIMBS}
    called |= rows_of(tree)
    shape = shaped(tree, called)
    if told.human < 1.0 or (shape is not None and _fits(told, shape)):
        return shape
    joints = sorted(_hung_together(tree, [at for at, role in told.roles.items() if role.part != "tail"]))
    bare = shaped(tree.kept(joints), called)
    if bare is None:
        return shape
    return bare.at(joints) if _fits(told, bare.at(joints)) else shape


def _hung_together(tree: Tree, joints: list[int]) -> set[int]:
    """Return the joints with the nearest that carries them all, as a root that has no part of its own."""
    shared = set.intersection(*(set(tree.ancestors(joint)) for joint in joints))
    return {*joints, *sorted(shared)[-1:]}  # parents come before their children


def _fits(told: Named, shape: Shaped) -> bool:
    """Return whether the shape is surely a human's as its names tell it, with the same sides."""
    return _is_human(shape) and not shape.contradicts and agreed(told, shape) > AGREED


def _is_human(shape: Shaped) -> bool:
    return shape.plan.kind == HUMAN and shape.sure >= SURE


def _without_astray(tree: Tree, told: Named, shape: Shaped) -> tuple[Named, Shaped]:
    """Return what both tell, names nothing of the middle where the shape has none.

    That is asked for if names tell all else. Hips carry the legs, a spine the head, or the hips where these
    hang on the chest, and a head is in the middle, before or behind the shape's.
    """
    at = {(role.part, role.side): joint for joint, role in shape.roles.items() if role.place == 1}
    if not at.keys() >= {("head", ""), ("thigh", "L"), ("thigh", "R")}:
        return told, shape
    head, *thighs = (set(tree.ancestors(at[key])) for key in (("head", ""), ("thigh", "L"), ("thigh", "R")))

    def fits(joint: int, part: str) -> bool:
        way = set(tree.ancestors(joint))
        if part not in OF_THE_MIDDLE or not way & head:  # the limbs, or a root of its own
            return True
        if part in ("hips", "spine"):
            return joint in thighs[0] & thighs[1] or (part == "spine" and joint in head)
        return joint in shape.middle and (joint in head or at["head", ""] in way)

    kept = {joint: role for joint, role in told.roles.items() if fits(joint, role.part)}
    lost = {role.part for role in told.roles.values()} - {role.part for role in kept.values()}
    doubt = _IN_CONFLICT if told.human >= _WHOLE else 1.0
    roles = {
        joint: replace(role, sure=role.sure * doubt) if role.part in lost else role
        for joint, role in shape.roles.items()
    }
    return replace(told, roles=kept), replace(shape, roles=roles)


def _second_body(tree: Tree) -> int | None:
    """Return the root of a body beside the first one; None where there is no other."""
    large = [root for root in tree.roots if tree.counts[root] >= _HALF * len(tree.names)]
    if len(large) < 2:
        return None
    apart = float(np.linalg.norm(tree.centroids[large[-1]] - tree.centroids[large[0]]))
    return large[-1] if apart > _APART * tree.size else None


def _kind(tree: Tree, told: Named, shape: Shaped | None) -> tuple[str, float]:
    human = told.human >= _WHOLE and not told.twice
    tells = human and not told.animal
    if shape is None or (tells and shape.sure < SURE):
        if not tells:
            return HUMAN, 0.5 * told.human
        if not as_of_an_animal(tree, told, shape):
            return HUMAN, _BY_NAMES
        return HUMAN if shape is None else shape.plan.kind, _IN_CONFLICT
    agree = agreed(told, shape)
    if human and shape.plan.kind == HUMAN:
        return HUMAN, _SURELY if agree > AGREED else shape.sure
    if told.animal and shape.plan.kind == HUMAN:
        return HUMAN, min(shape.sure, _IN_CONFLICT)
    if agree > AGREED or are_all_legs(tree, shape) or limbs_are_called(tree, shape):
        return shape.plan.kind, max(shape.sure, _BY_NAMES)
    if tells:
        return shape.plan.kind, _IN_CONFLICT
    return shape.plan.kind, shape.sure


def _roles(tree: Tree, told: Named, shape: Shaped | None, kind: str, sure: float) -> dict[int, Role]:
    by_shape = {} if shape is None or shape.plan.kind != kind else _with_head(_weighed(shape, sure), told)
    rivals = _rivals(told, by_shape) if kind == HUMAN and told.human < 1.0 else {}
    by_shape |= {other: replace(by_shape[other], sure=_IN_CONFLICT) for other in rivals.values()}
    kept = {joint: role for joint, role in told.roles.items() if joint not in rivals}
    by_name = {joint: _checked(role, by_shape.get(joint)) for joint, role in kept.items()}
    told_twice = {joint for joint, role in by_name.items() if role.sure == _SURELY}
    by_shape |= {joint: replace(by_shape[joint], sure=_SURELY) for joint in told_twice}
    if told.four_legs:
        by_shape = _with_legs_by_name(by_shape, by_name)
    first, second = (by_name, by_shape) if kind == HUMAN else (by_shape, by_name)
    taken = {(role.part, role.side) for role in first.values()}
    rest = {joint: role for joint, role in second.items() if (role.part, role.side) not in taken}
    by_names = {joint for joint, role in by_name.items() if (role.part, bool(role.side)) in _ESSENTIAL}
    necks = {joint for joint, role in by_name.items() if role.part == "neck" and role.count == 1}
    needed = {
        joint: role
        for joint, role in rest.items()
        if kind == HUMAN
        and (role.part, bool(role.side)) in _ESSENTIAL
        and joint not in by_names
        and joint not in necks
    }
    rest = {joint: role for joint, role in rest.items() if kind == HUMAN or role.part == "tail"}
    roles = _numbered(tree, rest | first | needed)
    if shape is None or not shape.contradicts:
        return roles
    doubted = {joint: replace(role, sure=_IN_CONFLICT) for joint, role in roles.items() if role.side}
    return roles | doubted


def _with_legs_by_name(by_shape: dict[int, Role], by_name: dict[int, Role]) -> dict[int, Role]:
    """Return the roles with legs as names tell them where the shape hardly tells where they bend."""
    doubtful = any(role.sure < SURE for role in by_shape.values() if role.part in LIMBS)
    legs = {joint: role for joint, role in by_name.items() if role.side}
    return {joint: role for joint, role in by_shape.items() if not role.side} | legs if doubtful else by_shape


def _with_head(by_shape: dict[int, Role], told: Named) -> dict[int, Role]:
    """Return the roles with the head where names tell one: horns and manes mislead the shape."""
    heads = [joint for joint, role in told.roles.items() if role.part == "head"]
    if len(heads) != 1 or by_shape.get(heads[0], Role("neck")).part not in {"neck", "head"}:
        return by_shape
    past = {joint: role for joint, role in by_shape.items() if role.part == "head" and joint != heads[0]}
    necks = {joint: replace(role, part="neck", place=2) for joint, role in past.items() if joint < heads[0]}
    kept = {joint: role for joint, role in by_shape.items() if joint not in past}
    return kept | necks | {heads[0]: replace(told.roles[heads[0]], sure=_BY_NAMES)}


def _numbered(tree: Tree, roles: dict[int, Role]) -> dict[int, Role]:
    """Return the roles with places anew, as some joints may have got another role.

    A spine goes from the hips to the chest, and on some bodies the hips hang on that.
    """
    hips = [joint for joint, role in roles.items() if role.part == "hips"]
    upwards = set(tree.ancestors(hips[0])) if len(hips) == 1 else set()
    turned = {joint for joint in upwards & roles.keys() if roles[joint].part == "spine"}
    tops = Counter((role.part, role.side) for role in roles.values() if role.place == 1)
    chains: dict[tuple[str, str], list[int]] = {}
    for joint in sorted(roles, key=lambda joint: -joint if joint in turned else joint):
        chains.setdefault((roles[joint].part, roles[joint].side), []).append(joint)
    for key, chain in chains.items():
        if tops[key] <= 1:  # several chains of one part, as toes are, keep their own numbers
            for place, joint in enumerate(chain, 1):
                roles[joint] = replace(roles[joint], place=place, count=len(chain))
    return roles


def _weighed(shape: Shaped, sure: float) -> dict[int, Role]:
    certain = {False: _BESIDE * sure, True: _BESIDE * sure * shape.sided}
    return {
        joint: replace(role, sure=role.sure * certain[bool(role.side)]) for joint, role in shape.roles.items()
    }


def _hung(tree: Tree, body: Body) -> tuple[str, ...]:
    """Return the bones from the hips to the chest where these hang on that; nothing on all other bodies."""
    hips, spine = body.bones("hips"), body.bones("spine")
    if len(hips) != 1 or not spine:
        return ()
    above = {tree.names[joint] for joint in tree.ancestors(tree.names.index(hips[0]))}
    return (*hips, *spine) if above.issuperset(spine) else ()


def _left_out(tree: Tree, roles: Mapping[int, Role]) -> dict[str, str]:
    """Return the head as left out where no joint may be one: all are of limbs and trunk, or carry these."""
    known = {above for joint in roles for above in tree.ancestors(joint)}
    limbs = {below for joint, role in roles.items() if role.side for below in tree.below(joint)}
    has_neck = any(role.part in ("neck", "head") for role in roles.values())
    return {} if has_neck or known | limbs != set(range(len(tree.names))) else {"head": ""}


def _at_last_links(body: Body) -> dict[str, str]:
    """Return the bones of holds whose joints are links for their axes: the last one moves about all."""
    links = {str(role): body.bones(role.part, role.side) for role in _OF_LINKS}
    return {name: bones[-1] for name, bones in links.items() if len(bones) > 1}


def _rivals(told: Named, by_shape: Mapping[int, Role]) -> dict[int, int]:
    """Return the joints whose names tell a part of a limb that the shape surely has elsewhere, and where."""
    places = {(role.part, role.side): joint for joint, role in by_shape.items() if role.sure >= SURE}
    same = {(role.part, role.side) for joint, role in told.roles.items() if _alike(role, by_shape.get(joint))}
    limbs = {joint: (role.part, role.side) for joint, role in told.roles.items() if role.part in SIDED}
    return {joint: places[key] for joint, key in limbs.items() if key in places.keys() - same}


def _checked(role: Role, by_shape: Role | None) -> Role:
    return replace(role, sure=_SURELY if _alike(role, by_shape) else _BY_NAMES)


def _alike(role: Role, other: Role | None) -> bool:
    return other is not None and (other.part, other.side) == (role.part, role.side)


def _body(tree: Tree, shape: Shaped | None, kind: str, sure: float, roles: Mapping[int, Role]) -> Body:
    by_bone = {tree.names[joint]: roles[joint] for joint in sorted(roles)}
    notes = tuple(_notes(kind, by_bone.values(), shape))
    if kind == HUMAN and (shape is None or not _is_human(shape)):
        return Body(kind, sure, by_bone, *directions(kind, roles, dict(enumerate(tree.heads))), notes)
    if shape is None or shape.plan.kind != kind:
        return Body(kind, sure, by_bone, notes=notes)
    plan, mirror = shape.plan, shape.view.mirror
    forward = plan.forward
    if shape.sided == 1.0:  # names tell left and right, so they tell front and back
        forward = np.cross(mirror.normal, plan.up)
    return Body(kind, sure, by_bone, plan.up, forward, mirror.point, notes)


def _notes(kind: str, roles: Collection[Role], shape: Shaped | None) -> list[str]:
    there = {(role.part, role.side) for role in roles}
    wanted = [(part, "") for part in MIDDLE] + [(part, side) for part in SIDED for side in "LR"]
    missing = [str(Role(*key)) for key in wanted if key not in there] if kind == HUMAN else []
    notes = [f"Not found: {', '.join(map(said, missing))}"] if missing else []
    if shape is not None and shape.contradicts:
        notes.append("Names say left where the feet say right")
    return notes


def _without_limbs(tree: Tree, told: Named) -> Body:
    """Return a single arm by its names, else a chain or an arm by its shape, or nothing that is known."""
    roles = {tree.names[joint]: replace(role, sure=_BY_NAMES) for joint, role in told.roles.items()}
    parts = {role.part for role in told.roles.values() if role.side}
    if "hand" in parts and parts & {"forearm", "upper_arm"} and not parts & {"thigh", "shin", "foot"}:
        return Body(SINGLE_ARM, _BY_NAMES, roles)
    way = tree.along(max(tree.roots, key=lambda joint: tree.counts[joint]))
    path = float(tree.edges[way].sum())
    is_chain = len(way) > 2 and path > _MOST * float(tree.edges.sum())
    if not is_chain or (len(told.roles) > _TOLD * len(tree.names) and not _is_snake(told, way)):
        notes = ("All joints are in one place",) if len(way) > 2 and not path else ()
        return Body(HUMAN if roles and not told.animal else UNKNOWN, 0.5 * told.human, roles, notes=notes)
    tails = sum(role.part == "tail" for role in told.roles.values())
    is_long = len(way) >= _LONG or tails > _TOLD * len(way)
    machine = sum(is_of_machine(tree.names[joint]) for joint in way) > _TOLD * len(way)
    kind, sure = (CHAIN, _LONG_SURE) if is_long else (SINGLE_ARM, _BY_NAMES if machine else 0.7)
    way = _up_to_head(tree, told, way) if is_long else _up_to_gripper(tree, way)
    links = enumerate(way, 1)
    return Body(kind, sure, {tree.names[joint]: Role("link", "", at, len(way), sure) for at, joint in links})


def _is_snake(told: Named, way: list[int]) -> bool:
    """Return whether names tell of no limbs: of nothing but a long back with its head, or of a tail."""
    parts = {role.part for role in told.roles.values()}
    return parts == {"tail"} or (parts <= OF_THE_MIDDLE | {"tail"} and len(way) >= _LONG)


def _up_to_head(tree: Tree, told: Named, way: list[int]) -> list[int]:
    """Return the joints of a chain up to its head, or to where a face begins: beyond are jaws and tongues."""
    heads = [place for place, joint in enumerate(way, 1) if told.roles.get(joint, Role("")).part == "head"]
    face = next((place for place, joint in enumerate(way) if is_of_face(tree.names[joint])), len(way))
    end = heads[-1] if heads else face
    return way[:end] if end > _LONG else way


def _up_to_gripper(tree: Tree, way: list[int]) -> list[int]:
    """Return the joints of an arm up to where it parts into fingers, which move by themselves."""
    for place, joint in enumerate(way[2:], 3):
        ways = sorted(float(tree.edges[child] + tree.reaches[child]) for child in tree.children[joint])
        if len(ways) > 1 and ways[-2] > _FINGERS_ALIKE * ways[-1]:
            return way[:place]
    return way
