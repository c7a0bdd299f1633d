# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""Operators as a user at a window meets them, without one: what Blender would call is called here."""

from types import SimpleNamespace

import bpy

TIMER, ESC, MOUSE = (SimpleNamespace(type=kind) for kind in ('TIMER', 'ESC', 'MOUSEMOVE'))


class Window:
    """A context with a window; keeps what is shown in it."""

    def __init__(self):
        self.window, self.shown, self.timers, self.modal = object(), [], [], []
        self.window_manager = SimpleNamespace(
            event_timer_add=self.add_timer,
            event_timer_remove=self.timers.remove,
            modal_handler_add=self.modal.append,
            progress_begin=lambda *_: None,
            progress_update=lambda *_: None,
            progress_end=lambda: None,
        )
        tools = SimpleNamespace(from_space_view3d_mode=lambda mode, create: self.tool_in_use)
        self.workspace, self.tool_in_use = (
            SimpleNamespace(status_text_set=self.shown.append, tools=tools),
            None,
        )

    def __getattr__(self, name):
        return getattr(bpy.context, name)

    def add_timer(self, *_, **__):
        self.timers.append(object())
        return self.timers[-1]


def operator(name, **given):
    """An operator of ours with properties as given; keeps what it reports."""
    kind = getattr(bpy.types, f"SUPERPOSE_OT_{name}")
    mixins = tuple(base for base in kind.__bases__ if base is not bpy.types.Operator)
    made = type(name, mixins, {key: value for key, value in vars(kind).items() if not key.startswith("__")})()
    made.reports = []
    made.report = lambda kinds, text: made.reports.append((kinds, text))
    properties = getattr(bpy.ops.superpose, name).get_rna_type().properties
    defaults = {prop.identifier: prop.default for prop in properties if hasattr(prop, "default")}
    for key, value in (defaults | given).items():
        setattr(made, key, value)
    return made


def finish(made, window):
    """Have timers go off until the operator ends; return how."""
    state = {'RUNNING_MODAL'}
    while state == {'RUNNING_MODAL'}:
        state = made.modal(window, TIMER)
    return state
