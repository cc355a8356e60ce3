/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The records of perf beside the samples, as perf_event_open(2) describes them: names of threads,
 * and where samples are missing.
 */
#ifndef PERF_SIDEBAND_H
#define PERF_SIDEBAND_H

#include <linux/perf_event.h>
#include <stddef.h>
#include <stdint.h>

#include "perf/perf_sample.h"
#include "persist_bpf.h"

/* Room for each of them. */
#define PERF_SIDEBAND_MAX 128

/**
 * perf_comm__write() - PERF_RECORD_COMM: the thread that the record is of has this name from then
 * on
 * @format: of the record's event
 * @record: a record
 * @to:     PERF_SIDEBAND_MAX bytes
 *
 * Return: the bytes written.
 */
size_t perf_comm__write(const struct perf_sample_format *format,
			const struct persist_record *record, void *to);

/**
 * perf_lost__write() - PERF_RECORD_LOST: samples are missing
 * @format: of the event
 * @loss:   how many, where and until when
 * @to:     PERF_SIDEBAND_MAX bytes
 *
 * Return: the bytes written.
 */
size_t perf_lost__write(const struct perf_sample_format *format, const struct persist_loss *loss,
			void *to);

#endif
