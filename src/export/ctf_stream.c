// SPDX-License-Identifier: GPL-2.0-only
#define _GNU_SOURCE
#include "export/ctf_stream.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Pages of the page cache are not smaller on any machine. */
#define PAGE_BYTES 4096

/* Magic, UUID, stream class and stream; six numbers, and the CPU. */
#define HEADER_BYTES (4 + CTF_UUID_SIZE + 4 + 4 + 6 * 8 + 4)

/* 146 years after boot. With what a hostile record says beyond, readers would overflow. */
#define MAX_TIME_NS (UINT64_C(1) << 62)

static uint64_t whole_pages(uint64_t bytes)
{
	return (bytes + PAGE_BYTES - 1) & ~(uint64_t)(PAGE_BYTES - 1);
}

void ctf_stream__destroy(struct ctf_stream *stream)
{
	ctf_buffer__free(&stream->buffer);
	free(stream->file_name);
}

static uint64_t limit_time(uint64_t time_ns)
{
	return time_ns < MAX_TIME_NS ? time_ns : MAX_TIME_NS;
}

/* ---- headers ----------------------------------------------------------------------------- */

void ctf_stream__describe_header(struct ctf_buffer *text)
{
	ctf_buffer__print(text, "struct {\n"
				"\t\tuint32_t magic;\n"
				"\t\tuint8_t uuid[16];\n"
				"\t\tuint32_t stream_id;\n"
				"\t\tuint32_t stream_instance_id;\n"
				"\t}");
}

void ctf_stream__describe_context(struct ctf_buffer *text)
{
	ctf_buffer__print(text, "struct {\n"
				"\t\ttimestamp_t timestamp_begin;\n"
				"\t\ttimestamp_t timestamp_end;\n"
				"\t\tuint64_t content_size;\n"
				"\t\tuint64_t packet_size;\n"
				"\t\tuint64_t events_discarded;\n"
				"\t\tuint64_t packet_seq_num;\n"
				"\t\tuint32_t cpu_id;\n"
				"\t}");
}

static uint8_t *put(uint8_t *to, const void *from, size_t size)
{
	memcpy(to, from, size);
	return to + size;
}

/* As the two functions above describe it; sizes are in bits. */
static void make_header(const struct ctf_stream *stream, const struct ctf_packet *packet,
			uint8_t header[HEADER_BYTES])
{
	const uint32_t magic = CTF_MAGIC;
	const uint64_t context[] = {
		packet->begin_ns, packet->end_ns,    packet->content * 8,
		packet->size * 8, packet->discarded, packet->number,
	};

	header = put(header, &magic, sizeof(magic));
	header = put(header, stream->uuid, CTF_UUID_SIZE);
	header = put(header, &stream->class_id, sizeof(stream->class_id));
	header = put(header, &stream->instance, sizeof(stream->instance));
	header = put(header, context, sizeof(context));
	put(header, &stream->cpu, sizeof(stream->cpu));
}

/* ---- packets ----------------------------------------------------------------------------- */

/* Where the buffer goes in the file. */
static uint64_t buffer_offset(const struct ctf_stream *stream)
{
	return stream->last.offset + stream->last.content;
}

/* The current packet goes to @end. Its header goes before its content, or is kept for later. */
static void end_packet(struct ctf_stream *stream, uint64_t end)
{
	struct ctf_packet *current = &stream->current;

	current->size = end - current->offset;
	if (current->number == stream->last.number)
		stream->ended = *current;
	else if (!stream->buffer.has_failed)
		make_header(stream, current,
			    stream->buffer.data + (current->offset - buffer_offset(stream)));
}

/* The first packet is one as if it were in the file already, where the first page will bring it. */
static void begin_first_packet(struct ctf_stream *stream, uint64_t begin_ns)
{
	stream->current = (struct ctf_packet){
		.content = HEADER_BYTES,
		.begin_ns = begin_ns,
		.end_ns = begin_ns,
	};
	stream->last = stream->current;
	stream->is_begun = true;
}

static void begin_packet(struct ctf_stream *stream, uint64_t begin_ns)
{
	const struct ctf_packet *before = &stream->current;
	uint64_t end = before->offset + before->content;

	if (!stream->is_begun) {
		begin_first_packet(stream, begin_ns);
		return;
	}
	if (end % PAGE_BYTES > PAGE_BYTES - HEADER_BYTES) {
		ctf_buffer__fill(&stream->buffer, 0, whole_pages(end) - end);
		end = whole_pages(end);
	}
	end_packet(stream, end);
	stream->current = (struct ctf_packet){
		.offset = end,
		.content = HEADER_BYTES,
		.begin_ns = begin_ns > before->end_ns ? begin_ns : before->end_ns,
		.discarded = before->discarded,
		.number = before->number + 1,
	};
	stream->current.end_ns = stream->current.begin_ns;
	ctf_buffer__fill(&stream->buffer, 0, HEADER_BYTES);
}

uint64_t ctf_stream__begin_event(struct ctf_stream *stream, uint64_t time_ns)
{
	struct ctf_packet *current = &stream->current;

	time_ns = limit_time(time_ns);
	if (!stream->is_open || current->content >= CTF_PACKET_BYTES)
		begin_packet(stream, time_ns);
	stream->is_open = true;
	if (current->end_ns < time_ns)
		current->end_ns = time_ns;
	return current->end_ns;
}

int ctf_stream__end_event(struct ctf_stream *stream)
{
	stream->current.content =
		buffer_offset(stream) + stream->buffer.len - stream->current.offset;
	return stream->buffer.has_failed ? -ENOMEM : 0;
}

int ctf_stream__put_loss(struct ctf_stream *stream, uint64_t lost, uint64_t after_ns,
			 uint64_t before_ns)
{
	before_ns = limit_time(before_ns);
	if (after_ns > before_ns)
		after_ns = before_ns;
	/* The first packet has nothing before it from which its count would differ. */
	if (!stream->is_begun)
		begin_packet(stream, after_ns);
	begin_packet(stream, after_ns);
	stream->current.discarded += lost;
	if (stream->current.end_ns < before_ns)
		stream->current.end_ns = before_ns;
	stream->is_open = false;
	return stream->buffer.has_failed ? -ENOMEM : 0;
}

/* ---- the file ---------------------------------------------------------------------------- */

static int write_at(int fd, const void *bytes, size_t size, uint64_t offset)
{
	const char *from = bytes;

	while (size) {
		ssize_t written = pwrite(fd, from, size, (off_t)offset);

		if (written < 0 && errno == EINTR)
			continue;
		if (written < 0)
			return -errno;
		from += written;
		size -= (size_t)written;
		offset += (uint64_t)written;
	}
	return 0;
}

static int write_header(const struct ctf_stream *stream, int fd, const struct ctf_packet *packet)
{
	uint8_t header[HEADER_BYTES];

	make_header(stream, packet, header);
	return write_at(fd, header, sizeof(header), packet->offset);
}

/* One page more: a packet without events. The first one is the first packet of the file. */
static int add_page(struct ctf_stream *stream, int fd, uint64_t number)
{
	uint8_t page[PAGE_BYTES] = { 0 };
	struct ctf_packet packet = stream->last;
	int err;

	packet.offset = stream->file_bytes;
	packet.content = HEADER_BYTES;
	packet.size = PAGE_BYTES;
	packet.begin_ns = packet.end_ns;
	packet.number = number;
	make_header(stream, &packet, page);
	err = write_at(fd, page, sizeof(page), packet.offset);
	if (!err)
		stream->file_bytes += PAGE_BYTES;
	else if (ftruncate(fd, (off_t)stream->file_bytes))
		return -errno;
	return err;
}

/* Adds pages up to @end, and makes them a part of the last packet. */
static int grow(struct ctf_stream *stream, int fd, uint64_t end)
{
	uint64_t number = stream->last.number + (stream->file_bytes != 0);
	int err;

	if (stream->file_bytes == end)
		return 0;
	while (stream->file_bytes < end) {
		err = add_page(stream, fd, number++);
		if (err)
			return err;
	}
	stream->last.size = end - stream->last.offset;
	return write_header(stream, fd, &stream->last);
}

static int write_packets(struct ctf_stream *stream, int fd)
{
	uint64_t end = whole_pages(stream->current.offset + stream->current.content);
	int err;

	err = grow(stream, fd, end);
	if (err)
		return err;
	end_packet(stream, end);
	err = write_at(fd, stream->buffer.data, stream->buffer.len, buffer_offset(stream));
	if (!err)
		err = write_header(stream, fd, &stream->ended);
	if (err)
		return err;
	stream->last = stream->current;
	ctf_buffer__free(&stream->buffer);
	return 0;
}

/* Makes the file. A name that is taken gets the number of the stream, which is not. */
static int create(struct ctf_stream *stream, int directory, const char *name)
{
	static const int flags = O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC;
	int fd = openat(directory, name, flags, 0666);
	bool is_taken = fd < 0 && errno == EEXIST;

	if (fd < 0 && !is_taken)
		return -errno;
	if (asprintf(&stream->file_name, is_taken ? "%s-%u" : "%s", name, stream->instance) < 0) {
		stream->file_name = NULL;
		if (fd >= 0)
			close(fd);
		return -ENOMEM;
	}
	if (is_taken)
		fd = openat(directory, stream->file_name, flags, 0666);
	return fd < 0 ? -errno : fd;
}

static int open_file(struct ctf_stream *stream, int directory, const char *name)
{
	int fd;

	if (!stream->file_name)
		return create(stream, directory, name);
	fd = openat(directory, stream->file_name, O_WRONLY | O_CLOEXEC);
	return fd < 0 ? -errno : fd;
}

int ctf_stream__write(struct ctf_stream *stream, int directory, const char *name)
{
	int fd, err;

	if (!stream->buffer.len)
		return 0;
	fd = open_file(stream, directory, name);
	if (fd < 0)
		return fd;
	err = write_packets(stream, fd);
	/* Some file systems say only now that there was no room. */
	if (close(fd) && !err)
		err = -errno;
	return err;
}
