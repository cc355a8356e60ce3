/* SPDX-License-Identifier: GPL-2.0-only */
/* When a record of perf was written: where its time is depends on the attr of its event. */
#ifndef RECORD_TIME_H
#define RECORD_TIME_H

#include <linux/perf_event.h>
#include <stdbool.h>
#include <stdint.h>

/**
 * record_time__id() - which event a record is of
 * @attr:   of any event of the session
 * @record: the record
 * @id:     set to the id
 *
 * Return: false if records of this session do not tell in the same place all. Then all of its
 * events have their time in the same place.
 */
bool record_time__id(const struct perf_event_attr *attr, const struct perf_event_header *record,
		     uint64_t *id);

/**
 * record_time__get() - the time of a record
 * @attr:   of its event
 * @record: the record
 * @time:   set to the time
 *
 * Return: false if it does not tell.
 */
bool record_time__get(const struct perf_event_attr *attr, const struct perf_event_header *record,
		      uint64_t *time);

#endif
