# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""Contacts of feet in captured clips, against labels made by hand.

How the labels were made: for every frame, at 30 a second, the heights of ankle and ball of each foot over the
clip's lowest point and their speeds were read as columns of numbers, before there was a detector. A foot
stands from the first frame in which its ankle or its ball has settled at the height where it stays for that
step, coming down with less than about half a metre a second (of a figure of 1.75 m), to the last frame before
both rise or move on: heels that lift over a ball that stays, and balls that lift while the heel stands, are
standing. Feet that slide along the ground by more than that speed do not stand.
"""

import addon_utils
import bpy
import numpy as np
import pytest

from solvers.motion import cleaned, find_contacts, mask_of, spans_of
from solvers.motion.spans import Span

RATE, HEIGHT = 30, 1.75
LEAD_IN = 8  # rows of clips that are not trimmed, which lead from a T-pose into the motion
NOISE = 0.005
ENDS = ("head_local", "tail_local")
LABELS = {
    "cmu_07_01_walk": {
        "l": [(15, 31), (48, 63)],
        "r": [(0, 14), (32, 46), (65, 77)],
    },
    "cmu_02_03_run": {
        "l": [(14, 16), (37, 40)],
        "r": [(3, 6), (26, 28)],
    },
    "cmu_02_04_jump_balance": {
        "l": [(0, 24), (44, 74), (81, 93), (97, 118)],
        "r": [(0, 24), (44, 83), (89, 118)],
    },
    "cmu_14_32_sit_stepstool_f100-1300": {
        "l": [(8, 61), (71, 199), (216, 250), (264, 289)],
        "r": [(0, 13), (26, 171), (195, 220), (239, 270), (285, 299)],
    },
}

pytestmark = [pytest.mark.usefixtures("blend"), pytest.mark.once]


def feet_of(path):
    """Heads and tails (frames, 4, 3) of the left and right foot, metres of a figure of 1.75 m."""
    addon_utils.enable("io_anim_bvh")
    bpy.ops.import_anim.bvh(filepath=str(path), update_scene_fps=True, update_scene_duration=True)
    ob, scene = bpy.context.object, bpy.context.scene
    scale = HEIGHT / max(np.ptp([getattr(bone, end) for bone in ob.data.bones for end in ENDS], axis=0))
    first, last = map(int, ob.animation_data.action.frame_range)
    first += 0 if "_f" in path.stem else LEAD_IN
    points = []
    for frame in range(first, last + 1, round(scene.render.fps / scene.render.fps_base / RATE)):
        scene.frame_set(frame)
        bones = [ob.pose.bones[f"{side}Foot"] for side in "lr"]
        points.append([ob.matrix_world @ end for bone in bones for end in (bone.head, bone.tail)])
    return scale * np.array(points)


def found_in(points):
    """In which frames (frames, 2) the left and the right foot stand, on head or tail."""
    everything = np.zeros((*points.shape[:2], 2), bool)
    turns = np.broadcast_to([1.0, 0.0, 0.0, 0.0], (*points.shape[:2], 4))
    smooth, _ = cleaned(points, turns, everything, RATE)
    contacts = find_contacts(smooth, np.ones(4, bool), HEIGHT, RATE)
    return contacts.reshape(-1, 2, 2).any(axis=2)


def edges_of(found, label):
    """How many frames the ends of found spans are from those of the labelled spans that they overlap."""
    apart, last = [], len(found) - 1
    for span in spans_of(found):
        for other in (one for one in spans_of(label) if one.first <= span.last and span.first <= one.last):
            apart += [abs(span.first - other.first)] if other.first > 0 else []
            apart += [abs(span.last - other.last)] if other.last < last else []
    return apart


@pytest.fixture
def clips(shared_data):
    paths = {name: shared_data / "motion" / f"{name}.bvh" for name in LABELS}
    return {name: feet_of(path) for name, path in paths.items()}


def compared(clips):
    """Which frames were found and which labelled, of all feet one after the other, and how far edges are."""
    founds, labels, edges = [], [], []
    for name, points in clips.items():
        for column, side in enumerate("lr"):
            found = found_in(points)[:, column]
            label = mask_of([Span(*ends) for ends in LABELS[name][side]], len(points))
            founds, labels, edges = [*founds, found], [*labels, label], [*edges, *edges_of(found, label)]
    return np.concatenate(founds), np.concatenate(labels), np.array(edges)


def test_contacts_are_those_that_were_labelled_by_hand(clips, rng):
    found, label, edges = compared(clips)
    precision, recall = (found & label).sum() / found.sum(), (found & label).sum() / label.sum()
    print(f"precision {precision:.3f}, recall {recall:.3f}, edges {edges.mean():.2f}, at most {edges.max()}")
    assert precision > 0.98
    assert recall > 0.98
    assert edges.mean() < 0.5
    assert edges.max() <= 2
    noise = NOISE / np.sqrt(3)
    noisy = {name: points + noise * rng.normal(size=points.shape) for name, points in clips.items()}
    found, label, _ = compared(noisy)
    assert (found & label).sum() > 0.97 * found.sum()
    assert (found & label).sum() > 0.97 * label.sum()
