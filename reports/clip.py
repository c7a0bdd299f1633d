# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""How a bake went from frame to frame, as a value and as JSON."""

import json
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, fields
from functools import lru_cache

import numpy as np
from bpy.types import Object

from ..armature import VISIBLE_TURN, FrameSnapshot, Rig, Sight, in_blocks
from ..armature.frames.frame_snapshot import column
from ..armature.reduction.reducing import ReducedKeys
from ..solvers import Jumps, Skeleton, Solution, forward
from ..solvers.geometry import Array, Mask, matvec, norm
from ..solvers.motion import spans_of
from .led import Led, Move
from .report import Report, times_visible, visible_distance

VERSION = 4
# As many frames that need a look as somebody looks at.
_MOST = 12
_DIGITS = 6  # of numbers in JSON
_TURNS = ("jumps", "sudden_turns")
_POWERS = np.array([float(f"1e{exponent}") for exponent in range(300)])


@dataclass(frozen=True)
class Turn:
    """A ``frame`` to which a ``bone`` turns by an ``angle``, radians, from the one before."""

    frame: int
    bone: str
    angle: float


@dataclass(frozen=True, eq=False)
class ClipReport:
    """What a bake left in each of its ``frames``. Lengths are in scene units, angles in radians.

    - ``rate``: the scene's frames a second; ``metres`` in a scene unit
    - ``names`` (columns,): effectors' bones, in quotes, and then other goals
    - ``distances`` and ``angles`` (frames, columns): what is left
    - ``missed`` (frames, columns): where that can be seen; ``gave_way``: where it can of what only follows
    - ``visible`` (frames, 1): from where on distances can be seen
    - ``contacts`` (frames, effectors): what stands
    - ``speeds`` (frames,): of the fastest joint, in a second; ``fastest`` (frames,): its bone
    - ``worst``: frames that need a look, the worst first
    - ``jumps``: where the bake goes over to another way of meeting the targets
    - ``sudden_turns``: where it turns far at once as there is no other way, or where motion that was not
      baked does
    - ``keys``: how they were reduced; None where every frame that was baked has its keys
    - ``led``: how targets were led; None where none was
    """

    armature: str
    frames: tuple[int, ...]
    rate: float
    metres: float
    names: tuple[str, ...]
    distances: Array
    angles: Array
    missed: Mask
    gave_way: Mask
    visible: Array
    contacts: Mask
    speeds: Array
    fastest: tuple[str, ...]
    worst: tuple[int, ...]
    led: Led | None = None
    jumps: tuple[Turn, ...] = ()
    sudden_turns: tuple[Turn, ...] = ()
    keys: ReducedKeys | None = None

    def worst_miss_in(self, row: int) -> int | None:
        """Return the column that is missed worst in a frame's row, if any is."""
        left = times_visible(self.distances[row], self.angles[row], self.visible[row])
        return int(np.where(self.missed[row], left, -1.0).argmax()) if self.missed[row].any() else None

    def led_in(self, frame: float) -> dict[str, Move]:
        """Return how targets are led in a frame of the clip, or between two, by the columns' names."""
        if self.led is None or not self.frames[0] <= frame <= self.frames[-1]:
            return {}
        row = float(np.interp(frame, self.frames, range(len(self.frames))))
        return dict(zip(self.names, self.led.at(row), strict=False))  # other goals are not led


@dataclass(frozen=True)
class Timing:
    """The ``frames`` that were baked, the scene's ``rate`` of them a second, and ``metres`` in its unit."""

    frames: tuple[int, ...]
    rate: float
    metres: float


def clip_report(
    rig: Rig,
    timing: Timing,
    report: Report,
    contacts: Mask,
    heads: Array,
    *,
    jumps: Jumps | None = None,
    sudden_turns: Jumps | None = None,
    keys: ReducedKeys | None = None,
    led: Led | None = None,
) -> ClipReport:
    """Return how the frames went; ``heads`` (frames, bones, 3) of the rig's bones, scene units, as shown."""
    frames = timing.frames
    speeds = _speeds(heads, np.array(frames, float) / timing.rate)
    jumped, turned = (_turns(rig, frames, found) for found in (jumps, sudden_turns))
    return ClipReport(
        armature=rig.object_name,
        frames=frames,
        rate=timing.rate,
        metres=timing.metres,
        names=report.names,
        distances=report.distances,
        angles=report.angles,
        missed=report.missed,
        gave_way=report.gave_way,
        visible=report.visible,
        contacts=contacts,
        speeds=speeds.max(axis=1),
        fastest=tuple(rig.names[bone] for bone in speeds.argmax(axis=1).tolist()),
        worst=_worst(frames, report, jumped + turned),
        led=led,
        jumps=jumped,
        sudden_turns=turned,
        keys=keys,
    )


def still_pins(rig: Rig, frames: Sequence[FrameSnapshot]) -> Mask:
    """Return where (frames, effectors) a pinned effector has a target that stays where it is: what stands
    besides contacts.
    """
    places = column(frames, "targets")[:, :, :3, 3]
    moves = norm(np.diff(places, axis=0)) > visible_distance(frames)[1:]
    stays = np.zeros(places.shape[:2], bool)
    stays[1:] |= ~moves
    stays[:-1] |= ~moves
    is_pinned = np.array([hold == 'PINNED' for hold in rig.holds], bool)
    return stays & is_pinned & (column(frames, "influences") > 0)


def shown_heads(
    frames: Sequence[FrameSnapshot], skeleton: Skeleton, solution: Solution, sights: Sequence[Sight]
) -> Array:
    """Return the bones' heads (frames, bones, 3) in the world, as ``sights`` show them or else as solved."""
    if sights:
        shown = [sight.frame for sight in sights]
        return in_world(shown, np.stack([frame.matrices[:, :3, 3] for frame in shown], dtype=np.float64))

    def part(rows: slice) -> tuple[Array, ...]:
        _, heads = forward(skeleton.rows(rows), solution.pose.rows(rows))
        return (in_world(frames[rows], heads),)

    return in_blocks(part, len(frames))[0]


def in_world(frames: Sequence[FrameSnapshot], points: Array) -> Array:
    """Return points (frames, n, 3) of the armature in the world."""
    armature_to_world = np.stack([frame.armature_to_world for frame in frames])
    return matvec(armature_to_world[:, None, :3, :3], points) + armature_to_world[:, None, :3, 3]


def to_json(report: ClipReport) -> str:
    """Return the report as a JSON object named like its fields, arrays as rows of frames."""
    values = {field.name: getattr(report, field.name) for field in fields(report)}
    values |= {name: [asdict(turn) for turn in getattr(report, name)] for name in _TURNS}
    values |= {name: of and asdict(of) for name, of in (("keys", report.keys), ("led", report.led))}
    return json.dumps({"version": VERSION} | {name: _plain(value) for name, value in values.items()})


@lru_cache(maxsize=8)  # the panel asks whenever it is drawn
def from_json(text: str) -> ClipReport:
    """Return the report that ``to_json`` wrote, to the digits that it keeps.

    Those of older versions told nothing of what gave way or was led, nor what can be seen.
    """
    values = json.loads(text)
    del values["version"]
    columns, frames = len(values["names"]), len(values["frames"])
    for name, kind in (("distances", float), ("angles", float), ("missed", bool), ("gave_way", bool)):
        values[name] = np.array(values.get(name) or [0] * frames * columns, kind).reshape(frames, columns)
    values["visible"] = np.array(values.get("visible") or [0] * frames, float).reshape(frames, 1)
    values["contacts"] = np.array(values["contacts"], bool).reshape(frames, -1)
    led = values.get("led")
    values["led"] = led and Led(*(np.array(led[field.name]) for field in fields(Led)))
    values["speeds"] = np.array(values["speeds"], float)
    values |= {name: [Turn(**turn) for turn in values.get(name, ())] for name in _TURNS}
    values["keys"] = values["keys"] and ReducedKeys(**values["keys"])
    values |= {name: tuple(value) for name, value in values.items() if isinstance(value, list)}
    return ClipReport(**values)


def clip_report_of(ob: Object) -> ClipReport | None:
    """Return how the last bake of the armature went from frame to frame, if it was baked last."""
    has_any = ob.is_property_set("superpose") and ob.superpose.clip_report  # looking alone would store it
    return from_json(ob.superpose.clip_report) if has_any else None


def _plain(value: object) -> object:
    """Return numbers and names as JSON has them."""
    if isinstance(value, np.ndarray):
        return (_rounded(value) if value.dtype.kind == "f" else value).tolist()
    if isinstance(value, dict):
        return {name: _plain(part) for name, part in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain(part) for part in value]
    return float(f"{value:.{_DIGITS}g}") if isinstance(value, float) else value


def _rounded(values: Array) -> Array:
    """Return the numbers to the digits that are kept, many at once."""
    sizes = np.where(np.isfinite(values) & (values != 0), np.abs(values), 1.0)
    places = _DIGITS - 1 - np.floor(np.log10(sizes)).astype(int)
    most = len(_POWERS) - 1
    up, down = (_POWERS[np.clip(shift, 0, most)] for shift in (places, -places))  # exact, as powers are not
    rounded: Array = np.round(values * up / down) * down / up
    return rounded


def _speeds(heads: Array, seconds: Array) -> Array:
    """Return how fast heads (frames, bones, 3) move at these times (frames,)."""
    if len(heads) < 2:
        return np.zeros(heads.shape[:2])
    return np.linalg.norm(np.gradient(heads, seconds, axis=0), axis=-1)


def _turns(rig: Rig, frames: Sequence[int], found: Jumps | None) -> tuple[Turn, ...]:
    """Return what was found of the rig's bones, with their names and frames."""
    if found is None:
        return ()
    each = zip(found.rows.tolist(), found.bones.tolist(), found.angles.tolist(), strict=True)
    return tuple(Turn(frames[row], rig.names[bone], angle) for row, bone, angle in each)


def _worst(frames: Sequence[int], report: Report, turns: Sequence[Turn]) -> tuple[int, ...]:
    """Return frames that need a look: where far turns are, and the worst one of each run that misses."""
    missed_by = report.missed_by.max(axis=1)
    scores = {frames[row]: float(missed_by[row]) for row in _peaks(missed_by)}
    for turn in turns:
        scores[turn.frame] = scores.get(turn.frame, 0.0) + turn.angle / VISIBLE_TURN
    return tuple(sorted(scores, key=lambda frame: (-scores[frame], frame))[:_MOST])


def _peaks(missed_by: Array) -> Iterator[int]:
    """Yield the worst row of each run of rows that miss."""
    for span in spans_of(missed_by > 0):
        yield span.first + int(missed_by[span.rows].argmax())
