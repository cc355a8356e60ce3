/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A decoded machine check for people: lines of a label and a text, of which those come that have
 * something to say:
 *
 *	severity  corrected: the hardware corrected it, nothing was lost
 *	error     memory controller: read, channel 1 (code 0x0091)
 *	address   0x12345000, physical, known to 4 KiB; page 0x12345
 *	from      bank 7, CPU 3, socket 0, APIC ID 0x6
 */
#ifndef MCE_TEXT_H
#define MCE_TEXT_H

#include "mce/mce_decode.h"
#include "text_out.h"

/* Every line begins with @indent and ends with a newline. */
void mce_text__print(struct text_out *out, const struct mce_decoded *decoded, const char *indent);

/* What the lines "severity" and "error" say, alone and without a newline. */
void mce_text__print_severity(struct text_out *out, const struct mce_decoded *decoded);
void mce_text__print_error(struct text_out *out, const struct mce_decoded *decoded);

#endif
