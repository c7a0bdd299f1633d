# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""Bodies without known names: the shape tells; size, place, direction, order and names change nothing."""

from functools import cache

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.spatial.transform import Rotation
from skeletons import BIRD, DOG, HUMAN, SPIDER, Skeleton, chain

from bodies import recognise

BODIES = {"human": HUMAN, "quadruped": DOG, "insect": SPIDER}
NOT_OF_THE_BODY = ("eye", "ear", "jaw", "fang", "head")
SIDE = {"L": "R", "R": "L", "": ""}
each_body = pytest.mark.parametrize("kind", BODIES)


def recognised(skeleton):
    return recognise(skeleton.names, skeleton.parents, skeleton.heads)


def numbered(skeleton):
    """The skeleton with its joints called by numbers, and the role of each number."""
    number = {name: str(index) for index, name in enumerate(skeleton.names)}
    return skeleton.renamed(number), {new: old for old, new in number.items()}


def wanted(kind, name):
    """The part, side and place that a joint's name in a skeleton says; nothing for what is of no body."""
    name, _, side = name.partition(".")
    part, _, place = name.partition(" ")
    ignored = NOT_OF_THE_BODY if kind == "insect" else NOT_OF_THE_BODY[:-1]
    return None if part in ignored else (part, side, int(place or 1))


def found(body):
    return {name: (role.part, role.side, role.place) for name, role in body.roles.items()}


def roles_of(skeleton):
    """What is found of a skeleton without its names, by the names."""
    plain, name_of = numbered(skeleton)
    return {name_of[number]: role for number, role in found(recognised(plain)).items()}


@each_body
def test_every_role_and_side_is_told_without_names(kind):
    roles, skeleton = roles_of(BODIES[kind]), BODIES[kind]
    expected = {name: wanted(kind, name) for name in skeleton.names if wanted(kind, name)}
    assert {name: roles.get(name) for name in expected} == expected


@each_body
def test_the_kind_is_told_and_surely(kind):
    body = recognised(numbered(BODIES[kind])[0])
    assert body.kind == kind
    assert body.is_sure


@each_body
@given(seed=st.integers(0, 2**32 - 1), exponent=st.floats(-3, 3))
def test_turning_scaling_moving_renaming_and_the_order_change_nothing_but_directions(kind, seed, exponent):
    rng = np.random.default_rng(seed)
    rotation = Rotation.random(random_state=rng).as_matrix()
    size = 10.0**exponent
    other = BODIES[kind].moved(rotation, size, size * rng.normal(size=3)).shuffled(rng)
    plain, name_of = numbered(other)
    body, turned = (as_it_is(kind), recognised(plain))
    assert {name_of[number]: role for number, role in found(turned).items()} == roles_as_it_is(kind)
    for direction in ("up", "forward", "left"):
        assert np.allclose(rotation @ getattr(body, direction), getattr(turned, direction), atol=1e-6)


@cache
def as_it_is(kind):
    return recognised(numbered(BODIES[kind])[0])


@cache
def roles_as_it_is(kind):
    return roles_of(BODIES[kind])


@each_body
def test_up_forward_and_left_are_those_of_the_body(kind):
    body = recognised(numbered(BODIES[kind])[0])
    for found_way, way in ((body.up, (0, 0, 1)), (body.forward, (0, -1, 0)), (body.left, (1, 0, 0))):
        assert np.dot(found_way, way) > 0.95


@each_body
def test_a_mirror_image_has_the_other_sides(kind):
    """Seen in a mirror the left hand is a right hand, and everything else is as it was."""
    image = BODIES[kind].moved(np.diag([-1.0, 1.0, 1.0]))
    there = roles_of(image)
    for name, (part, side, place) in roles_of(BODIES[kind]).items():
        assert there[name] == (part, SIDE[side], place)


POSES = {
    "arms down": (("upper_arm.L", 1, 80),),
    "arms forward": (("upper_arm.L", 2, -85),),
    "arms up": (("upper_arm.L", 1, -75),),
    "a-pose, bent": (("upper_arm.L", 1, 45), ("forearm.L", 2, -60)),
    "sitting half": (("thigh.L", 0, -50), ("shin.L", 0, 60)),
}


@pytest.mark.parametrize("pose", POSES)
def test_the_rest_pose_makes_no_difference_to_a_human(pose):
    posed = HUMAN
    for joint, axis, degrees in POSES[pose]:
        vector = np.radians(degrees) * np.eye(3)[axis]
        posed = posed.turned(joint, Rotation.from_rotvec(vector).as_matrix())
        posed = posed.turned(
            joint.replace(".L", ".R"), Rotation.from_rotvec(vector * (1, -1, -1)).as_matrix()
        )
    assert roles_of(posed) == roles_of(HUMAN)


def test_one_step_of_a_walk_is_still_a_human():
    step = Rotation.from_rotvec(np.radians(25) * np.eye(3)[0]).as_matrix()
    posed = HUMAN.turned("thigh.L", step).turned("thigh.R", step.T).turned("upper_arm.R", step)
    assert roles_of(posed) == roles_of(HUMAN)


BARE = {
    "human": HUMAN.without("eye.L", "eye.R"),
    "quadruped": DOG.without("ear.L", "ear.R", "jaw"),
    "bird": BIRD,
}
CARRIED = {
    "human": [(0, -0.08, 1.6), (0, -0.06, 1.61)],
    "quadruped": [(0, -0.55, 0.76), (0, -0.66, 0.74)],
    "bird": [(0, -0.4, 0.88), (0, -0.5, 0.9)],
}


@pytest.mark.parametrize("kind", BARE)
def test_a_head_is_the_end_of_the_neck(kind):
    assert roles_of(BARE[kind])["head"] == ("head", "", 1)


@pytest.mark.parametrize("kind", BARE)
def test_a_jaw_or_beak_is_no_head_but_carried_by_one(kind):
    """Nothing else tells the head: it carries no eyes, no ears."""
    for place in CARRIED[kind]:
        assert roles_of(BARE[kind].joined("jaw", "head", place)) == roles_of(BARE[kind])


@pytest.mark.parametrize("place", [(0, 0, 1.8), (0, -0.02, 1.84)])
def test_the_top_of_a_head_is_no_head_but_carried_by_one(place):
    assert roles_of(BARE["human"].joined("top", "head", place)) == roles_of(BARE["human"])


@pytest.mark.parametrize("ahead", [0.1, 0.15, 0.2])
def test_a_bone_at_the_nose_that_holds_ears_is_no_head_but_carried_by_one(ahead):
    dog = DOG.without("ear.L", "ear.R", "jaw").joined("face", "head", (0, -0.5 - ahead, 0.78))
    for side, x in (("L", 0.05), ("R", -0.05)):
        dog = dog.joined(f"ear.{side}", "face", (x, -0.48, 0.87))
        dog = dog.joined(f"lip.{side}", "face", (x, -0.55 - ahead, 0.74))
    assert roles_of(dog)["head"] == ("head", "", 1)


def test_the_large_head_of_a_child_that_has_no_neck_is_its_head():
    child = BARE["human"].without("head").joined("top", "neck", (0, 0.02, 1.95))
    wanted = roles_of(BARE["human"].without("head"))
    assert roles_of(child) == wanted
    assert wanted["neck"] == ("head", "", 1)


@pytest.mark.parametrize("degrees", range(-60, 61, 15))
def test_a_head_stays_one_however_the_neck_is_bent_where_it_begins(degrees):
    bent = Rotation.from_rotvec(np.radians(degrees) * np.eye(3)[0]).as_matrix()
    assert roles_of(BARE["quadruped"].turned("neck 1", bent))["head"] == ("head", "", 1)


def test_a_chain_of_a_thousand_joints_is_no_deeper_than_others():
    assert len(recognised(chain(1500)).bones("link")) == 1500


def test_a_long_chain_is_a_chain_and_a_short_one_is_asked_for():
    snake, arm = recognised(chain(20)), recognised(chain(5))
    assert (snake.kind, snake.is_sure, len(snake.bones("link"))) == ("chain", True, 20)
    assert (arm.kind, arm.is_sure) == ("arm", False)
    assert snake.ends() == ("19",)


@pytest.mark.parametrize("joints", [0, 1, 2])
def test_next_to_nothing_is_nothing(joints):
    body = recognised(chain(joints)) if joints else recognise([], [], np.empty((0, 3)))
    assert (body.kind, body.is_sure, dict(body.roles), body.ends()) == ("unknown", False, {}, ())


def test_joints_that_are_all_in_one_place_are_nothing():
    plain, _ = numbered(HUMAN.moved(scale=0.0))
    body = recognised(plain)
    assert (body.kind, body.is_sure) == ("unknown", False)


def test_loose_hooves_are_toes():
    """Some horses' hooves are roots of their own, so that they stay on the ground."""
    plain, name_of = numbered(DOG)
    number = {name: new for new, name in name_of.items()}
    loose = {number[f"toe.{side}"] for side in "LR"}
    parents = [
        None if name in loose else parent for name, parent in zip(plain.names, plain.parents, strict=True)
    ]
    body = recognise(plain.names, parents, plain.heads)
    assert {str(body.roles[name]) for name in loose} == {"toe.L", "toe.R"}


def test_a_human_of_a_thousand_bones_is_told():
    hair = np.random.default_rng(1).normal(size=(480, 2)) * 0.1
    names, parents, heads = map(list, (HUMAN.names, HUMAN.parents, HUMAN.heads))
    for strand, (x, y) in enumerate(hair):
        names += [f"{strand} a", f"{strand} b"]
        parents += ["head", f"{strand} a"]
        heads += [[x, y, 1.75], [1.1 * x, y, 1.6]]
    assert len(names) > 1000
    body = recognised(Skeleton(tuple(names), tuple(parents), np.array(heads)))
    assert body.kind == "human"
