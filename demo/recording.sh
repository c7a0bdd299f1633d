#!/bin/bash
# recording.sh FILE.webp: records a drag in a window, for the manual. It needs a `blender` (or BLENDER=), ImageMagick
# and a display of its own, 800 by 760:
#   xvfb-run -s "-screen 0 800x760x24" demo/recording.sh docs/pictures/drag.webp
set -euo pipefail
RECORDING=$(realpath "$1")
cd -P "$(dirname "$0")/.."
blender=${BLENDER:-blender}
home=$(mktemp -d /tmp/superpose-recording-XXXXXX)
trap 'rm -rf "$home"' EXIT
export BLENDER_USER_RESOURCES=$home/user FRAMES=$home/frames RECORDING PYTHONDONTWRITEBYTECODE=1
mkdir -p "$BLENDER_USER_RESOURCES" "$FRAMES"
"$blender" --command extension build --source-dir . --output-filepath "$home/superpose.zip"
"$blender" --command extension install-file -r user_default --enable "$home/superpose.zip"
"$blender" --window-geometry 0 0 800 760 --enable-event-simulate --python demo/recording.py
ls -l "$RECORDING"
