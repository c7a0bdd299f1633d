# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""What of the overlay is at a place on the screen: an effector's handle, or the box of a target."""

from collections.abc import Sequence
from itertools import product

import numpy as np
from bpy.types import Context, Event, Object, PoseBone

from ..solvers.geometry import Array
from .effectors import shown_handles
from .target_boxes import box_of, shown_targets
from .viewport import is_in_use, projection_of

_REACH = 14.0  # pixels of an unscaled interface: handles are caught from as near as that
_CORNERS = np.array(list(product((-1.0, 1.0), repeat=3)))


def mouse_at(event: Event) -> Array:
    """Return where in the region the mouse is, pixels (2,)."""
    return np.array([event.mouse_region_x, event.mouse_region_y], dtype=np.float64)


def pressed_at(event: Event) -> Array:
    """Return where in the region the mouse was when its button was pressed, pixels (2,)."""
    moved = event.mouse_x - event.mouse_prev_press_x, event.mouse_y - event.mouse_prev_press_y
    return mouse_at(event) - moved


def handle_at(context: Context, mouse: Sequence[float]) -> PoseBone | None:
    """Return the effector whose handle is at a place in the context's viewport, or nothing.

    ``mouse``: pixels from the bottom left of the region, as ``event.mouse_region_x`` and ``..._y`` have them.
    The nearest of the handles in reach is taken. If there is none, the inside of the box of an effector's
    target counts as its handle. Effectors are never returned that are switched off, hidden, or of an armature
    whose handles the viewport does not show. None at all is returned while *Show Targets* is off and the Pose
    tool is not in use. ``bone.id_data`` is the armature object. In Pose Mode it is an armature in Pose Mode,
    in Object Mode any.

    The context needs a 3D viewport's ``region``, ``region_data`` and ``space_data``, as those have that
    Blender calls operators with; in a quad view they are those of the quarter under the mouse.
    """
    handles = shown_handles(context) if _is_shown(context) else []
    places = np.reshape([handle.place for handle in handles], (-1, 3))
    reach = _REACH * context.preferences.system.ui_scale
    found = projection_of(context).nearest(places, np.array(mouse), reach)
    if found is not None:
        return handles[found].bone
    target = target_at(context, mouse)
    return next((handle.bone for handle in handles if target and handle.target == target), None)


def target_at(context: Context, mouse: Sequence[float]) -> Object | None:
    """Return the target, made by Superpose, whose box is at a place in the viewport, as ``handle_at`` has it.

    It makes no difference whether its effector takes part. Of several targets it is the one whose middle is
    nearest.
    """
    targets = shown_targets(context) if context.scene.superpose_show_targets else []
    boxes = [_CORNERS @ matrix[:3, :3].T + matrix[:3, 3] for matrix in map(np.array, map(box_of, targets))]
    found = projection_of(context).nearest_box(np.reshape(boxes, (-1, 8, 3)), np.array(mouse))
    return None if found is None else targets[found]


def _is_shown(context: Context) -> bool:
    return context.scene.superpose_show_targets or is_in_use(context)
