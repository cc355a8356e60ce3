/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Serves the metrics of a tree over HTTP, to those who ask, until a signal comes.
 *
 * Whoever can connect can ask. What one of them can take up is bounded: how many connections there
 * are, how long one lasts, how large a request is.
 */
#ifndef METRICS_SERVER_H
#define METRICS_SERVER_H

#include "collector.h"
#include "log.h"

struct metrics_server;

/*
 * Listens at @address: "127.0.0.1:9750" or "[::1]:9750"; with port 0 at one that is free. Returns 0
 * and the server, which the caller frees, or -errno after a message. @collector and @log must
 * outlive it.
 */
int metrics_server__new(const char *address, struct metrics_collector *collector,
			const struct log *log, struct metrics_server **server);
void metrics_server__free(struct metrics_server *server);

/* Where it listens, as @address says it: with the port that was chosen. */
const char *metrics_server__address(const struct metrics_server *server);

/* Serves until SIGINT or SIGTERM. Returns 0 or -errno after a message. */
int metrics_server__run(struct metrics_server *server);

#endif
