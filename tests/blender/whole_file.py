# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""Everything that an open file holds, as values to compare."""

import math

import bpy

BLOCKS = ("objects", "armatures", "actions", "meshes", "collections", "texts", "scenes", "images")
# What Blender works out of the rest, what names the copy and not its content, and what leads back up.
LEFT_OUT = {
    *("rna_type", "original", "session_uid", "is_evaluated", "is_updated", "is_updated_data", "tag", "users"),
    *("matrix", "matrix_channel", "matrix_world", "matrix_local", "bound_box", "dimensions", "head", "tail"),
    *("id_data", "children", "children_recursive", "all_objects", "depsgraph", "refusal", "attributes"),
    # How a scene is rendered, drawn and painted: some Blenders crash where scripts read all of that.
    *("render", "display", "eevee", "tool_settings", "view_layers", "display_settings", "view_settings"),
    *("sequencer_colorspace_settings", "grease_pencil_settings", "hydra", "cycles", "node_tree", "use_nodes"),
    # Blender's own keying sets, which keep what they keyed last, be that there or not.
    "keying_sets_all",
}


def content():
    """Every value of every data block by its path, and what is active, selected and shown."""
    bpy.context.view_layer.update()
    found, layer = {}, bpy.context.view_layer
    for name in BLOCKS:
        for block in getattr(bpy.data, name):
            found[block.name_full] = name
            gather(block, f"{name}['{block.name_full}']", found)
    found["chosen"] = [layer.objects.active, *(ob for ob in layer.objects if ob.select_get())]
    found["modes"] = [(ob.name, ob.mode) for ob in bpy.data.objects]
    return {path: repr(value) for path, value in found.items()}


def gather(owner, path, found, depth=0):
    """Add the values of a data block or what it owns; other blocks, and bones, count by name."""
    for prop in owner.bl_rna.properties:
        name = prop.identifier
        if name in LEFT_OUT:
            continue
        value = getattr(owner, name, None)
        items = list(value) if prop.type == 'COLLECTION' else [value]
        for number, item in enumerate(items):
            place = f"{path}.{name}[{number}]"
            if not isinstance(item, bpy.types.bpy_struct):
                found[place] = plain(item)
            elif is_owned(item, owner) and depth < 6:
                gather(item, place, found, depth + 1)
            else:
                found[place] = getattr(item, "name", None)
        found[f"{path}.{name}"] = len(items)


def is_owned(item, owner):
    """Whether a value is part of the block, met for the first time."""
    if isinstance(item, bpy.types.ID):
        return item.is_embedded_data
    if isinstance(item, (bpy.types.Bone, bpy.types.PoseBone)):
        return isinstance(owner, (bpy.types.Armature, bpy.types.Pose))
    return True


def plain(value):
    """The value with rows as tuples."""
    if isinstance(value, (str, int, float, type(None))):
        return value
    if isinstance(value, (set, frozenset)):
        return sorted(value)
    return tuple(plain(part) for part in value) if hasattr(value, "__iter__") else None


def nowhere():
    """The names of objects whose place is no number."""
    numbers = {ob.name: [x for row in ob.matrix_basis for x in row] for ob in bpy.data.objects}
    return {name for name, values in numbers.items() if not all(map(math.isfinite, values))}
