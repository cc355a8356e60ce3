// SPDX-License-Identifier: GPL-2.0-only
#include "perf/perf_layout.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "perf/kernel_image.h"
#include "perf/memory_stream.h"
#include "perf/put_binary.h"
#include "perf/tracing_data.h"
#include "persist_event.h"
#include "tracefs.h"

static void put_header(FILE *out, uint32_t type, size_t size)
{
	const struct perf_event_header header = { .type = type, .size = (uint16_t)size };

	fwrite(&header, sizeof(header), 1, out);
}

static size_t padding(size_t size)
{
	return -size % sizeof(uint64_t);
}

/* A record of @size bytes that nobody reads. */
static void put_room(FILE *out, size_t size)
{
	put_header(out, PERF_RECORD_HEADER_EVENT_TYPE, size);
	put_zeros(out, size - sizeof(struct perf_event_header));
}

static void put_attr(FILE *out, const struct perf_header_event *event)
{
	put_header(out, PERF_RECORD_HEADER_ATTR,
		   sizeof(struct perf_event_header) + PERF_HEADER_ATTR_SIZE + sizeof(event->id));
	fwrite(&event->attr, PERF_HEADER_ATTR_SIZE, 1, out);
	put_u64(out, event->id);
}

static void put_name(FILE *out, const struct perf_header_event *event)
{
	size_t len = strlen(event->name) + 1;

	put_header(out, PERF_RECORD_EVENT_UPDATE,
		   sizeof(struct perf_event_header) + 2 * sizeof(uint64_t) + len + padding(len));
	put_u64(out, PERF_EVENT_UPDATE_NAME);
	put_u64(out, event->id);
	fwrite(event->name, len, 1, out);
	put_zeros(out, padding(len));
}

/* ---- features ---------------------------------------------------------------------------- */

/* The bytes of the stream that are also the content of this feature. */
static void put_section(struct perf_layout *layout, FILE *out, enum perf_feature feature,
			const void *bytes, size_t size)
{
	layout->features[feature] = (struct perf_file_section){
		.offset = (uint64_t)ftello(out),
		.size = size,
	};
	fwrite(bytes, size, 1, out);
	put_zeros(out, padding(size));
}

static int put_feature(struct perf_layout *layout, FILE *out, enum perf_feature feature)
{
	const size_t head = sizeof(struct perf_event_header) + sizeof(uint64_t);
	struct memory_stream content;
	size_t size;
	int err = memory_stream__open(&content);

	if (err)
		return err;
	perf_header__put_feature(content.out, feature, &layout->facts);
	err = memory_stream__end(&content);
	size = head + content.size + padding(content.size);
	/* A command line that does not fit into a record is in the complete file only. */
	if (!err && content.size && size <= UINT16_MAX) {
		put_header(out, PERF_RECORD_HEADER_FEATURE, size);
		put_u64(out, feature);
		put_section(layout, out, feature, content.bytes, content.size);
	}
	free(content.bytes);
	return err;
}

static int put_features(struct perf_layout *layout, FILE *out)
{
	/* Names of events are in the stream already, and its times are not known yet. */
	static const enum perf_feature features[] = {
		PERF_FEATURE_HOSTNAME,	 PERF_FEATURE_OSRELEASE, PERF_FEATURE_VERSION,
		PERF_FEATURE_ARCH,	 PERF_FEATURE_NRCPUS,	 PERF_FEATURE_CPUDESC,
		PERF_FEATURE_TOTAL_MEM,	 PERF_FEATURE_CMDLINE,	 PERF_FEATURE_CLOCKID,
		PERF_FEATURE_CLOCK_DATA,
	};
	int err = 0;

	for (size_t i = 0; i < sizeof(features) / sizeof(features[0]) && !err; i++)
		err = put_feature(layout, out, features[i]);
	return err;
}

static void put_build_id(struct perf_layout *layout, FILE *out)
{
	char record[KERNEL_IMAGE_MAX];
	size_t size = kernel_image__put_build_id(record);

	if (size)
		put_section(layout, out, PERF_FEATURE_BUILD_ID, record, size);
}

static int put_tracing_data(struct perf_layout *layout, FILE *out,
			    const struct tracing_data_event *events, size_t nr)
{
	/* The record, which has the size of what follows it. */
	const size_t head = sizeof(struct perf_event_header) + sizeof(uint32_t);
	struct memory_stream content;
	char *printk_formats = NULL;
	uint32_t size;
	size_t len;
	int err = memory_stream__open(&content);

	if (err)
		return err;
	/* Not everybody may read it; then such strings are shown as addresses. */
	if (tracefs__read_file("printk_formats", &printk_formats, &len))
		printk_formats = NULL;
	tracing_data__write(content.out, events, nr, printk_formats ?: "");
	free(printk_formats);
	err = memory_stream__end(&content);
	if (!err) {
		/* What follows it is to be aligned. */
		put_room(out, sizeof(struct perf_event_header) + padding(head));
		size = (uint32_t)(content.size + padding(content.size));
		put_header(out, PERF_RECORD_HEADER_TRACING_DATA, head);
		fwrite(&size, sizeof(size), 1, out);
		put_section(layout, out, PERF_FEATURE_TRACING_DATA, content.bytes, content.size);
	}
	free(content.bytes);
	return err;
}

/* ---- formats ----------------------------------------------------------------------------- */

/* Those that are missing, or that nobody can read, are made: these are the caller's to free. */
static int collect_formats(const struct persist_event *const *events, size_t nr,
			   struct tracing_data_event *formats, char **made, size_t *nr_formats)
{
	size_t nr_found = 0;

	for (size_t i = 0; i < nr; i++) {
		const struct persist_meta *meta = persist_event__meta(events[i]);
		size_t same = 0;

		while (same < i && persist_event__meta(events[same])->config != meta->config)
			same++;
		/* Two events of the same tracepoint have the same format. */
		if (same < i)
			continue;
		formats[nr_found].system = meta->system;
		formats[nr_found].text = persist_event__format_text(events[i]);
		if (!persist_event__format(events[i])) {
			made[nr_found] = tracing_data__substitute(meta->tracepoint, meta->config,
								  meta->payload_min);
			if (!made[nr_found])
				return -ENOMEM;
			formats[nr_found].text = made[nr_found];
		}
		nr_found++;
	}
	*nr_formats = nr_found;
	return 0;
}

static int put_formats(struct perf_layout *layout, FILE *out,
		       const struct persist_event *const *events)
{
	size_t nr = layout->facts.nr_events, nr_formats = 0;
	struct tracing_data_event *formats = calloc(nr + 1, sizeof(*formats));
	char **made = calloc(nr + 1, sizeof(*made));
	int err = -ENOMEM;

	if (formats && made)
		err = collect_formats(events, nr, formats, made, &nr_formats);
	if (!err)
		err = put_tracing_data(layout, out, formats, nr_formats);
	for (size_t i = 0; i < nr && made; i++)
		free(made[i]);
	free(made);
	free(formats);
	return err;
}

/* ---- what is known at the end only ------------------------------------------------------- */

static const enum perf_feature late_features[] = {
	PERF_FEATURE_CMDLINE, /* if it was too long for the stream */
	PERF_FEATURE_EVENT_DESC,
	PERF_FEATURE_SAMPLE_TIME,
};
#define NR_LATE_FEATURES (sizeof(late_features) / sizeof(late_features[0]))

/* Those that the stream does not have, from @start in the file on. */
static void put_late_features(struct perf_layout *layout, FILE *out, uint64_t start)
{
	for (size_t i = 0; i < NR_LATE_FEATURES; i++) {
		struct perf_file_section *section = &layout->features[late_features[i]];

		if (section->size)
			continue;
		section->offset = start + (uint64_t)ftello(out);
		perf_header__put_feature(out, late_features[i], &layout->facts);
		section->size = start + (uint64_t)ftello(out) - section->offset;
		put_zeros(out, padding(section->size));
	}
}

/* The attrs with the sections of their ids, which are in the stream. */
static void put_attrs(const struct perf_layout *layout, FILE *out)
{
	/* The stream begins with records of one size, each with an attr and the id. */
	const uint64_t record_size =
		sizeof(struct perf_event_header) + PERF_HEADER_ATTR_SIZE + sizeof(uint64_t);
	uint64_t end = sizeof(struct perf_file_header);

	for (size_t i = 0; i < layout->facts.nr_events; i++) {
		end += record_size;
		fwrite(&layout->facts.events[i].attr, PERF_HEADER_ATTR_SIZE, 1, out);
		put_u64(out, end - sizeof(uint64_t));
		put_u64(out, sizeof(uint64_t));
	}
}

/* How many sections of features there will be. */
static size_t count_features(const struct perf_layout *layout)
{
	size_t nr = 0;

	for (size_t i = 0; i < NR_PERF_FEATURES; i++)
		nr += layout->features[i].size != 0;
	for (size_t i = 0; i < NR_LATE_FEATURES; i++)
		nr += layout->features[late_features[i]].size == 0;
	return nr;
}

/* Where the features are, in the order of their numbers; in the header a bit for each. */
static void put_table(const struct perf_layout *layout, FILE *out, struct perf_file_header *header)
{
	for (size_t i = 0; i < NR_PERF_FEATURES; i++) {
		if (!layout->features[i].size)
			continue;
		header->features[i / 64] |= 1ull << (i % 64);
		put_u64(out, layout->features[i].offset);
		put_u64(out, layout->features[i].size);
	}
}

/* ---- the two ends ------------------------------------------------------------------------ */

int perf_layout__put_beginning(struct perf_layout *layout, FILE *out,
			       const struct persist_event *const *events)
{
	const struct perf_pipe_header header = {
		.magic = PERF_FILE_MAGIC,
		.size = sizeof(header),
	};
	const struct perf_header_facts *facts = &layout->facts;
	int err;

	fwrite(&header, sizeof(header), 1, out);
	put_room(out, sizeof(struct perf_file_header) - sizeof(header));
	for (uint32_t i = 0; i < facts->nr_events; i++)
		put_attr(out, &facts->events[i]);
	for (uint32_t i = 0; i < facts->nr_events; i++)
		put_name(out, &facts->events[i]);
	err = put_features(layout, out);
	if (err)
		return err;
	put_build_id(layout, out);
	return put_formats(layout, out, events);
}

int perf_layout__put_end(struct perf_layout *layout, FILE *out, uint64_t offset,
			 struct perf_file_header *header)
{
	const size_t attr_size = PERF_HEADER_ATTR_SIZE + sizeof(struct perf_file_section);
	const size_t table_size = count_features(layout) * sizeof(struct perf_file_section);
	struct memory_stream late;
	int err = memory_stream__open(&late);

	if (err)
		return err;
	put_late_features(layout, late.out, offset + table_size);
	err = memory_stream__end(&late);
	put_table(layout, out, header);
	fwrite(late.bytes, late.size, 1, out);
	put_attrs(layout, out);
	header->magic = PERF_FILE_MAGIC;
	header->size = sizeof(*header);
	header->attr_size = attr_size;
	header->attrs.offset = offset + table_size + late.size;
	header->attrs.size = attr_size * layout->facts.nr_events;
	free(late.bytes);
	return err;
}
