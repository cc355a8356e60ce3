/* SPDX-License-Identifier: GPL-2.0-only OR LGPL-2.1-only */
/* Who may open pins, in words. */
#ifndef PERSIST_PIN_ACCESS_H
#define PERSIST_PIN_ACCESS_H

#include "log.h"

/**
 * pin_access__log_denied() - say, as an error, why this process may not open a pin, who may, and
 * how to become one of them
 * @log:    gets the message
 * @path:   of the pin, or of its directory
 * @others: what else it is true of: "", or such as ", as for 2 more events"
 */
void pin_access__log_denied(const struct log *log, const char *path, const char *others);

#endif
