# handlebard: `make run` shows it live, `make test` proves it, `make help` lists the rest.
#
# Debug and release share the scratch path .build; the sanitizers have their own, because every object differs.

SWIFT ?= swift
PREFIX ?= /usr
DESTDIR ?=
BIN ?= .build/release
RELEASE = -c release --static-swift-stdlib -Xlinker -s -Xswiftc -enforce-exclusivity=unchecked

export SWIFT BIN
# A crash is reported by the signal at once; the symbolizer would hold the dead process for half a minute.
export SWIFT_BACKTRACE ?= enable=no

.DEFAULT_GOAL := build
.PHONY: help deps build run test lint bench fuzz sanitize-thread sanitize-address install clean

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

lint: ## swift format, shellcheck, pyflakes
	@.make/deps lint
	@.make/lint

bench: build ## latency, CPU, memory, fan-out, throughput, beside Debian's gpsd
	@.make/deps bench
	@Tests/Bench/run

fuzz: ## fuzz the parsers for FUZZ_SECONDS (20) each
	@.make/deps build
	@Tests/Fuzz/run

sanitize-thread: ## the Swift tests under the thread sanitizer
	@.make/deps build
	$(SWIFT) test --scratch-path .build-thread --sanitize=thread

sanitize-address: ## the Swift tests under the address sanitizer
	@.make/deps build
	$(SWIFT) test --scratch-path .build-address --sanitize=address

install: build ## install the release binaries under $(DESTDIR)$(PREFIX)
	install -d "$(DESTDIR)$(PREFIX)/sbin" "$(DESTDIR)$(PREFIX)/bin"
	install -m 755 $(BIN)/handlebard "$(DESTDIR)$(PREFIX)/sbin/handlebard"
	install -m 755 $(BIN)/handlebarctl "$(DESTDIR)$(PREFIX)/bin/handlebarctl"

clean: ## remove everything that was built
	rm -rf .build .build-*
