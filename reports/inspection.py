# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""The motion that is shown, measured as it is and not solved: what is left, where it turns suddenly."""

from collections.abc import Sequence
from math import radians

import numpy as np

from ..armature import VISIBLE_TURN, FrameSnapshot, Rig, world_lengths
from ..armature.problem.stacking import measured
from ..armature.problem.targets import effector_points
from ..armature.problem.varying import weights_in
from ..armature.recording.recording import Recording
from ..solvers import Jumps, Request
from ..solvers.clip import turns
from ..solvers.geometry import Array, Mask
from ..solvers.goals import effectors_left, goals_left
from .clip import ClipReport, Timing, clip_report, in_world
from .report import KeptOff, Report, judged, names_of, of_believed, visible_distance

# A bone that turns farther than this from one frame to the next turns suddenly.
SUDDEN = radians(30)


def clip_as_shown(
    rig: Rig, timing: Timing, recording: Recording, request: Request, contacts: Mask
) -> ClipReport:
    """Return how far the motion is from what is asked of it, ``request``, and where it turns suddenly.

    ``contacts`` (frames, effectors): what stands.
    """
    frames = recording.frames
    report = of_believed(report_as_shown(rig, frames, request), recording.broken)
    turned = sudden_turns(request.pose.rotations, rig.turning)
    heads = np.stack([frame.matrices[:, :3, 3] for frame in frames], dtype=np.float64)
    return clip_report(rig, timing, report, contacts, in_world(frames, heads), sudden_turns=turned)


def report_as_shown(rig: Rig, frames: Sequence[FrameSnapshot], request: Request) -> Report:
    """Return what the animated poses themselves leave of what is asked."""
    rotations, heads = measured(rig, frames)
    points = effector_points(rig, request.targets.offsets, rotations, heads)
    own = effectors_left(rig.effectors, request.targets, points, rotations[:, rig.places])
    others = goals_left(request.goals, rig.rows_by_name, rotations, heads)
    lengths, angles = (np.hstack(pair) for pair in zip(own, others, strict=True))
    distances, visible = world_lengths(frames, lengths), visible_distance(frames)
    return Report(
        names=names_of(rig),
        distances=distances,
        angles=angles,
        out_of_reach=np.zeros(distances.shape),
        rmsd=np.zeros(len(frames)),
        **judged(rig, (distances > visible) | (angles > VISIBLE_TURN)),
        kept_off=(KeptOff(),) * len(rig.effectors),
        visible=visible,
        placed=np.broadcast_to(weights_in(rig, frames)[..., 0] > 0, own[0].shape),
    )


def sudden_turns(rotations: Array, turning: Mask) -> Jumps:
    """Return where bones, those that are ``turning`` (bones,), turn far from one frame to the next.

    ``rotations`` (frames, bones, 4).
    """
    angles = np.where(turning, turns(rotations[:-1], rotations[1:]), 0.0)
    rows = np.flatnonzero((angles > SUDDEN).any(axis=1))
    bones = angles[rows].argmax(axis=1)
    return Jumps(rows + 1, bones, angles[rows, bones])
