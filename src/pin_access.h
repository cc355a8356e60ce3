/* SPDX-License-Identifier: GPL-2.0-only OR LGPL-2.1-only */
/* Who may open pins, in words. */
#ifndef PERSIST_PIN_ACCESS_H
#define PERSIST_PIN_ACCESS_H

#include "log.h"

/* Says, as an error, why this process may not open @path, who may, and how to become one of them.
 */
void pin_access__log_denied(const struct log *log, const char *path);

#endif
