# handlebard: `make run` shows it live, `make test` runs the tests, `make help` lists the rest.
#
# Programs and tests are built around the same objects, in .build; each sanitizer has a scratch path of its own.

SWIFT ?= swift
PREFIX ?= /usr
DESTDIR ?=
BIN ?= .build/release
STRIP ?= -Xlinker -s
# The prefix map keeps the path of the checkout out of the binaries: C assertions contain file names.
# Without --no-export-dynamic the static runtime's linker settings export every symbol, 1.4 MB of names.
# Each function has a section of its own, so that the linker can put those of an epoch side by side (scripts/order).
RELEASE = -c release -debug-info-format none $(STRIP) -Xswiftc -enforce-exclusivity=unchecked \
  -Xcc '-ffile-prefix-map=$(CURDIR)=.' -Xlinker --no-export-dynamic \
  -Xswiftc -Xfrontend -Xswiftc -function-sections -Xcc -ffunction-sections -Xswiftc -use-ld=lld
BUILD = HANDLEBAR_BUILD=programs scripts/swift-build $(RELEASE)
PROGRAMS = $(BIN)/handlebard $(BIN)/handlebarctl

# ARCH=arm64 on another architecture: the programs are cross-built, and run by an emulator.
CROSS := $(filter-out $(shell dpkg --print-architecture 2>/dev/null),$(ARCH))
ifneq ($(CROSS),)
BIN = .build-$(CROSS)/build/release
SYSROOT = $(CURDIR)/.build-$(CROSS)/sysroot
RUN = qemu-aarch64-static -L $(SYSROOT)
export ARCH SYSROOT RUN
endif

export SWIFT BIN
# The symbolizer would keep a crashed process alive for half a minute; the signal alone reports the crash at once.
export SWIFT_BACKTRACE ?= enable=no

.DEFAULT_GOAL := build
.PHONY: help deps build build-tests core order run test test-interop-desktop test-logs test-limits test-system cross lint bench fuzz thresholds \
  sanitize-thread sanitize-address install deb release picture clean

help: ## list the targets
	@sed -n 's/^\([a-z-]*\):[^#]*## \(.*\)/  make \1\t\2/p' $(MAKEFILE_LIST) | expand -t 30

deps: ## install missing dependencies: Debian packages, Python packages for the tests
	@scripts/deps build test lint

build: ## build release binaries with the Swift runtime linked in: .build/release/handlebard, handlebarctl
	@scripts/deps build $(USES)
	@[ -x .build/release/handlebard ] || echo 'Building handlebard and handlebarctl in .build/release: 3 to 7 minutes on two cores, the first time.'
	@$(BUILD)

build-tests: ## build the Swift tests and the fuzzer, with the objects of the release build
	@scripts/deps build
	@HANDLEBAR_BUILD=tests scripts/swift-build $(RELEASE) --build-tests --disable-xctest

# The programs that measure the pure targets, around the same objects.
core: build
	@HANDLEBAR_BUILD=core scripts/swift-build $(RELEASE)

# The package and the measurements have the programs of .build/release, linked in the order of an epoch.
order: build
	@scripts/deps order
	@scripts/order env $(BUILD)

run: USES = run
run: build ## run the daemon on a bundled ride and show its fixes, and a map page, until stopped; RUN_FOR=10 stops after 10 s
	@scripts/run

test: ## run the tests: Swift, real clients of the release build, unit files, README examples; ONLY=NAME: those with that name
	@scripts/deps build test
	@ONLY='$(ONLY)' scripts/test

test-limits: core ## run what takes minutes: millions of damaged sentences, limits of instructions and of memory
	@scripts/deps build test instructions
	@scripts/test-limits

test-interop-desktop: build ## run the tests with desktop clients: xgps, foxtrotgps, GeoClue, Qt Positioning, Chromium, Home Assistant
	@scripts/deps build test desktop
	@scripts/test-interop -m desktop -n 4

test-logs: build ## run the tests that read logs and drives of real receivers: LOGS=FOLDER RIDES=FOLDER
	@scripts/deps build test
	@scripts/test-logs

test-system: build deb ## test the package on booted systems: a container and a virtual machine with hot-plug; ARCH=arm64: an emulated one
	@scripts/deps system
	@Tests/System/run

lint: ## run swift format, shellcheck and pyflakes
	@scripts/deps lint
	@scripts/lint

bench: BIN = .build/ordered
bench: order core ## measure speed, memory and size beside Debian's gpsd; BASELINE=FOLDER compares with another build
	@scripts/deps bench
	@Tests/Bench/run

fuzz: core ## fuzz the parsers: 10 million damaged sentences and UBX frames (FUZZ_INPUTS), then libFuzzer on each for 20 s (FUZZ_SECONDS)
	@Tests/Fuzz/run

thresholds: core ## measure the instructions of a sentence and an epoch, and make them the limits of the tests
	@scripts/deps instructions
	@Tests/Bench/instructions .build/release/Instructions --renew

sanitize-thread: ## run Swift tests and Python clients under the thread sanitizer
	@scripts/deps build test
	@scripts/sanitize thread

sanitize-address: ## run Swift tests and Python clients under the address sanitizer
	@scripts/deps build test
	@scripts/sanitize address

install: $(PROGRAMS) ## install the built programs under $(DESTDIR)$(PREFIX), the configuration under $(DESTDIR)/etc
	@DESTDIR="$(DESTDIR)" PREFIX="$(PREFIX)" packaging/install

# Existing programs are installed as they are, so `sudo make install` needs no Swift on root's PATH.
$(PROGRAMS) &:
	@command -v $(SWIFT) >/dev/null || { echo '$@ is missing and $(SWIFT) is not on PATH: run make build first, as a user who has Swift' >&2; exit 1; }
	@$(MAKE) --no-print-directory build

ifeq ($(CROSS),)
deb: BIN = .build/ordered
endif
deb: $(if $(CROSS),cross,order) ## build a Debian package for this release of Debian: .build-deb/handlebard_*.deb; ARCH=arm64, as root: for Debian 13
	@scripts/deps deb
	@packaging/deb

cross:
	@scripts/deps cross
	@packaging/cross $(RELEASE) --static-swift-stdlib

release: ## as root, write the release of the tag that is checked out: .build-release, signed if KEY=ID names a key of gpg
	@scripts/deps release
	@KEY='$(KEY)' packaging/release

picture: build ## draw the picture of the README again
	@scripts/deps build test desktop
	@.build-peers/bin/python scripts/picture

clean: ## remove everything that was built
	rm -rf .build .build-*
