/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What `reader summary` knows, and what it makes of it: the totals of some events, grouped by
 * place, and a list of what they cannot tell. Text and JSON show the same.
 */
#ifndef SUMMARY_H
#define SUMMARY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "persist_totals.h"

/* One event that reports hardware errors. */
struct summary_event {
	struct persist_event_info info;
	struct persist_totals *totals; /* NULL: it has none, or they cannot be read */
	int error;		       /* why not: -ENODATA if it has none */
};

struct summary {
	const char *root;
	uint64_t now_ns;     /* CLOCK_BOOTTIME */
	int64_t wall_offset; /* CLOCK_REALTIME - CLOCK_BOOTTIME */
	bool is_whole_tree;  /* no events were named */
	struct summary_event *events;
	size_t nr_events;
};

/* ---- time -------------------------------------------------------------------------------- */

/* Errors an hour from @since_ns until now. */
double summary__per_hour(const struct summary *summary, uint64_t errors, uint64_t since_ns);

/* ---- places ------------------------------------------------------------------------------ */

#define SUMMARY_TEXT_SIZE 192

/* What an error is at: the severities, kinds and CPUs of one bank, DIMM or device together. */
struct summary_place {
	char name[SUMMARY_TEXT_SIZE];
	uint64_t label_hash;
	uint64_t events;
	uint64_t errors;
	__u64 by_severity[PERSIST_SEVERITIES_MAX];
	uint64_t first_ns;
	uint64_t last_ns;
};

/* What the places of this event are, such as "DIMM"; NULL if its errors have none. */
const char *summary__place_title(const struct persist_totals *totals);

/*
 * The places of all totals, most errors first; the caller frees *@places. Returns how many, or
 * -ENOMEM. Without a title there are none.
 */
int summary__find_places(const struct persist_totals *totals, struct summary_place **places);

/* Everything that a key says but the severity, in words. */
void summary__describe_key(const struct persist_totals *totals, const struct persist_total_key *key,
			   char text[SUMMARY_TEXT_SIZE]);

/* The label in a key, with what a terminal would not print as question marks. */
void summary__clean_label(const struct persist_total_key *key, char text[PERSIST_LABEL_SIZE]);

/* A GUID as EFI stores it, in its usual form. */
#define GUID_TEXT_SIZE 37
void summary__format_guid(const uint8_t guid[16], char text[GUID_TEXT_SIZE]);
bool summary__has_section(const struct persist_total_key *key);

/* ---- what it cannot know ----------------------------------------------------------------- */

/* Sentences, each without a full stop. */
struct summary_limits {
	char **sentences;
	size_t nr;
};

/* Returns 0 or -ENOMEM; the caller frees them in either case. */
int summary__find_limits(const struct summary *summary, struct summary_limits *limits);
void summary_limits__free(struct summary_limits *limits);

/* ---- output ------------------------------------------------------------------------------ */

/* Prints on stdout, at most @top rows of each table. Returns 0 or -errno. */
int summary__print_text(const struct summary *summary, size_t top);

/* Prints one JSON object on stdout. Returns 0 or -errno. */
int summary__print_json(const struct summary *summary);

#endif
