// SPDX-License-Identifier: GPL-2.0-only
#define _GNU_SOURCE
#include "perf/perf_data.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "perf/kernel_image.h"
#include "perf/memory_stream.h"
#include "perf/perf_layout.h"
#include "perf/perf_sideband.h"
#include "perf/thread_names.h"
#include "persist_event.h"
#include "write_all.h"

#define BUFFER_SIZE (1024 * 1024)

#define SAMPLE_TYPE                                                                      \
	(PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_CPU | \
	 PERF_SAMPLE_PERIOD | PERF_SAMPLE_RAW)
/* Of these, TID, TIME, CPU and IDENTIFIER are at the end of the other records. */
#define SAMPLE_ID_SIZE (4 * sizeof(uint64_t))

/* An item with what may come before it, and the ends of two rounds. */
#define ITEM_MAX (PERF_SAMPLE_MAX + PERF_SIDEBAND_MAX + 2 * sizeof(struct perf_event_header))

/* How an event is found again that was removed and added while it is read. */
struct perf_data_event {
	struct perf_sample_format format;
	uint64_t config;
	char system[PERSIST_NAME_SIZE];
	char name[PERSIST_NAME_SIZE];
};

/* A stream of the reader whose event is not known yet, or is none of the file's. */
#define STREAM_IS_NEW	  -1
#define STREAM_IS_UNKNOWN -2

struct perf_data {
	const struct log *log;
	char *path; /* for messages */
	int fd;
	bool is_regular;
	bool has_old; /* what was there before is "<path>.old" now */
	int err;      /* of the first write that failed */

	struct perf_layout layout;
	struct perf_header_event *header_events;
	struct perf_data_event *events;
	uint32_t nr_events;

	int *event_of_stream;
	uint32_t nr_streams;
	struct thread_names names;

	uint64_t data_start; /* 0: the beginning was not written */
	struct perf_data_counts counts;

	uint64_t offset; /* in the file, of the buffer */
	size_t len;
	bool has_items; /* since the last end of a round */
	char buffer[BUFFER_SIZE];
};

#define OLD_PATH_MAX (PATH_MAX + sizeof(".old"))

/* ---- the file ---------------------------------------------------------------------------- */

static int open_standard_output(struct perf_data *file)
{
	file->path = strdup("standard output");
	if (!file->path)
		return -ENOMEM;
	if (isatty(STDOUT_FILENO)) {
		log_error(file->log, "standard output is a terminal: perf.data is nothing to "
				     "look at; pass it to a file, or to perf script -i -");
		return -EINVAL;
	}
	file->fd = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 0);
	if (file->fd >= 0)
		return 0;
	log_error(file->log, "standard output: %s", strerror(errno));
	return -errno;
}

static void path_of_old(const struct perf_data *file, char old[OLD_PATH_MAX])
{
	snprintf(old, OLD_PATH_MAX, "%s.old", file->path);
}

/* perf keeps the file of the last recording as "<path>.old". */
static int keep_old(struct perf_data *file)
{
	char old[OLD_PATH_MAX];
	struct stat st;

	if (stat(file->path, &st) || !S_ISREG(st.st_mode) || !st.st_size)
		return 0;
	path_of_old(file, old);
	file->has_old = !rename(file->path, old);
	if (file->has_old)
		return 0;
	log_error(file->log, "cannot rename %s to %s: %s", file->path, old, strerror(errno));
	return -errno;
}

static int create(struct perf_data *file, const char *path)
{
	struct stat st;
	int err;

	file->path = strdup(path);
	if (!file->path)
		return -ENOMEM;
	err = keep_old(file);
	if (err)
		return err;
	file->fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOCTTY, 0600);
	if (file->fd < 0 || fstat(file->fd, &st)) {
		err = -errno;
		log_error(file->log, "cannot create %s: %s", path, strerror(-err));
		return err;
	}
	file->is_regular = S_ISREG(st.st_mode);
	return 0;
}

int perf_data__open(const char *path, const struct log *log, struct perf_data **result)
{
	struct perf_data *file = calloc(1, sizeof(*file));
	int err;

	*result = NULL;
	if (!file)
		return -ENOMEM;
	file->log = log;
	file->fd = -1;
	err = strcmp(path, "-") ? create(file, path) : open_standard_output(file);
	if (err)
		perf_data__close(file);
	else
		*result = file;
	return err;
}

void perf_data__discard(struct perf_data *file)
{
	char old[OLD_PATH_MAX];

	path_of_old(file, old);
	if (file->is_regular && unlink(file->path))
		log_warn(file->log, "cannot remove %s: %s", file->path, strerror(errno));
	if (file->has_old && rename(old, file->path))
		log_warn(file->log, "cannot rename %s to %s: %s", old, file->path, strerror(errno));
}

void perf_data__close(struct perf_data *file)
{
	if (!file)
		return;
	if (file->fd >= 0)
		close(file->fd);
	free(file->header_events);
	free(file->events);
	free(file->event_of_stream);
	free(file->path);
	free(file);
}

int perf_data__fd(const struct perf_data *file)
{
	return file->fd;
}

/* ---- writing ----------------------------------------------------------------------------- */

/* Bytes of the buffer up to the end of the last record of which all was written. */
static size_t whole_records(const struct perf_data *file, size_t written)
{
	struct perf_event_header header;
	size_t end = 0;

	while (written - end >= sizeof(header)) {
		memcpy(&header, file->buffer + end, sizeof(header));
		if (header.size > written - end)
			break;
		end += header.size;
	}
	return end;
}

/* The file ends at @offset, and takes no more. */
static int fail(struct perf_data *file, uint64_t offset, int err)
{
	file->err = err;
	file->counts.bytes = offset;
	if (err == -EPIPE)
		log_error(file->log, "%s: nobody reads it any more", file->path);
	else
		log_error(file->log, "cannot write %s: %s%s", file->path, strerror(-err),
			  file->data_start ? "; what was written until then can be read" : "");
	if (file->is_regular && ftruncate(file->fd, (off_t)offset))
		log_warn(file->log, "cannot cut %s behind its last record: %s", file->path,
			 strerror(errno));
	return err;
}

int perf_data__check(struct perf_data *file)
{
	struct pollfd pollfd = { .fd = file->fd };

	if (file->err || poll(&pollfd, 1, 0) != 1 || !(pollfd.revents & (POLLERR | POLLHUP)))
		return file->err;
	return fail(file, file->offset, -EPIPE);
}

static int no_memory(const struct perf_data *file)
{
	log_error(file->log, "%s: %s", file->path, strerror(ENOMEM));
	return -ENOMEM;
}

static int write_buffer(struct perf_data *file)
{
	size_t written;
	int err = write_all(file->fd, file->buffer, file->len, &written);

	if (err)
		return fail(file, file->offset + whole_records(file, written), err);
	file->offset += file->len;
	file->len = 0;
	return 0;
}

/* perf sorts what is between two ends of a round; what came before the first one is complete. */
static void put_end_of_round(struct perf_data *file)
{
	const struct perf_event_header header = {
		.type = PERF_RECORD_FINISHED_ROUND,
		.size = sizeof(header),
	};

	memcpy(file->buffer + file->len, &header, sizeof(header));
	file->len += sizeof(header);
}

int perf_data__flush(struct perf_data *file)
{
	if (file->err)
		return file->err;
	if (file->has_items) {
		put_end_of_round(file);
		/* perf prints a round at the end of the next one: do not make it wait for that. */
		if (!file->is_regular)
			put_end_of_round(file);
		file->has_items = false;
	}
	return write_buffer(file);
}

/* ---- what comes before the records ------------------------------------------------------- */

static void describe(struct perf_data *file, const struct persist_event *event, size_t index)
{
	const struct persist_meta *meta = persist_event__meta(event);
	struct perf_header_event *described = &file->header_events[index];
	struct perf_data_event *known = &file->events[index];

	/* An id of 0 is that of records that are of no event. */
	described->id = index + 1;
	described->attr = (struct perf_event_attr){
		.type = PERF_TYPE_TRACEPOINT,
		.size = PERF_HEADER_ATTR_SIZE,
		.config = meta->config,
		.sample_period = 1,
		.sample_type = SAMPLE_TYPE,
		.wakeup_events = meta->wakeup_events,
		.comm = 1,
		.sample_id_all = 1,
		.use_clockid = 1,
		.clockid = CLOCK_BOOTTIME,
	};
	snprintf(described->name, sizeof(described->name), "%s:%s", meta->system, meta->name);
	known->format = (struct perf_sample_format){
		.sample_type = SAMPLE_TYPE,
		.id = described->id,
		.common_type = (uint16_t)meta->config,
	};
	known->config = meta->config;
	memcpy(known->system, meta->system, sizeof(known->system));
	memcpy(known->name, meta->name, sizeof(known->name));
	if (meta->nr_cpus > file->layout.facts.nr_cpus)
		file->layout.facts.nr_cpus = meta->nr_cpus;
}

static int describe_all(struct perf_data *file, const struct persist_event *const *events,
			size_t nr, const char *const *command)
{
	file->header_events = calloc(nr + 1, sizeof(*file->header_events));
	file->events = calloc(nr + 1, sizeof(*file->events));
	if (!file->header_events || !file->events)
		return -ENOMEM;
	for (size_t i = 0; i < nr; i++)
		describe(file, events[i], i);
	file->nr_events = (uint32_t)nr;
	file->layout.facts.events = file->header_events;
	file->layout.facts.nr_events = file->nr_events;
	file->layout.facts.command = command;
	return 0;
}

int perf_data__begin(struct perf_data *file, const struct persist_event *const *events, size_t nr,
		     const char *const *command)
{
	struct memory_stream beginning = { 0 };
	int err = describe_all(file, events, nr, command);

	if (!err)
		err = memory_stream__open(&beginning);
	if (!err) {
		err = perf_layout__put_beginning(&file->layout, beginning.out, events);
		if (memory_stream__end(&beginning) && !err)
			err = -ENOMEM;
	}
	if (!err)
		err = write_all(file->fd, beginning.bytes, beginning.size, NULL);
	free(beginning.bytes);
	if (err)
		return fail(file, 0, err);
	file->offset = file->data_start = beginning.size;
	/* The first of the records is where the kernel is. */
	file->len = kernel_image__put_map(SAMPLE_ID_SIZE, file->buffer);
	return 0;
}

/* ---- the records ------------------------------------------------------------------------- */

static int find_event(const struct perf_data *file, const struct persist_meta *meta)
{
	for (uint32_t i = 0; i < file->nr_events; i++) {
		const struct perf_data_event *event = &file->events[i];

		if (event->config == meta->config && !strcmp(event->system, meta->system) &&
		    !strcmp(event->name, meta->name))
			return (int)i;
	}
	log_warn(file->log,
		 "%s:%s was added as another event than it was when the file was begun: it is "
		 "left out of %s",
		 meta->system, meta->name, file->path);
	return STREAM_IS_UNKNOWN;
}

static int grow_streams(struct perf_data *file, uint32_t stream)
{
	uint32_t nr = stream + 64;
	int *event_of_stream = reallocarray(file->event_of_stream, nr, sizeof(int));

	if (!event_of_stream)
		return no_memory(file);
	for (uint32_t i = file->nr_streams; i < nr; i++)
		event_of_stream[i] = STREAM_IS_NEW;
	file->event_of_stream = event_of_stream;
	file->nr_streams = nr;
	return 0;
}

static void put_sample(struct perf_data *file, const struct perf_sample_format *format,
		       const struct persist_record *record)
{
	struct perf_header_facts *facts = &file->layout.facts;

	if (thread_names__is_new(&file->names, record))
		file->len += perf_comm__write(format, record, file->buffer + file->len);
	file->len += perf_sample__write(format, record, record->time_ns, file->buffer + file->len);
	if (!file->counts.samples++ || record->time_ns < facts->first_time)
		facts->first_time = record->time_ns;
	if (record->time_ns > facts->last_time)
		facts->last_time = record->time_ns;
}

int perf_data__put(struct perf_data *file, const struct persist_item *item)
{
	struct perf_sample_format format;
	int event, err = file->err;

	if (!err && item->stream >= file->nr_streams)
		err = grow_streams(file, item->stream);
	if (!err && sizeof(file->buffer) - file->len < ITEM_MAX) {
		put_end_of_round(file);
		err = write_buffer(file);
	}
	if (err)
		return err;
	event = file->event_of_stream[item->stream];
	if (event == STREAM_IS_NEW) {
		event = find_event(file, persist_event__meta(item->event));
		file->event_of_stream[item->stream] = event;
	}
	if (event == STREAM_IS_UNKNOWN)
		return 0;
	format = file->events[event].format;
	if (item->record) {
		format.fields = persist_event__format(item->event);
		put_sample(file, &format, item->record);
	} else {
		file->len += perf_lost__write(&format, &item->loss, file->buffer + file->len);
		file->counts.lost += item->loss.lost;
	}
	file->has_items = true;
	return 0;
}

/* ---- the end ----------------------------------------------------------------------------- */

/*
 * What is appended to the stream is a record that is ignored, so that the stream goes on to be one.
 * It has no place in front of the table of the features, where the header of a record would be, for
 * that table follows the data at once. So its header is at first what the table says of feature 0,
 * of which there is none and which is ignored as well.
 */
struct end_head {
	struct perf_event_header header;
	uint64_t size; /* of feature 0 */
};

static const struct perf_event_header end_header = {
	.type = PERF_RECORD_HEADER_EVENT_TYPE,
	.size = sizeof(struct end_head),
};

static int make_end(struct perf_data *file, struct memory_stream *end,
		    struct perf_file_header *header)
{
	struct end_head head = { .header = end_header };
	int err = memory_stream__open(end);

	if (err)
		return err;
	fwrite(&head, sizeof(head), 1, end->out);
	err = perf_layout__put_end(&file->layout, end->out, file->offset + sizeof(head), header);
	if (memory_stream__end(end) && !err)
		err = -ENOMEM;
	/* The attrs of some 440 events are too long for a record. */
	if (!err && end->size <= UINT16_MAX) {
		head.header.size = (uint16_t)end->size;
		memcpy(end->bytes, &head, sizeof(head));
	}
	return err;
}

/* Within one page of the file: all of it or nothing, whatever happens to this process. */
static int write_at(const struct perf_data *file, const void *bytes, size_t size, uint64_t offset)
{
	ssize_t written = pwrite(file->fd, bytes, size, (off_t)offset);

	if (written < 0)
		return -errno;
	return (size_t)written == size ? 0 : -EIO;
}

/*
 * Makes of the stream what perf calls a file, in steps between which it is always one of the two:
 * with feature 0 first, then with the head of the end as the last record of the data.
 */
static int write_end(struct perf_data *file, const struct memory_stream *end,
		     struct perf_file_header *header)
{
	int err = write_all(file->fd, end->bytes, end->size, NULL);

	header->data.offset = file->data_start;
	header->data.size = file->offset - file->data_start;
	header->features[0] |= 1;
	if (!err)
		err = write_at(file, header, sizeof(*header), 0);
	if (!err)
		err = write_at(file, &end_header, sizeof(end_header), file->offset);
	header->data.size += sizeof(struct end_head);
	header->features[0] &= ~1ull;
	if (!err)
		err = write_at(file, header, sizeof(*header), 0);
	return err;
}

static int make_file(struct perf_data *file)
{
	struct perf_file_header header = { 0 };
	struct memory_stream end = { 0 };
	int err = make_end(file, &end, &header);

	if (!err)
		err = write_end(file, &end, &header);
	if (!err)
		file->counts.bytes = file->offset + end.size;
	free(end.bytes);
	return err ? fail(file, file->offset, err) : 0;
}

int perf_data__finish(struct perf_data *file, struct perf_data_counts *counts)
{
	int err = perf_data__flush(file);

	if (!err) {
		file->counts.bytes = file->offset;
		if (file->is_regular)
			err = make_file(file);
	}
	*counts = file->counts;
	return err;
}
