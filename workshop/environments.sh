#!/bin/bash
# environments.sh NAME: makes sure that $SUPERPOSE_CACHE holds the environment NAME, and prints its path.
#   bpy-VERSION   Blender's own wheel of that version on Python 3.11, with pytest
#   pure          the newest numpy on whatever python3 is here (or $SUPERPOSE_PYTHON), with pytest and no Blender,
#                 and with Dask, if it can be had
#   numpy-VERSION that numpy on Python 3.11, with pytest and no Blender
#   tools         ruff, mypy with the numpy whose annotations it reads, and markdown-it for the manual
#   site-3.X      a plain folder with pytest for the Python 3.X inside a Blender program, whose numpy stays its own
# Nothing is compiled before it is imported: most of it never is, and that takes half of the time.
# An environment that answers is left alone, so a finished one may be a symlink to somewhere else. Several may ask for
# the same one at once: the first makes it, the others wait.
set -euo pipefail
cd "$(dirname "$0")/.."
cache=${SUPERPOSE_CACHE:-$PWD/.cache}
mkdir -p "$cache"
name=$1
place=$cache/$name
exec 9>"$cache/$name.lock"
flock 9

# What should be there is looked for, not imported: that takes seconds, and the way out of bpy is not always clean.
answers() { # PYTHON MODULE...
  local python=$1
  shift
  "$python" -c 'import sys, importlib.util as u; sys.exit(not all(map(u.find_spec, sys.argv[1:])))' "$@" 2>/dev/null
}

find_python311() {
  local candidate
  for candidate in python3.11 "${PYENV_ROOT:-$HOME/.pyenv}"/versions/3.11.*/bin/python3.11 python3 /usr/bin/python3.11; do
    if "$candidate" -c 'import sys, ensurepip; sys.exit(sys.version_info[:2] != (3, 11))' 2>/dev/null; then
      echo "$candidate"
      return
    fi
  done
  echo "MISSING: Python 3.11 with venv and ensurepip; Blender's wheels (4.2 to 5.0) run on no other." >&2
  echo "Install python3.11 and python3.11-venv, or 'pyenv install 3.11', and start again." >&2
  return 1
}

fill() { # PYTHON PACKAGE...
  local python=$1
  shift
  [ -x "$place/bin/python" ] || "$python" -m venv "$place" >&2
  "$place/bin/python" -m pip install --quiet --no-compile --disable-pip-version-check "$@" >&2
}

# hypothesis and scipy are compiled for one Python each, hence a folder per version; no dependencies, hence no numpy.
fill_site() { # VERSION
  local pip
  pip="$("$0" pure)/bin/python -m pip"
  $pip install --quiet --no-compile --disable-pip-version-check --upgrade --target "$place" \
    --python-version "$1" --only-binary :all: --no-deps \
    pytest pluggy iniconfig packaging pygments hypothesis sortedcontainers scipy >&2
}

case $name in
  bpy-*)
    answers "$place/bin/python" pytest hypothesis scipy bpy || {
      python=$(find_python311)
      fill "$python" "bpy==${name#bpy-}" "numpy<2" pytest hypothesis scipy
    }
    ;;
  pure)
    answers "$place/bin/python" pytest hypothesis scipy ||
      fill "${SUPERPOSE_PYTHON:-python3}" "numpy>=2" pytest hypothesis scipy
    answers "$place/bin/python" distributed || fill "${SUPERPOSE_PYTHON:-python3}" --retries 0 distributed ||
      echo "SKIPPED: Dask cannot be installed, and is not tested" >&2
    ;;
  numpy-*)
    answers "$place/bin/python" pytest hypothesis scipy || {
      python=$(find_python311)
      fill "$python" "numpy==${name#numpy-}.*" pytest hypothesis scipy
    }
    ;;
  tools)
    answers "$place/bin/python" ruff mypy numpy markdown_it mdit_py_plugins ||
      fill "${SUPERPOSE_PYTHON:-python3}" ruff mypy "numpy>=2" markdown-it-py mdit-py-plugins
    ;;
  site-3.*) [ -d "$place/scipy" ] && [ -d "$place/hypothesis" ] || fill_site "${name#site-}" ;;
  *) echo "environments.sh: no environment is called '$name'" >&2; exit 2 ;;
esac
echo "$place"
