# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""Skeletons drawn to a pose: bones without comfort stay near it, the longer they are the less."""

from dataclasses import replace
from time import process_time

import numpy as np
import pytest
from random_rigs import chain, end_of, human, names, random_pose, random_tree, targets_at

from solvers import Comfort, Pose, Targets, Twist, prepare, solve
from solvers.geometry import angle_between, quaternion_to_matrix


def long_boned(row_scales=(1.0,)):
    """A chain of four whose second bone is three times as long; a row for each scale."""
    skeleton = chain(4)
    offsets = skeleton.offsets * np.array([1.0, 1.0, 3.0, 1.0])[:, None]
    return replace(skeleton, offsets=np.array(row_scales)[:, None, None] * offsets)


def test_bones_are_drawn_to_a_pose_as_readily_as_they_are_long(rng):
    """0.4 radians for a bone of mean length, the tip counting 0.4 of it, to the power of 1.5."""
    skeleton, effectors = long_boned(), (end_of(4),)
    relative = np.array([0.6, 1.8, 0.6, 0.4])
    start = random_pose(rng, skeleton, 1, spread=0.2)
    spreads = 0.4 * relative**0.75
    comforts = zip(skeleton.names, start.rotations[0], spreads, strict=True)
    meant = replace(skeleton, comforts=tuple(Comfort(*comfort) for comfort in comforts))
    targets = targets_at(skeleton, random_pose(rng, skeleton, 1, spread=0.2), effectors)
    drawn, given = (solve(body, start, effectors, targets) for body in (skeleton.drawn_to(start), meant))
    assert drawn.converged.all()
    assert np.allclose(drawn.pose.rotations, given.pose.rotations, rtol=0, atol=1e-9)


def test_a_pose_is_drawn_to_alike_in_rows_of_other_scales(rng):
    effectors = (end_of(4, offset=(0.0, 0.0, 0.0)),)
    start, goal = (random_pose(rng, long_boned(), 1, spread=0.2) for _ in range(2))
    place = targets_at(long_boned(), goal, effectors)

    def found(scales):
        rows = len(scales)
        skeleton = long_boned(scales).drawn_to(start)
        begin = Pose(np.repeat(start.rotations, rows, axis=0), np.zeros((rows, 4, 3)))
        positions = np.array(scales)[:, None, None] * place.positions
        targets = Targets(positions, np.repeat(place.rotations, rows, axis=0))
        return solve(skeleton, begin, effectors, targets).pose.rotations

    assert np.allclose(found((1.0, 7.0, 0.3)), found((1.0,)), rtol=0, atol=1e-5)


def test_a_comfort_of_its_own_stays(rng):
    skeleton = replace(chain(3), comforts=(Comfort("bone.001", (1, 0, 0, 0), 0.1),))
    drawn = skeleton.drawn_to(random_pose(rng, skeleton, 1))
    assert drawn.comforts[0] is skeleton.comforts[0]
    assert sorted(comfort.bone for comfort in drawn.comforts) == sorted(skeleton.names)


def test_of_a_comfort_of_its_own_any_share_counts(rng):
    skeleton = replace(chain(3), comforts=(Comfort("bone.001", (1, 0, 0, 0), 0.1),))
    start = random_pose(rng, skeleton, 1)
    began = quaternion_to_matrix(start.rotations[0, 1])
    way = angle_between(began, np.eye(3))
    for share in (0.0, 0.3, 1.0):
        (comfort,) = (own for own in skeleton.drawn_to(start, share).comforts if own.bone == "bone.001")
        moved = quaternion_to_matrix(comfort.rotation)
        assert np.isclose(angle_between(began, moved), share * way)
        assert np.isclose(angle_between(moved, np.eye(3)), (1 - share) * way)
        assert np.array_equal(comfort.spread, skeleton.comforts[0].spread)


def test_where_no_share_counts_a_pose_that_meets_its_targets_stays(rng):
    effectors = (end_of(4),)
    relaxed = replace(chain(4), comforts=tuple(Comfort(name, (1, 0, 0, 0), 0.3) for name in chain(4).names))
    start = random_pose(rng, relaxed, 1)
    stays = solve(relaxed.drawn_to(start, 0.0), start, effectors, targets_at(relaxed, start, effectors))
    assert np.allclose(stays.pose.rotations, start.rotations, rtol=0, atol=1e-6)


def test_bones_that_carry_what_is_held_stray_less_until_all_of_a_comfort_counts(rng):
    skeleton = replace(chain(3), comforts=tuple(Comfort(name, (1, 0, 0, 0), 0.3) for name in chain(3).names))
    start, held = random_pose(rng, skeleton, 1), skeleton.names[1]
    spreads = [
        [comfort.spread[0, 0] for comfort in skeleton.drawing(start, [held]).at(share, {})]
        for share in (0.0, 0.5, 1.0)
    ]
    assert spreads[0][0] == spreads[0][1] < spreads[1][0] < spreads[2][0]
    assert {row[2] for row in spreads} == set(spreads[2])


def test_limbs_of_what_follows_stray_more_than_what_carries_them(rng, relaxed_human):
    start = random_pose(rng, relaxed_human, 1)
    drawing = relaxed_human.drawing(start, ["hand.L", "hand.R", "foot.L"], (), ["hand.L"])
    spreads = {comfort.bone: comfort.spread[0, 0] for comfort in drawing.at(0.0, {})}
    trunk, free = spreads[relaxed_human.names[0]], spreads["foot.R"]
    for bone in ("arm.L", "forearm.L", "hand.L"):
        assert trunk < spreads[bone] < free
    assert {spreads[bone] for bone in ("arm.R", "forearm.R", "shin.L")} == {trunk}


def shares_counted(skeleton, start, limbs, held=()):
    """The share of comfort, at rest, that counts for each bone: a tenth, but for the limbs."""
    whole = np.abs(start.rotations[0, :, 0])
    drawn = skeleton.drawing(start, held, limbs).at(0.1, limbs)
    left = {comfort.bone: abs(comfort.rotation[0]) for comfort in drawn}
    counted = 1 - np.arccos([left[name] for name in skeleton.names]) / np.arccos(whole)
    return dict(zip(skeleton.names, counted.round(6), strict=True))


@pytest.fixture
def relaxed_human():
    """The figure whose comfort is at rest."""
    return replace(human(), comforts=tuple(Comfort(name, (1, 0, 0, 0), 0.3) for name in human().names))


def test_a_limb_may_be_drawn_to_comfort_before_the_rest_of_the_body(rng, relaxed_human):
    start = random_pose(rng, relaxed_human, 1)
    counted = shares_counted(relaxed_human, start, {"hand.L": 0.7, "foot.R": 0.4})
    arm, leg = ("clavicle.L", "arm.L", "forearm.L", "hand.L"), ("thigh.R", "shin.R", "foot.R")
    assert {counted.pop(name) for name in arm} == {0.7}
    assert {counted.pop(name) for name in leg} == {0.4}
    assert set(counted.values()) == {0.1}


def test_no_limb_is_drawn_before_the_rest_as_far_as_it_carries_what_is_held(rng, relaxed_human):
    start = random_pose(rng, relaxed_human, 1)
    counted = shares_counted(relaxed_human, start, {"hand.L": 0.7}, held=["forearm.L"])
    assert [name for name, share in counted.items() if share > 0.1] == ["hand.L"]


def test_limbs_branch_at_bones_with_comfort_that_share_no_twist(rng, relaxed_human):
    parents = relaxed_human.parents.copy()
    parents[relaxed_human.index("finger.R")] = relaxed_human.index("arm.R")
    branched = replace(relaxed_human, parents=parents)
    twisted = replace(branched, twists=(Twist("finger.R", 0.5, "arm.R", "forearm.R"),))
    start, ends = random_pose(rng, branched, 1), {"hand.R": 0.7}
    limbs = [
        [name for name, share in shares_counted(skeleton, start, ends).items() if share > 0.1]
        for skeleton in (branched, twisted)
    ]
    assert limbs == [["forearm.R", "hand.R"], ["clavicle.R", "arm.R", "forearm.R", "hand.R"]]


def test_what_is_prepared_serves_other_comforts_of_the_same_bones(rng):
    """As in a drag: other comforts alone are prepared anew, and to the bit as if everything was."""
    skeleton = replace(chain(5), comforts=tuple(Comfort(name, (1, 0, 0, 0), 0.3) for name in chain(5).names))
    start, effectors = random_pose(rng, skeleton, 1), (end_of(5),)
    targets = targets_at(skeleton, random_pose(rng, skeleton, 1), effectors)
    before = prepare(skeleton.drawn_to(start, 0.1), effectors)
    drawn = skeleton.drawn_to(start, 0.6)
    prepared = prepare(drawn, effectors, before=before)
    assert prepared.problem.offsets is before.problem.offsets
    given = drawn, start, effectors, targets
    anew, handed_on = solve(*given), solve(*given, prepared=prepared)
    assert np.array_equal(handed_on.pose.rotations, anew.pose.rotations)
    moved = replace(drawn, offsets=1.5 * drawn.offsets)
    other = solve(moved, start, effectors, targets, prepared=prepared)
    assert np.array_equal(other.pose.rotations, solve(moved, start, effectors, targets).pose.rotations)


def test_rows_may_each_be_drawn_to_a_pose_of_their_own(rng):
    skeleton, effectors = replace(chain(4), comforts=(Comfort("bone.001", (1, 0, 0, 0), 0.1),)), (end_of(4),)
    start = random_pose(rng, skeleton, 3, spread=0.2)
    targets = targets_at(skeleton, random_pose(rng, skeleton, 3, spread=0.2), effectors)
    found = solve(skeleton.drawn_to(start, 0.0), start, effectors, targets).pose.rotations
    for row in range(3):
        one = slice(row, row + 1)
        own, alone = start.rows(one), targets.rows(one)
        wanted = solve(skeleton.drawn_to(own, 0.0), own, effectors, alone).pose.rotations
        assert np.array_equal(found[one], wanted)


@pytest.mark.parametrize("trial", range(20))
def test_a_limb_ends_below_the_lowest_bone_that_carries_comfort_beside_it(rng, trial):
    """As ways from the root tell it, each walked by itself; bones on other roots have no say."""
    tree = random_tree(rng, bones=14, roots=1 + trial % 3)
    relaxed = [name for name in tree.names if rng.random() < 0.5]
    end = str(rng.choice(tree.names))
    tree = replace(tree, comforts=tuple(Comfort(name, (1, 0, 0, 0), 0.3) for name in relaxed))
    line = tree.way_to(end)
    ways = (tree.way_to(name) for name in relaxed)
    beside = (way for way in ways if line[-1] not in way and way[-1] not in line)
    limb = {tree.names[bone] for bone in set(line).difference(*beside)}
    start = random_pose(rng, tree, 1)
    own = tree.drawing(start, ends=[end]).at(0.0, {end: 1.0})[: len(relaxed)]
    drawn = {comfort.bone for comfort in own if np.allclose(comfort.rotation, (1, 0, 0, 0))}
    assert drawn == limb & set(relaxed)


@pytest.mark.once
def test_limbs_of_many_bones_cost_as_they_are_long(rng):
    """The way of each bone up to the root would cost as their square."""

    def seconds(bones):
        comforts = tuple(Comfort(name, (1, 0, 0, 0), 0.3) for name in names(bones))
        skeleton = replace(chain(bones), comforts=comforts)
        start, end = random_pose(rng, skeleton, 1), skeleton.names[-1]
        taken = []
        for _ in range(5):
            begin = process_time()
            skeleton.drawing(start, ends=[end]).at(0.1, {end: 0.7})
            taken.append(process_time() - begin)
        return min(taken)

    assert seconds(4000) < 20 * seconds(500)
