/* SPDX-License-Identifier: GPL-2.0-only */
/* Which format a client wants. */
#ifndef METRICS_ACCEPTED_FORMAT_H
#define METRICS_ACCEPTED_FORMAT_H

#include "metrics_text.h"

/*
 * The format that the value of an HTTP header "Accept" (RFC 9110, 12.5.1) gives the highest weight;
 * NULL: there was none. Of equal ones, and if it accepts neither: the older format, which everybody
 * reads.
 */
enum metrics_format accepted_format(const char *accept);

#endif
