// SPDX-License-Identifier: GPL-2.0-only OR LGPL-2.1-only
#define _GNU_SOURCE
#include "event_program.h"

#include <assert.h>
#include <errno.h>
#include <limits.h>
#include <linux/perf_event.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <bpf/bpf.h>
#include <bpf/btf.h>
#include <bpf/libbpf.h>

#include "capabilities.h"
#include "event_constant_values.h"
#include "fd_memory.h"
#include "mce_program.h"
#include "mce_record.skel.h"
#include "percpu_events.skel.h"
#include "program_name.h"

#define FIRST_GENERATION 1

/* The system-call tracepoints' context is a structure of its own, not the record. */
static uint32_t find_syscall_nr(const struct btf *kernel)
{
	int id = btf__find_by_name_kind(kernel, "syscall_tp_t", BTF_KIND_STRUCT);
	const struct btf_type *type;

	if (id < 0)
		return 0;
	type = btf__type_by_id(kernel, id);
	for (int i = 0; i < btf_vlen(type); i++)
		if (!strcmp(btf__name_by_offset(kernel, btf_members(type)[i].name_off),
			    "syscall_nr"))
			return btf_member_bit_offset(type, i) / 8;
	return 0;
}

void kernel_types__load(struct kernel_types *types)
{
	*types = (struct kernel_types){ .btf = btf__load_vmlinux_btf() };
	if (libbpf_get_error(types->btf))
		types->btf = NULL;
	target_btf__find_task_layout(types->btf, &types->task);
	if (types->btf)
		types->syscall_nr = find_syscall_nr(types->btf);
}

void kernel_types__free(struct kernel_types *types)
{
	btf__free(types->btf);
	*types = (struct kernel_types){};
}

static bool is_syscall(const struct event_request *request)
{
	return !strcmp(request->system, "syscalls");
}

static bool find_mce_layout(const struct kernel_types *types, const struct event_request *request,
			    struct event_constants *constants, uint32_t *payload_size)
{
	return !strcmp(request->system, "mce") && !strcmp(request->tracepoint, "mce_record") &&
	       mce_program__find_layout(types->btf, request->format, constants, payload_size);
}

/* bpf_probe_read_kernel(), by which a program gets at the variable part of a record. */
static bool kernel_may_be_read(void)
{
	char line[128] = "";
	FILE *file = fopen("/sys/kernel/security/lockdown", "re");

	if (file) {
		if (!fgets(line, sizeof(line), file))
			line[0] = '\0';
		fclose(file);
	}
	return !strstr(line, "[confidentiality]");
}

static bool is_dynamic(const struct event_request *request)
{
	/* What the strings of a system call are, its context does not say. */
	if (is_syscall(request))
		return false;
	for (size_t i = 0; i < event_format__nr_fields(request->format); i++)
		if (event_format__field(request->format, i)->location != FIELD_FIXED)
			return true;
	return false;
}

/* The string to which the pointer at one offset leads, and where its __data_loc is. */
struct user_string {
	uint32_t pointer;
	uint32_t loc;
};

/*
 * Finds the fields of a system call that hold the string behind one of its pointers: the field
 * is called __NAME_val for the argument NAME. Other memory that a call points to is not fetched.
 */
static uint32_t find_user_strings(const struct event_request *request, struct user_string *strings)
{
	const struct event_format_field *field, *pointer;
	char name[PERSIST_NAME_SIZE];
	uint32_t nr = 0;

	for (size_t i = 0; is_syscall(request) && nr < USER_STRINGS_MAX; i++) {
		field = event_format__field(request->format, i);
		if (!field)
			break;
		if (field->location != FIELD_DATA_LOC || !field->is_string ||
		    sscanf(field->name, "__%60s", name) != 1 || strlen(name) < 5)
			continue;
		name[strlen(name) - strlen("_val")] = '\0';
		pointer = event_format__find_field(request->format, name);
		if (!pointer || pointer->size != sizeof(uint64_t))
			continue;
		strings[nr++] = (struct user_string){ pointer->offset, field->offset };
	}
	return nr;
}

static uint32_t constant_size(const struct event_request *request)
{
	struct user_string strings[USER_STRINGS_MAX];

	return event_format__fixed_size(request->format) +
	       find_user_strings(request, strings) * USER_STRING_ROOM;
}

enum persist_capture event_program__plan(const struct kernel_types *types,
					 const struct event_request *request, uint32_t *payload_max)
{
	struct event_constants ignored;

	if (find_mce_layout(types, request, &ignored, payload_max))
		return PERSIST_CAPTURE_RAW_BTF;
	*payload_max = is_dynamic(request) ? PERSIST_PAYLOAD_MAX : constant_size(request);
	return PERSIST_CAPTURE_TRACEPOINT;
}

/* Where in the context a program has to look; -E2BIG if the event has too many dynamic fields. */
static int find_context_layout(const struct kernel_types *types,
			       const struct event_request *request, struct context_layout *context)
{
	const struct event_format_field *field;
	const struct event_format *format = request->format;

	*context = (struct context_layout){
		.copy_size = event_format__fixed_size(format),
		.totals = request->totals,
	};
	for (size_t i = 0; i < event_format__nr_fields(format); i++) {
		field = event_format__field(format, i);
		if (is_syscall(request)) {
			if (field->location != FIELD_FIXED && field->offset < context->copy_size)
				context->copy_size = field->offset;
			if (!strcmp(field->name, "__syscall_nr") &&
			    field->offset != types->syscall_nr)
				context->syscall_nr = types->syscall_nr;
		} else if (field->location == FIELD_DATA_LOC) {
			if (context->nr_dynamic == CONTEXT_DYNAMIC_MAX)
				return -E2BIG;
			context->dynamic[context->nr_dynamic++] = field->offset;
		} else if (field->location == FIELD_REL_LOC) {
			if (context->nr_relative == CONTEXT_RELATIVE_MAX)
				return -E2BIG;
			context->relative[context->nr_relative++] = field->offset;
		}
	}
	return 0;
}

static void set_strings(const struct event_request *request, struct event_constants *event)
{
	struct user_string strings[USER_STRINGS_MAX] = {};

	event->nr_user_strings = find_user_strings(request, strings);
	event->pointer_0 = strings[0].pointer;
	event->string_0 = strings[0].loc;
	event->pointer_1 = strings[1].pointer;
	event->string_1 = strings[1].loc;
	event->pointer_2 = strings[2].pointer;
	event->string_2 = strings[2].loc;
}

static void set_tracepoint_constants(const struct event_request *request,
				     const struct context_layout *context,
				     struct event_constants *event)
{
	const struct event_format_field *nr =
		event_format__find_field(request->format, "__syscall_nr");

	event->fixed_size = constant_size(request);
	event->is_dynamic = is_dynamic(request);
	if (event->is_dynamic && !kernel_may_be_read()) {
		event->is_dynamic = 0;
		event->is_incomplete = 1;
	}
	event->copy_size = context->copy_size;
	event->fields_end = event_format__fixed_size(request->format);
	event->syscall_nr_offset = nr && context->syscall_nr ? nr->offset : 0;
	set_strings(request, event);
}

/* Under lockdown, what takes bpf_probe_read_kernel() is left out of the keys. */
static void set_totals_constants(const struct event_request *request,
				 struct context_layout *context, struct event_constants *event)
{
	struct totals_layout *totals = &context->totals;

	if (!kernel_may_be_read()) {
		totals->section_offset = 0;
		totals->label = (struct totals_field){};
	}
	event->totals = totals->source;
	event->severities = totals->severities;
	event->address_shift = totals->address_shift;
	event->section_offset = totals->section_offset;
	event->page_shift = request->page_shift;
}

/* The two words as they stand in a record. */
static uint64_t size_and_id(uint32_t size, uint32_t event_id)
{
	const struct persist_record record = { .size = size, .event_id = event_id };
	uint64_t words;

	static_assert(offsetof(struct persist_record, event_id) ==
			      offsetof(struct persist_record, size) + sizeof(record.size),
		      "one after the other");
	memcpy(&words, &record.size, sizeof(words));
	return words;
}

static void set_plain_constants(struct event_constants *event)
{
	uint32_t bytes = sizeof(struct persist_record) + event->fixed_size;
	uint32_t units = (bytes + PERSIST_UNIT_SIZE - 1) / PERSIST_UNIT_SIZE;

	event->size_and_id = size_and_id(event->fixed_size, event->record_id);
	event->commit_step = units << PERSIST_COMMIT_LENGTH_BITS | units;
}

/* @event has mce_record's layout, if it is that. */
static void set_constants(const struct event_request *request, const struct event_program *program,
			  struct context_layout *context, struct event_constants *event)
{
	event->record_id = request->record_id;
	event->nr_cpus = request->nr_cpus;
	event->keep = request->keep;
	event->tail_type = request->tail_type;
	event->wakeup_events = request->wakeup_events;
	event->unit_mask = request->tail_bytes / PERSIST_UNIT_SIZE - 1;
	event->stores_are_ordered = STORES_ARE_ORDERED;
	event->common_type = request->tracepoint_id;
	if (program->capture == PERSIST_CAPTURE_RAW_BTF) {
		event->fixed_size = program->payload_max;
	} else {
		set_tracepoint_constants(request, context, event);
		set_plain_constants(event);
	}
	if (request->totals.source != TOTALS_NONE)
		set_totals_constants(request, context, event);
}

static struct bpf_object *open_object(const struct event_program *program, const char *btf_path)
{
	LIBBPF_OPTS(bpf_object_open_opts, opts, .object_name = "persist",
		    .btf_custom_path = btf_path);
	const void *elf;
	size_t size;

	if (program->capture == PERSIST_CAPTURE_RAW_BTF)
		elf = mce_record_bpf__elf_bytes(&size);
	else
		elf = percpu_events_bpf__elf_bytes(&size);
	return bpf_object__open_mem(elf, size, &opts);
}

/*
 * A map of maps is made for maps like @rings, before libbpf would do so, to be filled while the
 * program is loaded; one that this event does not need is not made.
 */
static int make_map_of_maps(struct bpf_object *object, const char *name, const int *rings,
			    uint32_t nr_cpus)
{
	struct bpf_map *map = bpf_object__find_map_by_name(object, name);
	int err, fd;

	if (!rings)
		return bpf_map__set_autocreate(map, false);
	fd = ring_slots__create(name, rings[0], nr_cpus);
	if (fd < 0)
		return fd;
	err = bpf_map__reuse_fd(map, fd);
	close(fd); /* the object has its own */
	return err;
}

/* Of an event without totals these are not made, and the program has no code that uses them. */
static int size_totals(struct bpf_object *object, const struct event_constants *event)
{
	static const char *const names[] = { "totals", "pages", "sums", "totals_scratch" };
	int err = 0;

	if (event->totals != TOTALS_NONE)
		return bpf_map__set_max_entries(bpf_object__find_map_by_name(object, "totals"),
						totals_layout__max_entries(event->nr_cpus));
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]) && !err; i++)
		err = bpf_map__set_autocreate(bpf_object__find_map_by_name(object, names[i]),
					      false);
	return err;
}

static int make_maps(struct bpf_object *object, const struct event_constants *event,
		     const struct buffers *buffers)
{
	struct bpf_map *map;
	int err;

	err = make_map_of_maps(object, "heads", buffers->heads, event->nr_cpus);
	if (!err)
		err = make_map_of_maps(object, "tails", buffers->tails, event->nr_cpus);
	if (!err && !event->is_dynamic) {
		map = bpf_object__find_map_by_name(object, "scratch");
		err = bpf_map__set_autocreate(map, false);
	}
	map = bpf_object__find_map_by_name(object, "wakeup");
	if (!err && !event->wakeup_events)
		err = bpf_map__set_autocreate(map, false);
	else if (!err)
		err = bpf_map__set_max_entries(map, sysconf(_SC_PAGESIZE));
	if (!err)
		err = size_totals(object, event);
	return err;
}

/*
 * Whether plain_event can record an event without totals: all of its records are alike, and so
 * small that they are copied by loads alone, nothing is missing from the context, and nobody is to
 * be woken. Most events are like that, but for those with strings.
 */
static bool is_plain(const struct kernel_types *types, const struct event_constants *event)
{
	return event->stores_are_ordered && types->task.known &&
	       event->tail_type == PERSIST_TAIL_ARRAY && !event->wakeup_events &&
	       !event->is_dynamic && !event->is_incomplete && !event->syscall_nr_offset &&
	       event->copy_size == event->fixed_size && event->copy_size <= DIRECT_BYTES_MAX;
}

/* Of the programs in the object, the one that this event needs. */
static struct bpf_program *find_program(const struct event_program *program,
					const struct kernel_types *types,
					const struct event_constants *event)
{
	const char *name;

	if (program->capture == PERSIST_CAPTURE_RAW_BTF)
		name = "mce_record_event";
	else if (event->totals != TOTALS_NONE)
		name = "counted_event";
	else
		name = is_plain(types, event) ? "plain_event" : "percpu_event";
	return bpf_object__find_program_by_name(program->object, name);
}

static void choose_program(struct bpf_object *object, const struct bpf_program *chosen)
{
	struct bpf_program *program;

	bpf_object__for_each_program(program, object)
		bpf_program__set_autoload(program, program == chosen);
}

static int program_descriptor(const struct bpf_object *object)
{
	struct bpf_program *program;

	bpf_object__for_each_program(
		program,
		object) if (bpf_program__autoload(program)) return bpf_program__fd(program);
	return -1;
}

static int map_descriptor(const struct bpf_object *object, const char *name)
{
	const struct bpf_map *map = bpf_object__find_map_by_name(object, name);

	int fd = map ? bpf_map__fd(map) : -1;

	return fd < 0 ? -1 : fd;
}

static void take_descriptors(struct event_program *program)
{
	program->program = program_descriptor(program->object);
	program->counters = map_descriptor(program->object, "counters");
	program->control = map_descriptor(program->object, ".data.control");
	program->heads = map_descriptor(program->object, "heads");
	program->tails = map_descriptor(program->object, "tails");
	program->wakeup = map_descriptor(program->object, "wakeup");
	program->scratch = map_descriptor(program->object, "scratch");
	program->totals = map_descriptor(program->object, "totals");
	program->pages = map_descriptor(program->object, "pages");
	program->sums = map_descriptor(program->object, "sums");
	program->totals_scratch = map_descriptor(program->object, "totals_scratch");
}

/* Sets the one element of a per-CPU array to @value on every CPU, and freezes the map. */
static int init_for_cpus(int map, const void *value, size_t size, uint32_t nr_cpus)
{
	char *values = calloc(nr_cpus, size);
	uint32_t zero = 0;
	int err = 0;

	if (!values)
		return -ENOMEM;
	for (uint32_t cpu = 0; cpu < nr_cpus; cpu++)
		memcpy(values + cpu * size, value, size);
	if (bpf_map_update_elem(map, &zero, values, BPF_ANY) || bpf_map_freeze(map))
		err = -errno;
	free(values);
	return err;
}

static int init_counters(int counters, const struct event_request *request)
{
	const struct persist_counters value = { .event_id = request->record_id };

	return init_for_cpus(counters, &value, sizeof(value), request->nr_cpus);
}

static int init_totals(const struct event_program *program, const struct event_request *request)
{
	const struct persist_totals_sums value = {
		.page_size = 1u << request->page_shift,
		.event_id = request->record_id,
	};

	if (program->totals < 0)
		return 0;
	if (bpf_map_freeze(program->totals) || bpf_map_freeze(program->pages))
		return -errno;
	return init_for_cpus(program->sums, &value, sizeof(value), request->nr_cpus);
}

static int start_first_generation(struct event_program *program,
				  const struct event_request *request)
{
	struct persist_control control = { .generation = FIRST_GENERATION };
	uint32_t zero = 0;
	int err;

	if (bpf_map_update_elem(program->control, &zero, &control, BPF_ANY))
		return -errno;
	if (program->wakeup >= 0 && bpf_map_freeze(program->wakeup))
		return -errno;
	err = init_counters(program->counters, request);
	return err ? err : init_totals(program, request);
}

int event_program__describe(const struct event_program *program, const struct kernel_types *types,
			    const struct event_request *request, struct event_constants *event,
			    char *btf_path)
{
	bool is_raw = program->capture == PERSIST_CAPTURE_RAW_BTF;
	struct context_layout context;
	const struct target_btf parts = {
		.task = &types->task,
		.context = &context,
		.constants = event,
		.mce_types = is_raw ? types->btf : NULL,
	};
	uint32_t payload_size;
	int err;

	*event = (struct event_constants){};
	find_mce_layout(types, request, event, &payload_size);
	err = find_context_layout(types, request, &context);
	if (err)
		return err;
	set_constants(request, program, &context, event);
	return target_btf__make(&parts, btf_path);
}

static int load_object(struct event_program *program, const struct kernel_types *types,
		       const struct event_request *request, const struct buffers *buffers)
{
	struct event_constants event;
	char btf_path[PATH_MAX];
	int err, btf_fd = event_program__describe(program, types, request, &event, btf_path);

	if (btf_fd < 0)
		return btf_fd;
	program->object = open_object(program, btf_path);
	err = program->object ? make_maps(program->object, &event, buffers) : -errno;
	if (!err)
		choose_program(program->object, find_program(program, types, &event));
	if (err)
		goto out;
	/* Takes its time, and so does the verifier. */
	ring_slots__begin_filling(&program->filling, map_descriptor(program->object, "heads"),
				  map_descriptor(program->object, "tails"), buffers,
				  FIRST_GENERATION);
	err = bpf_object__load(program->object);
out:
	close(btf_fd);
	return err;
}

static void explain_load(const struct log *log, const struct event_request *request, int err)
{
	char remedy[384] = "";

	if (err == -EPERM || err == -EMFILE || err == -ENFILE)
		snprintf(remedy, sizeof(remedy), "%s", capabilities__explain(err));
	else if (err == -E2BIG)
		snprintf(remedy, sizeof(remedy),
			 "; the event has more dynamic fields than can be recorded");
	else
		snprintf(remedy, sizeof(remedy),
			 "; %s probe says what this kernel lacks, and with --verbose the "
			 "verifier's log is shown",
			 program_name__loader());
	log_error(log, "event %s: cannot load the program for %s:%s: %s%s", request->name,
		  request->system, request->tracepoint, strerror(-err), remedy);
}

int event_program__load(struct event_program *program, const struct log *log,
			const struct kernel_types *types, const struct event_request *request,
			const struct buffers *buffers)
{
	int err;

	*program = (struct event_program){ .link = -1 };
	program->capture = event_program__plan(types, request, &program->payload_max);
	err = load_object(program, types, request, buffers);
	if (err)
		goto failed;
	if (is_dynamic(request) && program->capture == PERSIST_CAPTURE_TRACEPOINT &&
	    !kernel_may_be_read())
		log_warn(log,
			 "event %s: the kernel is locked down (confidentiality): its strings and "
			 "arrays are not recorded",
			 request->name);
	take_descriptors(program);
	err = start_first_generation(program, request);
	if (err)
		goto failed;
	return 0;
failed:
	explain_load(log, request, err);
	event_program__close(program);
	return err;
}

static int attach_tracepoint(const struct event_program *program, uint32_t tracepoint_id)
{
	/*
	 * A tracepoint's programs run on every CPU, whatever CPU the perf event is for, and
	 * whether it is enabled or not. It is left disabled, so that perf itself spends no time
	 * on it.
	 */
	struct perf_event_attr attr = {
		.type = PERF_TYPE_TRACEPOINT,
		.size = sizeof(attr),
		.config = tracepoint_id,
		.disabled = 1,
	};
	int link, event = syscall(__NR_perf_event_open, &attr, -1, 0, -1, PERF_FLAG_FD_CLOEXEC);

	if (event < 0)
		return -errno;
	link = bpf_link_create(program->program, event, BPF_PERF_EVENT, NULL);
	if (link < 0)
		link = -errno;
	close(event); /* the link holds it */
	return link;
}

int event_program__attach(struct event_program *program, const struct log *log,
			  const struct event_request *request)
{
	int link, err = ring_slots__end_filling(&program->filling);

	if (err) {
		log_error(log, "event %s: cannot give its rings to the program: %s", request->name,
			  strerror(-err));
		return err;
	}
	if (program->capture == PERSIST_CAPTURE_RAW_BTF) {
		link = bpf_raw_tracepoint_open(NULL, program->program);
		if (link < 0)
			link = -errno;
	} else {
		link = attach_tracepoint(program, request->tracepoint_id);
	}
	if (link < 0) {
		log_error(log, "event %s: cannot attach to %s:%s: %s%s", request->name,
			  request->system, request->tracepoint, strerror(-link),
			  link == -E2BIG ? "; too many programs are attached to this tracepoint"
					 : capabilities__explain_perf(link));
		return link;
	}
	program->link = link;
	return 0;
}

uint64_t event_program__locked_bytes(const struct event_program *program)
{
	const int fds[] = {
		program->program, program->counters, program->control,	      program->heads,
		program->tails,	  program->wakeup,   program->scratch,	      program->totals,
		program->pages,	  program->sums,     program->totals_scratch,
	};
	uint64_t sum = 0;

	for (size_t i = 0; i < sizeof(fds) / sizeof(fds[0]); i++)
		sum += fd_memory__locked(fds[i]);
	return sum;
}

void event_program__close(struct event_program *program)
{
	ring_slots__end_filling(&program->filling);
	if (program->link >= 0)
		close(program->link);
	bpf_object__close(program->object);
	*program = (struct event_program){ .link = -1 };
}
