/* SPDX-License-Identifier: GPL-2.0-only */
/* SIGINT and SIGTERM as something that a loop can ask for and a poll(2) can wait for. */
#ifndef STOP_SIGNAL_H
#define STOP_SIGNAL_H

#include <stdbool.h>

/*
 * From now on the first of these signals only asks the program to end, so that it can write what
 * it has; the second one ends it at once, should the output not take it. Returns 0 or -errno.
 */
int stop_signal__catch(void);

/* The same for another signal, after stop_signal__catch(). */
int stop_signal__catch_also(int signal_number);

/*
 * What is to be done before a second signal ends the program: restore a terminal. It is called in
 * the signal's handler.
 */
void stop_signal__set_last_act(void (*act)(void));

/* Whether one has come. */
bool stop_signal__has_come(void);

/* A descriptor that is readable from then on; -1 before stop_signal__catch(). */
int stop_signal__fd(void);

#endif
