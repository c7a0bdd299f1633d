# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""A clip made of formulas, in pure numpy: three steps, a lunge with a long reach, and back to standing.

Lengths are metres, angles radians, times seconds. A figure stands at the origin, faces -Y and has its left at
+X, as Rigify's metarig does. Rotations are matrices (frames, 3, 3).
"""

import numpy as np

RATE = 24  # frames per second
SECONDS = 7.5
TIP = np.array([0.0, -0.161, 0.0])  # where the toes touch the ground: from below the ankle

# fmt: off
# Each row: begin, end, value at the end. Rows may overlap: their moves add up.
HIPS = {
    "forward": [
        (0.1, 0.9, 0.2), (0.8, 1.6, 0.62), (1.4, 2.3, 1.05),
        (2.0, 3.2, 1.66), (4.2, 5.2, 1.54), (5.5, 6.7, 1.25),
    ],
    "left": [
        (0.0, 0.5, 0.07), (0.7, 1.1, -0.07), (1.3, 1.75, 0.07), (2.0, 2.5, -0.05),
        (2.6, 3.3, 0.0), (5.3, 5.8, -0.06), (6.3, 7.0, 0.0),
    ],
    "up": [(0.0, 0.4, -0.03), (2.0, 3.1, -0.34), (4.2, 5.2, -0.27), (5.6, 6.8, -0.02)],
    "yaw": [
        (0.3, 0.9, 0.14), (0.9, 1.5, -0.14), (1.5, 2.2, 0.14),
        (2.2, 3.2, -0.25), (4.2, 5.2, -0.6), (5.6, 6.8, 0.0),
    ],
    "lean": [(0.1, 0.8, 0.06), (2.2, 3.3, 0.16), (4.2, 5.2, -0.06), (5.6, 6.8, 0.0)],
}
CHEST = {  # beyond the hips
    "yaw": [
        (0.3, 0.9, -0.2), (0.9, 1.5, 0.2), (1.5, 2.2, -0.2),
        (2.3, 3.3, 0.5), (4.1, 5.2, 0.25), (5.5, 6.7, 0.0),
    ],
    "lean": [(2.3, 3.4, 0.3), (4.1, 5.2, -0.12), (5.5, 6.7, 0.0)],
}
FEET = {  # begin and end of each swing, then where it lands: forward, left, yaw
    "L": [(0.95, 1.5, 0.85, 0.1, 0.05), (2.3, 3.0, 2.12, 0.16, 0.1), (5.6, 6.4, 1.27, 0.1, 0.0)],
    "R": [(0.35, 0.85, 0.42, -0.1, -0.05), (1.6, 2.15, 1.25, -0.14, -0.7), (6.5, 7.0, 1.27, -0.1, 0.0)],
}
# Azimuth from straight ahead towards the hand's own side, elevation, part of the arm's length.
HANDS = {
    "L": {
        "azimuth": [
            (0.3, 0.9, 0.3), (0.9, 1.5, 1.2), (1.5, 2.2, 0.4),
            (2.2, 3.3, 2.0), (4.0, 5.2, 0.1), (5.4, 6.4, 1.4),
        ],
        "elevation": [
            (2.2, 3.3, -0.25), (4.0, 4.6, -0.7), (4.5, 5.2, 0.05),
            (5.3, 6.2, 1.0), (6.1, 7.2, -1.25),
        ],
        "extension": [(2.2, 3.3, 1.1), (4.0, 4.7, 0.9), (4.4, 5.4, 1.15), (5.3, 6.2, 1.1), (6.2, 7.2, 1.0)],
    },
    "R": {
        "azimuth": [
            (0.3, 0.9, 1.2), (0.9, 1.5, 0.3), (1.5, 2.2, 1.5),
            (2.3, 3.4, 0.0), (4.1, 5.2, 1.5), (5.4, 6.4, 1.4),
        ],
        "elevation": [(1.8, 2.6, -0.6), (2.4, 3.4, 0.32), (4.0, 5.2, 0.85), (6.1, 7.2, -1.25)],
        "extension": [
            (2.0, 2.7, 0.75), (2.6, 3.5, 1.5), (4.1, 4.7, 1.3),
            (4.7, 5.4, 1.15), (5.4, 6.2, 1.1), (6.2, 7.2, 1.0),
        ],
    },
}
# fmt: on
HANGING = {"azimuth": 0.9, "elevation": -1.25, "extension": 1.0}
FOLLOWS = [(1.8, 2.8, 0.75), (6.2, 7.2, 0.0)]  # how much the head looks at the right hand


def ease(part):
    """Return a step from 0 to 1 without a jolt (least jerk) for parts in 0..1."""
    x = np.clip(part, 0.0, 1.0)
    return x**3 * (10.0 - 15.0 * x + 6.0 * x * x)


def glide(times, moves, value=0.0):
    """Return the value (frames,) that the moves, rows of begin, end and end value, lead to."""
    track = np.full_like(times, value)
    for begin, end, to in moves:
        track += (to - value) * ease((times - begin) / (end - begin))
        value = to
    return track


def hump(times, begin, end):
    """Return a smooth rise to 1 and fall to 0 between begin and end."""
    x = np.clip((times - begin) / (end - begin), 0.0, 1.0)
    return 64.0 * x**3 * (1.0 - x) ** 3


def turn(axis, angles):
    """Return rotations (frames, 3, 3) about one of the axes 0, 1, 2."""
    i, j = (axis + 1) % 3, (axis + 2) % 3
    matrices = np.tile(np.eye(3), (len(angles), 1, 1))
    matrices[:, i, i] = matrices[:, j, j] = np.cos(angles)
    matrices[:, j, i] = np.sin(angles)
    matrices[:, i, j] = -matrices[:, j, i]
    return matrices


def shortest_turn(start, ends):
    """Return the least rotations (frames, 3, 3) that take a unit vector to the unit vectors (frames, 3)."""
    cross, cosine = np.cross(start, ends), ends @ start
    skew = np.cross(np.eye(3), cross[:, None, :])
    return np.eye(3) - skew + skew @ skew / (1.0 + cosine)[:, None, None]


def ground(forward, left, up):
    """Return points (frames, 3) from how far forward, left and up they are."""
    return np.stack(np.broadcast_arrays(left, -forward, up), axis=-1).astype(float)


def carry(turns, points):
    """Return points (3,) or (frames, 3) turned by each frame's rotation, (frames, 3)."""
    return (turns @ np.asarray(points)[..., None])[..., 0]


def hips(times, rest):
    """Return the place and the rotation of the hips."""
    track = {name: glide(times, moves) for name, moves in HIPS.items()}
    place = rest[:3, 3] + ground(track["forward"], track["left"], track["up"])
    return place, turn(2, track["yaw"]) @ turn(0, track["lean"])


def chest_turn(times):
    """Return the rotation of the chest in the hips' frame."""
    return turn(2, glide(times, CHEST["yaw"])) @ turn(0, glide(times, CHEST["lean"]))


def foot(times, side, rest):
    """Return the ankle's place and rotation; toes stay where they stand, the heel rises before each swing."""
    start = {"forward": -rest[1, 3], "left": rest[0, 3], "yaw": 0.0}
    tracks = {
        name: glide(times, [(row[0], row[1], row[column]) for row in FEET[side]], start[name])
        for column, name in enumerate(("forward", "left", "yaw"), 2)
    }
    lift = sum(0.09 * hump(times, begin, end) for begin, end, *_ in FEET[side])
    heel = sum(0.75 * hump(times, begin - 0.3, end) for begin, end, *_ in FEET[side])
    yaw = turn(2, tracks["yaw"])
    turns = yaw @ turn(0, heel)
    from_tip = np.array([0.0, 0.0, rest[2, 3]]) - TIP
    tip = ground(tracks["forward"], tracks["left"], lift) + carry(yaw, TIP)
    return tip + carry(turns, from_tip), turns


def hand(times, side, shoulder, body, rest, rest_shoulder):
    """Return the hand's place and rotation: in line with the arm, about the shoulder (frames, 3)."""
    track = {name: glide(times, moves, HANGING[name]) for name, moves in HANDS[side].items()}
    out, up = track["azimuth"], track["elevation"]
    outward = np.cos(up) * np.sin(out) * (1.0 if side == "L" else -1.0)
    along = carry(body, ground(np.cos(up) * np.cos(out), outward, np.sin(up)))
    arm = rest[:3, 3] - rest_shoulder
    length = np.linalg.norm(arm)
    place = shoulder + along * (length * track["extension"])[:, None]
    return place, shortest_turn(arm / length, along)


def look(times, eyes, body, at):
    """Return the head's rotation: between straight ahead and what it looks at (frames, 3)."""
    ahead = carry(body, np.array([0.0, -1.0, 0.0]))
    towards = at - eyes
    towards /= np.linalg.norm(towards, axis=1, keepdims=True)
    sight = ahead + glide(times, FOLLOWS)[:, None] * (towards - ahead)
    yaw = np.arctan2(sight[:, 0], -sight[:, 1])
    pitch = np.arctan2(sight[:, 2], np.hypot(sight[:, 0], sight[:, 1]))
    return turn(2, yaw) @ turn(0, -pitch)


def targets(rests, shoulders):
    """Return ``{bone: matrices (frames, 4, 4)}`` for the six effectors in armature space.

    ``rests``: their rest matrices (4, 4) by name, ``shoulders``: where the upper arms begin, by "L" and "R".
    """
    times = np.arange(round(SECONDS * RATE)) / RATE
    pelvis, pelvis_turn = hips(times, rests["spine"])
    base, bend = rests["spine"][:3, 3], chest_turn(times)
    half = pelvis_turn @ turn(2, glide(times, CHEST["yaw"]) / 2) @ turn(0, glide(times, CHEST["lean"]) / 2)
    body = pelvis_turn @ bend
    tracks = {"spine": (pelvis, pelvis_turn)}
    for side in "LR":
        shoulder = pelvis + carry(half, shoulders[side] - base)
        tracks[f"hand.{side}"] = hand(times, side, shoulder, body, rests[f"hand.{side}"], shoulders[side])
        tracks[f"foot.{side}"] = foot(times, side, rests[f"foot.{side}"])
    # A spine that bends evenly by this angle is a little shorter from end to end.
    chord = np.sinc(glide(times, CHEST["lean"]) / (2 * np.pi)) * 0.995
    head = pelvis + carry(half, rests["spine.006"][:3, 3] - base) * chord[:, None]
    tracks["spine.006"] = head, look(times, head, body, tracks["hand.R"][0])
    return {bone: placed(place, turns, rests[bone]) for bone, (place, turns) in tracks.items()}


def placed(place, turns, rest):
    """Return matrices (frames, 4, 4) of a bone that is turned from rest and put in place."""
    matrices = np.tile(np.eye(4), (len(place), 1, 1))
    matrices[:, :3, :3] = turns @ rest[:3, :3]
    matrices[:, :3, 3] = place
    return matrices
