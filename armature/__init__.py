# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""The only door between Blender's data and the solver's arrays.

Read with ``read_rig`` and ``read_frame``, ``stack`` the frames, solve, and write with ``write_pose``, or with
``channels`` and ``write_keys``. Whatever cannot be read or written is refused with a ``RigError``.
"""

from .blender_ik.scratch_copy import SOLVERS, blender_ignores, scratch_copy
from .errors import RigError
from .fcurves.paths import CHANNELS
from .frames.blocks import in_blocks
from .frames.changes import only_moved
from .frames.evaluated_again import evaluate_again
from .frames.frame_snapshot import (
    VISIBLE_DISTANCE,
    VISIBLE_TURN,
    FrameSnapshot,
    aimed_frame,
    figure_extents,
    present_frame,
    present_pose,
    read_frame,
)
from .frames.pose_channels import channels_of, set_channels, taken_back
from .frames.pose_kept import (
    KeptPose,
    dragged_bones,
    is_as_posed,
    is_kept,
    leave_as_posed,
    left_as_posed,
    pose_kept,
    pose_kept_from_keys,
)
from .frames.ranges import (
    animation_times,
    frame_ends,
    frame_length,
    frame_numbers,
    frame_rate,
    present_frame_kept,
    present_time,
    read_frames,
    read_frames_with,
)
from .frames.shown_again import SeenBefore, seen_again, show_again
from .frames.sight import Sight, present_sight, read_sights
from .presence import is_there
from .problem.ease import share_of_comfort, share_of_comfort_in_limb, share_of_way
from .problem.own_targets import (
    bearers,
    borne_targets,
    carried_frame,
    carry_targets,
    made_targets,
    own_targets,
    places_in_pose,
    unmovable_words,
    why_unmovable,
)
from .problem.pins import keyed_pins
from .problem.places import Stands, mirrored_place, place_target, place_targets, target_matrix
from .problem.seen import Seen
from .problem.stacking import Batch, stack, stack_clip, usable_frames, world_lengths
from .rig.animated import are_targets_animated, shows_keys, stands_still
from .rig.causes import what_moves_bone, what_moves_target
from .rig.driven import DrivenJoint, driven_joints
from .rig.effectors import Grab, as_moved
from .rig.held import bones_held_by
from .rig.meant import bone_meant, bones_meant, is_selected, selected_bones, set_selected
from .rig.obstacles import are_carriers_free
from .rig.parts import are_animated, as_asked
from .rig.plain import has_other_handlers, is_plain, place_of
from .rig.reading import check_armature, read_rig
from .rig.rig import Rig
from .rig.soles import Ground, Spot, ball_of, posed, sole_of
from .rig.undersides import underside_of
from .setup.effectors import effectors_of, is_effector
from .setup.settings import settings_of
from .setup.stored import StoredSettings, stored_settings
from .solution.channels import (
    Channels,
    channels,
    channels_with,
    posed_properties,
    write_channels,
    write_pose,
)
from .solution.keyframes import keys_beside, write_keys
from .solution.keys_kept import keys_kept

__all__ = [
    "CHANNELS",
    "SOLVERS",
    "VISIBLE_DISTANCE",
    "VISIBLE_TURN",
    "Batch",
    "Channels",
    "DrivenJoint",
    "FrameSnapshot",
    "Grab",
    "Ground",
    "KeptPose",
    "Rig",
    "RigError",
    "Seen",
    "SeenBefore",
    "Sight",
    "Spot",
    "Stands",
    "StoredSettings",
    "aimed_frame",
    "animation_times",
    "are_animated",
    "are_carriers_free",
    "are_targets_animated",
    "as_asked",
    "as_moved",
    "ball_of",
    "bearers",
    "blender_ignores",
    "bone_meant",
    "bones_held_by",
    "bones_meant",
    "borne_targets",
    "carried_frame",
    "carry_targets",
    "channels",
    "channels_of",
    "channels_with",
    "check_armature",
    "dragged_bones",
    "driven_joints",
    "effectors_of",
    "evaluate_again",
    "figure_extents",
    "frame_ends",
    "frame_length",
    "frame_numbers",
    "frame_rate",
    "has_other_handlers",
    "in_blocks",
    "is_as_posed",
    "is_effector",
    "is_kept",
    "is_plain",
    "is_selected",
    "is_there",
    "keyed_pins",
    "keys_beside",
    "keys_kept",
    "leave_as_posed",
    "left_as_posed",
    "made_targets",
    "mirrored_place",
    "only_moved",
    "own_targets",
    "place_of",
    "place_target",
    "place_targets",
    "places_in_pose",
    "pose_kept",
    "pose_kept_from_keys",
    "posed",
    "posed_properties",
    "present_frame",
    "present_frame_kept",
    "present_pose",
    "present_sight",
    "present_time",
    "read_frame",
    "read_frames",
    "read_frames_with",
    "read_rig",
    "read_sights",
    "scratch_copy",
    "seen_again",
    "selected_bones",
    "set_channels",
    "set_selected",
    "settings_of",
    "share_of_comfort",
    "share_of_comfort_in_limb",
    "share_of_way",
    "show_again",
    "shows_keys",
    "sole_of",
    "stack",
    "stack_clip",
    "stands_still",
    "stored_settings",
    "taken_back",
    "target_matrix",
    "underside_of",
    "unmovable_words",
    "usable_frames",
    "what_moves_bone",
    "what_moves_target",
    "why_unmovable",
    "world_lengths",
    "write_channels",
    "write_keys",
    "write_pose",
]
