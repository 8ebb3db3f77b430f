# SPDX-License-Identifier: GPL-2.0-or-later
# One set of rules for every variant: build/ is the release, build/asan, tsan, clang and fuzzer the others.
# make help lists the targets. V=1 shows the commands, DEVELOPER=1 makes warnings errors.

VARIANT ?= release
B       := $(if $(filter release,$(VARIANT)),build,build/$(VARIANT))
VERSION := $(shell cat VERSION)

# What building and testing need, then what lint, fuzz, bench and the tests on other file systems need besides.
DEPS     := gcc libc6-dev libpopt-dev liburing-dev libaio-dev libarchive-dev zlib1g-dev libjansson-dev \
           libcmocka-dev bats libfuse3-dev fuse3 procps
DEPS_DEV := clang libclang-rt-dev cppcheck fio mandoc shellcheck btrfs-progs e2fsprogs xfsprogs gnuplot-nox jq \
            strace blktrace sqlite3 zstd xz-utils lz4 python3-minimal

PREFIX  ?= /usr/local
BINDIR  ?= $(PREFIX)/bin
MANDIR  ?= $(PREFIX)/share/man
DATADIR ?= $(PREFIX)/share

CC_release := gcc
CC_asan    := gcc
CC_tsan    := gcc
CC_clang   := clang
CC_fuzzer  := clang
CC         := $(CC_$(VARIANT))

WARN := -Wall -Wextra -Wshadow -Wconversion -Wsign-conversion -Wstrict-prototypes -Wmissing-prototypes \
        -Wundef -Wvla -Wformat=2 -Wnull-dereference -Wpointer-arith -Wcast-align -Wwrite-strings
ifeq ($(DEVELOPER),1)
WARN += -Werror
endif

HARDEN := -D_FORTIFY_SOURCE=2 -fstack-protector-strong -fstack-clash-protection -fcf-protection
HARDEN_LD := -Wl,-z,relro,-z,now -Wl,-z,separate-code

OPT_release := -O2 $(HARDEN)
OPT_clang   := -O2 $(HARDEN)
OPT_asan    := -O1 -fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer
OPT_tsan    := -O1 -fsanitize=thread -fno-omit-frame-pointer
OPT_fuzzer  := -O1 -fsanitize=fuzzer-no-link,address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer

CFLAGS  ?= -g
# -ffp-contract=off: one seed gives one trace on every machine (lib/trace/dist.c)
ALL_CFLAGS = -std=gnu11 $(WARN) $(OPT_$(VARIANT)) -fPIE -ffp-contract=off -pthread -D_GNU_SOURCE \
             -D_FILE_OFFSET_BITS=64 -ffile-prefix-map=$(CURDIR)=. -Ilib -I. $(CPPFLAGS) $(CFLAGS)
ALL_LDFLAGS = -pie -pthread $(filter -fsanitize%,$(OPT_$(VARIANT))) \
              $(if $(filter release clang,$(VARIANT)),$(HARDEN_LD)) $(LDFLAGS)

# Small libraries become part of the programs where their archives are installed: to find and map one takes some 40 us
# of CPU, and all else that the start of vmmon takes is 1 ms. LINK_IN= leaves them shared.
LINK_IN ?= popt uring aio z jansson
archive  = $(filter /%,$(shell $(CC) -print-file-name=lib$(1).a 2>/dev/null))
library  = $(if $(and $(filter $(1),$(LINK_IN)),$(call archive,$(1))),-l:lib$(1).a,-l$(1))
LIBS     = $(foreach l,popt uring aio z jansson m,$(call library,$(l)))

FOLDERS := base trace import io mon run diff
SRC     := $(foreach f,$(FOLDERS),$(wildcard lib/$(f)/*.c))
HEADERS := $(foreach f,$(FOLDERS),$(wildcard lib/$(f)/*.h)) $(wildcard iotrace/*.h vmmon/*.h)
obj      = $(patsubst %.c,$(B)/obj/%.o,$(1))
LIB_OBJ := $(call obj,$(SRC))
TOOLS   := $(patsubst %/,%,$(sort $(dir $(wildcard iotrace/*.c vmmon/*.c))))

UNIT_SRC := $(wildcard tests/unit/*/test_*.c)
UNIT     := $(patsubst tests/unit/%.c,$(B)/unit/%,$(UNIT_SRC))
FUZZ_SRC := $(wildcard tests/fuzz/fuzz_*.c)
REPLAY   := $(patsubst tests/fuzz/%.c,$(B)/fuzz/%,$(FUZZ_SRC))
FLOORS   := $(patsubst tests/bench/%.c,$(B)/bench/%,$(filter-out %/short_sleep.c,$(wildcard tests/bench/*.c))) \
            $(B)/bench/short_sleep.so

# What has threads, for ThreadSanitizer.
THREADED := mon/test_sampler trace/test_ring $(addprefix run/test_,\
            after hits job jobs latency log pace play play_control play_faults session share write)

FUZZ_SECONDS ?= 60

Q := $(if $(V),,@)
say = $(if $(V),,@printf '  %-7s %s\n' $(1) $(2))

all: $(TOOLS:%=$(B)/%) ## build build/iotrace and build/vmmon

# Rebuild when the flags change. With "make deps all" nothing is compiled before the packages are there.
FLAGS := $(B)/flags
FORCE:
$(FLAGS): FORCE | $(filter deps deps-dev,$(MAKECMDGOALS))
	@mkdir -p $(B)
	@echo '$(CC) $(ALL_CFLAGS) $(ALL_LDFLAGS) $(LINK_IN) $(VERSION)' >$@.new
	@if cmp -s $@.new $@; then rm $@.new; else mv $@.new $@; fi

$(B)/obj/%.o: %.c $(FLAGS)
	@mkdir -p $(@D)
	$(call say,CC,$<)
	$(Q)$(CC) $(ALL_CFLAGS) -DVERSION='"$(VERSION)"' -MMD -MP -c -o $@ $<

define tool
$(B)/$(1): $(call obj,$(wildcard $(1)/*.c)) $(LIB_OBJ)
	$$(call say,LD,$$@)
	$(Q)$$(CC) $$(ALL_LDFLAGS) -o $$@ $$^ $(LIBS)
endef
$(foreach t,$(TOOLS),$(eval $(call tool,$(t))))

# A unit test of a folder is linked with that folder and base only (import with trace too): an upward call does not
# link. Files beside the tests that are no tests help all of them.
below_import := trace
needs_trace  := -larchive
tested  = $(if $(filter run diff,$(1)),$(LIB_OBJ),$(call obj,$(foreach d,base $(1) $(below_$(1)),$(wildcard lib/$(d)/*.c))))
helping = $(call obj,$(filter-out tests/unit/$(1)/test_%,$(wildcard tests/unit/$(1)/*.c)))
define unit_folder
$(B)/unit/$(1)/%: $(B)/obj/tests/unit/$(1)/%.o $(helping) $(tested)
	@mkdir -p $$(@D)
	$$(call say,LD,$$@)
	$(Q)$$(CC) $$(ALL_LDFLAGS) -o $$@ $$^ -lcmocka $(if $(filter-out base mon,$(1)),$(LIBS)) $(needs_$(1)) -lm
endef
$(foreach f,$(FOLDERS),$(eval $(call unit_folder,$(f))))

# A fuzz target: under libFuzzer in its variant, else with a main that replays the corpus.
$(B)/fuzz/%: $(B)/obj/tests/fuzz/%.o $(if $(filter-out fuzzer,$(VARIANT)),$(B)/obj/tests/fuzz/onefile.o) $(LIB_OBJ)
	@mkdir -p $(@D)
	$(call say,LD,$@)
	$(Q)$(CC) $(ALL_LDFLAGS) $(if $(filter fuzzer,$(VARIANT)),-fsanitize=fuzzer) -o $@ $^ $(LIBS)

# The file system that fails on purpose; tests that need it are skipped where libfuse is missing.
$(B)/fuse/failing: tests/fuse/failing.c $(FLAGS)
	@mkdir -p $(@D)
	$(call say,CC,$<)
	$(Q)if echo '#include <fuse3/fuse.h>' | $(CC) -D_FILE_OFFSET_BITS=64 -DFUSE_USE_VERSION=31 -E - >/dev/null 2>&1; then \
		$(CC) $(ALL_CFLAGS) $(ALL_LDFLAGS) -o $@ $< -lfuse3; else echo "  no libfuse3-dev, no $@"; fi

# A floor is linked with nothing of ours.
$(B)/bench/floor_%: $(B)/obj/tests/bench/floor_%.o
	@mkdir -p $(@D)
	$(Q)$(CC) $(ALL_LDFLAGS) -o $@ $^ $(LIBS)

$(B)/bench/%: $(B)/obj/tests/bench/%.o $(LIB_OBJ)
	@mkdir -p $(@D)
	$(Q)$(CC) $(ALL_LDFLAGS) -o $@ $^ $(LIBS)

$(B)/bench/%.so: tests/bench/%.c $(FLAGS)
	@mkdir -p $(@D)
	$(Q)$(CC) $(ALL_CFLAGS) -fPIC -shared -o $@ $<

.PRECIOUS: $(B)/obj/%.o

test-programs: all $(UNIT) $(REPLAY) $(B)/fuse/failing

check: test-programs ## build and run every test; TESTS="NAME..." chooses some
	$(Q)tests/run $(B) $(TESTS)

check-asan: ## the tests under AddressSanitizer and UBSan
	$(Q)$(MAKE) --no-print-directory VARIANT=asan check

check-tsan: ## the tests of what has threads under ThreadSanitizer
	$(Q)$(MAKE) --no-print-directory VARIANT=tsan TESTS="$(THREADED)" \
		UNIT="$(THREADED:%=build/tsan/unit/%)" REPLAY= check

fuzz: ## run each fuzz target under libFuzzer for FUZZ_SECONDS=60
	$(Q)$(MAKE) --no-print-directory VARIANT=fuzzer fuzz-run

fuzz-run: $(REPLAY)
	$(Q)for t in $(notdir $(REPLAY)); do \
		name=$${t#fuzz_}; work=build/fuzz-work/$$name; mkdir -p $$work; echo "== $$t"; \
		$(B)/fuzz/$$t -max_total_time=$(FUZZ_SECONDS) -print_final_stats=1 -artifact_prefix=$$work- \
			$$work tests/fuzz/corpus/$$name >$$work.log 2>&1 || { tail -60 $$work.log; exit 1; }; \
		grep -E 'DONE|number_of_executed_units|average_exec' $$work.log; done

lint: ## headers alone, layers, scripts, man pages, static analysis
	$(Q)CC='$(CC)' CFLAGS='$(ALL_CFLAGS)' tests/lint

bench: all $(FLOORS) ## measure against bare loops and fio; BENCH=NAME picks one
	$(Q)tests/bench/run $(B) $(BENCH)

demo: all ## pattern-hot-10 on a sparse file while vmmon watches; at most 30 s
	$(Q)patterns/hot-10 -t 30

# apt-get only when something is missing, sudo only when not root.
define install_packages
$(Q)sudo=; missing=; \
if ! command -v dpkg-query >/dev/null; then \
	printf '%s\n' "No dpkg here. What Debian calls as follows is needed:" "$(1)"; exit 0; \
fi; \
for p in $(1); do \
	dpkg-query -W -f '$${db:Status-Abbrev}' $$p 2>/dev/null | grep -q '^ii' || missing="$$missing $$p"; \
done; \
[ -n "$$missing" ] || exit 0; \
[ "$$(id -u)" = 0 ] || sudo=sudo; \
echo "installing$$missing"; \
$$sudo apt-get update -q && \
$$sudo env DEBIAN_FRONTEND=noninteractive apt-get install -q -y --no-install-recommends $$missing
endef

deps: ## install what building and testing need (Debian and relatives)
	$(call install_packages,$(DEPS))

deps-dev: deps ## likewise for lint, fuzz, bench and the tests on other file systems
	$(call install_packages,$(DEPS_DEV))

INSTALL = install -D -m
install: all ## into PREFIX=/usr/local, below DESTDIR
	$(Q)for t in $(TOOLS); do $(INSTALL) 755 $(B)/$$t $(DESTDIR)$(BINDIR)/$$t || exit 1; done
	$(Q)for m in man/*.[1-8]; do $(INSTALL) 644 $$m $(DESTDIR)$(MANDIR)/man$${m##*.}/$${m##*/} || exit 1; done
	$(Q)for p in $$(find patterns -type f); do mode=644; [ ! -x $$p ] || mode=755; \
		$(INSTALL) $$mode $$p $(DESTDIR)$(DATADIR)/iotrace/$$p || exit 1; done

uninstall: ## remove what install put there
	rm -f $(TOOLS:%=$(DESTDIR)$(BINDIR)/%)
	rm -f $(foreach m,$(wildcard man/*.[1-8]),$(DESTDIR)$(MANDIR)/man$(subst .,,$(suffix $m))/$(notdir $m))
	rm -rf $(DESTDIR)$(DATADIR)/iotrace

clean: ## remove build/
	rm -rf build

help: ## this list
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/\1           :  make &/; s/^\(.\{11\}\)[^:]*:  make [^#]*## /  make \1 /p' Makefile

.PHONY: all FORCE test-programs check check-asan check-tsan fuzz fuzz-run lint bench demo deps deps-dev \
        install uninstall clean help

-include $(wildcard $(B)/obj/*/*.d $(B)/obj/*/*/*.d $(B)/obj/*/*/*/*.d)
