/* SPDX-License-Identifier: GPL-2.0-only */
/* The error code of MCi_STATUS, taken apart, and names for its parts. */
#ifndef MCE_CODE_H
#define MCE_CODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "mce_status.h"

/**
 * struct mce_name - how a value is called
 * @id:   for programs; it stays as it is
 * @text: for people; NULL if it needs no mention
 *
 * @id is NULL for a value that the manuals reserve.
 */
struct mce_name {
	const char *id;
	const char *text;
};

/**
 * struct mce_code - an error code
 * @kind:          which of the forms it has
 * @level:         level of the memory hierarchy
 * @transaction:   instruction, data, or either
 * @request:       what was asked for
 * @participation: what this processor had to do with it
 * @timeout:       the request timed out, or did not
 * @access:        to memory, or to an I/O device
 * @operation:     of a memory controller
 * @internal:      AMD: which internal error
 * @channel:       of a memory controller; -1: there is none, or it is not said
 * @is_filtered:   further corrections of the same line may not be reported
 *
 * Parts that the form does not have, and values that are reserved, are NULL.
 */
struct mce_code {
	enum mce_error_kind kind;
	const struct mce_name *level;
	const struct mce_name *transaction;
	const struct mce_name *request;
	const struct mce_name *participation;
	const struct mce_name *timeout;
	const struct mce_name *access;
	const struct mce_name *operation;
	const struct mce_name *internal;
	int channel;
	bool is_filtered;
};

/* Takes the code of @status apart as the vendor's manual has it. */
void mce_code__parse(struct mce_code *code, uint64_t status, uint32_t vendor);

const struct mce_name *mce_severity__name(enum mce_severity severity);

/* The same for a kind. */
const char *mce_error_kind__id(enum mce_error_kind kind);
const char *mce_error_kind__text(enum mce_error_kind kind);

/* "intel", "Intel" for a number of the kernel's; NULL for one that it does not have. */
const struct mce_name *mce_vendor__name(uint32_t vendor);

/* The reverse: 0, or -ENOENT. */
int mce_vendor__find(const char *id, uint32_t *vendor);

#endif
