# What a contributor needs. Environments are made on first use in $(SUPERPOSE_CACHE), by default .cache/.
#   make test                              every ring but the slow one
#   make test RINGS=slow                   thousands of random cases, minutes
#   make test RINGS=bpy-5.0.1 PYTEST_ARGS="tests/blender -k bake"
#   make test BLENDER="/opt/a/blender /opt/b/blender"
#   make environments                      makes what the tests run in, and runs none

BLENDER ?= $(shell command -v blender)
# Beside the newest Blender, which a program is, each test runs in one wheel: half of them in the oldest.
WHEELS ?= $(if $(BLENDER),bpy-4.2.23:1/2 bpy-4.5.15:2/4 bpy-5.0.1:4/4,bpy-4.2.23 bpy-4.5.15 bpy-5.0.1)
# OpenBLAS's kernels for other processors than this one, whose own all other rings have. Zen's are Haswell's, but for the
# sizes of blocks.
KERNELS ?= kernel-Prescott $(if $(shell grep -swm1 avx512f /proc/cpuinfo),kernel-Haswell:1/2,kernel-SkylakeX)
# What one Blender is enough for runs in the program or, where there is none, in a ring of its own. Of the newest numpy
# and the oldest each runs half. The longest rings come first, and a program's tests in two halves side by side, so that
# both lanes of the gate end together.
BARE ?= pure:1/2 numpy-1.24:2/2
PROGRAMS ?= $(foreach program,$(BLENDER),$(program):1/2 $(program):2/2)
RINGS ?= $(or $(PROGRAMS),once) $(BARE) $(WHEELS) $(KERNELS)
VERSION := $(shell sed -n 's/^version = "\(.*\)"/\1/p' blender_manifest.toml)
ZIP := dist/superpose-$(VERSION).zip

export PYTEST_ARGS

.PHONY: test environments lint zip demo clean

test:
	@$(if $(BLENDER),,echo "No Blender program (BLENDER, or blender on the PATH): the wheels only.")
	@workshop/gate.sh $(RINGS)

environments:
	@set -e; for ring in $(BARE) $(WHEELS); do workshop/environments.sh $${ring%:*} >/dev/null; done

lint:
	@tools=$$(workshop/environments.sh tools) && $$tools/bin/ruff check . && $$tools/bin/mypy

zip:
	@workshop/zip.sh $(ZIP)

demo:
	@demo/run.sh

clean:
	rm -rf dist manual .pytest_cache .mypy_cache .ruff_cache .hypothesis
	find . -path ./.cache -prune -o -name __pycache__ -type d -exec rm -rf {} +
