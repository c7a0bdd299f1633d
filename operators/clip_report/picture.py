# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""The picture of a clip report as an icon, for the panel: painted once, soon after the panel asks for it."""

from functools import partial
from hashlib import blake2b

import bpy
from bpy.types import Object
from bpy.utils import previews

from ...reports import clip_picture, clip_report_of, redraw
from ..lettering import painted

_collections: list[previews.ImagePreviewCollection] = []  # one while the add-on is on
_painted: dict[str, bytes] = {}  # what pictures were painted from, by the armature's id in this session


def icon_of(ob: Object) -> int:
    """Return the icon of the armature's picture; 0 while there is none yet."""
    name = str(ob.session_uid)
    if _painted.get(name) == _digest(ob):
        return _collections[0][name].icon_id
    if not bpy.app.background:  # Blender draws the panel now, and nothing may be made meanwhile
        bpy.app.timers.register(partial(_paint_soon, ob.name))
    return 0


def paint(ob: Object) -> None:
    """Paint the picture of the armature's report, if it has one."""
    report, name = clip_report_of(ob), str(ob.session_uid)
    if report is None:
        return
    drawing, collection = clip_picture(report), _collections[0]
    picture = collection[name] if name in collection else collection.new(name)
    picture.image_size = drawing.width, drawing.height
    picture.image_pixels_float = painted(drawing).ravel()
    _painted[name] = _digest(ob)


def _paint_soon(name: str) -> None:
    """Paint, and have the panels drawn again."""
    ob = bpy.data.objects.get(name) if _collections else None  # the add-on may be off by then
    if ob is None or _painted.get(str(ob.session_uid)) == _digest(ob):
        return
    paint(ob)
    redraw()


def _digest(ob: Object) -> bytes:
    return blake2b(ob.superpose.clip_report.encode(), digest_size=16).digest()


def register() -> None:
    _collections.append(previews.new())


def unregister() -> None:
    previews.remove(_collections.pop())
    _painted.clear()
