// SPDX-License-Identifier: GPL-2.0-only
/*
 * The Common Trace Format, version 1.8: a directory with a text that describes everything, and a
 * file for each event on each CPU. A stream counts what it lacks, so that with several events in
 * one nobody could tell which of them are missing.
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include "export/ctf_event.h"
#include "export/ctf_metadata.h"
#include "export/ctf_stream.h"
#include "export/export_format.h"
#include "log.h"

/* What all streams together hold back. There may be thousands, of which few bring much. */
#define MAX_BUFFERED (8 << 20)

/* A stream, and what is needed to make its file. */
struct numbered_stream {
	struct ctf_stream stream;
	char *name; /* NULL: there is no such stream yet */
};

struct ctf_writer {
	const struct log *log;
	const char *path;
	int directory;
	uint8_t uuid[CTF_UUID_SIZE];
	struct ctf_buffer metadata;
	bool metadata_is_written;
	uint64_t *classes; /* the event's instance, by the id of the stream class */
	uint32_t nr_classes;
	struct numbered_stream *streams; /* by persist_item.stream */
	uint32_t nr_streams;
	size_t buffered; /* bytes, in all streams */
	bool has_failed; /* and said so */
};

static int report(struct ctf_writer *ctf, const char *file, int err)
{
	ctf->has_failed = true;
	log_error(ctf->log,
		  "%s%s%s: cannot be written: %s; the trace can be read as far as it goes",
		  ctf->path, file ? "/" : "", file ? file : "", strerror(-err));
	return err;
}

/* ---- writing ----------------------------------------------------------------------------- */

/* Before a stream of a new class: it could not be read without. */
static int write_metadata(struct ctf_writer *ctf)
{
	int err;

	if (ctf->metadata_is_written)
		return 0;
	err = ctf_metadata__write(&ctf->metadata, ctf->directory);
	if (err)
		return report(ctf, "metadata", err);
	ctf->metadata_is_written = true;
	return 0;
}

static int write_stream(struct ctf_writer *ctf, struct numbered_stream *numbered)
{
	struct ctf_stream *stream = &numbered->stream;
	size_t size = stream->buffer.len;
	int err;

	err = write_metadata(ctf);
	if (err)
		return err;
	err = ctf_stream__write(stream, ctf->directory, numbered->name);
	if (err)
		return report(ctf, stream->file_name ? stream->file_name : numbered->name, err);
	ctf->buffered -= size;
	return 0;
}

static int write_streams(struct ctf_writer *ctf)
{
	int err = 0;

	for (uint32_t i = 0; i < ctf->nr_streams && !err; i++)
		if (ctf->streams[i].stream.buffer.len)
			err = write_stream(ctf, &ctf->streams[i]);
	return err;
}

/* ---- streams ----------------------------------------------------------------------------- */

/* The class of the streams of this event, which is described if it is new. */
static int find_class(struct ctf_writer *ctf, const struct persist_event *event, uint32_t *id)
{
	uint64_t instance = persist_event__meta(event)->instance;
	uint64_t *classes;

	for (*id = 0; *id < ctf->nr_classes; (*id)++)
		if (ctf->classes[*id] == instance)
			return 0;
	classes = reallocarray(ctf->classes, ctf->nr_classes + 1, sizeof(*classes));
	if (!classes)
		return -ENOMEM;
	ctf->classes = classes;
	ctf_event__describe(&ctf->metadata, event, *id);
	if (ctf->metadata.has_failed)
		return -ENOMEM;
	ctf->metadata_is_written = false;
	classes[ctf->nr_classes++] = instance;
	return 0;
}

static int reserve_streams(struct ctf_writer *ctf, uint32_t nr)
{
	struct numbered_stream *streams;

	if (nr <= ctf->nr_streams)
		return 0;
	nr += 64;
	streams = reallocarray(ctf->streams, nr, sizeof(*streams));
	if (!streams)
		return -ENOMEM;
	memset(streams + ctf->nr_streams, 0, (nr - ctf->nr_streams) * sizeof(*streams));
	ctf->streams = streams;
	ctf->nr_streams = nr;
	return 0;
}

/* A name for a file that says what is in it, whatever the event is named. */
static char *make_name(const struct persist_event *event, uint32_t cpu)
{
	char *name;

	if (asprintf(&name, "%s-cpu%u", persist_event__meta(event)->name, cpu) < 0)
		return NULL;
	for (char *c = name; *c; c++)
		if (*c == '/' || (c == name && *c == '.'))
			*c = '_';
	return name;
}

static int find_stream(struct ctf_writer *ctf, const struct persist_item *item,
		       struct numbered_stream **found)
{
	struct numbered_stream *numbered;
	int err = reserve_streams(ctf, item->stream + 1);

	if (err)
		return err;
	*found = numbered = &ctf->streams[item->stream];
	if (numbered->name)
		return 0;
	err = find_class(ctf, item->event, &numbered->stream.class_id);
	if (err)
		return err;
	numbered->stream.uuid = ctf->uuid;
	numbered->stream.instance = item->stream;
	numbered->stream.cpu = item->record ? item->record->cpu : item->loss.cpu;
	numbered->name = make_name(item->event, numbered->stream.cpu);
	return numbered->name ? 0 : -ENOMEM;
}

static int put_record(struct ctf_stream *stream, const struct persist_item *item)
{
	uint64_t time_ns = ctf_stream__begin_event(stream, item->record->time_ns);

	ctf_event__write(&stream->buffer, item->event, item->record, time_ns);
	return ctf_stream__end_event(stream);
}

/* What was lost before the first record was lost since recording began. */
static int put_loss(struct ctf_stream *stream, const struct persist_item *item)
{
	const struct persist_loss *loss = &item->loss;
	uint64_t after_ns = loss->after_ns;

	if (!after_ns)
		after_ns = persist_event__meta(item->event)->attach_time_ns;
	return ctf_stream__put_loss(stream, loss->lost, after_ns, loss->before_ns);
}

static int ctf_put(void *writer, const struct persist_item *item)
{
	struct ctf_writer *ctf = writer;
	struct numbered_stream *numbered;
	size_t buffered;
	int err;

	err = find_stream(ctf, item, &numbered);
	if (err)
		return report(ctf, NULL, err);
	buffered = numbered->stream.buffer.len;
	err = item->record ? put_record(&numbered->stream, item)
			   : put_loss(&numbered->stream, item);
	if (err)
		return report(ctf, numbered->name, err);
	ctf->buffered += numbered->stream.buffer.len - buffered;
	if (numbered->stream.buffer.len >= CTF_PACKET_BYTES)
		return write_stream(ctf, numbered);
	return ctf->buffered < MAX_BUFFERED ? 0 : write_streams(ctf);
}

/* ---- the format -------------------------------------------------------------------------- */

static int ctf_flush(void *writer, const struct persist_reader *reader)
{
	(void)reader;
	return write_streams(writer);
}

static int ctf_close(void *writer)
{
	struct ctf_writer *ctf = writer;
	int err = 0;

	if (!ctf->has_failed)
		err = write_streams(ctf);
	for (uint32_t i = 0; i < ctf->nr_streams; i++) {
		ctf_stream__destroy(&ctf->streams[i].stream);
		free(ctf->streams[i].name);
	}
	free(ctf->streams);
	free(ctf->classes);
	ctf_buffer__free(&ctf->metadata);
	if (ctf->directory >= 0)
		close(ctf->directory);
	free(ctf);
	return err;
}

/* Whether there is nothing in the directory; 0, 1 or -errno. */
static int is_empty(int directory)
{
	int fd = openat(directory, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC), nr = 0;
	DIR *entries = fd < 0 ? NULL : fdopendir(fd);
	int err = -errno;

	if (!entries) {
		if (fd >= 0)
			close(fd);
		return err;
	}
	while (nr <= 2 && readdir(entries))
		nr++;
	closedir(entries);
	return nr <= 2;
}

static int open_directory(struct ctf_writer *ctf)
{
	int err, empty;

	if (mkdir(ctf->path, 0777) && errno != EEXIST) {
		err = -errno;
		log_error(ctf->log, "%s: cannot be made: %s", ctf->path, strerror(-err));
		return err;
	}
	ctf->directory = open(ctf->path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	empty = ctf->directory < 0 ? -errno : is_empty(ctf->directory);
	if (empty < 0) {
		log_error(ctf->log, "%s: cannot be written: %s", ctf->path, strerror(-empty));
		return empty;
	}
	if (empty)
		return 0;
	log_error(ctf->log,
		  "%s: is not empty: a trace is a directory of its own; name one that does not "
		  "exist, or empty this one",
		  ctf->path);
	return -ENOTEMPTY;
}

/* A random UUID, RFC 9562. */
static int make_uuid(uint8_t uuid[CTF_UUID_SIZE])
{
	if (getrandom(uuid, CTF_UUID_SIZE, 0) != CTF_UUID_SIZE)
		return -errno;
	uuid[6] = (uint8_t)((uuid[6] & 0x0f) | 0x40);
	uuid[8] = (uint8_t)((uuid[8] & 0x3f) | 0x80);
	return 0;
}

static int begin(struct ctf_writer *ctf)
{
	int err = open_directory(ctf);

	if (err)
		return err;
	err = make_uuid(ctf->uuid);
	if (err)
		return report(ctf, NULL, err);
	ctf_metadata__begin(&ctf->metadata, ctf->uuid);
	return write_metadata(ctf);
}

static int ctf_open(const char *output, const struct log *log, void **writer)
{
	struct ctf_writer *ctf;
	int err;

	if (!output) {
		log_error(
			log,
			"standard output: a CTF trace is a directory, and cannot be written there; "
			"give one with -o DIRECTORY");
		return -EINVAL;
	}
	ctf = calloc(1, sizeof(*ctf));
	if (!ctf) {
		log_error(log, "cannot start: %s", strerror(ENOMEM));
		return -ENOMEM;
	}
	ctf->log = log;
	ctf->path = output;
	ctf->directory = -1;
	err = begin(ctf);
	if (err) {
		ctf->has_failed = true;
		ctf_close(ctf);
		return err;
	}
	*writer = ctf;
	return 0;
}

const struct export_format ctf_format = {
	.name = "ctf",
	.summary = "CTF 1.8 for babeltrace2 and Trace Compass (-o DIRECTORY)",
	.open = ctf_open,
	.put = ctf_put,
	.flush = ctf_flush,
	.close = ctf_close,
};
