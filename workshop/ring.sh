#!/bin/bash
# ring.sh RING [PYTEST ARGUMENTS]: the tests in one surrounding.
#   pure          no Blender, the newest numpy
#   numpy-VERSION no Blender, that numpy: without the tests that are marked company or once
#   slow          the tests that are marked slow, which the others leave out, and those of hypothesis with more
#                 cases; where pure runs
#   kernel-NAME   the tests that are marked company, with OpenBLAS's kernels for the processor NAME (Prescott,
#                 Haswell, SkylakeX, Zen), where bpy-5.0.1 runs
#   bpy-VERSION   Blender's wheel, without the tests that are marked once
#   once          the tests that need Blender and are marked once, where bpy-5.0.1 runs
#   a path        that Blender program, with all tests that need Blender
#   With :2/3 behind it a ring runs the second third of its tests and, but for a program, all that are marked once.
set -euo pipefail
cd -P "$(dirname "$0")/.."
ring=${1%:*}
case $1 in *:*/*) export SUPERPOSE_PART=${1##*:} ;; esac
shift
seconds=${SUPERPOSE_RING_SECONDS:-3600}
here=$PWD
cache=$(realpath -m "${SUPERPOSE_CACHE:-.cache}")
home=$(mktemp -d /tmp/superpose-ring-XXXXXX) # /tmp, because a Blender in a chroot sees it too
trap 'rm -rf "$home"' EXIT
export TMPDIR=$home BLENDER_USER_RESOURCES=$home/user
# The gate runs two rings at a time, whose threads would wait for each other; tests of threads ask for theirs.
export OPENBLAS_NUM_THREADS=1
# What is compiled, and what hypothesis finds in the sources, is the same in every ring: it is kept for the next.
export PYTHONDONTWRITEBYTECODE='' HYPOTHESIS_STORAGE_DIRECTORY=$cache/hypothesis
mkdir "$BLENDER_USER_RESOURCES"
if [ $# -eq 0 ]; then
  case $ring in
    pure | slow) set -- tests ;;
    numpy-*) set -- tests -m "not company and not once and not slow" ;;
    kernel-*) set -- tests/solvers ;;
    bpy-*) set -- tests/blender -m "not once and not slow" ;;
    *) set -- tests/blender ;;
  esac
fi

in_python() { # PYTHON ARGUMENTS
  local python=$1
  shift
  timeout -s KILL "$seconds" "$python" -m pytest "$@"
}

in_program() { # BLENDER ARGUMENTS
  local blender=$1 version
  shift
  # A Blender in a chroot sees the current directory, /tmp and what BLBIND names; any other Blender ignores BLBIND.
  export BLBIND="$cache"
  if [ -d ../shared ]; then
    SUPERPOSE_SHARED=$(realpath ../shared)
    export SUPERPOSE_SHARED BLBIND="$cache $SUPERPOSE_SHARED"
  fi
  version=$("$blender" -b --factory-startup --python-expr 'import sys; print("python=%d.%d" % sys.version_info[:2])' |
    sed -n 's/^python=//p')
  SUPERPOSE_SITE=$(realpath "$(workshop/environments.sh "site-$version")")
  export SUPERPOSE_SITE
  timeout -s KILL "$seconds" "$blender" -b --factory-startup --python-exit-code 9 \
    --python "$here/tests/run_in_blender.py" -- "$@"
}

# OpenBLAS takes the name's word for it, and dies of an instruction that the processor has not.
needed_by() { # PROCESSOR
  case $1 in
    Prescott) echo pni ;;
    Haswell | Zen) echo avx2 fma ;;
    SkylakeX) echo avx512f avx512cd avx512dq avx512bw avx512vl ;;
    *) echo "ring.sh: no kernels are known for '$1'" >&2; return 2 ;;
  esac
}

with_kernels() { # PROCESSOR ARGUMENTS
  local kernels=$1 needed feature
  shift
  needed=$(needed_by "$kernels")
  for feature in $needed; do
    grep -qsw "$feature" /proc/cpuinfo || { echo "SKIPPED: this processor has no $feature"; return; }
  done
  export OPENBLAS_CORETYPE=$kernels SUPERPOSE_KERNELS=$kernels
  in_python "$(workshop/environments.sh bpy-5.0.1)/bin/python" -m "company and not slow" "$@"
}

case $ring in
  slow) SUPERPOSE_EXAMPLES=many in_python "$(workshop/environments.sh pure)/bin/python" -m "slow or hypothesis" "$@" ;;
  once) in_python "$(workshop/environments.sh bpy-5.0.1)/bin/python" -m "once and not slow" "$@" ;;
  kernel-*) with_kernels "${ring#kernel-}" "$@" ;;
  pure | numpy-* | bpy-*) in_python "$(workshop/environments.sh "$ring")/bin/python" "$@" ;;
  *) in_program "$ring" "$@" ;;
esac
