/* SPDX-License-Identifier: GPL-2.0-only */
/* The options by which the reader's commands choose what is read; the same words in each. */
#ifndef SELECTION_H
#define SELECTION_H

#include <getopt.h>

#include "persist_bpf.h"

enum {
	OPT_LAST = 1000,
	OPT_SINCE,
	OPT_UNTIL,
	OPT_CPU,
	OPT_ROOT,
};

/* Entries for getopt_long(). */
#define ROOT_LONG_OPTION                                  \
	{                                                 \
		"root", required_argument, NULL, OPT_ROOT \
	}
#define SELECTION_LONG_OPTIONS                                   \
	{ "last", required_argument, NULL, OPT_LAST },           \
		{ "since", required_argument, NULL, OPT_SINCE }, \
		{ "until", required_argument, NULL, OPT_UNTIL }, \
		{ "cpu", required_argument, NULL, OPT_CPU }, ROOT_LONG_OPTION

/* Their part of a help text. */
#define SELECTION_HELP                                                                                \
	"      --last N       of what is there, only the newest N records of all events together\n"   \
	"      --since T      nothing older\n"                                                        \
	"      --until T      nothing newer; T is now, -10s, -5m, -2h, -1d, 2026-01-02T03:04:05Z,\n"  \
	"                     \"2026-01-02 03:04:05\" (local time), or seconds as the output shows\n" \
	"      --cpu LIST     only these CPUs, such as 0-3,8\n"                                       \
	"      --root DIR     the tree of pins (default " PERSIST_DEFAULT_ROOT ")\n"

/* What the help of each command says of its TARGETs. */
#define TARGET_HELP                                                                                 \
	"TARGET is the path of an event's pins (/sys/fs/bpf/persistent/mce_record), its name, or\n" \
	"persistent/NAME/. The name may be a pattern, as in 'sched_*'.\n"

/**
 * selection__init() - everything of the default root, messages to stderr
 * @options: set
 */
void selection__init(struct persist_reader_options *options);

/**
 * selection__parse() - take one option that getopt_long() has found and the command does not know
 * @options:  changed; keeps a pointer to @argument
 * @option:   what getopt_long() has returned
 * @argument: its argument
 *
 * Return: -1 if it was taken, or the exit status after a message, also for what is no option.
 */
int selection__parse(struct persist_reader_options *options, int option, const char *argument);

/* Whether the options go together: -1, or the exit status after a message. */
int selection__check(const struct persist_reader_options *options);

#endif
