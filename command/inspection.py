# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""``superpose inspect``: what is set up in a file and how its motion is, without a change to anything."""

import json
from argparse import ArgumentParser, Namespace, _SubParsersAction
from contextlib import nullcontext
from functools import partial
from pathlib import Path

import bpy
import numpy as np
from bpy.types import Object, PoseBone

from ..armature import (
    FrameSnapshot,
    Rig,
    RigError,
    effectors_of,
    frame_rate,
    pose_kept,
    present_frame_kept,
    read_frames_with,
    read_rig,
    settings_of,
    stack_clip,
)
from ..armature.recording.contacts import feet_of, find_standing
from ..armature.recording.marks import CONTACTS, marks_reader
from ..armature.recording.recording import Recording
from ..armature.setup.body import recognised_body
from ..armature.setup.effectors import WEIGHTS
from ..reports import Timing, clip_as_shown, tilt_of, tilt_text, to_json
from ..solvers import SolverError
from ..solvers.geometry import Mask
from ..solvers.motion import spans_of
from ..solvers.pauses import finished
from .answers import chatter_diverted, check_answer, write_answer
from .armatures import armatures_meant
from .errors import DONE, MISSED
from .options import add_options, frames_given, numbers_of
from .pictures import add_svg, check_pictures, draw_clips
from .records import Record
from .tables import table

# The operator whose range of frames is looked at, without a step.
RANGE = "find_contacts"


def add(commands: _SubParsersAction) -> None:
    """Add the command to the program's."""
    parser = commands.add_parser(
        "inspect",
        usage="%(prog)s [OPTION ...]",
        help="report the set-up and the motion; changes nothing",
    )
    add = parser.add_argument
    add("--armature", metavar="NAME", help="an armature object (default: all with effectors or goals)")
    add("--table", action="store_true", help="print a table to read, in place of JSON")
    add("--json", metavar="FILE", help="write the JSON to this file, with --table too")
    what = "anything is refused or missed, or a bone turns suddenly"
    add("--strict", action="store_true", help=f"end with {MISSED} if {what}")
    add_svg(parser)
    add_options(parser, RANGE, {})
    parser.set_defaults(command=partial(inspect, parser))


def inspect(parser: ArgumentParser, options: Namespace) -> int:
    """Look at what is asked for and tell of it; returns the exit code. Raises CommandError."""
    asked, obs = frames_given(parser, options, RANGE), armatures_meant(options.armature)
    taken = check_answer(options.json, [Path(bpy.data.filepath)])
    check_pictures(options.svg, [ob.name for ob in obs], taken)
    with chatter_diverted():
        found = [inspected(ob, asked) for ob in obs]
    told = {"file": bpy.data.filepath, "scene": bpy.context.scene.name, "armatures": found}
    draw_clips({one["armature"]: one["clip"] for one in found if "clip" in one}, options.svg)
    if options.json or not options.table:
        write_answer(json.dumps(told, indent=1), options.json)
    if options.table:
        write_answer("\n\n".join(table(bpy.context.scene, one) for one in found), None)
    return MISSED if options.strict and not all(map(is_well, found)) else DONE


def inspected(ob: Object, asked: dict[str, object]) -> Record:
    """Return what is set up on the armature and how its motion is, or why it cannot be solved."""
    body = recognised_body(ob)
    about = {
        "armature": ob.name,
        "bones": len(ob.pose.bones),
        "body": {"kind": body.kind, "sure": round(body.sure, 3)},
        "effectors": [effector(bone) for bone in effectors_of(ob)],
        "goals": [goal.kind for goal in ob.superpose.goals if goal.enabled],
        "limits": {bone.name: bone.superpose.limit.kind for bone in limited(ob)},
        "refusal": "",
    }
    try:
        return about | motion(ob, asked)
    except (RigError, SolverError) as error:
        return about | {"refusal": str(error)}


def effector(bone: PoseBone) -> Record:
    """Return what an effector asks for."""
    settings = bone.superpose
    target = settings.target and settings.target.name
    weights = [getattr(bone, name) for name in WEIGHTS]
    return {"bone": bone.name, "target": target, "hold": settings.hold, "weights": weights}


def limited(ob: Object) -> list[PoseBone]:
    """Return the bones with a limit of ours."""
    own = (bone for bone in ob.pose.bones if bone.is_property_set("superpose"))
    return [bone for bone in own if bone.superpose.limit.kind != 'NONE']


def motion(ob: Object, asked: dict[str, object]) -> Record:
    """Return how the motion that is shown is, frame by frame. Raises RigError or SolverError."""
    context, scene = bpy.context, bpy.context.scene
    numbers = numbers_of(RANGE, asked)
    context.evaluated_depsgraph_get()  # which bones are mirrored is read as they are shown
    rig = read_rig(ob)
    # A pose that is kept is not live, and what is shown would not be read.
    with nullcontext() if ob.superpose_live else pose_kept(ob), present_frame_kept(scene):
        frames, marked = read(rig, ob, numbers)
    recording = Recording(rig, frames, frame_rate(scene))
    doubts = recording.righted().doubts().any(axis=-1) | recording.exchanged
    usable = recording.cleaned(recording.broken, keeps_noise=True) if recording.broken.any() else frames
    request = stack_clip(rig, numbers, usable, settings_of(ob))
    contacts = marked if marked.any() else found_contacts(ob, rig, numbers, recording)
    timing = Timing(tuple(numbers), recording.rate, scene.unit_settings.scale_length)
    return {
        "notes": [*filter(None, [tilt_text(rig, tilt_of(rig, usable))]), *rig.notes],
        "doubts": spans(rig, numbers, doubts),
        "contacts": spans(rig, numbers, contacts),
        "clip": json.loads(to_json(clip_as_shown(rig, timing, recording, request, contacts))),
    }


def read(rig: Rig, ob: Object, numbers: list[int]) -> tuple[list[FrameSnapshot], Mask]:
    """Return the frames, and where effectors (frames, effectors) are marked to stand."""
    look = marks_reader(ob, rig, CONTACTS)
    frames, marked = finished(read_frames_with(bpy.context, rig, ob, numbers, look))
    return frames, np.array(marked, bool).any(axis=1)


def found_contacts(ob: Object, rig: Rig, numbers: list[int], recording: Recording) -> Mask:
    """Return where effectors (frames, effectors) stand, as Find Contacts would find it."""
    feet = feet_of(ob, rig)
    if not feet.any():
        return np.zeros((len(numbers), len(feet)), dtype=bool)
    return find_standing(rig, numbers, recording, feet).any(axis=-1)


def spans(rig: Rig, numbers: list[int], mask: Mask) -> dict[str, list[list[int]]]:
    """Return by bone the first and last frames of a mask's (frames, effectors) spans."""
    found = {effector.bone: spans_of(mask[:, column]) for column, effector in enumerate(rig.effectors)}
    return {
        bone: [[numbers[span.first], numbers[span.last]] for span in those]
        for bone, those in found.items()
        if those
    }


def is_well(about: Record) -> bool:
    """Return whether nothing is refused or missed, and no bone turns suddenly."""
    return not about["refusal"] and not about["clip"]["sudden_turns"] and not np.any(about["clip"]["missed"])
