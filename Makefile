# handlebard: `make run` shows it live, `make test` proves it, `make help` lists the rest.
#
# Debug and release share the scratch path .build; the sanitizers have their own, because every object differs.

SWIFT ?= swift
PREFIX ?= /usr
DESTDIR ?=
BIN ?= .build/release
STRIP ?= -Xlinker -s
# The same bytes wherever the checkout lies: C code that checks itself names its file.
RELEASE = -c release --static-swift-stdlib $(STRIP) -Xswiftc -enforce-exclusivity=unchecked \
  -Xcc '-ffile-prefix-map=$(CURDIR)=.' $(TOGETHER)
PROGRAMS = $(BIN)/handlebard $(BIN)/handlebarctl

# What runs in every epoch stands together in the program (.make/order): ten times a second the caches are cold, and
# then each page of code costs. Only gold can do it; without it the program is the same in another order.
CLANG = $(dir $(realpath $(shell command -v $(SWIFT))))clang
TOGETHER = $(if $(findstring GNU gold,$(shell $(CLANG) -Wl,--version 2>&1)),\
  -Xswiftc -Xfrontend -Xswiftc -function-sections -Xlinker --section-ordering-file=$(CURDIR)/.make/order)

export SWIFT BIN
# The static runtime's linker settings export every symbol, which nobody looks up: 1.4 MB of names.
RELEASE += -Xlinker --no-export-dynamic
# A crash is reported by the signal at once; the symbolizer would hold the dead process for half a minute.
export SWIFT_BACKTRACE ?= enable=no

.DEFAULT_GOAL := build
.PHONY: help deps build run test test-system lint bench fuzz thresholds sanitize-thread sanitize-address install deb clean

help: ## list the targets
	@sed -n 's/^\([a-z-]*\):[^#]*## \(.*\)/  make \1\t\2/p' $(MAKEFILE_LIST) | expand -t 26

deps: ## install what is missing: Debian packages, the Python peers of the tests
	@.make/deps build test lint

build: ## release binaries, Swift runtime linked in: .build/release/handlebard, handlebarctl
	@.make/deps build
	$(SWIFT) build $(RELEASE)

run: build ## start the daemon on a bundled ride and show its fixes until stopped; RUN_FOR=10 stops by itself
	@.make/run

test: ## every test: Swift, real clients in Python, the README's examples
	@.make/deps build test
	@.make/test

test-system: build deb ## the package on booted systems: a container, a virtual machine that receivers are plugged into
	@.make/deps system
	@Tests/System/run

lint: ## swift format, shellcheck, pyflakes
	@.make/deps lint
	@.make/lint

bench: build ## every figure of speed, memory and size, beside Debian's gpsd; BASELINE=FOLDER compares with another build
	@.make/deps bench
	@Tests/Bench/run

fuzz: ## 10 million damaged sentences (FUZZ_INPUTS), then libFuzzer on each parser for FUZZ_SECONDS (20)
	@.make/deps build
	@Tests/Fuzz/run

thresholds: ## count the instructions of a sentence and an epoch; they become what the tests allow
	@.make/deps build test
	@Tests/Bench/build Instructions
	@Tests/Bench/instructions .build-bench/release/Instructions --renew

sanitize-thread: ## Swift tests and real clients under the thread sanitizer
	@.make/deps build test
	@.make/sanitize thread

sanitize-address: ## Swift tests and real clients under the address sanitizer
	@.make/deps build test
	@.make/sanitize address

install: $(PROGRAMS) ## install what make build made under $(DESTDIR)$(PREFIX), the configuration under $(DESTDIR)/etc
	@DESTDIR="$(DESTDIR)" PREFIX="$(PREFIX)" .make/install

# Only what is not there is built: whoever installs, root most likely, need not have Swift.
$(PROGRAMS) &:
	@command -v $(SWIFT) >/dev/null || { echo '$@ is not there, and neither is Swift on this PATH: run make build first, as who has it' >&2; exit 1; }
	@$(MAKE) --no-print-directory build

deb: build ## a Debian package for this release of Debian: .build-deb/handlebard_*.deb
	@.make/deps deb
	@.make/deb

clean: ## remove everything that was built
	rm -rf .build .build-*
