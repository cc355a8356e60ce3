# SPDX-License-Identifier: GPL-2.0-only
#
# make             build ./loader, ./reader and the library
# make start       install what is missing, build, record, show events being read back (root)
# make check       install what is missing, and run all tests (root)
# make help        more targets and variables

VERSION := $(shell sed -n 's/.*PERSIST_BPF_VERSION "\(.*\)"/\1/p' src/version.h)
# Counted up when a program that was linked with the library would no longer run.
SONAME := libpersist.so.0

OUTPUT	 ?= build
CC	 ?= cc
# For another architecture: CROSS_COMPILE=aarch64-linux-gnu- SYSROOT=<a tree with its libraries>
ifdef CROSS_COMPILE
CC	 := $(CROSS_COMPILE)gcc
AR	 := $(CROSS_COMPILE)ar
OBJCOPY	 := $(CROSS_COMPILE)objcopy
endif
CLANG	 ?= clang
BPFTOOL	 ?= $(firstword $(wildcard /usr/sbin/bpftool /usr/local/sbin/bpftool) bpftool)
PKG_CONFIG ?= pkg-config
OBJCOPY	 ?= objcopy
# Types of the kernel that builds; the programs find those of the kernel that runs by CO-RE.
VMLINUX_BTF ?= /sys/kernel/btf/vmlinux

prefix	?= /usr/local
bindir	?= $(prefix)/bin
includedir ?= $(prefix)/include
libdir	?= $(prefix)/lib
libexecdir ?= $(prefix)/libexec
pkgconfigdir ?= $(libdir)/pkgconfig
mandir	?= $(prefix)/share/man
datadir	?= $(prefix)/share/persist-bpf
docdir	?= $(prefix)/share/doc/persist-bpf
completiondir ?= $(prefix)/share/bash-completion/completions
# Not below the prefix: where the loader looks for it.
sysconfdir ?= /etc
systemdunitdir ?= $(prefix)/lib/systemd/system
sysusersdir ?= $(prefix)/lib/sysusers.d

CFLAGS	 ?= -O2 -g
WARNINGS := -Wall -Wextra -Werror -Wmissing-prototypes -Wstrict-prototypes -Wno-unused-parameter
override CPPFLAGS += -Iinclude -Ibpf -Isrc -I$(OUTPUT)
override CFLAGS	  += -std=gnu11 $(WARNINGS) -fPIC -fvisibility=hidden
LIBRARY_LDLIBS = -lbpf -lpthread
LDLIBS	 = -lbpf -lelf -lz -lyajl -lpthread
STATIC_LDLIBS = -lbpf -lelf -lz -lyajl_s
# What only the reader's commands use.
READER_LDLIBS :=
# HTTP of reader metrics
READER_LDLIBS += -levent_extra -levent_core
# the screen of reader top
READER_LDLIBS += -lncursesw -ltinfo
# The database of reader export --to rasdaemon
READER_LDLIBS += -lsqlite3 -lm

# Compiles and links.
ifdef SYSROOT
override CFLAGS  += --sysroot=$(SYSROOT)
endif
ifdef SANITIZE
override CFLAGS  += -fsanitize=address,undefined -fno-sanitize-recover=undefined -fno-omit-frame-pointer
override LDFLAGS += -fsanitize=address,undefined
endif
ifdef STOP_POINTS
override CPPFLAGS += -DPERSIST_STOP_POINTS
endif

ifeq ($(V),1)
Q :=
say = @:
else
Q := @
say = @printf '  %-8s %s\n'
endif

# What is the command line of one of the two programs, or of both; everything else is the
# library's. The programs also use what the library does not export, and are linked with its
# objects.
LOADER_SOURCES := loader.c loader_options.c config_file.c probe.c run_command.c status_output.c
# The reader's command line; below src/ a directory for each subject that only its commands know.
READER_MAIN := reader.c selection.c target_list.c $(notdir $(wildcard src/reader_*.c))
# What perf is made to load is not linked with anything else: it defines functions of the C library.
PRELOAD_MAIN := $(patsubst src/%,%,$(wildcard src/perf_preload/*.c))
READER_PARTS := program_path.c stop_signal.c workload.c $(filter-out $(PRELOAD_MAIN),$(patsubst src/%,%,$(wildcard src/*/*.c)))
READER_SOURCES := $(READER_MAIN) $(READER_PARTS)
COMMAND_SOURCES := command_line.c cursor_file.c json_generator.c json_output.c json_string.c \
	line_writer.c list_output.c text_output.c write_all.c
LIBRARY_SOURCES := $(filter-out $(LOADER_SOURCES) $(READER_SOURCES) $(COMMAND_SOURCES), \
	$(notdir $(wildcard src/*.c)))

object = $(addprefix $(OUTPUT)/,$(1:.c=.o))
LIBRARY_OBJECTS := $(call object,$(LIBRARY_SOURCES))
LIBRARIES := $(OUTPUT)/libpersist.so.$(VERSION) $(OUTPUT)/libpersist.a
BPF_OBJECTS := $(patsubst bpf/%.bpf.c,%,$(wildcard bpf/*.bpf.c))
SKELETONS := $(BPF_OBJECTS:%=$(OUTPUT)/%.skel.h)

.PHONY: all
all: $(OUTPUT)/loader $(OUTPUT)/reader $(LIBRARIES) $(OUTPUT)/libpersist-perf.so
ifeq ($(OUTPUT),build)
all: loader reader
loader reader: %: $(OUTPUT)/%
	$(Q)cp -f $< $@
endif

.PHONY: FORCE
.DELETE_ON_ERROR:
.SECONDARY:

$(OUTPUT):
	$(Q)mkdir -p $@

# ---- BPF ---------------------------------------------------------------------------------------

BPF_ARCH := $(shell $(CC) -dumpmachine 2>/dev/null | sed 's/-.*//; s/x86_64/x86/; s/aarch64/arm64/; s/powerpc64le/powerpc/; s/s390x/s390/; s/riscv64/riscv/')
BPF_CFLAGS := -O2 -g -target bpf -mcpu=v3 -D__TARGET_ARCH_$(BPF_ARCH) -Wall -Werror
# vmlinux.h of newer kernels (7.3 does) embeds structures by their tag alone, as Microsoft's C can.
BPF_CFLAGS += -fms-extensions -Wno-microsoft-anon-tag

$(OUTPUT)/vmlinux.h: | $(OUTPUT)
	$(say) BTF $@
	$(Q)$(BPFTOOL) btf dump file $(VMLINUX_BTF) format c > $@

$(OUTPUT)/%.bpf.o: bpf/%.bpf.c $(OUTPUT)/vmlinux.h
	$(say) CLANG $@
	$(Q)$(CLANG) $(BPF_CFLAGS) -Iinclude -Ibpf -I$(OUTPUT) -MMD -MP -c $< -o $@

$(OUTPUT)/%.skel.h: $(OUTPUT)/%.bpf.o
	$(say) SKELETON $@
	$(Q)$(BPFTOOL) gen skeleton $< name $*_bpf > $@

# ---- library and programs ------------------------------------------------------------------------

$(OUTPUT)/%.o: src/%.c | $(SKELETONS)
	$(say) CC $@
	$(Q)mkdir -p $(@D)
	$(Q)$(CC) $(CPPFLAGS) $(CFLAGS) -MMD -MP -c $< -o $@

$(OUTPUT)/libpersist.so.$(VERSION): $(LIBRARY_OBJECTS) src/libpersist.map
	$(say) LINK $@
	$(Q)$(CC) $(CFLAGS) $(LDFLAGS) -shared -Wl,-soname,$(SONAME) -Wl,-z,defs \
		-Wl,--version-script=src/libpersist.map $(LIBRARY_OBJECTS) $(LIBRARY_LDLIBS) -o $@

# One object in which only what is exported is global, so that no name of ours gets in the way of
# one of the program that is linked with it.
$(OUTPUT)/libpersist.a: $(LIBRARY_OBJECTS)
	$(say) AR $@
	$(Q)$(CC) -r -nostdlib $^ -o $(@:.a=.o)
	$(Q)$(OBJCOPY) --localize-hidden $(@:.a=.o)
	$(Q)rm -f $@ && $(AR) rcs $@ $(@:.a=.o)

# pkg-config can be told that the prefix is elsewhere.
below_prefix = $(patsubst $(prefix)/%,$${prefix}/%,$1)
$(OUTPUT)/persist-bpf.pc: packaging/persist-bpf.pc.in src/version.h FORCE | $(OUTPUT)
	$(Q)sed -e 's|@prefix@|$(prefix)|' -e 's|@libdir@|$(call below_prefix,$(libdir))|' \
		-e 's|@includedir@|$(call below_prefix,$(includedir))|' \
		-e 's|@version@|$(VERSION)|' $< > $@

$(OUTPUT)/loader: $(call object,$(LOADER_SOURCES) $(COMMAND_SOURCES)) $(LIBRARY_OBJECTS)
	$(say) LINK $@
	$(Q)$(CC) $(CFLAGS) $(LDFLAGS) $^ $(LDLIBS) -o $@

$(OUTPUT)/reader: $(call object,$(READER_SOURCES) $(COMMAND_SOURCES)) $(LIBRARY_OBJECTS)
	$(say) LINK $@
	$(Q)$(CC) $(CFLAGS) $(LDFLAGS) $^ $(READER_LDLIBS) $(LDLIBS) -o $@

# What `reader perf` has perf load.
PRELOAD_SOURCES := $(PRELOAD_MAIN) $(addprefix perf/,perf_clock.c perf_feed.c perf_relay.c perf_ring.c \
	perf_payload.c perf_sample.c perf_session.c perf_session_read.c perf_session_wait.c \
	perf_sideband.c perf_targets.c record_time.c thread_names.c)
$(OUTPUT)/libpersist-perf.so: $(call object,$(PRELOAD_SOURCES)) $(LIBRARY_OBJECTS) \
		src/perf_preload/exports.map
	$(say) LINK $@
	$(Q)$(CC) $(CFLAGS) $(LDFLAGS) -shared -Wl,-z,defs -Wl,--version-script=src/perf_preload/exports.map \
		$(filter %.o,$^) $(LIBRARY_LDLIBS) -lpthread -o $@

# Both without shared libraries, for a container that has nothing else in it.
.PHONY: static
static: $(OUTPUT)/static/loader $(OUTPUT)/static/reader

$(OUTPUT)/static/loader: $(call object,$(LOADER_SOURCES) $(COMMAND_SOURCES)) $(LIBRARY_OBJECTS)
$(OUTPUT)/static/reader: $(call object,$(READER_SOURCES) $(COMMAND_SOURCES)) $(LIBRARY_OBJECTS)
$(OUTPUT)/static/%:
	$(say) LINK $@
	$(Q)mkdir -p $(@D)
	$(Q)$(CC) $(CFLAGS) $(LDFLAGS) -static $^ $(LINK_LDLIBS) $(STATIC_LDLIBS) -o $@
$(OUTPUT)/static/reader: LINK_LDLIBS = $(READER_LDLIBS)

-include $(wildcard $(OUTPUT)/*.d $(OUTPUT)/*/*.d)

# ---- doing the main job --------------------------------------------------------------------------

.PHONY: deps deps-check mounts start
deps:
	$(Q)packaging/install-deps build

deps-check:
	$(Q)packaging/install-deps check

mounts:
	$(Q)packaging/mount-file-systems

# The packages may bring the compiler that the rest of this file is made for: begin again.
start:
	$(Q)packaging/install-deps build
	$(Q)packaging/mount-file-systems
	$(Q)$(MAKE) --no-print-directory all
	$(Q)packaging/show

# ---- packages ------------------------------------------------------------------------------------

# Debian packages in $(OUTPUT)/deb. Installs what it takes to build them.
.PHONY: deb
deb:
	$(Q)packaging/install-deps deb
	$(Q)packaging/build-deb $(OUTPUT)/deb

# ---- tests ---------------------------------------------------------------------------------------

UNIT_TESTS := $(patsubst tests/unit/%.c,$(OUTPUT)/tests/unit/%.t,$(wildcard tests/unit/test_*.c))
KERNEL_TOOLS := $(patsubst tests/kernel/%.c,$(OUTPUT)/tests/%,$(filter-out %.bpf.c,$(wildcard tests/kernel/*.c)))
KERNEL_SKELETONS := $(patsubst tests/kernel/%.bpf.c,$(OUTPUT)/tests/%.skel.h,$(wildcard tests/kernel/*.bpf.c))
FUZZERS := $(patsubst tests/fuzz/%.c,$(OUTPUT)/tests/%,$(wildcard tests/fuzz/fuzz_*.c))
# Everything but the command lines.
TESTED_OBJECTS := $(call object,$(filter-out loader.c $(READER_MAIN), \
	$(sort $(notdir $(wildcard src/*.c)) $(READER_PARTS))))

$(OUTPUT)/tests/unit/%.t: tests/unit/%.c $(TESTED_OBJECTS)
	$(say) TEST $@
	$(Q)mkdir -p $(@D)
	$(Q)$(CC) $(CPPFLAGS) $(CFLAGS) $(LDFLAGS) -MMD -MP -MF $(@:.t=.d) $< $(TESTED_OBJECTS) \
		-lcmocka $(READER_LDLIBS) $(LDLIBS) -lpthread -o $@

$(OUTPUT)/tests/%.bpf.o: tests/kernel/%.bpf.c $(OUTPUT)/vmlinux.h
	$(say) CLANG $@
	$(Q)mkdir -p $(@D)
	$(Q)$(CLANG) $(BPF_CFLAGS) -Iinclude -Ibpf -I$(OUTPUT) -MMD -MP -c $< -o $@

$(OUTPUT)/tests/%.skel.h: $(OUTPUT)/tests/%.bpf.o
	$(say) SKELETON $@
	$(Q)$(BPFTOOL) gen skeleton $< name $*_bpf > $@

$(OUTPUT)/tests/%: tests/kernel/%.c $(LIBRARY_OBJECTS) | $(KERNEL_SKELETONS)
	$(say) TEST $@
	$(Q)mkdir -p $(@D)
	$(Q)$(CC) $(CPPFLAGS) -I$(OUTPUT)/tests $(CFLAGS) $(LDFLAGS) -MMD -MP $< $(LIBRARY_OBJECTS) $(LDLIBS) \
		-lpthread -o $@

-include $(wildcard $(OUTPUT)/tests/unit/*.d)

.PHONY: unit kernel-tools stop-points
unit: $(UNIT_TESTS)
kernel-tools: $(KERNEL_TOOLS)

# The tests' own builds: with sanitizers, and one that can be killed at each change of bpffs.
.PHONY: check-build
check-build: all static unit kernel-tools
	$(Q)! command -v dpkg-buildpackage > /dev/null || packaging/build-deb $(OUTPUT)/deb > /dev/null
	$(Q)$(MAKE) --no-print-directory OUTPUT=$(OUTPUT)/asan SANITIZE=1 unit kernel-tools \
		$(OUTPUT)/asan/reader $(OUTPUT)/asan/loader
	$(Q)$(MAKE) --no-print-directory OUTPUT=$(OUTPUT)/stop STOP_POINTS=1 $(OUTPUT)/stop/loader

# What guests of another architecture run.
.PHONY: static-arm64
static-arm64:
	$(Q)sysroot=$$(tests/vm/fetch-sysroot arm64) && \
		$(MAKE) --no-print-directory OUTPUT=$(OUTPUT)/arm64 CROSS_COMPILE=aarch64-linux-gnu- \
			SYSROOT=$$sysroot static

.PHONY: check check-quick
# Everything; installs what is missing. Needs root.
check:
	$(Q)packaging/install-deps check
	$(Q)packaging/mount-file-systems
	$(Q)$(MAKE) --no-print-directory check-build static-arm64
	$(Q)tests/run

# Without the virtual machines.
check-quick: check-build
	$(Q)tests/run quick

# A few minutes for each parser of what comes from outside.
FUZZ_SECONDS ?= 120
.PHONY: fuzz
fuzz:
	$(Q)packaging/install-deps check
	$(Q)$(MAKE) --no-print-directory OUTPUT=$(OUTPUT)/fuzz CC=$(CLANG) \
		CFLAGS="-O1 -g -fsanitize=fuzzer-no-link,address,undefined -fno-sanitize-recover=undefined" fuzzers
	$(Q)for fuzzer in $(FUZZERS:$(OUTPUT)/%=$(OUTPUT)/fuzz/%); do \
		echo "$$fuzzer for $(FUZZ_SECONDS) s"; \
		mkdir -p $$fuzzer.corpus && \
		$$fuzzer -max_total_time=$(FUZZ_SECONDS) -print_final_stats=1 -verbosity=0 \
			-artifact_prefix=$$fuzzer. $$fuzzer.corpus || exit 1; \
	done

.PHONY: fuzzers
fuzzers: $(FUZZERS)
$(OUTPUT)/tests/fuzz_%: tests/fuzz/fuzz_%.c $(TESTED_OBJECTS)
	$(say) FUZZER $@
	$(Q)mkdir -p $(@D)
	$(Q)$(CC) $(CPPFLAGS) $(CFLAGS) -Wno-missing-prototypes -fsanitize=fuzzer $< $(TESTED_OBJECTS) $(READER_LDLIBS) $(LDLIBS) -lpthread -o $@

# ---- benchmarks ----------------------------------------------------------------------------------

BENCH_TOOLS := $(patsubst bench/%.c,$(OUTPUT)/bench/%,$(filter-out %.bpf.c,$(wildcard bench/*.c)))
BENCH_SKELETONS := $(patsubst bench/%.bpf.c,$(OUTPUT)/bench/%.skel.h,$(wildcard bench/*.bpf.c))

$(OUTPUT)/bench/%.bpf.o: bench/%.bpf.c $(OUTPUT)/vmlinux.h
	$(say) CLANG $@
	$(Q)mkdir -p $(@D)
	$(Q)$(CLANG) $(BPF_CFLAGS) -I$(OUTPUT) -MMD -MP -c $< -o $@

$(OUTPUT)/bench/%.skel.h: $(OUTPUT)/bench/%.bpf.o
	$(say) SKELETON $@
	$(Q)$(BPFTOOL) gen skeleton $< name $*_bpf > $@

$(OUTPUT)/bench/%: bench/%.c $(BENCH_SKELETONS) $(LIBRARY_OBJECTS)
	$(say) BENCH $@
	$(Q)$(CC) $(CPPFLAGS) -I$(OUTPUT)/bench $(CFLAGS) $(LDFLAGS) -MMD -MP $< $(LIBRARY_OBJECTS) $(LDLIBS) \
		-lpthread -o $@

-include $(wildcard $(OUTPUT)/bench/*.d)

# All tables, or those named in BENCH_CASES ("producer reading"); BENCH_CASES=help lists them.
BENCH_CASES ?=
.PHONY: bench bench-tools bench-doc
bench-tools: all static $(BENCH_TOOLS)
ifeq ($(BENCH_CASES),help)
bench:
	$(Q)bench/run help
else
bench:
	$(Q)packaging/install-deps bench
	$(Q)packaging/mount-file-systems
	$(Q)$(MAKE) --no-print-directory bench-tools
	$(Q)OUTPUT=$(OUTPUT) bench/run $(BENCH_CASES)
endif

# Puts the results of the last run into docs/performance.md.
bench-doc:
	$(Q)OUTPUT=$(OUTPUT) bench/run --document docs/performance.md

# ---- the rest ------------------------------------------------------------------------------------

HEADERS := persist_bpf.h persist_record.h persist_tree.h persist_attr.h persist_totals.h
MAN1 := $(notdir $(wildcard man/*.1))
MAN3 := $(notdir $(wildcard man/*.3))
# A page describes several functions; a man page for each of them leads to it. "name.3:page.3"
MAN3_ALIASES = $(shell packaging/man-aliases man/*.3)
alias_name = $(firstword $(subst :, ,$1))
alias_page = $(lastword $(subst :, ,$1))

INSTALLED = $(bindir)/persist-loader $(bindir)/persist-reader \
	$(libexecdir)/persist-bpf/libpersist-perf.so \
	$(addprefix $(libdir)/,libpersist.so.$(VERSION) $(SONAME) libpersist.so libpersist.a) \
	$(pkgconfigdir)/persist-bpf.pc $(addprefix $(includedir)/,$(HEADERS)) \
	$(addprefix $(mandir)/man1/,$(MAN1)) $(addprefix $(mandir)/man3/,$(MAN3)) \
	$(foreach alias,$(MAN3_ALIASES),$(mandir)/man3/$(call alias_name,$(alias)))

# An administrator's file: neither replaced nor removed once it was changed.
CONFIGURATION := $(sysconfdir)/persist-bpf/events.conf
# Pages that refer to each other; the first one to those below docs/.
DOCS := README.md $(wildcard docs/*.md)
EXAMPLES := $(wildcard examples/*.c)
ALERTS := packaging/prometheus/persist-bpf.rules.yml
CONTAINER_FILES := $(notdir $(wildcard packaging/containers/*))
UNITS := persist-bpf.service persist-bpf-journal.service
INSTALLED += $(addprefix $(systemdunitdir)/,$(UNITS)) $(sysusersdir)/persist-bpf.conf \
	$(addprefix $(completiondir)/,persist-loader persist-reader) \
	$(addprefix $(datadir)/containers/,$(CONTAINER_FILES)) \
	$(addprefix $(docdir)/,$(notdir $(DOCS))) $(docdir)/prometheus/$(notdir $(ALERTS)) \
	$(addprefix $(docdir)/,$(EXAMPLES))

$(addprefix $(OUTPUT)/,$(UNITS)): $(OUTPUT)/%: packaging/systemd/%.in FORCE | $(OUTPUT)
	$(Q)sed 's|@bindir@|$(bindir)|' $< > $@

.PHONY: install install-docs install-system uninstall
install: install-docs install-system
install: all $(OUTPUT)/persist-bpf.pc
	install -d $(addprefix $(DESTDIR),$(bindir) $(libdir) $(pkgconfigdir) $(includedir) \
		$(libexecdir)/persist-bpf $(mandir)/man1 $(mandir)/man3)
	install -m 755 $(OUTPUT)/loader $(DESTDIR)$(bindir)/persist-loader
	install -m 755 $(OUTPUT)/reader $(DESTDIR)$(bindir)/persist-reader
	install -m 755 $(OUTPUT)/libpersist-perf.so $(DESTDIR)$(libexecdir)/persist-bpf
	install -m 755 $(OUTPUT)/libpersist.so.$(VERSION) $(DESTDIR)$(libdir)
	ln -sf libpersist.so.$(VERSION) $(DESTDIR)$(libdir)/$(SONAME)
	ln -sf $(SONAME) $(DESTDIR)$(libdir)/libpersist.so
	install -m 644 $(OUTPUT)/libpersist.a $(DESTDIR)$(libdir)
	install -m 644 $(OUTPUT)/persist-bpf.pc $(DESTDIR)$(pkgconfigdir)
	install -m 644 $(addprefix include/,$(HEADERS)) $(DESTDIR)$(includedir)
	install -m 644 $(addprefix man/,$(MAN1)) $(DESTDIR)$(mandir)/man1
	install -m 644 $(addprefix man/,$(MAN3)) $(DESTDIR)$(mandir)/man3
	sed -i 's|/usr/share/doc/persist-bpf|$(docdir)|' $(addprefix $(DESTDIR)$(mandir)/man1/,$(MAN1))
	$(foreach alias,$(MAN3_ALIASES),echo .so man3/$(call alias_page,$(alias)) \
		> $(DESTDIR)$(mandir)/man3/$(call alias_name,$(alias)) &&) :

# All in one directory: what they refer to in the source has another place there.
install-docs:
	install -d $(addprefix $(DESTDIR)$(docdir)/,prometheus examples)
	for page in $(DOCS); do \
		sed -e 's|](docs/|](|g' -e 's|](\.\./packaging/prometheus/|](prometheus/|g' \
			-e 's|](\.\./examples|](examples|g' $$page \
			> $(DESTDIR)$(docdir)/$${page##*/} || exit 1; \
	done
	chmod 644 $(addprefix $(DESTDIR)$(docdir)/,$(notdir $(DOCS)))
	install -m 644 $(ALERTS) $(DESTDIR)$(docdir)/prometheus
	install -m 644 $(EXAMPLES) $(DESTDIR)$(docdir)/examples

# What belongs to a system that records from boot on, and to its administrator.
install-system: $(addprefix $(OUTPUT)/,$(UNITS))
	install -d $(addprefix $(DESTDIR),$(dir $(CONFIGURATION)) $(systemdunitdir) $(sysusersdir) \
		$(completiondir) $(datadir)/containers)
	test -e $(DESTDIR)$(CONFIGURATION) || \
		install -m 644 packaging/events.conf $(DESTDIR)$(CONFIGURATION)
	install -m 644 $(addprefix $(OUTPUT)/,$(UNITS)) $(DESTDIR)$(systemdunitdir)
	install -m 644 packaging/systemd/persist-bpf.sysusers.conf \
		$(DESTDIR)$(sysusersdir)/persist-bpf.conf
	install -m 644 packaging/bash-completion/persist-bpf $(DESTDIR)$(completiondir)/persist-loader
	ln -sf persist-loader $(DESTDIR)$(completiondir)/persist-reader
	install -m 644 $(addprefix packaging/containers/,$(CONTAINER_FILES)) \
		$(DESTDIR)$(datadir)/containers

uninstall:
	rm -f $(addprefix $(DESTDIR),$(INSTALLED))
	cmp -s packaging/events.conf $(DESTDIR)$(CONFIGURATION) && \
		rm -f $(DESTDIR)$(CONFIGURATION) || :

.PHONY: format
format:
	$(Q)clang-format -i $$(git ls-files '*.c' '*.h')

.PHONY: clean
clean:
	rm -rf $(OUTPUT)
	rm -f loader reader

.PHONY: help
help:
	@echo 'targets:'
	@echo '  all (default)  ./loader, ./reader and the library'
	@echo '  static         $(OUTPUT)/static/loader and reader, without shared libraries'
	@echo '  static-arm64   the same for arm64, in $(OUTPUT)/arm64'
	@echo '  start          install what is missing, build, record, show events (root)'
	@echo '  check          all tests, virtual machines included (root)'
	@echo '  check-quick    without these'
	@echo '  deb            Debian packages, in $(OUTPUT)/deb'
	@echo '  bench          costs and speeds, beside those of ftrace and perf (root)'
	@echo '  fuzz           the parsers of what comes from outside, FUZZ_SECONDS each'
	@echo '  install, uninstall, format, clean'
	@echo 'variables: V=1 OUTPUT=dir SANITIZE=1 CC CLANG CFLAGS LDFLAGS BPFTOOL VMLINUX_BTF'
	@echo '           CROSS_COMPILE=prefix- SYSROOT=dir (for another architecture)'
	@echo '           prefix libdir docdir DESTDIR FUZZ_SECONDS PERSIST_CACHE (kernels for the tests)'
