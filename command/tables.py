# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""What was looked at, as a table to read."""

import numpy as np
from bpy.types import Scene

from ..reports import angle_text, length_text
from .records import Record

WIDTHS = (24, 32, 9, 16, 14, 10)


def table(scene: Scene, about: Record) -> str:
    """Return in lines what is set up on an armature and how its motion is."""
    body, count = about["body"], len(about["limits"])
    lines = [f"{about['armature']}: {body['kind'].lower()} ({body['sure']:.0%} sure), {about['bones']} bones"]
    lines += [f"Limits: {count}. Goals: {', '.join(about['goals']).lower() or 'none'}"]
    if about["refusal"]:
        return "\n".join([*lines, f"Refused: {about['refusal']}"])
    clip, holds = about["clip"], {one["bone"]: one for one in about["effectors"]}
    rows = [("asked for", "target", "hold", "frames missed", "worst", "angle")]
    for column, name in enumerate(clip["names"]):
        rows.append(row(scene, clip, column, holds.get(name.strip("'"), {"target": "", "hold": ""})))
    lines += [
        "  ".join(f"{cell:{width}}" for cell, width in zip(one, WIDTHS, strict=True)).rstrip() for one in rows
    ]
    turned = clip["sudden_turns"]
    turns = [f"'{turn['bone']}' by {angle_text(turn['angle'])} at {turn['frame']}" for turn in turned]
    parts = {"Sudden turns": turns, "Doubtful": spans(about["doubts"]), "Stands": spans(about["contacts"])}
    parts["Look at frames"] = list(map(str, clip["worst"]))
    return "\n".join(
        lines + [f"{what}: {'; '.join(said)}" for what, said in parts.items() if said] + about["notes"]
    )


def row(scene: Scene, clip: Record, column: int, settings: Record) -> tuple[str, ...]:
    """Return the cells of one effector or goal."""
    distances, angles, missed = (
        np.array(clip[name])[:, column] for name in ("distances", "angles", "missed")
    )
    return (
        clip["names"][column],
        settings["target"] or "none",
        settings["hold"].lower(),
        f"{int(missed.sum())} of {len(missed)}",
        length_text(scene, distances.max()),
        angle_text(angles.max()),
    )


def spans(found: dict[str, list[list[int]]]) -> list[str]:
    """Return in words the first and last frames of each bone's spans."""
    return [f"'{bone}' at {', '.join(f'{a} to {b}' for a, b in those)}" for bone, those in found.items()]
