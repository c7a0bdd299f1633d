# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""Random rigs, mirrored and not, with animated obstacles, NLA strips and cycles: nothing is silently wrong.

What a solve or a bake says is held against Blender's own matrices, which are measured here anew.
"""

from collections import Counter

import armatures
import bpy
import figures
import numpy as np
import pytest
import random_armatures
import swayed

pytestmark = [pytest.mark.usefixtures("blend"), pytest.mark.once]

NEAR = 1e-3  # of the posed rig's extent, and radians
SWAYS = (*swayed.ANIMATED, *swayed.HANGING, None, None)
FRAMES = range(swayed.NOW - 1, swayed.FROM + 2)


def sway(ob, rng):
    """Put one or two sways on bones that are solved."""
    for _ in range(rng.integers(1, 3)):
        chosen = SWAYS[rng.integers(len(SWAYS))]
        tip = str(rng.choice(figures.effectors(ob)))
        links = [tip, *(bone.name for bone in ob.pose.bones[tip].parent_recursive)]
        if chosen:
            chosen(ob, str(rng.choice(links)), tip)
    if rng.random() < 0.2 and ob.animation_data and ob.animation_data.action:
        swayed.into_strip(ob)


def extent(ob):
    heads = armatures.blenders_heads(ob, ob.pose.bones.keys())
    scale = abs(np.linalg.det(armatures.array(ob.matrix_world)[:3, :3])) ** (1 / 3)
    return max(np.ptp(heads, axis=0).max(), armatures.size_of(ob)) * scale


def run(name, rng):
    """Solve or bake a random rig; return what came of it, having checked what was said."""
    armatures.empty_file()
    ob = random_armatures.random_rig(rng)
    random_armatures.place_targets(ob, rng)
    sway(ob, rng)
    armatures.refresh()
    frames = [swayed.NOW] if name == "solve" else FRAMES
    refusal = attempt(name, frames)
    assert "Traceback" not in refusal
    return "refused" if refusal else check(ob, frames)


def attempt(name, frames):
    """Return why it was refused, or nothing."""
    given = {"range": 'CUSTOM', "frame_start": frames[0], "frame_end": frames[-1], "action": 'CURRENT'}
    try:
        getattr(bpy.ops.superpose, name)(**({} if name == "solve" else given))
    except RuntimeError as error:
        return str(error)
    return ""


def check(ob, frames):
    """What is told of an effector that is missed is what Blender shows in the frame that it is told of."""
    told, missed = random_armatures.told_residuals(ob)
    strays, shown, sizes = ob.superpose.strays, [], []
    for frame in frames:
        if len(frames) > 1:
            bpy.context.scene.frame_set(frame)
        shown.append(random_armatures.shown_residuals(ob))
        sizes.append(extent(ob))
    worst, near = np.max(shown, axis=0), np.array([NEAR * max(sizes), NEAR])
    told_of = [told_frame(ob, bone, frames) for bone in figures.effectors(ob)]
    there = [shown[of][row] if missed[row] else worst[row] for row, of in enumerate(told_of)]
    assert (np.abs(told - there) <= near).all()
    assert missed[(worst > near).any(axis=1)].all()
    return "elsewhere" if strays else "missed" if missed.any() else "met"


def told_frame(ob, bone, frames):
    """Which of the frames the result of an effector is told of."""
    return frames.index(ob.pose.bones[bone].superpose.worst_frame) if len(frames) > 1 else 0


def outcomes(name, count, seed):
    return Counter(run(name, np.random.default_rng((seed, number))) for number in range(count))


@pytest.mark.parametrize("name", ["solve", "bake"])
def test_a_few_random_rigs(name):
    found = outcomes(name, 12, 1)
    assert set(found) >= {"refused", "elsewhere", "met"}


@pytest.mark.slow
@pytest.mark.parametrize("name", ["solve", "bake"])
def test_five_hundred_random_rigs(name):
    found = outcomes(name, 500, 2)
    print(name, dict(found))
    assert min(found[kind] for kind in ("elsewhere", "met", "missed")) > 20
    assert found["refused"] < 250
