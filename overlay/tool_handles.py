# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""What the viewport shows while the Pose tool is in use: the bone that a press takes, lit, and the handles of
effectors, whether *Show Targets* is on or not.

While another tool is the active one nothing of it is drawn, lit or dragged.
"""

import bpy
import numpy as np
from bpy.types import Context, Gizmo, GizmoGroup, KeyConfig, KeyMap, PoseBone

from .bone_picking import lines_of, picked_at
from .draw import state_kept
from .effectors import marks_of, shown_handles
from .front import draw_marks, draw_strokes
from .marks import Mark
from .shown import is_visible
from .strokes import Stroke
from .viewport import is_in_use

_WIDTH = 3.0  # pixels of a bone that is lit


class SUPERPOSE_GT_held(Gizmo):
    """All handles of the viewport, and what is lit; clicks and drags are for the tool.

    ``lit``: the names of the armature and the bone that were under the mouse last, or nothing. Blender
    highlights the gizmo as long as the mouse is there, and ends that where it leaves the viewport.
    """

    bl_idname = "SUPERPOSE_GT_held"
    __slots__ = ("lit",)

    def setup(self) -> None:
        """Light nothing until the mouse has moved."""
        self.lit = None

    def draw(self, context: Context) -> None:
        """Draw what is lit, and the handles, unless those of *Show Targets* are there."""
        bone = lit_bone(context, self.lit) if self.is_highlight else None
        handles = shown_handles(context)
        marks = () if context.scene.superpose_show_targets else marks_of(context, handles)
        with state_kept():
            if bone is not None:
                draw_strokes((stroke_of(context, bone),), context)
            rings = (ring(context, handle.place) for handle in handles if handle.bone == bone)
            draw_marks((*marks, *rings), context)

    def test_select(self, context: Context, location: tuple[float, float]) -> int:
        """Light what is under the mouse; return whether that is a bone, 0 for one and -1 for none."""
        found = picked_at(context, np.array(location, dtype=np.float64))
        lit = (found[0].name, found[1]) if found else None
        if lit != self.lit:
            self.lit = lit
            context.region.tag_redraw()
        return 0 if lit else -1


class SUPERPOSE_GGT_held(GizmoGroup):
    """What the Pose tool shows."""

    bl_idname = "SUPERPOSE_GGT_held"
    bl_label = "What Holds"
    bl_space_type = 'VIEW_3D'
    bl_region_type = 'WINDOW'
    bl_options = {'3D', 'PERSISTENT', 'SHOW_MODAL_ALL'}

    @classmethod
    def poll(cls, context: Context) -> bool:
        """Return whether the tool is in use: Blender asks of all that is persistent, whichever tool is."""
        return is_in_use(context)

    @classmethod
    def setup_keymap(cls, keyconfig: KeyConfig) -> KeyMap:
        """Return the keymap of what is lit: a drag is the tool's, whichever of Shift, Ctrl and Alt are held.

        All else is left to others; with an empty one Blender would look for no gizmo under the mouse.
        """
        place = {"space_type": cls.bl_space_type, "region_type": cls.bl_region_type}
        keymap = keyconfig.keymaps.new(cls.bl_label, **place)
        if not keymap.keymap_items:  # kept from when the add-on was enabled before
            keymap.keymap_items.new("superpose.pose", 'LEFTMOUSE', 'CLICK_DRAG', any=True)
        return keymap

    def setup(self, context: Context) -> None:
        """Make the one gizmo that draws them all."""
        self.gizmos.new(SUPERPOSE_GT_held.bl_idname).use_draw_modal = True


def lit_bone(context: Context, lit: tuple[str, str] | None) -> PoseBone | None:
    """Return the bone, by the names of its armature and its own, if it is there still and can be seen."""
    ob = context.view_layer.objects.get(lit[0]) if lit else None
    bone = ob.pose.bones.get(lit[1]) if ob and ob.pose and ob.mode == 'POSE' else None
    return bone if bone is not None and is_visible(bone) else None


def stroke_of(context: Context, bone: PoseBone) -> Stroke:
    """Return what the bone is drawn as, in the colour that the theme lights gizmos with."""
    ends = lines_of(bone).reshape(-1, 3).tolist()
    return Stroke(tuple(map(tuple, ends)), _bright(context), _WIDTH)


def ring(context: Context, place: tuple[float, float, float]) -> Mark:
    """Return a ring about the handle of the bone that is lit."""
    return Mark(place, 'HALO', _bright(context))


def _bright(context: Context) -> tuple[float, float, float]:
    return tuple(context.preferences.themes[0].user_interface.gizmo_hi)


register, unregister = bpy.utils.register_classes_factory((SUPERPOSE_GT_held, SUPERPOSE_GGT_held))
