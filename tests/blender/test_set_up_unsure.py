# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""Bodies that are not recognised for sure: what is said of them, and what the user says they are."""

import armatures
import bpy
import figures
import pytest
import rigify_rigs

pytestmark = pytest.mark.usefixtures("rigify")

HUMAN = ["spine", "spine.003", "spine.006", "hand.L", "hand.R", "foot.L", "foot.R"]


def set_up(**chosen):
    assert bpy.ops.superpose.set_up_body(**chosen) == {'FINISHED'}


def human_without(is_gone):
    """Rigify's small human without the bones that ``is_gone`` says by their names."""
    ob = rigify_rigs.metarig("basic_human")
    with armatures.edited(ob) as bones:
        for bone in [bone for bone in bones if is_gone(bone.name)]:
            bones.remove(bone)
    return ob


def swapped_sides():
    ob = rigify_rigs.metarig("basic_human")
    with armatures.edited(ob) as bones:
        sided = [(bone, bone.name) for bone in bones if bone.name.endswith((".L", ".R"))]
        for bone, name in sided:
            bone.name = f"swapped {name}"
        for bone, name in sided:
            bone.name = name[:-1] + {"L": "R", "R": "L"}[name[-1]]
    return ob


def two_bodies():
    first, second = rigify_rigs.metarig("basic_human"), rigify_rigs.metarig("basic_human")
    second.location.x = 3
    first.select_set(True)
    bpy.ops.object.join()
    return bpy.context.object


LEFT_HAND, RIGHT_HAND, LEFT_FOOT, RIGHT_FOOT = (
    rf"{words} \({name}\)"
    for name, words in (
        ("hand.L", "Left Hand"),
        ("hand.R", "Right Hand"),
        ("foot.L", "Left Foot"),
        ("foot.R", "Right Foot"),
    )
)
BAD = {
    "two bodies": (two_bodies, "was not recognised; More than one body: upper_arm.L"),
    "half a body": (
        lambda: human_without(lambda name: name.endswith(".R")),
        f"2[89] % sure.*found hips, .*, {LEFT_HAND}, {LEFT_FOOT}; not found {RIGHT_HAND}, {RIGHT_FOOT}",
    ),
    "sides that contradict the shape": (
        swapped_sides,
        f"found hips, chest, head; in doubt {LEFT_HAND}, {RIGHT_HAND}, {LEFT_FOOT}, .*; Names say left where",
    ),
    "no hips": (lambda: human_without("spine".__eq__), f"found hips.*not found {LEFT_FOOT}, {RIGHT_FOOT}"),
    "one bone": (lambda: armatures.chain(1), "was not recognised; choose kind"),
    "a fish": (lambda: rigify_rigs.metarig("shark"), "was not recognised; choose kind"),
}


@pytest.mark.parametrize("name", BAD)
def test_what_is_not_surely_a_body_is_asked_for(name):
    make, said = BAD[name]
    make()
    figures.refused(bpy.ops.superpose.set_up_body, said)


def test_half_a_body_is_set_up_where_the_user_says_what_it_is():
    ob = human_without(lambda name: name.endswith(".R"))
    set_up(kind='HUMAN')
    assert figures.effectors(ob) == ["spine", "spine.003", "spine.006", "hand.L", "foot.L"]


def test_the_user_may_say_which_bone_plays_a_role():
    ob = rigify_rigs.metarig("basic_human")
    set_up(roles=[{"name": "chest", "bone": "spine.002"}, {"name": "foot.R", "bone": ""}])
    assert figures.effectors(ob) == ["spine", "spine.002", "spine.006", "hand.L", "hand.R", "foot.L"]


def test_roles_alone_make_no_body_sure():
    human_without(lambda name: name.endswith(".R"))
    roles = [{"name": "hand.L", "bone": "forearm.L"}]
    said = f"not found {RIGHT_HAND}, {RIGHT_FOOT}"
    figures.refused(lambda: bpy.ops.superpose.set_up_body(roles=roles), said)


def test_roles_that_are_told_are_in_doubt_no_more():
    ob = swapped_sides()
    doubtful = [f"{part}.{side}" for part in ("hand", "foot") for side in "LR"]
    set_up(roles=[{"name": name, "bone": name} for name in doubtful])
    assert figures.effectors(ob) == HUMAN


@pytest.mark.parametrize(
    ("roles", "said"),
    [
        ({"hand.L": "tentacle"}, f"has no bone 'tentacle' to be {LEFT_HAND}"),
        ({"hand.L": "foot.L"}, f"'foot.L' cannot be both {LEFT_HAND} and {LEFT_FOOT}"),
        ({"hnad.L": "hand.L"}, "'hnad.L' is no role of a body"),
    ],
)
def test_roles_that_cannot_be_are_refused(roles, said):
    rigify_rigs.metarig("basic_human")
    given = [{"name": name, "bone": bone} for name, bone in roles.items()]
    figures.refused(lambda: bpy.ops.superpose.set_up_body(roles=given), said)
