# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""Long work in small pieces, so that the user sees how far it is and can stop it."""

import sys
from collections.abc import Generator
from contextlib import ExitStack, closing
from math import inf
from time import monotonic
from typing import TYPE_CHECKING, TypeVar

from bpy.props import BoolProperty
from bpy.types import Context, Event, Object

from ...armature import RigError, is_there
from ...interrupts import interrupts
from .dialog import WIDTH
from .rig import RigOperator

if TYPE_CHECKING:
    from bpy.stub_internal.rna_enums import OperatorReturnItems

Result = TypeVar("Result")
SLICE = 0.1  # seconds of work between two looks at the keyboard
PAUSE = 1.0  # seconds between two lines about one phase
LONG = 3  # seconds after which it is shown how long the work has taken: a count may stand still meanwhile


class StepwiseOperator(RigOperator):
    """Mixin of operators that ask in a dialog and work long on one armature: they implement ``work``.

    ``work`` gives how far it is, out of ``total`` if that is known, and says in ``phase`` what it is at;
    closing it early must leave all as it was. From a script or without a window it runs in one go.
    ``confirm_text``: what the dialog's button says. ``patience``: seconds of work before it is shown.
    """

    confirm_text = "OK"
    patience = 0.0
    asked = False  # whether the user sits at a window
    phase, total = "", 1
    steps: Generator[int] | None = None
    timer = None
    begun = 0.0  # seconds; when the work was first shown

    use_progress: BoolProperty(
        name="Tell Progress",
        description="Report progress on the error stream, and let an interrupt stop the work as Esc does",
        options={'HIDDEN', 'SKIP_SAVE'},
    )

    def invoke(self, context: Context, _event: Event) -> "set[OperatorReturnItems]":
        self.asked = True
        return context.window_manager.invoke_props_dialog(self, width=WIDTH, confirm_text=self.confirm_text)

    def run(self, context: Context, ob: Object) -> "set[OperatorReturnItems]":
        self.steps = self.watched(context, ob)
        if self.use_progress:
            return self.run_aloud()
        pause = monotonic() + self.patience if self.asked else inf
        self.asked = False  # adjusting the operation afterwards runs it in one go
        with ExitStack() as on_failure:
            on_failure.callback(self.steps.close)
            for done in self.steps:
                if monotonic() > pause:
                    self.start(context)
                    on_failure.callback(self.free_window, context)
                    self.tell_progress(context, done)
                    on_failure.pop_all()
                    return {'RUNNING_MODAL'}
        return {'FINISHED'}

    def run_aloud(self) -> "set[OperatorReturnItems]":
        """Do all of the work, telling how far it is; raises RigError where it is interrupted."""
        told, pause = "", 0.0
        with closing(self.steps), interrupts() as interrupt:
            for done in self.steps:
                if interrupt.is_set():
                    raise RigError(f"{self.bl_label} cancelled")
                if self.phase != told or monotonic() > pause:
                    told, pause = self.phase, monotonic() + PAUSE
                    print(self.progress_text(done), file=sys.stderr, flush=True)
        return {'FINISHED'}

    def watched(self, context: Context, ob: Object) -> Generator[int]:
        """Work for as long as the armature is there; raises RigError once it is gone."""
        name = ob.name
        try:
            with closing(self.work(context, ob)) as steps:
                for done in steps:
                    yield done
                    if not is_there(ob):
                        break
                else:
                    return
        except ReferenceError:
            if is_there(ob):
                raise
        raise RigError(f"Armature '{name}' was deleted: {self.bl_label} is stopped")

    def start(self, context: Context) -> None:
        """Go on in small pieces."""
        manager = context.window_manager
        self.timer = manager.event_timer_add(0.01, window=context.window)
        manager.progress_begin(0, 100)
        self.begun = monotonic()
        manager.modal_handler_add(self)

    def modal(self, context: Context, event: Event) -> "set[OperatorReturnItems]":
        if event.type == 'ESC':
            self.cancel(context)
            self.report({'INFO'}, f"{self.bl_label} cancelled")
            return {'CANCELLED'}
        if event.type != 'TIMER':
            return {'RUNNING_MODAL'}
        state = {'CANCELLED'}
        try:
            state = self.attempt(context, lambda: self.advance(context))
        finally:
            if state != {'RUNNING_MODAL'}:
                self.cancel(context)
        return state

    def advance(self, context: Context) -> "set[OperatorReturnItems]":
        """Work for a moment and show how far it is."""
        pause = monotonic() + SLICE
        for done in self.steps:
            if monotonic() > pause:
                self.tell_progress(context, done)
                return {'RUNNING_MODAL'}
        return {'FINISHED'}

    def tell_progress(self, context: Context, done: int) -> None:
        """Show how far it is, at the mouse and in the status bar."""
        context.window_manager.progress_update(100 * done // self.total if self.total else done % 100)
        seconds = int(monotonic() - self.begun)
        lasted = [f"{seconds} s"] if seconds >= LONG else []
        context.workspace.status_text_set("  |  ".join([self.progress_text(done), *lasted, "Esc: Cancel"]))

    def progress_text(self, done: int) -> str:
        """Return in words how far it is."""
        return f"{self.phase} {done} of {self.total}" if self.total else f"{self.phase} {done}"

    def cancel(self, context: Context) -> None:
        """Stop wherever it is and put the window back; Blender too calls this, closing a dialog or file."""
        if self.timer is None:  # the dialog was closed, so nothing has begun
            return
        self.steps.close()
        self.free_window(context)

    def free_window(self, context: Context) -> None:
        """Take the timer and what is shown out of the window again."""
        context.window_manager.event_timer_remove(self.timer)
        context.window_manager.progress_end()
        context.workspace.status_text_set(None)


def counted(steps: Generator[object, None, Result]) -> Generator[int, None, Result]:
    """Give how many steps have been taken, in place of what they give."""
    count = 0
    while True:
        try:
            next(steps)
        except StopIteration as end:
            return end.value
        count += 1
        yield count
