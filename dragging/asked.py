# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""What effectors ask for while some of them are moved."""

from collections.abc import Collection, Set
from dataclasses import replace

import numpy as np

from ..armature import FrameSnapshot, Rig, as_asked, as_moved
from ..armature.setup.ranks import FOLLOWING, MOVED_ROTATION, MUST, PINNED_ROTATION, SHOULD
from ..solvers.geometry import angle_between, nearest_rotation

_TURNED = 1e-3  # radians, a turn that can be seen


def while_moved(rig: Rig, moved: Set[int], turned: Set[int], are_pins_released: bool) -> Rig:
    """Return the rig with its effectors as they ask while those of the rows ``moved`` are moved.

    ``turned``: the rows of those that are turned, too.

    What is moved comes right after the places of pinned effectors, rotation first, whatever it holds itself.
    What is free asks as what follows does: to stay where the drag began. Otherwise comfort would have the
    hips wander. Pins that are released ask for nothing; nor does what hangs on what is moved then. Where all
    effectors are moved, they ask as in a solve. Where none is moved, as after an edit of the rest pose, none
    gives way.
    """
    if moved.issuperset(range(len(rig.effectors))):
        return turned_by_aims(rig, turned)
    rig = on_soles(rig, moved)
    asked, parts = list(rig.effectors), list(rig.parts)
    for row, hold in enumerate(rig.holds):
        if row in moved:
            asked[row] = as_moved(asked[row])
        elif moved and hold != 'PINNED':
            asked[row], parts[row] = as_asked(asked[row], 'FOLLOWS'), 'FOLLOWS'
    gone = let_go(rig, moved) if are_pins_released else set()
    rig = turned_by_aims(replace(rig, effectors=tuple(asked), parts=tuple(parts)), turned)
    return asking_nothing(rig, gone)


def let_go(rig: Rig, moved: Set[int]) -> Set[int]:
    """Return the rows of what asks for nothing while pins are released: they, and what hangs on what is
    moved, so that hips take all of the body along, stiff."""
    places = rig.places.tolist()
    carriers = {places[row] for row in effector_rows(rig, moved)}
    hanging = {row for row, place in enumerate(places) if not carriers.isdisjoint(rig.way_up(place))}
    pins = {row for row, hold in enumerate(rig.holds) if hold == 'PINNED'}
    return (pins | hanging) - moved


def rows_turned(moved: Collection[int], begin: FrameSnapshot, frame: FrameSnapshot) -> frozenset[int]:
    """Return the rows, of those that are ``moved``, whose targets have been turned since the beginning.

    Those that are no numbers are refused once they are asked for.
    """
    before, after = (each.targets[:, :3, :3] for each in (begin, frame))
    rows = [row for row in moved if not np.array_equal(before[row], after[row])]
    rows = [row for row in rows if np.isfinite(after[row]).all()]
    if not rows:
        return frozenset()
    turns = angle_between(*(nearest_rotation(each[rows]) for each in (before, after)))
    return frozenset(row for row, by in zip(rows, turns, strict=True) if by > _TURNED)


def turned_by_aims(rig: Rig, turned: Set[int]) -> Rig:
    """Return the rig in which bones that are moved turn as their aims ask.

    If a bone had to keep both its turn and its aim, it would have to go to a place where both agree, however
    far away that is. So an aim that must hold comes before the bone's turn. An aim that should hold comes
    before a turn that is merely kept, and after that of the rows that are ``turned``.
    """
    after = {MUST: SHOULD, SHOULD: FOLLOWING}
    # Of several the first rank.
    aims = {goal.bone: goal.rank for goal in sorted(rig.goals, key=lambda each: -each.rank) if goal.points}
    effectors = list(rig.effectors)
    for row, one in enumerate(effectors):
        rank = aims.get(one.bone)
        if rank and one.rotation_rank == MOVED_ROTATION and (rank == MUST or row not in turned):
            effectors[row] = replace(one, rotation_rank=after[rank])
    return replace(rig, effectors=tuple(effectors))


def asking_nothing(rig: Rig, rows: Set[int]) -> Rig:
    """Return the rig in which effectors of the ``rows`` ask for nothing and go along."""
    names = {rig.effectors[row].bone for row in effector_rows(rig, rows)}
    parts = tuple('ALONG' if row in rows else part for row, part in enumerate(rig.parts))
    effectors = tuple(
        as_asked(effector, 'ALONG') if row in rows else effector for row, effector in enumerate(rig.effectors)
    )
    soles = tuple(sole for sole in rig.soles if sole.foot not in names)
    return replace(rig, effectors=effectors, parts=parts, soles=soles)


def on_soles(rig: Rig, tipped: Set[int], rank: int = PINNED_ROTATION) -> Rig:
    """Return the rig in which pinned feet hold by their soles, except those of the ``tipped`` rows.

    These are feet or toes that are moved, which would else stay on the ground. ``rank``: of the ankles, in
    place and turn.
    """
    left = {rig.effectors[row].bone for row in effector_rows(rig, tipped)}
    soles = tuple(sole for sole in rig.feet if left.isdisjoint(bone for bone, _ in sole.spots))
    feet = {sole.foot for sole in soles}
    ranks = {"rank": rank, "rotation_rank": rank}
    effectors = (replace(one, **ranks) if one.bone in feet else one for one in rig.effectors)
    return replace(rig, effectors=tuple(effectors), soles=soles)


def effector_rows(rig: Rig, rows: Set[int]) -> Set[int]:
    """Return those of the ``rows`` that are effectors, not other goals."""
    return rows & set(range(len(rig.effectors)))


def going_along(rig: Rig, moved: Set[int], are_pins_released: bool) -> frozenset[int]:
    """Return the rows of the effectors that go with the body while others are moved."""
    free = {row for row, hold in enumerate(rig.holds) if hold == 'FREE' and row not in moved}
    return rig.along.union(free, let_go(rig, moved) if are_pins_released else ())
