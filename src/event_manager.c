// SPDX-License-Identifier: GPL-2.0-only OR LGPL-2.1-only
#define _GNU_SOURCE
#include "event_manager.h"

#include <errno.h>
#include <linux/membarrier.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <bpf/bpf.h>

#include "cpu_list.h"
#include "event_constants.h"
#include "fd_memory.h"
#include "registry.h"
#include "tracefs.h"
#include "typed_maps.h"

static const struct pin_access private_access = { 0600, (gid_t)-1 };
static const struct pin_access text_access = { 0444, (gid_t)-1 };

/* ---- the files that do not belong to one event ------------------------------------------- */

static int put_text(struct event_manager *manager, const char *file, const char *text)
{
	uint64_t locked = 0;
	int err, fd;

	if (pin_tree__has_file(manager->tree, file))
		return 0;
	fd = text_files__make_text(&manager->files, manager->log, text, strlen(text), &locked);
	if (fd < 0)
		return fd;
	err = pin_tree__put_file(manager->tree, file, fd, text_access);
	close(fd);
	return err;
}

static int complete_tree(struct event_manager *manager)
{
	int err = 0;

	if (!pin_tree__has_file(manager->tree, "registry"))
		err = registry__create(manager->tree);
	/* What the perf persistent events would have put into sysfs. */
	if (!err)
		err = put_text(manager, "type", "6\n");
	if (!err)
		err = put_text(manager, "format/persistent", "attr5:23\n");
	if (!err)
		err = put_text(manager, "format/config", "config:0-63\n");
	return err;
}

/* Rings are numbered by CPU, so that what counts is the highest one that can come. */
static int count_cpus(uint32_t *nr)
{
	struct cpu_list possible;
	int err = cpu_list__read_possible(&possible);

	*nr = 0;
	for (uint32_t cpu = 0; !err && cpu < CPU_LIST_MAX; cpu++)
		if (cpu_list__has(&possible, cpu))
			*nr = cpu + 1;
	return err;
}

int event_manager__open(struct event_manager *manager, struct pin_tree *tree)
{
	int err;

	*manager = (struct event_manager){ .log = tree->log, .tree = tree };
	err = count_cpus(&manager->nr_cpus);
	if (err) {
		log_error(manager->log, "cannot find out which CPUs there can be: %s",
			  strerror(-err));
		return err;
	}
	manager->has_overwrite = buffers__kernel_has_overwrite();
	kernel_types__load(&manager->types);
	err = text_files__open(&manager->files, manager->log, &manager->types);
	if (!err)
		err = complete_tree(manager);
	if (err)
		event_manager__close(manager);
	return err;
}

void event_manager__close(struct event_manager *manager)
{
	text_files__close(&manager->files);
	kernel_types__free(&manager->types);
}

/* ---- making an event --------------------------------------------------------------------- */

/* Everything about an event while it is made; close_new_event() takes any part of it. */
struct new_event {
	struct event_spec spec;
	struct event_format *format;
	char *format_text;
	size_t format_len;
	uint32_t tracepoint_id;
	struct event_request request;
	enum persist_capture capture;
	uint32_t payload_max;
	struct buffers buffers;
	struct event_program program;
	struct persist_meta meta;
	uint64_t locked_bytes;
};

static void close_new_event(struct new_event *event)
{
	event_program__close(&event->program);
	buffers__close(&event->buffers);
	event_format__free(event->format);
	free(event->format_text);
}

static uint64_t now(clockid_t clock)
{
	struct timespec ts;

	clock_gettime(clock, &ts);
	return ts.tv_sec * 1000000000ull + ts.tv_nsec;
}

static int report_no_tracepoint(const struct log *log, const struct event_spec *spec, int err)
{
	const char *remedy = "", *wrong = tracefs__what_is_wrong();

	if (wrong || err != -ENOENT) {
		log_error(log, "event %s:%s: %s", spec->system, spec->tracepoint,
			  wrong ?: strerror(-err));
		return err;
	}
	if (!strcmp(spec->system, "mce"))
		remedy = " (CONFIG_X86_MCE is off)";
	else if (!strcmp(spec->system, "syscalls"))
		remedy = " (perf list 'syscalls:*' shows those it has)";
	else
		remedy = "; if a module has it, load the module first";
	log_error(log, "event %s:%s: this kernel has no such tracepoint%s", spec->system,
		  spec->tracepoint, remedy);
	return err;
}

static int read_format(struct event_manager *manager, struct new_event *event)
{
	const struct event_spec *spec = &event->spec;
	int err = tracefs__read_tracepoint(spec->system, spec->tracepoint, &event->tracepoint_id,
					   &event->format_text, &event->format_len);

	if (err)
		return report_no_tracepoint(manager->log, spec, err);
	err = event_format__parse(event->format_text, event->format_len, &event->format);
	if (err)
		log_error(manager->log, "event %s:%s: its format text cannot be understood: %s",
			  spec->system, spec->tracepoint, strerror(-err));
	return err;
}

/*
 * Where stores may pass each other, the kernel's overwriting ringbuf does not let a reader tell
 * reliably that a record was overwritten while it was copied: overwrite_pos may be seen late.
 * The array ring does.
 */
static enum persist_tail_type best_tail_type(const struct event_manager *manager)
{
	return manager->has_overwrite && STORES_ARE_ORDERED ? PERSIST_TAIL_RINGBUF
							    : PERSIST_TAIL_ARRAY;
}

static enum persist_tail_type choose_tail_type(const struct event_manager *manager,
					       const struct event_spec *spec)
{
	if (spec->keep == PERSIST_KEEP_OLDEST)
		return PERSIST_TAIL_NONE;
	if (spec->ring != PERSIST_TAIL_NONE)
		return spec->ring;
	return best_tail_type(manager);
}

/* Reads what the kernel says about the tracepoint and decides how it will be recorded. */
static int plan_event(struct event_manager *manager, struct new_event *event)
{
	struct event_spec *spec = &event->spec;
	int err;

	if (!event_spec__name_is_valid(spec->name)) {
		log_error(manager->log,
			  "event %s:%s: '%s' cannot be a name in the tree; choose another with "
			  "name=",
			  spec->system, spec->tracepoint, spec->name);
		return -EINVAL;
	}
	err = read_format(manager, event);
	if (err)
		return err;
	event->request = (struct event_request){
		.name = spec->name,
		.system = spec->system,
		.tracepoint = spec->tracepoint,
		.tracepoint_id = event->tracepoint_id,
		.format = event->format,
		.keep = spec->keep,
		.tail_type = choose_tail_type(manager, spec),
		.wakeup_events = spec->wakeup_events,
		.nr_cpus = manager->nr_cpus,
	};
	if (spec->ring == PERSIST_TAIL_RINGBUF && !manager->has_overwrite) {
		log_error(manager->log,
			  "event %s: ring=ringbuf: this kernel has no ringbuf that "
			  "overwrites (Linux 6.19 has); leave it to ring=auto",
			  spec->name);
		return -EOPNOTSUPP;
	}
	event->capture = event_program__plan(&manager->types, &event->request, &event->payload_max);
	err = event_spec__round_sizes(spec, manager->log, event->payload_max);
	event->request.tail_bytes = spec->tail_bytes;
	return err;
}

static bool is_same(const struct persist_meta *meta, const struct new_event *event)
{
	const struct event_spec *spec = &event->spec;

	return !strcmp(meta->system, spec->system) && !strcmp(meta->tracepoint, spec->tracepoint) &&
	       meta->keep == spec->keep && meta->head_bytes == spec->head_bytes &&
	       meta->tail_bytes == spec->tail_bytes && meta->wakeup_events == spec->wakeup_events &&
	       (spec->ring == PERSIST_TAIL_NONE || spec->ring == meta->tail_type ||
		meta->tail_type == PERSIST_TAIL_NONE);
}

static void print_policy(char *buf, size_t size, const char *system, const char *tracepoint,
			 uint32_t keep, uint64_t head, uint64_t tail, uint32_t wakeup)
{
	snprintf(buf, size, "%s:%s/keep=%s,head=%llu,tail=%llu,wakeup=%u/", system, tracepoint,
		 event_spec__keep_name(keep), (unsigned long long)head, (unsigned long long)tail,
		 wakeup);
}

/* The name is taken: fine, if that is by the same event; otherwise say by what, and the way out. */
static int meet_existing(struct event_manager *manager, const struct new_event *event,
			 bool accept_same, struct persist_meta *meta)
{
	const struct event_spec *spec = &event->spec;
	char there[320], wanted[320];
	int err = pin_tree__read_meta(manager->tree, spec->name, meta);

	if (!err && accept_same && is_same(meta, event))
		return 0;
	if (err == -ENOTSUP) {
		log_error(manager->log,
			  "event %s: %s/%s was made by a newer version of this tool, "
			  "which has to remove it",
			  spec->name, manager->tree->root, spec->name);
		return -EEXIST;
	}
	if (err) {
		log_error(manager->log,
			  "event %s: the name is taken by %s/%s, which is not an "
			  "event; choose another with name=",
			  spec->name, manager->tree->root, spec->name);
		return -EEXIST;
	}
	print_policy(there, sizeof(there), meta->system, meta->tracepoint, meta->keep,
		     meta->head_bytes, meta->tail_bytes, meta->wakeup_events);
	print_policy(wanted, sizeof(wanted), spec->system, spec->tracepoint, spec->keep,
		     spec->head_bytes, spec->tail_bytes, spec->wakeup_events);
	if (is_same(meta, event))
		log_error(manager->log, "event %s: it is there already, as %s", spec->name, there);
	else
		log_error(manager->log,
			  "event %s: the name is taken by %s, and this would be %s; "
			  "either `loader remove %s` first, or choose another name "
			  "with name=",
			  spec->name, there, wanted, spec->name);
	return -EEXIST;
}

static void fill_meta(const struct event_manager *manager, struct new_event *event)
{
	const struct event_spec *spec = &event->spec;
	struct persist_meta *meta = &event->meta;

	*meta = (struct persist_meta){
		.magic = PERSIST_META_MAGIC,
		.version = PERSIST_ABI_VERSION,
		.size = sizeof(*meta),
		.event_id = event->request.event_id,
		.kind = PERSIST_KIND_TRACEPOINT,
		.keep = spec->keep,
		.tail_type = event->request.tail_type,
		.capture = event->capture,
		.nr_cpus = manager->nr_cpus,
		.wakeup_events = spec->wakeup_events,
		.head_bytes = spec->head_bytes,
		.tail_bytes = spec->tail_bytes,
		.generation = 1,
		.payload_max = event->payload_max,
		.config = event->tracepoint_id,
	};
	/* How perf would open the tracepoint to get the same records. */
	meta->attr = (struct perf_event_attr){
		.type = PERF_TYPE_TRACEPOINT,
		.size = sizeof(meta->attr),
		.config = event->tracepoint_id,
		.sample_period = 1,
		.sample_type = PERF_SAMPLE_RAW | PERF_SAMPLE_TIME | PERF_SAMPLE_CPU |
			       PERF_SAMPLE_TID,
		.wakeup_events = spec->wakeup_events,
		.use_clockid = 1,
		.clockid = CLOCK_BOOTTIME,
	};
	strcpy(meta->name, spec->name);
	strcpy(meta->system, spec->system);
	strcpy(meta->tracepoint, spec->tracepoint);
}

/* Says what it is, now that it records; nobody can write it from here on. */
static int write_meta(int fd, struct persist_meta *meta)
{
	uint32_t zero = 0;

	if (bpf_map_update_elem(fd, &zero, meta, BPF_ANY) || bpf_map_freeze(fd))
		return -errno;
	return 0;
}

struct pin {
	const char *name;
	int fd;
	struct pin_access access;
};

static int stage_pins(struct pin_tree *tree, const char *name, const struct pin *pins, size_t nr)
{
	int err = 0;

	for (size_t i = 0; i < nr && !err; i++)
		if (pins[i].fd >= 0)
			err = pin_tree__stage_pin(tree, name, pins[i].name, pins[i].fd,
						  pins[i].access);
	return err;
}

static int stage_buffers(struct pin_tree *tree, const char *name, const struct buffers *buffers)
{
	struct pin_access access = pin_tree__buffer_access(tree);
	char pin[32];
	int err = 0;

	for (uint32_t cpu = 0; cpu < buffers->nr_cpus && !err; cpu++) {
		if (buffers->heads) {
			snprintf(pin, sizeof(pin), PIN_HEAD_DIR "/cpu%u", cpu);
			err = pin_tree__stage_pin(tree, name, pin, buffers->heads[cpu], access);
		}
		if (buffers->tails && !err) {
			snprintf(pin, sizeof(pin), PIN_TAIL_DIR "/cpu%u", cpu);
			err = pin_tree__stage_pin(tree, name, pin, buffers->tails[cpu], access);
		}
	}
	return err;
}

static int stage_text(struct event_manager *manager, const char *name, const char *pin, int fd)
{
	struct pin text = { pin, fd, text_access };
	int err;

	if (fd < 0)
		return fd;
	err = stage_pins(manager->tree, name, &text, 1);
	close(fd);
	return err;
}

/* The event's files for cat, and for readers without tracefs. */
static int stage_texts(struct event_manager *manager, struct new_event *event)
{
	const struct text_files *files = &manager->files;
	uint64_t *locked = &event->locked_bytes;
	const char *name = event->spec.name;
	char line[64];
	int fd, err;

	fd = text_files__make_text(files, manager->log, event->format_text, event->format_len,
				   locked);
	err = stage_text(manager, name, PIN_FORMAT, fd);
	if (err)
		return err;
	snprintf(line, sizeof(line), "persistent,config=%u\n", event->request.event_id);
	fd = text_files__make_text(files, manager->log, line, strlen(line), locked);
	err = stage_text(manager, name, PIN_EVENT, fd);
	if (err)
		return err;
	fd = text_files__make_status(files, manager->log, event->program.counters,
				     event->program.meta, locked);
	return stage_text(manager, name, PIN_STATUS, fd);
}

/* Everything but the link: until that is there, nothing is recorded. */
static int stage_unattached(struct event_manager *manager, struct new_event *event)
{
	const struct event_program *program = &event->program;
	struct pin_access read = pin_tree__read_access(manager->tree);
	const struct pin pins[] = {
		{ PIN_PROGRAM, program->program, private_access },
		{ PIN_HEADS, program->heads, private_access },
		{ PIN_TAILS, program->tails, private_access },
		{ PIN_META, program->meta, read },
		{ PIN_COUNTERS, program->counters, read },
		{ PIN_CONTROL, program->control, read },
		{ PIN_WAKEUP, program->wakeup, pin_tree__buffer_access(manager->tree) },
	};
	const char *name = event->spec.name;
	int err = pin_tree__stage_event(manager->tree, name);

	if (!err)
		err = stage_pins(manager->tree, name, pins, sizeof(pins) / sizeof(pins[0]));
	if (!err)
		err = stage_buffers(manager->tree, name, &event->buffers);
	if (!err)
		err = stage_texts(manager, event);
	return err;
}

/* Attaches, and says since when; the events of the moment in between are simply there as well. */
static int attach(struct event_manager *manager, struct new_event *event)
{
	const char *name = event->spec.name;
	struct pin link = { PIN_LINK, -1, private_access };
	int err = event_program__attach(&event->program, manager->log, &event->request);

	if (err)
		return err;
	event->meta.attach_time_ns = now(CLOCK_BOOTTIME);
	event->meta.attach_wall_ns = now(CLOCK_REALTIME);
	if (getrandom(&event->meta.instance, sizeof(event->meta.instance), 0) < 0)
		event->meta.instance = event->meta.attach_wall_ns;
	err = write_meta(event->program.meta, &event->meta);
	if (err) {
		log_error(manager->log, "event %s: cannot write its metadata: %s", name,
			  strerror(-err));
		return err;
	}
	link.fd = event->program.link;
	return stage_pins(manager->tree, name, &link, 1);
}

static int publish(struct event_manager *manager, struct new_event *event)
{
	struct persist_registry_entry entry;
	const char *name = event->spec.name;
	int err;

	registry__describe(&event->meta, event->locked_bytes, &entry);
	err = registry__put(manager->tree, event->meta.event_id, &entry);
	if (err)
		return err;
	pin_tree__unlink_name(manager->tree, name);
	err = pin_tree__link_name(manager->tree, name);
	if (!err)
		err = pin_tree__publish(manager->tree, name);
	if (err)
		registry__remove(manager->tree, event->meta.event_id);
	return err;
}

static int make_event(struct event_manager *manager, struct new_event *event)
{
	const struct event_spec *spec = &event->spec;
	const struct buffer_sizes sizes = {
		.nr_cpus = manager->nr_cpus,
		.head_bytes = spec->head_bytes,
		.tail_bytes = spec->tail_bytes,
		.tail_type = event->request.tail_type,
		.payload_max = event->payload_max,
	};
	int err;

	err = registry__choose_id(manager->tree, event->tracepoint_id, &event->request.event_id);
	if (!err)
		err = buffers__create(&event->buffers, manager->log, spec->name, &sizes);
	if (!err)
		err = event_program__load(&event->program, manager->log, &manager->types,
					  &event->request, &event->buffers);
	if (err)
		return err;
	fill_meta(manager, event);
	event->locked_bytes = event_program__locked_bytes(&event->program) +
			      buffers__locked_bytes(&event->buffers);
	err = stage_unattached(manager, event);
	if (!err)
		err = attach(manager, event);
	if (!err)
		err = publish(manager, event);
	if (err)
		pin_tree__unstage(manager->tree, spec->name);
	return err;
}

int event_manager__add(struct event_manager *manager, const struct event_spec *spec,
		       bool accept_same, enum event_added *added, struct persist_meta *meta)
{
	struct new_event event = { .spec = *spec, .program.link = -1 };
	const struct log *log = manager->log;
	int err;

	*added = EVENT_ADDED;
	if (spec->optional)
		manager->log = NULL; /* that it is not there is no error, and said by the caller */
	err = plan_event(manager, &event);
	manager->log = log;
	if (err == -ENOENT && spec->optional && !tracefs__what_is_wrong()) {
		*added = EVENT_SKIPPED;
		err = 0;
		goto out;
	}
	if (err && spec->optional)
		err = plan_event(manager, &event); /* again, with the messages */
	if (err)
		goto out;
	if (pin_tree__is_taken(manager->tree, spec->name)) {
		err = meet_existing(manager, &event, accept_same, meta);
		*added = EVENT_WAS_THERE;
		goto out;
	}
	err = make_event(manager, &event);
	*meta = event.meta;
out:
	close_new_event(&event);
	return err;
}

/* ---- new buffers for an event ------------------------------------------------------------- */

/* What a clear keeps: the same objects, pinned once more in the new directory. */
static const struct {
	const char *name;
	bool is_map;
	bool for_readers;
} kept_pins[] = {
	{ PIN_PROGRAM, false, false }, { PIN_LINK, false, false }, { PIN_HEADS, true, false },
	{ PIN_TAILS, true, false },    { PIN_WAKEUP, true, true }, { PIN_CONTROL, true, true },
	{ PIN_COUNTERS, true, true },
};

static int keep_pin(struct event_manager *manager, const char *name, size_t i)
{
	struct pin pin = { kept_pins[i].name, -1, private_access };
	char path[PATH_MAX];
	int err;

	pin_tree__path(manager->tree, path, "%s/%s", name, pin.name);
	pin.fd = bpf_obj_get(path);
	if (pin.fd < 0)
		return errno == ENOENT ? 0 : -errno;
	if (kept_pins[i].for_readers)
		pin.access = strcmp(pin.name, PIN_WAKEUP) ? pin_tree__read_access(manager->tree)
							  : pin_tree__buffer_access(manager->tree);
	err = stage_pins(manager->tree, name, &pin, 1);
	close(pin.fd);
	return err;
}

/* Text files are links: the object behind the pin is had by bpf(2), as for any other. */
static int keep_text(struct event_manager *manager, const char *name, const char *pin)
{
	char path[PATH_MAX];
	int fd;

	pin_tree__path(manager->tree, path, "%s/%s", name, pin);
	fd = bpf_obj_get(path);
	return stage_text(manager, name, pin, fd < 0 ? -errno : fd);
}

static int stage_cleared(struct event_manager *manager, const char *name,
			 const struct buffers *buffers, struct persist_meta *meta)
{
	struct pin meta_pin = { PIN_META, -1, pin_tree__read_access(manager->tree) };
	uint64_t locked = 0; /* as much as before */
	int counters, err = pin_tree__stage_event(manager->tree, name);

	for (size_t i = 0; i < sizeof(kept_pins) / sizeof(kept_pins[0]) && !err; i++)
		err = keep_pin(manager, name, i);
	if (!err)
		err = keep_text(manager, name, PIN_FORMAT);
	if (!err)
		err = keep_text(manager, name, PIN_EVENT);
	if (!err)
		err = stage_buffers(manager->tree, name, buffers);
	if (err)
		return err;
	meta_pin.fd = typed_map__create("meta");
	if (meta_pin.fd < 0)
		return meta_pin.fd;
	err = write_meta(meta_pin.fd, meta);
	if (!err)
		err = stage_pins(manager->tree, name, &meta_pin, 1);
	counters = pin_tree__open_map(manager->tree, name, PIN_COUNTERS, true);
	if (!err && counters < 0)
		err = counters;
	if (!err)
		err = stage_text(manager, name, PIN_STATUS,
				 text_files__make_status(&manager->files, manager->log, counters,
							 meta_pin.fd, &locked));
	if (counters >= 0)
		close(counters);
	close(meta_pin.fd);
	return err;
}

/*
 * After this no program writes to the rings of the generation before: those that had begun
 * before the switch are done. The command waits for a grace period of RCU on every CPU, as the
 * update of a map of maps does by itself.
 */
static void wait_for_programs(void)
{
	syscall(__NR_membarrier, MEMBARRIER_CMD_GLOBAL, 0, 0);
}

/* One store switches the program on every CPU to the new generation. */
static int switch_program(struct event_manager *manager, const char *name, uint32_t generation)
{
	struct persist_control control = { .generation = generation };
	int fd = pin_tree__open_map(manager->tree, name, PIN_CONTROL, false);
	uint32_t zero = 0;
	int err = 0;

	if (fd < 0)
		return fd;
	stop_point("switch to the new buffers");
	if (bpf_map_update_elem(fd, &zero, &control, BPF_ANY))
		err = -errno;
	close(fd);
	if (!err)
		wait_for_programs();
	return err;
}

static int install_buffers(struct event_manager *manager, const char *name,
			   const struct buffers *buffers, uint32_t generation)
{
	int heads = pin_tree__open_map(manager->tree, name, PIN_HEADS, false);
	int tails = pin_tree__open_map(manager->tree, name, PIN_TAILS, false);
	int err;

	stop_point("new buffers into the program");
	err = event_program__set_buffers(heads, tails, buffers, generation);
	if (heads >= 0)
		close(heads);
	if (tails >= 0)
		close(tails);
	return err;
}

static int swap_buffers(struct event_manager *manager, const char *name,
			const struct buffers *buffers, struct persist_meta *meta)
{
	int err;

	meta->generation++;
	meta->clear_time_ns = now(CLOCK_BOOTTIME);
	err = stage_cleared(manager, name, buffers, meta);
	if (!err)
		err = install_buffers(manager, name, buffers, meta->generation);
	if (!err)
		err = switch_program(manager, name, meta->generation);
	/* From here on the new state is the valid one, and a killed loader's successor makes it so.
	 */
	if (!err)
		err = pin_tree__replace(manager->tree, name);
	if (!err)
		err = pin_tree__drop_old_buffers(manager->tree, name, meta);
	pin_tree__unstage(manager->tree, name);
	return err;
}

int event_manager__clear(struct event_manager *manager, const char *name)
{
	struct persist_meta meta;
	struct buffers buffers;
	int err = pin_tree__read_meta(manager->tree, name, &meta);

	if (err) {
		log_error(manager->log, "%s/%s: %s", manager->tree->root, name,
			  err == -ENOENT    ? "there is no such event; see loader list"
			  : err == -ENOTSUP ? "made by a newer version of this tool"
					    : strerror(-err));
		return err;
	}
	const struct buffer_sizes sizes = {
		.nr_cpus = meta.nr_cpus,
		.head_bytes = meta.head_bytes,
		.tail_bytes = meta.tail_bytes,
		.tail_type = meta.tail_type,
		.payload_max = meta.payload_max,
	};
	err = buffers__create(&buffers, manager->log, name, &sizes);
	if (err)
		return err;
	err = swap_buffers(manager, name, &buffers, &meta);
	if (err)
		log_error(manager->log, "event %s: cannot be cleared: %s", name, strerror(-err));
	buffers__close(&buffers);
	return err;
}

/* ---- the end of an event ------------------------------------------------------------------ */

int event_manager__remove(struct pin_tree *tree, const char *name)
{
	struct persist_meta meta;
	int err = pin_tree__read_meta(tree, name, &meta);

	if (err) {
		log_error(tree->log, "%s/%s: %s", tree->root, name,
			  err == -ENOENT    ? "there is no such event; see loader list"
			  : err == -ENOTSUP ? "made by a newer version of this tool, which has to "
					      "remove it"
					    : strerror(-err));
		return err;
	}
	err = pin_tree__retire(tree, name);
	if (err)
		return err;
	pin_tree__unlink_name(tree, name);
	return registry__remove(tree, meta.event_id);
}
