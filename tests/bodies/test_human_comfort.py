# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""The table of human comfort: what it says of any humanoid, and that it is what the motion says."""

import json
from dataclasses import replace

import numpy as np
import pytest
from skeletons import DOG, HUMAN, skeleton

from bodies import recognise
from bodies.tree import tree_of
from solvers import Pose, Skeleton, forward
from solvers.geometry import matrix_to_quaternion, quaternion_to_matrix, rotation_vector_to_matrix
from workshop import human_comfort as workshop

canonical, body_comfort = workshop.canonical, workshop.body_comfort
X, Y, Z = np.eye(3)
# Straight limbs, so that every rest pose made of it has the same planes to bend in.
T_POSE = skeleton(
    """
    hips 0 0 1.0
    hips > spine 1 0 0 1.1
    spine 1 > spine 2 0 0 1.22
    spine 2 > neck 0 0 1.5
    neck > head 0 0 1.6
    spine 2 > clavicle.L .02 0 1.45
    clavicle.L > upper_arm.L .18 0 1.45
    upper_arm.L > forearm.L .46 0 1.45
    forearm.L > hand.L .72 0 1.45
    hips > thigh.L .1 0 .95
    thigh.L > shin.L .1 0 .52
    shin.L > foot.L .1 0 .09
    foot.L > toe.L .1 -.12 .02
    """
)


def turn(axis, degrees):
    return rotation_vector_to_matrix(np.radians(degrees) * axis)


def in_rest_pose(left, right):
    """The T-pose with the arms turned at the shoulders."""
    return T_POSE.turned("upper_arm.L", left).turned("upper_arm.R", right)


A_POSE = in_rest_pose(turn(Y, 50), turn(Y, -50))
FORWARDS = in_rest_pose(turn(Z, -90), turn(Z, 90))
HANGING = in_rest_pose(turn(Y, 85), turn(Y, -85))
ELBOWS_BENT = HANGING.turned("forearm.L", turn(X, -80)).turned("forearm.R", turn(X, -80))
REST_POSES = {
    "T": T_POSE,
    "A": A_POSE,
    "forwards": FORWARDS,
    "hanging": HANGING,
    "elbows bent": ELBOWS_BENT,
}


def rest_of(body, rng=None):
    """The body at rest, its bones' axes at random."""
    count = len(body.names)
    rolls = np.zeros((count, 3)) if rng is None else rng.normal(size=(count, 3))
    return canonical.Rest(body.names, body.parents, body.heads, rotation_vector_to_matrix(rolls))


def recognised(body):
    return recognise(body.names, body.parents, body.heads)


def comforts(body, rng=None):
    rest = rest_of(body, rng)
    return rest, body_comfort.comforts_of(recognised(body), rest)


def posed(rest, rotations):
    """The heads of a body whose bones, by name, are turned: quaternions relative to rest."""
    tree = tree_of(rest.names, rest.parents, rest.heads)
    own = rest.rotations[[rest.names.index(name) for name in tree.names]]
    is_root = tree.parents < 0
    above = np.where(is_root[:, None, None], np.eye(3), own[tree.parents])
    carried = np.where(is_root[:, None], 0.0, tree.heads[tree.parents])
    offsets = np.einsum("bji,bj->bi", above, tree.heads - carried)
    rests = matrix_to_quaternion(np.swapaxes(above, -1, -2) @ own)
    turns = np.array([rotations.get(name, (1.0, 0.0, 0.0, 0.0)) for name in tree.names])
    pose = Pose(turns[None], np.zeros((1, len(turns), 3)))
    _, heads = forward(Skeleton(tree.names, tree.parents, offsets[None], rests[None]), pose)
    return dict(zip(tree.names, heads[0], strict=True))


def at_comfort(body, rng=None):
    """The heads of a body whose joints are all at comfort."""
    rest, found = comforts(body, rng)
    return posed(rest, {comfort.bone: comfort.rotation for comfort in found})


@pytest.fixture
def recorded(shared_data):
    path = shared_data / "human_motion" / "cmu_human_motion.npz"
    if not path.exists():
        pytest.skip(f"no motion to make the table from: {path} is missing")
    return path


@pytest.fixture
def shipped():
    return json.loads(body_comfort.TABLE.read_text(encoding="utf-8"))


def same_habit(made, shipped):
    for numbers, again in zip(shipped[:2], made[:2], strict=True):
        assert again == pytest.approx(numbers, abs=2 * 10.0**-workshop.DIGITS)


@pytest.mark.once
def test_the_motion_gives_the_habit_that_is_shipped(recorded, shipped):
    """That of one part, which all others are learned like."""
    motion = workshop.Motion(recorded)
    samples = motion.of("thigh", workshop.on_many_bodies(motion))
    same_habit(workshop.row(workshop.learned(samples)), shipped["thigh"])


@pytest.mark.slow
def test_the_motion_gives_the_whole_table_that_is_shipped(recorded, shipped):
    made = workshop.table(recorded)
    assert made.keys() == shipped.keys()
    for part, row in shipped.items():
        same_habit(made[part], row)
        assert np.allclose(made[part][2:], row[2:], atol=2)


def test_the_table_is_small_and_its_spreads_are_spreads():
    assert body_comfort.TABLE.stat().st_size < 2100
    for habit in body_comfort.human_habits().values():
        assert np.linalg.eigvalsh(habit.spread)[0] > 0
        assert np.linalg.norm(habit.turn) < np.pi / 2


def test_a_t_pose_is_no_rotation_at_all(rng):
    rest = rest_of(T_POSE, rng)
    joints = canonical.canonical_joints(recognised(T_POSE), rest)
    assert len(joints) == len(T_POSE.names) - 2  # all but the toes
    assert all(np.allclose(joint.canonical(np.eye(3)), np.eye(3)) for joint in joints)


@pytest.mark.parametrize("name", REST_POSES)
def test_any_rest_pose_turned_into_a_t_pose_is_no_rotation(name, rng):
    body = REST_POSES[name]
    rest = rest_of(body, rng)
    joints = canonical.canonical_joints(recognised(body), rest)
    quaternions = {joint.bone: matrix_to_quaternion(joint.local(np.eye(3))) for joint in joints}
    heads = posed(rest, quaternions)
    wanted = dict(zip(T_POSE.names, T_POSE.heads, strict=True))
    assert max(np.linalg.norm(heads[name] - wanted[name]) for name in heads) < 1e-9


@pytest.mark.parametrize("name", REST_POSES)
def test_comfort_is_the_same_pose_whatever_the_rest_pose_and_the_bones_axes(name, rng):
    wanted, found = at_comfort(T_POSE), at_comfort(REST_POSES[name], rng)
    assert max(np.linalg.norm(found[joint] - wanted[joint]) for joint in wanted) < 1e-9


def test_comfort_turns_with_the_body_and_grows_with_it(rng):
    turned = turn(rng.normal(size=3), 100)
    wanted, found = at_comfort(T_POSE), at_comfort(T_POSE.moved(turned, 100.0), rng)
    assert max(np.linalg.norm(found[name] / 100 - turned @ wanted[name]) for name in wanted) < 1e-9


def test_comfort_is_the_same_pose_where_the_hips_hang_on_the_chest(rng):
    """But for where the spine bends: at the joints of other bones."""
    ways = [("thigh.L", "thigh.R"), ("thigh.L", "shin.L"), ("upper_arm.L", "upper_arm.R"), ("neck", "head")]

    def angles(heads):
        vectors = np.array([heads[end] - heads[start] for start, end in ways])
        return vectors @ vectors.T

    wanted, found = (angles(at_comfort(body, rng)) for body in (T_POSE, T_POSE.rooted_at("spine 2")))
    straight = angles(posed(rest_of(T_POSE), {}))
    assert np.abs(found - wanted).max() < 1e-9
    assert np.abs(straight - wanted)[:2, 2:].max() > 0.01


def test_a_cost_in_one_rest_pose_is_the_cost_in_any_other(rng):
    """A pose is as far from comfort, in spreads, on every rig of the same body."""
    turns = {name: rotation_vector_to_matrix(rng.normal(scale=0.4, size=3)) for name in T_POSE.names}
    costs = []
    for body in REST_POSES.values():
        rest, found = comforts(body, rng)
        joints = {joint.bone: joint for joint in canonical.canonical_joints(recognised(body), rest)}
        strays = [
            quaternion_to_matrix(comfort.rotation).T @ joints[comfort.bone].local(turns[comfort.bone])
            for comfort in found
        ]
        vectors = workshop.rotations.quaternion_to_rotation_vector(matrix_to_quaternion(np.array(strays)))
        spreads = np.array([comfort.spread for comfort in found])
        each = np.einsum("bi,bij,bj->b", vectors, np.linalg.inv(spreads), vectors)
        costs.append(dict(zip((comfort.bone for comfort in found), each, strict=True)))
    assert all(costs[0] == pytest.approx(cost) for cost in costs[1:])


def covariance(found):
    """Of the strays of all joints, (3 joints, 3 joints), from where comfort is."""
    spreads = np.array([comfort.spread for comfort in found])
    long = [
        body_comfort.root_of(comfort.spread) @ (np.zeros((3, 8)) if comfort.ties is None else comfort.ties)
        for comfort in found
    ]
    whole = np.concatenate(long) @ np.concatenate(long).T
    for at, own in enumerate(spreads):
        whole[3 * at : 3 * at + 3, 3 * at : 3 * at + 3] = own
    return whole


def test_a_body_that_strays_as_another_s_mirror_image_is_as_likely(rng):
    """Whatever the axes of its bones are: its whole covariance is its own mirror image."""
    rest, found = comforts(T_POSE, rng)
    joints = {joint.bone: joint for joint in canonical.canonical_joints(recognised(T_POSE), rest)}
    names = [comfort.bone for comfort in found]
    to = np.array([joints[name].after for name in names])
    whole = covariance(found).reshape(len(names), 3, len(names), 3)
    whole = np.einsum("aij,ajbk,blk->aibl", to, whole, to)
    other = [names.index(name[:-1] + {"L": "R", "R": "L"}.get(name[-1], name[-1])) for name in names]
    mirror = np.array([1.0, -1.0, -1.0])
    assert np.allclose(whole, (mirror[:, None, None] * whole * mirror)[other][:, :, other])
    assert np.abs(whole[names.index("thigh.L"), :, names.index("shin.L")]).max() > 0.05


@pytest.mark.parametrize("count", [2, 3, 7])
def test_a_spine_of_any_number_of_bones_is_tied_to_the_thighs_as_the_whole(count):
    _, found = comforts(spine_of(count))
    names = [comfort.bone for comfort in found]
    whole = covariance(found).reshape(len(names), 3, len(names), 3)
    spine = [at for at, name in enumerate(names) if name.startswith("spine")]
    halves = [body_comfort.human_habits()[half].common for half in body_comfort.SPINE]
    wanted = sum(halves) @ body_comfort.human_habits()["thigh"].common.T
    axes = np.stack([X, Z, -Y], axis=1)
    body = spine_of(count)
    joints = canonical.canonical_joints(recognised(body), rest_of(body))
    thigh = next(joint for joint in joints if joint.bone == "thigh.L")
    together = whole[spine].sum(axis=0)[:, names.index("thigh.L")]
    assert np.allclose(axes.T @ together @ thigh.after.T, wanted)
    assert np.linalg.eigvalsh(whole.reshape(3 * len(names), -1))[0] > 0


@pytest.mark.parametrize("count", [1, 2, 3, 5])
def test_what_joints_have_in_common_leaves_each_some_of_its_own(count):
    _, found = comforts(spine_of(count))
    assert max(np.linalg.norm(comfort.ties, 2) for comfort in found) < 0.96
    assert np.linalg.eigvalsh(covariance(found))[0] > 0


def test_comfort_mirrors_the_left_side_on_the_right():
    heads = at_comfort(T_POSE)
    for name, head in heads.items():
        if name.endswith(".L"):
            assert np.allclose(heads[name.replace(".L", ".R")], head * (-1, 1, 1))


@pytest.mark.parametrize("body", [*REST_POSES.values(), HUMAN], ids=[*REST_POSES, "bent"])
def test_elbows_bend_forwards_and_knees_backwards(body):
    heads = at_comfort(body)
    for side in "LR":
        shoulder, elbow, wrist = (heads[f"{part}.{side}"] for part in ("upper_arm", "forearm", "hand"))
        hip, knee, ankle = (heads[f"{part}.{side}"] for part in ("thigh", "shin", "foot"))
        assert elbow[2] < shoulder[2]
        assert off_line(shoulder, elbow, wrist)[1] > 0.03  # the elbow behind: the body faces -y
        assert off_line(hip, knee, ankle)[1] < -0.03


@pytest.mark.parametrize("name", REST_POSES)
@pytest.mark.parametrize("degrees", [-40, 0, 40])
def test_elbows_and_knees_are_told_that_they_bend_one_way(name, degrees, rng):
    rest, found = comforts(REST_POSES[name], rng)
    joints = {joint.bone: joint for joint in canonical.canonical_joints(recognised(REST_POSES[name]), rest)}
    ways = {comfort.bone: comfort.one_way for comfort in found if comfort.one_way}
    bends = {"forearm.L": -Y, "forearm.R": Y, "shin.L": X, "shin.R": X}
    assert ways.keys() == bends.keys()
    for bone, way in ways.items():
        turned = joints[bone].local(turn(bends[bone], degrees))
        assert way.towards @ turned @ way.limb == pytest.approx(np.sin(np.radians(degrees)))


def off_line(first, middle, last):
    way = (last - first) / np.linalg.norm(last - first)
    return (middle - first) - way * float((middle - first) @ way)


def spine_of(count):
    links = [f"spine {place}" for place in range(1, count + 1)]
    lines = [
        f"{above} > {link} 0 0 {1.0 + 0.5 * place / (count + 1)}"
        for place, (above, link) in enumerate(zip(["hips", *links], links, strict=False), 1)
    ]
    rest = "neck 0 0 1.5|neck > head 0 0 1.6|SPINE > upper_arm.L .18 0 1.45"
    rest += "|upper_arm.L > forearm.L .46 0 1.45|forearm.L > hand.L .72 0 1.45|hips > thigh.L .1 0 .95"
    rest += "|thigh.L > shin.L .1 0 .52|shin.L > foot.L .1 0 .09|foot.L > toe.L .1 -.12 .02"
    limbs = rest.replace("SPINE", links[-1]).split("|")
    return skeleton("\n".join(["hips 0 0 1.0", *lines, f"{links[-1]} > {limbs[0]}", *limbs[1:]]))


@pytest.mark.parametrize("count", [1, 2, 3, 4, 5, 7])
def test_a_spine_of_any_number_of_bones_bends_and_strays_as_the_whole(count):
    _, found = comforts(spine_of(count))
    spine = {comfort.bone: comfort for comfort in found if comfort.bone.startswith("spine")}
    assert len(spine) == count
    whole, spread = np.eye(3), np.zeros((3, 3))
    for place in range(1, count + 1):
        whole = whole @ quaternion_to_matrix(spine[f"spine {place}"].rotation)
        spread += spine[f"spine {place}"].spread
    halves = [body_comfort.human_habits()[half] for half in body_comfort.SPINE]
    lower, upper = (rotation_vector_to_matrix(half.turn) for half in halves)
    # The body of the tests looks to -y with z up: x is left, as in the table.
    axes = np.stack([X, Z, -Y], axis=1)
    assert np.allclose(whole, axes @ lower @ upper @ axes.T)
    assert np.allclose(spread, axes @ (halves[0].spread + halves[1].spread) @ axes.T)


def test_bones_that_only_carry_a_limb_are_held_nearly_still():
    body = with_pelvis()
    found = {comfort.bone: comfort for comfort in comforts(body)[1]}
    assert np.sqrt(np.diag(found["pelvis.L"].spread)) == pytest.approx(0.02)
    assert np.allclose(found["pelvis.L"].rotation, (1, 0, 0, 0))
    assert np.allclose(at_comfort(body)["foot.L"], at_comfort(T_POSE)["foot.L"])


def with_pelvis():
    """The T-pose with a bone between hips and thigh on either side, at the thigh."""
    above = dict(zip(T_POSE.names, T_POSE.parents, strict=True))
    above |= {"pelvis.L": "hips", "pelvis.R": "hips", "thigh.L": "pelvis.L", "thigh.R": "pelvis.R"}
    thighs = [T_POSE.heads[T_POSE.names.index(f"thigh.{side}")] for side in "LR"]
    heads = np.concatenate([T_POSE.heads, np.add(thighs, (0, 0, 0.03))])
    return replace(T_POSE, names=tuple(above), parents=tuple(above.values()), heads=heads)


def test_backs_necks_and_tails_of_other_bodies_rest_where_they_are_and_stray_evenly():
    found = {comfort.bone: comfort for comfort in comforts(DOG)[1]}
    chains = ["spine 1", "spine 2", "spine 3"], ["neck 1", "neck 2"], ["tail 1", "tail 2", "tail 3"]
    assert sorted(name for name in found if "." not in name) == sorted(
        name for chain in chains for name in chain
    )
    for chain in chains:
        assert all(np.array_equal(found[name].rotation, (1, 0, 0, 0)) for name in chain)
        whole = sum(found[name].spread for name in chain)
        assert np.allclose(whole, found["tail 1"].spread * 3)
        assert np.allclose(found[chain[0]].spread, found[chain[-1]].spread)


def test_limbs_of_other_bodies_rest_where_they_are_and_what_bears_them_strays_least():
    body, found = recognised(DOG), {comfort.bone: comfort for comfort in comforts(DOG)[1]}
    bearing, limbs = (
        [
            name
            for name, role in body.roles.items()
            if role.side and (role.part in {"clavicle", "pelvis"}) == bears
        ]
        for bears in (True, False)
    )
    assert {"clavicle.L", "clavicle.R"} <= set(bearing)
    assert {"upper_arm.L", "shin.R", "foot.L"} <= set(limbs)
    most = {name: np.sqrt(np.linalg.eigvalsh(comfort.spread)[-1]) for name, comfort in found.items()}
    assert max(most[name] for name in bearing) < 0.8 * min(most[name] for name in limbs)


def test_half_a_human_has_the_comfort_of_the_whole():
    whole = {comfort.bone: comfort for comfort in comforts(T_POSE)[1]}
    for gone in (("thigh.L", "thigh.R"), ("thigh.R",), ("upper_arm.L",)):
        half = comforts(T_POSE.without(*gone))[1]
        assert {comfort.bone for comfort in half} == {
            name for name in whole if name in T_POSE.without(*gone).names
        }
        for comfort in half:
            assert np.allclose(comfort.rotation, whole[comfort.bone].rotation, atol=1e-6)
            assert np.allclose(comfort.spread, whole[comfort.bone].spread, atol=1e-6)


def test_a_human_without_thighs_and_arms_is_refused_by_what_it_lacks():
    body = recognised(T_POSE)
    roles = {name: role for name, role in body.roles.items() if role.part not in {"thigh", "upper_arm"}}
    with pytest.raises(ValueError, match="neither thighs nor upper arms on both sides"):
        body_comfort.comforts_of(replace(body, roles=roles), rest_of(T_POSE))
