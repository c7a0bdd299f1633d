# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""Spans of frames that are marked on bones: animated properties, on or off, whose keys are where spans begin
and end. So they are moved, copied and deleted in the dope sheet like any keys.
"""

from collections.abc import Callable, Sequence
from functools import cache
from math import ceil

import numpy as np
from bpy.types import FCurve, Object, PoseBone, Scene

from ...solvers.motion import Span, mask_of, spans_of
from ..errors import RigError
from ..fcurves.actions import curves_of
from ..fcurves.keys import write_switch
from ..frames.ranges import animation_times, frame_length
from ..rig.movers import animated_paths
from ..rig.rig import Rig
from ..solution.keyframes import check_channels

MASK, CONTACT, TIP_CONTACT = "superpose_mask", "superpose_contact", "superpose_tip_contact"
CONTACTS = CONTACT, TIP_CONTACT


def marks_reader(ob: Object, rig: Rig, names: Sequence[str]) -> Callable[[], list[list[bool]]]:
    """Return what reads which effectors are marked in the present frame, a row for each name of a mark.

    Where nothing animates marks they are the same in all frames, and read in the first one alone.
    """
    bones, paths = rig.effector_bones(ob), animated_paths(ob.animation_data)

    def read() -> list[list[bool]]:
        return [[getattr(bone, name) for bone in bones] for name in names]

    is_animated = any(bone.path_from_id(name) in paths for bone in bones for name in names)
    return read if is_animated else cache(read)


def is_marked(bone: PoseBone, name: str) -> bool:
    """Return whether the bone's frames have been marked, or been found to need no mark."""
    return _curve(bone, name) is not None


def marked_spans(scene: Scene, bone: PoseBone, name: str) -> list[Span]:
    """Return the scene's frames that are marked; a span without an end ends where the scene does."""
    curve = _curve(bone, name)
    if curve is None:
        return []
    stretch = frame_length(scene)
    keys = [(ceil(key.co.x / stretch - 1e-3), key.co.y >= 0.5) for key in curve.keyframe_points]
    begin = min([scene.frame_start, *(frame for frame, _ in keys)])
    end = max([scene.frame_end, *(frame for frame, _ in keys)]) + 1
    on = np.zeros(end - begin, bool)
    for frame, value in keys:
        on[frame - begin :] = value
    return [Span(span.first + begin, span.last + begin) for span in spans_of(on)]


def contacts_around(
    scene: Scene, bones: Sequence[PoseBone], first: int, last: int, near: float
) -> tuple[int, int]:
    """Return the first and the last frame of contacts of the bones in frames ``first`` to ``last``, or no
    farther than ``near`` from these, and of those frames."""
    spans = (span for bone in bones for name in CONTACTS for span in marked_spans(scene, bone, name))
    touching = [span for span in spans if span.first <= last + near and span.last >= first - near]
    begins, ends = [span.first for span in touching], [span.last for span in touching]
    return min([first, *begins]), max([last, *ends])


def mark(scene: Scene, bone: PoseBone, name: str, span: Span, value: bool) -> None:
    """Mark the frames of a span, or take marks off them; others stay. Raises what ``mark_spans`` does."""
    spans = marked_spans(scene, bone, name)
    begin = min([span.first, *(one.first for one in spans)])
    on = mask_of([Span(one.first - begin, one.last - begin) for one in spans], _length([*spans, span]))
    on[span.first - begin : span.last - begin + 1] = value
    mark_spans(scene, bone, name, [Span(one.first + begin, one.last + begin) for one in spans_of(on)], begin)


def mark_spans(scene: Scene, bone: PoseBone, name: str, spans: Sequence[Span], first: int) -> None:
    """Mark these spans alone, in ascending order, from the frame ``first`` on.

    Raises RigError, with nothing changed, where keys cannot go or would do nothing.
    """
    ob = bone.id_data
    path = bone.path_from_id(name)
    check_marks(ob, path)
    frames, values = [min([first, *(span.first - 1 for span in spans)])], [0.0]
    for span in spans:
        frames += [span.first, span.last + 1]
        values += [1.0, 0.0]
    keep = np.append(np.diff(frames) > 0, True)  # of keys in one frame the later
    times = np.array(animation_times(scene, frames))[keep]
    if _curve(bone, name) is None:
        bone.keyframe_insert(name, frame=float(times[0]), group=bone.name)
    write_switch(_curve(bone, name), times, np.array(values)[keep])
    ob.update_tag()


def check_marks(ob: Object, path: str) -> None:
    """Raise RigError where a property of the armature's bones cannot be keyed, or keys would not be seen."""
    if ob.animation_data and ob.animation_data.use_tweak_mode:
        raise RigError(f"A strip of armature '{ob.name}' is in tweak mode: leave that first")
    check_channels(ob, {(path, 0)})


def _length(spans: Sequence[Span]) -> int:
    return max(span.last for span in spans) - min(span.first for span in spans) + 1


def _curve(bone: PoseBone, name: str) -> FCurve | None:
    curves, path = curves_of(bone.id_data.animation_data), bone.path_from_id(name)
    return next((curve for curve in curves if curve.data_path == path), None)
