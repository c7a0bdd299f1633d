# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""All that is shown in front of set-up armatures: handles, ways to missed targets, goals, limits met."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from bpy.types import Context, Object, PropertyGroup, Scene

from ..reports import is_told, length_text
from .draw import AT_LIMIT
from .effectors import EffectorHandle, handles_of, marks_of
from .goals import shown_goals
from .marks import Mark
from .strokes import Label, Stroke
from .viewport import puppets

_WIDTH, _ALONG = 4.0, 0.3  # of the mark at a joint: pixels, and how far it goes along the bone


@dataclass(frozen=True)
class Front:
    """Lines, over them marks, over them words."""

    strokes: tuple[Stroke, ...]
    marks: tuple[Mark, ...]
    labels: tuple[Label, ...]


def shown_in_front(context: Context) -> Front:
    """Return what the context's viewport shows in front; stores nothing."""
    strokes: list[Stroke] = []
    marks: list[Mark] = []
    labels: list[Label] = []
    for ob in puppets(context):
        handles = handles_of(ob, context.scene.frame_current_final)
        told = _misses(ob, handles) and is_told(ob)
        for shown in (*shown_goals(ob, told), *(limits_met(context.scene, ob, handles) if told else ())):
            (strokes if isinstance(shown, Stroke) else marks).append(shown)
        strokes += ways_left(handles)
        labels += misses(context.scene, handles)
        marks += marks_of(context, handles)
    return Front(tuple(strokes), tuple(marks), tuple(labels))


def ways_left(handles: Sequence[EffectorHandle]) -> Iterator[Stroke]:
    """Yield the lines from effectors to the targets that they miss, in the colours of their sides."""
    for handle in handles:
        if handle.distance > 0:
            yield Stroke((handle.place, handle.wanted), handle.colour)


def misses(scene: Scene, handles: Sequence[EffectorHandle]) -> Iterator[Label]:
    """Yield beside these lines how far it is, in the scene's units."""
    for handle in handles:
        if handle.distance > 0:
            yield Label(handle.place, handle.wanted, length_text(scene, handle.distance))


def limits_met(scene: Scene, ob: Object, handles: Sequence[EffectorHandle]) -> Iterator[Stroke]:
    """Yield marks at the joints whose limits the last solve says keep effectors from their targets.

    Of a bake those of the frame that is seen.
    """
    missed = (handle.bone.superpose for handle in handles if _is_seen(scene, handle.bone.superpose))
    for name in sorted({name for effector in missed for name in effector.held_back.splitlines()}):
        bone = ob.pose.bones.get(name)
        if bone is not None:
            ends = bone.head, bone.head.lerp(bone.tail, _ALONG)
            yield Stroke(tuple(tuple(ob.matrix_world @ end) for end in ends), AT_LIMIT, _WIDTH)


def _is_seen(scene: Scene, effector: PropertyGroup) -> bool:
    """Return whether the effector was missed, in the frame that is seen where it was in a bake."""
    return effector.is_missed and (not effector.is_of_frame or effector.worst_frame == scene.frame_current)


def _misses(ob: Object, handles: Sequence[EffectorHandle]) -> bool:
    """Return whether the last solve missed anything: only then it is asked whether that is true still."""
    effectors = (handle.bone.superpose for handle in handles)
    return any(part.is_missed for part in (*effectors, *ob.superpose.goals))
