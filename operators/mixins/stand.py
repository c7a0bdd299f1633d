# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""What the panel shows of a pose that was not solved."""

from collections.abc import Collection

from bpy.types import Context, Object

from ...armature import is_plain, present_sight, read_frame, read_rig, settings_of
from ...dragging import as_it_stands
from ...reports import report_of, store, summary


def store_stand(context: Context, ob: Object, yielding: Collection[str] = ()) -> None:
    """Leave for the panel what the pose that is seen misses.

    Effectors that are ``yielding`` may give way. Raises RigError or SolverError.
    """
    rig, depsgraph = read_rig(ob), context.evaluated_depsgraph_get()
    yields = [effector.bone in yielding for effector in rig.effectors]
    found = as_it_stands(rig, read_frame(rig, ob, depsgraph), settings_of(ob), yields)
    sights = [] if is_plain(ob) else [present_sight(depsgraph, rig, ob)]
    report = report_of(found.rig, [found.frame], found.skeleton, found.solution, sights)
    store(context.scene, ob, found.rig, report, summary(context.scene, report))
