/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A record of ours as perf has it: a PERF_RECORD_SAMPLE of a tracepoint event, as
 * perf_event_open(2) describes it under "PERF_RECORD_SAMPLE".
 */
#ifndef PERF_SAMPLE_H
#define PERF_SAMPLE_H

#include <linux/perf_event.h>
#include <stddef.h>
#include <stdint.h>

#include "perf/perf_payload.h"
#include "persist_record.h"

/* The parts of a sample that can be written; each of them has its value below. */
#define PERF_SAMPLE_SUPPORTED                                                                   \
	(PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME |         \
	 PERF_SAMPLE_ADDR | PERF_SAMPLE_ID | PERF_SAMPLE_STREAM_ID | PERF_SAMPLE_CPU |          \
	 PERF_SAMPLE_PERIOD | PERF_SAMPLE_CALLCHAIN | PERF_SAMPLE_RAW | PERF_SAMPLE_REGS_USER | \
	 PERF_SAMPLE_STACK_USER | PERF_SAMPLE_WEIGHT | PERF_SAMPLE_WEIGHT_STRUCT |              \
	 PERF_SAMPLE_DATA_SRC | PERF_SAMPLE_TRANSACTION | PERF_SAMPLE_REGS_INTR |               \
	 PERF_SAMPLE_PHYS_ADDR | PERF_SAMPLE_CGROUP | PERF_SAMPLE_DATA_PAGE_SIZE |              \
	 PERF_SAMPLE_CODE_PAGE_SIZE | PERF_SAMPLE_AUX)

/* The longest sample of a record. */
#define PERF_SAMPLE_MAX (PERSIST_PAYLOAD_MAX + 256)

/**
 * struct perf_sample_format - what the samples of one event have
 * @sample_type: PERF_SAMPLE_* bits, only those of PERF_SAMPLE_SUPPORTED
 * @id:          of the event, as PERF_EVENT_IOC_ID would tell
 * @period:      events that each sample stands for; 0: 1
 * @common_type: what the first field of the payload says, see perf_payload.h
 * @fields:      of the event, see perf_payload.h; NULL: not known
 *
 * What we do not know is written as perf_event_open(2) writes it for an event that has no such
 * thing: the instruction pointer, address and the like are 0, the call chain is empty.
 */
struct perf_sample_format {
	uint64_t sample_type;
	uint64_t id;
	uint64_t period;
	uint16_t common_type;
	const struct event_format *fields;
};

/* Bytes of the sample of this record, its perf_event_header included; a multiple of 8. */
size_t perf_sample__size(const struct perf_sample_format *format,
			 const struct persist_record *record);

/**
 * perf_sample__write() - write the sample of this record
 * @format:  of its event
 * @record:  the record
 * @time:    what PERF_SAMPLE_TIME is to say, on the clock of the session that it is for
 * @to:      perf_sample__size() bytes, of any alignment
 *
 * Return: the bytes written.
 */
size_t perf_sample__write(const struct perf_sample_format *format,
			  const struct persist_record *record, uint64_t time, void *to);

#endif
