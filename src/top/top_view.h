/* SPDX-License-Identifier: GPL-2.0-only */
/* The terminal as a full screen, by ncurses: opened, painted, asked for keys, and given back. */
#ifndef TOP_VIEW_H
#define TOP_VIEW_H

#include <stdbool.h>
#include <wchar.h>

#include "log.h"
#include "top/top_frame.h"

/**
 * top_view__open() - take the terminal over
 * @log: is told why it cannot be done, and what helps
 *
 * There is one view in a program. From now on SIGTSTP, SIGCONT and SIGWINCH wait until
 * top_view__take_signals() is called; other signals' handlers should be in place.
 *
 * Return: 0, or -ENOTTY (standard input or output is no terminal), -ENODEV (the terminal's kind is
 * not known, or it cannot move its cursor), or -errno.
 */
int top_view__open(const struct log *log);

/* Gives the terminal back as it was. May be called at any time. */
void top_view__close(void);

/*
 * The same in a signal's handler, when the program is about to be ended: restores the terminal's
 * settings and its screen without ncurses.
 */
void top_view__abandon(void);

bool top_view__is_open(void);

/* A descriptor that is readable when top_view__take_signals() has something to do. */
int top_view__signal_fd(void);

/*
 * Does what signals have asked for: stops the program, with the terminal given back meanwhile; goes
 * on; takes the terminal's new size. Returns whether the screen has to be painted again.
 */
bool top_view__take_signals(void);

/* A key that was pressed, as top_ui__press() takes it; WEOF: none. */
wint_t top_view__read_key(void);

/* Sets the frame's size and sink: what is drawn then is on the screen after top_view__show(). */
void top_view__begin(struct top_frame *frame);
void top_view__show(void);

/* Everything is painted again by the next top_view__show(), whatever is on the screen. */
void top_view__repaint(void);

#endif
