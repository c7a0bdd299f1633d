#!/bin/bash
# zip.sh FILE: makes the manual from docs/, validates the extension, builds it into FILE, and validates what was built.
# It uses the script that Blender's wheel brings, so no Blender program is needed.
set -euo pipefail
cd -P "$(dirname "$0")/.."
venv=$(workshop/environments.sh bpy-5.0.1)
python=$venv/bin/python
scripts=$(echo "$venv"/lib/python3.11/site-packages/bpy/*/scripts)
extension() { "$python" "$scripts/addons_core/bl_pkg/cli/blender_ext.py" "$@" --valid-tags "$tags"; }
tags=$scripts/modules/_bpy_internal/extensions/tags.py

mkdir -p "$(dirname "$1")"
"$(workshop/environments.sh tools)/bin/python" workshop/manual.py manual
extension validate .
extension build --source-dir . --output-filepath "$1"
extension validate "$1"
