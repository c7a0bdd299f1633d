# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""Whether names tell of limbs what the shape does: which are arms, which are legs, and which are in front."""

from dataclasses import replace

from .named import SIDED, Named
from .plans import BIRD, FEWEST_INSECT_LEGS, HUMAN, INSECT, QUADRUPED
from .role import LEG, LIMBS
from .shaped import Shaped
from .tree import Tree
from .words import part_of, row_of, side_of

AGREED = 0.8  # the share of named joints that names and shape must agree on
_RATHER, _MANY = 0.4, 0.5  # what is so sure by its shape is so by names that fit, of so many of its joints


def agreed(told: Named, shape: Shaped) -> float:
    """Return the share of the limbs' joints that both give a role to that it is the same.

    0 for too few: with legs alone it may be a bird, whose wings have words of their own.
    """
    both = [joint for joint, role in told.roles.items() if role.part in SIDED and joint in shape.roles]
    parts = {told.roles[joint].part for joint in both}
    same = sum(told.roles[joint].part == shape.roles[joint].part for joint in both)
    enough = len(both) >= len(SIDED) and (len(parts) > len(LEG) or shape.plan.kind == BIRD)
    return same / len(both) if enough else 0.0


def limbs_are_called(tree: Tree, shape: Shaped) -> bool:
    """Return whether names tell which limbs are arms, or front legs, and which are legs, as the shape does.

    A tail speaks against a human, and a shape that is hardly one.
    """
    if shape.plan.kind == QUADRUPED:
        called = rows_of(tree)
    elif shape.plan.kind == HUMAN and shape.sure > _RATHER and not shape.has("tail"):
        called = {name: limb for name in tree.names if (limb := LIMBS.get(part_of(name), ""))}
    else:
        return False
    joints = [(tree.names[at], role.part) for at, role in shape.roles.items() if role.part in LIMBS]
    alike = [called[name] == LIMBS[part] for name, part in joints if name in called]
    return len(alike) > _MANY * len(joints) and sum(alike) > AGREED * len(alike)


def rows_of(tree: Tree) -> dict[str, str]:
    """Return "arm" of names of front legs, and "leg" of those of hind legs, where names tell four legs."""
    rows = {name: row for name in tree.names if (row := row_of(name))}
    legs = {(row, side_of(name)) for name, row in rows.items()}
    return rows if len(legs) == 4 else {}


def are_all_legs(tree: Tree, shape: Shaped) -> bool:
    """Return whether it is an insect by its shape whose limbs are legs by their names, too."""
    limbs = {(role.part, role.side) for role in shape.roles.values() if role.side}
    return shape.plan.kind == INSECT and len(_named_legs(tree, shape)) > AGREED * len(limbs)


def _named_legs(tree: Tree, shape: Shaped) -> set[tuple[str, str]]:
    """Return the limbs of which names tell that they are legs: of any joint of theirs."""
    legs = {*LEG, "leg"}
    return {
        (role.part, role.side) for joint, role in shape.roles.items() if part_of(tree.names[joint]) in legs
    }


def with_named_legs(tree: Tree, shape: Shaped | None) -> Shaped | None:
    """Return an insect's shape with those limbs alone that are legs by their names, where enough are.

    A scorpion's pincers are as long as its legs.
    """
    if shape is None or shape.plan.kind != INSECT:
        return shape
    told = _named_legs(tree, shape)
    parts = sorted(
        {part for part, _ in told if {(part, "L"), (part, "R")} <= told}, key=lambda part: int(part[3:])
    )
    if len(parts) < FEWEST_INSECT_LEGS:
        return shape
    number = {part: f"leg{rank}" for rank, part in enumerate(parts, 1)}
    kept = {joint: role for joint, role in shape.roles.items() if role.part in number or not role.side}
    roles = {joint: replace(role, part=number.get(role.part, role.part)) for joint, role in kept.items()}
    return replace(shape, roles=roles)
