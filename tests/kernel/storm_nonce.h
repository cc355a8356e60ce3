/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The storm of totals_storm.c: what the i-th event reports, packed into the one number that
 * bpf_test_run:bpf_trigger_tp has. The kernel's side makes the events, the other side knows from
 * this what there is to be counted.
 */
#ifndef STORM_NONCE_H
#define STORM_NONCE_H

/* In this order in memory: a byte, a byte, two bytes. */
#define STORM_SEVERITIES  5 /* as an EDAC driver numbers them */
#define STORM_CONTROLLERS 4
#define STORM_HOT_PAGES	  8 /* each has one error in 16 */
#define STORM_FIRST_COLD  0x1000

static inline unsigned int storm_severity(unsigned int i)
{
	return i % STORM_SEVERITIES;
}

static inline unsigned int storm_controller(unsigned int i)
{
	return i / STORM_SEVERITIES % STORM_CONTROLLERS;
}

/* Half of the errors are in a few pages, the others all over the place. */
static inline unsigned int storm_page(unsigned int i)
{
	if (i % 2)
		return 1 + i / 2 % STORM_HOT_PAGES;
	return STORM_FIRST_COLD + ((i * 2654435761u) >> 17);
}

static inline unsigned int storm_nonce(unsigned int i)
{
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
	return storm_severity(i) | storm_controller(i) << 8 | storm_page(i) << 16;
#else
	return storm_severity(i) << 24 | storm_controller(i) << 16 | storm_page(i);
#endif
}

#endif
