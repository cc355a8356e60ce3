/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What a tracepoint's record says of an error: the fields that its totals are made of. Which field
 * of which event is which of these, src/totals_layout.c knows; an event has some of them.
 *
 * This list is the one definition for both sides.
 */
#ifndef TOTALS_FIELDS_H
#define TOTALS_FIELDS_H

/* How the program gets at what it counts. */
enum totals_source {
	TOTALS_NONE,	/* this event has no totals */
	TOTALS_FIELDS,	/* fields of the record say what it is */
	TOTALS_MACHINE, /* registers of a machine check, see mce_status.h */
};

/* clang-format off */
#define TOTALS_RECORD_FIELDS(X)                                          \
	X(severity)   /* as the event numbers it */                      \
	X(kind)                                                          \
	X(status)                                                        \
	X(errors)     /* how many this event reports */                  \
	X(address)    /* in bytes, or in pages: constant address_shift */ \
	X(controller)                                                    \
	X(top_layer) X(middle_layer) X(lower_layer)                      \
	X(mpidr)                                                         \
	X(cpu)                                                           \
	X(socket)                                                        \
	X(bank)                                                          \
	X(label)      /* the __data_loc of a string */                   \
	/* Registers of a machine check, and whose they are */           \
	X(mcgcap) X(mce_status) X(mce_addr) X(mce_misc) X(cpuvendor)
/* clang-format on */

/* The severities of an event, four bits for each number that it has, in one constant. */
#define TOTALS_SEVERITY_BITS 4
#define TOTALS_SEVERITY_NRS  8

#endif
