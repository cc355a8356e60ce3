// SPDX-License-Identifier: GPL-2.0-only
#include "top/top_zoom.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "text_output.h"
#include "time_spec.h"
#include "top/top_session.h"

int top_zoom__open(struct top_zoom *zoom, const struct persist_reader_options *options,
		   char **targets, unsigned int nr_targets, const struct top_key *key,
		   const unsigned char *bytes, size_t size)
{
	char error[1];
	int err;

	*zoom = (struct top_zoom){
		.options = *options,
		.targets = targets,
		.nr_targets = nr_targets,
		.size = size,
	};
	zoom->options.follow = 0;
	/* The reader that counts has said what there is to say. */
	zoom->options.log_fn = NULL;
	zoom->bytes = malloc(size + 1);
	err = zoom->bytes ? 0 : -ENOMEM;
	if (!err) {
		memcpy(zoom->bytes, bytes, size);
		err = top_key__parse(&zoom->key, key->text, error, sizeof(error));
	}
	if (!err)
		err = line_writer__init(&zoom->writer, -1, NULL);
	if (err)
		top_zoom__close(zoom);
	return err;
}

static void end_reading(struct top_zoom *zoom)
{
	persist_reader__free(zoom->reader);
	zoom->reader = NULL;
	last_items__destroy(&zoom->last);
	top_key__unbind(&zoom->key);
}

void top_zoom__close(struct top_zoom *zoom)
{
	end_reading(zoom);
	for (unsigned int i = 0; i < TOP_ZOOM_LINES; i++)
		free(zoom->lines[i]);
	top_key__free(&zoom->key);
	line_writer__destroy(&zoom->writer);
	free(zoom->positions);
	free(zoom->bytes);
	*zoom = (struct top_zoom){ 0 };
}

int top_zoom__begin(struct top_zoom *zoom)
{
	int err;

	if (zoom->reader)
		return 0;
	zoom->reader = top_session__new_reader(&zoom->options, zoom->targets, zoom->nr_targets);
	if (!zoom->reader)
		return -errno;
	last_items__init(&zoom->last, TOP_ZOOM_LINES, NULL, NULL);
	err = persist_reader__resume(zoom->reader, zoom->positions, (size_t)zoom->nr_positions);
	if (err)
		end_reading(zoom);
	return err;
}

/* Keeps the record if it is one of the key's. */
static int take_item(struct top_zoom *zoom, const struct persist_item *item)
{
	unsigned char bytes[TOP_KEY_MAX_SIZE];
	struct top_second *second;
	int size;

	if (!item->record) {
		/* Of which key they were nobody knows. */
		second = top_timeline__at(&zoom->timeline, item->loss.before_ns);
		if (second)
			second->lost += item->loss.lost;
		return 0;
	}
	size = top_key__make(&zoom->key, item, bytes);
	if (size < 0)
		return size;
	if ((size_t)size != zoom->size || memcmp(bytes, zoom->bytes, zoom->size) != 0)
		return 0;
	second = top_timeline__at(&zoom->timeline, item->record->time_ns);
	if (second)
		second->events++;
	return last_items__put(&zoom->last, item);
}

static int add_line(struct top_zoom *zoom, const struct persist_item *item)
{
	unsigned int place = (zoom->first + zoom->nr_lines) % TOP_ZOOM_LINES;
	char *line;
	int err;

	zoom->writer.len = 0;
	err = text_output__put(&zoom->writer, item);
	if (err)
		return err;
	line = strndup(zoom->writer.buffer, zoom->writer.len - 1);
	if (!line)
		return -ENOMEM;
	free(zoom->lines[place]);
	zoom->lines[place] = line;
	if (zoom->nr_lines < TOP_ZOOM_LINES)
		zoom->nr_lines++;
	else
		zoom->first = (zoom->first + 1) % TOP_ZOOM_LINES;
	return 0;
}

/* Everything that was there has been read: makes lines of what was kept, while it is valid. */
static int finish_reading(struct top_zoom *zoom)
{
	struct persist_position *positions;
	struct persist_item item;
	int nr, err = 0;

	while (!err && last_items__take(&zoom->last, &item))
		err = add_line(zoom, &item);
	nr = persist_reader__positions(zoom->reader, &positions);
	if (nr >= 0) {
		free(zoom->positions);
		zoom->positions = positions;
		zoom->nr_positions = nr;
	}
	/* From now on everything that is new is wanted. */
	zoom->options.last = 0;
	end_reading(zoom);
	return err ? err : nr < 0 ? nr : 0;
}

int top_zoom__read(struct top_zoom *zoom, uint64_t until_ns)
{
	struct persist_item item;
	int ret;

	if (!zoom->reader)
		return 0;
	for (unsigned int items = 1;; items++) {
		ret = persist_reader__next(zoom->reader, &item);
		if (ret == 0)
			return finish_reading(zoom);
		if (ret > 0)
			ret = take_item(zoom, &item);
		if (ret < 0) {
			end_reading(zoom);
			return ret;
		}
		if (items % TOP_ITEMS_PER_CLOCK == 0 && boottime_now() >= until_ns)
			return 1;
	}
}

const char *top_zoom__line(const struct top_zoom *zoom, unsigned int index)
{
	return zoom->lines[(zoom->first + index) % TOP_ZOOM_LINES];
}
