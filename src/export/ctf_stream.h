/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A stream file of a CTF trace: packets, one behind the other, that are in it as a whole or not at
 * all.
 *
 * Readers find the next packet by the size of the one before, and give up a file whose last packet
 * goes beyond its end. So whatever ends the writer, between two system calls or in the middle of
 * one, has to leave whole packets. What makes that so:
 *
 * - The kernel copies to a file page by page, and a process can be killed between pages only. So
 *   a file grows by single pages, each of which is a packet without an event.
 * - A packet may be larger than its content; readers ignore what is behind that. Pages that were
 *   added are first made a part of the last packet, by its header, which lies within one page. Then
 *   they are filled: with the rest of that packet's content, and with further packets. At last the
 *   header says how much of it is content.
 *
 * The same steps let the last packet of a file grow when a follower brings a few events each time.
 */
#ifndef CTF_STREAM_H
#define CTF_STREAM_H

#include <stdbool.h>
#include <stdint.h>

#include "export/ctf_buffer.h"

/* A packet gets no more events once it has this many bytes. */
#define CTF_PACKET_BYTES (64 * 1024)

#define CTF_MAGIC     0xc1fc1fc1u
#define CTF_UUID_SIZE 16

/* What the packet header and the packet context say. */
struct ctf_packet {
	uint64_t offset;  /* in the file; a header does not go across the end of a page */
	uint64_t content; /* bytes, with the header */
	uint64_t size;	  /* bytes, with what is behind the content */
	uint64_t begin_ns;
	uint64_t end_ns;
	uint64_t discarded; /* events that the stream lacks, until the end of this packet */
	uint64_t number;
};

/**
 * struct ctf_stream - one event on one CPU
 * @uuid:       of the trace
 * @class_id:   of the stream class, see ctf_event__describe()
 * @instance:   number of the stream in the trace
 * @cpu:        the CPU
 * @file_name:  in the directory of the trace; set when the file is made
 * @last:       the last packet in the file, as it is there
 * @ended:      the same packet as it will be there, once others follow it in the buffer
 * @current:    the last packet of all, to which events are added
 * @file_bytes: length of the file
 * @buffer:     what is to follow behind the content of @last
 * @is_begun:   there is a packet
 * @is_open:    @current can have more events
 *
 * The members up to @cpu are set by the user, everything else is zero at first.
 */
struct ctf_stream {
	const uint8_t *uuid;
	uint32_t class_id;
	uint32_t instance;
	uint32_t cpu;
	char *file_name;
	struct ctf_packet last, ended, current;
	uint64_t file_bytes;
	struct ctf_buffer buffer;
	bool is_begun, is_open;
};

/* Frees what the stream holds, also what was not written. */
void ctf_stream__destroy(struct ctf_stream *stream);

/* The types of packet headers and packet contexts, as structures in the metadata. */
void ctf_stream__describe_header(struct ctf_buffer *text);
void ctf_stream__describe_context(struct ctf_buffer *text);

/**
 * ctf_stream__begin_event() - make room for an event
 * @stream:  the stream
 * @time_ns: time of the event
 *
 * The event is then put into @stream->buffer.
 *
 * Return: the time that the event is to have: that of the one before, if it is earlier.
 */
uint64_t ctf_stream__begin_event(struct ctf_stream *stream, uint64_t time_ns);

/* It was put there. Returns 0, or -ENOMEM if memory has been short. */
int ctf_stream__end_event(struct ctf_stream *stream);

/**
 * ctf_stream__put_loss() - events are missing
 * @stream:   the stream
 * @lost:     how many
 * @after_ns: they were lost after this time
 * @before_ns: and before this one
 *
 * They become a packet without events, which lasts from one to the other: so a reader gives exactly
 * this number for exactly this time.
 *
 * Return: 0 or -ENOMEM.
 */
int ctf_stream__put_loss(struct ctf_stream *stream, uint64_t lost, uint64_t after_ns,
			 uint64_t before_ns);

/**
 * ctf_stream__write() - write what was put
 * @stream:    the stream
 * @directory: descriptor of the trace's directory
 * @name:      of the file, if it is to be made; with something behind it if that is taken
 *
 * Return: 0 or -errno. After an error the file holds whole packets, and must not be written to
 * again.
 */
int ctf_stream__write(struct ctf_stream *stream, int directory, const char *name);

#endif
