#!/bin/bash
# run.sh: the demo on a machine that has nothing but Python 3.11, or a Blender program. `make demo` calls it.
#   BLENDER=/opt/blender/blender make demo     in that program; else in a `blender` on the PATH; else in Blender's wheel
#   WHEEL=bpy-4.5.15 make demo                 in another wheel
#   MOTION=walk.bvh make demo                  follow a clip
# What it makes lies in demo/out/ (or DEMO_OUT). Your own Blender settings are not touched.
set -euo pipefail
cd -P "$(dirname "$0")/.."
blender=${BLENDER:-$(command -v blender || true)}
blender=${blender%% *}
wheel=${WHEEL:-bpy-5.0.1}
home=$(mktemp -d /tmp/superpose-demo-XXXXXX)
trap 'rm -rf "$home"' EXIT
export BLENDER_USER_RESOURCES=$home/user DEMO_OUT=${DEMO_OUT:-$PWD/demo/out} PYTHONDONTWRITEBYTECODE=1
export SUPERPOSE_ZIP=$home/superpose.zip
mkdir -p "$BLENDER_USER_RESOURCES" "$DEMO_OUT"
rm -f "$DEMO_OUT"/{demo.blend,report.md,report.json,sheet.png,frame_*.png}

build() {
  if [ -n "$blender" ]; then
    "$blender" --command extension build --source-dir . --output-filepath "$SUPERPOSE_ZIP"
  else
    workshop/zip.sh "$SUPERPOSE_ZIP"
  fi
}

run() { # SCRIPT
  if [ -n "$blender" ]; then
    "$blender" -b --factory-startup --python-exit-code 9 --python "demo/$1"
  else
    "$(workshop/environments.sh "$wheel")/bin/python" "demo/$1"
  fi
}

if [ -n "${MOTION:-}" ]; then
  # Beside the settings: a Blender that is shut into a folder of its own still sees /tmp.
  cp "$MOTION" "$home/"
  MOTION=$home/$(basename "$MOTION")
  export MOTION
fi

echo "Superpose demo in ${blender:-the wheel $wheel}"
build >"$home/build.log" 2>&1 || { cat "$home/build.log"; exit 1; }
run run.py >"$home/run.log" 2>&1 || { cat "$home/run.log"; exit 1; }
pictures="$DEMO_OUT/sheet.png (and the frames beside it)"
if ! run pictures.py >"$home/pictures.log" 2>&1; then
  tail -n 5 "$home/pictures.log"
  pictures="SKIPPED: Blender could not render here. Without a window it needs libegl1 libegl-mesa0 libgl1-mesa-dri."
  printf '\nPictures: %s\n' "$pictures" >>"$DEMO_OUT/report.md"
fi

cat "$DEMO_OUT/report.md"
echo
echo "Open and play:  $DEMO_OUT/demo.blend"
echo "Pictures:       $pictures"
echo "Report:         $DEMO_OUT/report.md, report.json"
