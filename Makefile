# SPDX-License-Identifier: GPL-2.0-or-later
# One set of rules for every variant: build/ is the release, build/asan, build/tsan and build/clang the others.

VARIANT ?= release
B       := $(if $(filter release,$(VARIANT)),build,build/$(VARIANT))
VERSION := $(shell cat VERSION)

PREFIX  ?= /usr/local
BINDIR  ?= $(PREFIX)/bin
MANDIR  ?= $(PREFIX)/share/man
DATADIR ?= $(PREFIX)/share

CC_release := gcc
CC_asan    := gcc
CC_tsan    := gcc
CC_clang   := clang
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

CFLAGS  ?= -g
# -ffp-contract=off: one seed gives one trace on every machine (lib/trace/dist.c)
ALL_CFLAGS = -std=gnu11 $(WARN) $(OPT_$(VARIANT)) -fPIE -ffp-contract=off -pthread -D_GNU_SOURCE \
             -D_FILE_OFFSET_BITS=64 -ffile-prefix-map=$(CURDIR)=. -Ilib $(CPPFLAGS) $(CFLAGS)
ALL_LDFLAGS = -pie -pthread $(filter -fsanitize%,$(OPT_$(VARIANT))) \
              $(if $(filter release clang,$(VARIANT)),$(HARDEN_LD)) $(LDFLAGS)
LIBS := -lpopt -luring -laio

FOLDERS := base trace io mon run
SRC     := $(foreach f,$(FOLDERS),$(wildcard lib/$(f)/*.c))
HEADERS := $(foreach f,$(FOLDERS),$(wildcard lib/$(f)/*.h)) $(wildcard iotrace/*.h vmmon/*.h)
obj      = $(patsubst %.c,$(B)/obj/%.o,$(1))
LIB_OBJ := $(call obj,$(SRC))
TOOLS   := $(patsubst %/,%,$(sort $(dir $(wildcard iotrace/*.c vmmon/*.c))))

UNIT_SRC := $(wildcard tests/unit/*/test_*.c)
UNIT     := $(patsubst tests/unit/%.c,$(B)/unit/%,$(UNIT_SRC))
FUZZ_SRC := $(wildcard tests/fuzz/fuzz_*.c)
REPLAY   := $(patsubst tests/fuzz/%.c,$(B)/fuzz/%,$(FUZZ_SRC))
BENCH    := $(patsubst tests/bench/%.c,$(B)/bench/%,$(wildcard tests/bench/*.c))
BATS     := $(wildcard tests/cli/*.bats)

Q := $(if $(V),,@)
say = $(if $(V),,@printf '  %-7s %s\n' $(1) $(2))

all: $(TOOLS:%=$(B)/%) ## build build/iotrace and build/vmmon

# Rebuild when the flags change.
FLAGS := $(B)/flags
FORCE:
$(FLAGS): FORCE
	@mkdir -p $(B)
	@echo '$(CC) $(ALL_CFLAGS) $(ALL_LDFLAGS) $(VERSION)' | cmp -s - $@ || echo '$(CC) $(ALL_CFLAGS) $(ALL_LDFLAGS) $(VERSION)' > $@

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

# A unit test of a folder is linked with that folder and base only: an upward call does not link.
define unit_folder
$(B)/unit/$(1)/%: $(B)/obj/tests/unit/$(1)/%.o $(if $(filter run,$(1)),$(LIB_OBJ),$(call obj,$(sort $(wildcard lib/$(1)/*.c lib/base/*.c))))
	@mkdir -p $$(@D)
	$$(call say,LD,$$@)
	$(Q)$$(CC) $$(ALL_LDFLAGS) -o $$@ $$^ -lcmocka $(if $(filter run io,$(1)),$(LIBS)) -lm
endef
$(foreach f,$(FOLDERS),$(eval $(call unit_folder,$(f))))

# Replay of the fuzz corpora with an ordinary main.
$(B)/fuzz/%: $(B)/obj/tests/fuzz/%.o $(B)/obj/tests/fuzz/onefile.o $(LIB_OBJ)
	@mkdir -p $(@D)
	$(call say,LD,$@)
	$(Q)$(CC) $(ALL_LDFLAGS) -o $@ $^ $(LIBS)

$(B)/bench/%: $(B)/obj/tests/bench/%.o
	@mkdir -p $(@D)
	$(Q)$(CC) $(ALL_LDFLAGS) -o $@ $^ $(LIBS)

.PRECIOUS: $(B)/obj/%.o

test-programs: all $(UNIT) $(REPLAY)

check: test-programs ## build and run every test
	$(Q)tests/run $(B)

check-asan: ## the tests under AddressSanitizer and UBSan
	$(Q)$(MAKE) --no-print-directory VARIANT=asan check

check-tsan: ## the tests of what has threads under ThreadSanitizer
	$(Q)$(MAKE) --no-print-directory VARIANT=tsan check

clean: ## remove build/
	rm -rf build

help: ## this list
	@sed -n 's/^\([a-z-]*\):.*## /\1\t/p' $(MAKEFILE_LIST) | awk -F '\t' '{printf "  make %-16s %s\n", $$1, $$2}'

.PHONY: all FORCE test-programs check check-asan check-tsan clean help

-include $(wildcard $(B)/obj/*/*.d $(B)/obj/*/*/*.d $(B)/obj/*/*/*/*.d)
