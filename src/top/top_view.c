// SPDX-License-Identifier: GPL-2.0-only
#define _GNU_SOURCE
#include "top/top_view.h"

#include <errno.h>
#include <langinfo.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/signalfd.h>
#include <termios.h>
#include <unistd.h>

#define NCURSES_WIDECHAR 1
#include <curses.h>
#include <term.h>

/* An Escape that nothing follows within this time was a key; over ssh a sequence may be split. */
#define ESCAPE_DELAY_MS 100

#define SEQUENCE_SIZE 64

enum pair {
	PAIR_WARNING = 1,
	PAIR_BARS,
};

static struct {
	SCREEN *screen; /* NULL: not open */
	int signal_fd;
	sigset_t signals_before;
	struct termios settings;	  /* as they were */
	char leave_screen[SEQUENCE_SIZE]; /* what makes the terminal show what was there before */
	char show_cursor[SEQUENCE_SIZE];
	bool has_colours;
	int line; /* to be painted next */
} view = { .signal_fd = -1 };

/* ---- opening ----------------------------------------------------------------------------- */

static void keep_sequence(const char *name, char sequence[SEQUENCE_SIZE])
{
	const char *value = tigetstr(name);

	/* tigetstr() returns (char *)-1 for what is no string. */
	if (value && value != (const char *)-1 && strlen(value) < SEQUENCE_SIZE)
		strcpy(sequence, value);
}

/* Whether curses knows the terminal and can place text on it. */
static int check_terminal(const struct log *log)
{
	const char *term = getenv("TERM"), *move;
	bool can_move;
	int found;

	if (!isatty(STDIN_FILENO) || !isatty(STDOUT_FILENO)) {
		log_error(log, "standard %s is not a terminal; --stdio shows one frame as text",
			  isatty(STDOUT_FILENO) ? "input" : "output");
		return -ENOTTY;
	}
	if (setupterm(term, STDOUT_FILENO, &found) != OK) {
		log_error(log,
			  "TERM=%s: this kind of terminal is not known here (terminfo); set TERM "
			  "to one that is, such as xterm or linux, or use --stdio",
			  term ? term : "");
		return -ENODEV;
	}
	move = tigetstr("cup");
	can_move = move && move != (const char *)-1;
	keep_sequence("rmcup", view.leave_screen);
	keep_sequence("cnorm", view.show_cursor);
	/* The screen has a description of its own. */
	del_curterm(cur_term);
	if (can_move)
		return 0;
	log_error(log, "TERM=%s: this terminal cannot move its cursor; use --stdio", term);
	return -ENODEV;
}

/* Should there be a bug, the shell is not to suffer from it as well. */
static void restore_and_die(int signal_number)
{
	top_view__abandon();
	raise(signal_number);
}

static void catch_crashes(void)
{
	static const int crashes[] = { SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT };
	struct sigaction action = {
		.sa_handler = restore_and_die,
		.sa_flags = (int)(SA_RESETHAND | SA_NODEFER),
	};

	for (size_t i = 0; i < sizeof(crashes) / sizeof(crashes[0]); i++)
		sigaction(crashes[i], &action, NULL);
}

static int catch_signals(void)
{
	sigset_t signals;

	catch_crashes();
	sigemptyset(&signals);
	sigaddset(&signals, SIGTSTP);
	sigaddset(&signals, SIGCONT);
	sigaddset(&signals, SIGWINCH);
	if (sigprocmask(SIG_BLOCK, &signals, &view.signals_before))
		return -errno;
	view.signal_fd = signalfd(-1, &signals, SFD_CLOEXEC | SFD_NONBLOCK);
	return view.signal_fd < 0 ? -errno : 0;
}

static void set_modes(void)
{
	cbreak();
	noecho();
	nonl();
	intrflush(stdscr, FALSE);
	keypad(stdscr, TRUE);
	nodelay(stdscr, TRUE);
	leaveok(stdscr, TRUE);
	set_escdelay(ESCAPE_DELAY_MS);
	curs_set(0);
	view.has_colours = !getenv("NO_COLOR") && has_colors() && start_color() == OK &&
			   use_default_colors() == OK;
	if (!view.has_colours)
		return;
	init_pair(PAIR_WARNING, COLOR_RED, -1);
	init_pair(PAIR_BARS, COLOR_GREEN, -1);
}

int top_view__open(const struct log *log)
{
	int err;

	if (tcgetattr(STDIN_FILENO, &view.settings))
		memset(&view.settings, 0, sizeof(view.settings));
	err = check_terminal(log);
	if (err)
		return err;
	err = catch_signals();
	if (!err) {
		view.screen = newterm(NULL, stdout, stdin);
		err = view.screen ? 0 : -ENODEV;
	}
	if (err) {
		log_error(log, "the terminal cannot be used: %s; use --stdio", strerror(-err));
		return err;
	}
	set_modes();
	return 0;
}

bool top_view__is_open(void)
{
	return view.screen;
}

/* ---- giving it back ---------------------------------------------------------------------- */

void top_view__close(void)
{
	if (view.screen) {
		endwin();
		delscreen(view.screen);
		view.screen = NULL;
	}
	if (view.signal_fd >= 0) {
		close(view.signal_fd);
		view.signal_fd = -1;
		sigprocmask(SIG_SETMASK, &view.signals_before, NULL);
	}
}

/* Only what may be called in a signal's handler. */
static void write_sequence(const char *sequence)
{
	size_t size = 0;

	while (sequence[size])
		size++;
	/* Who cannot be told is told nothing. */
	if (write(STDOUT_FILENO, sequence, size) < 0)
		return;
}

void top_view__abandon(void)
{
	if (!view.screen)
		return;
	tcsetattr(STDIN_FILENO, TCSANOW, &view.settings);
	write_sequence(view.show_cursor);
	write_sequence(view.leave_screen);
}

/* ---- signals ----------------------------------------------------------------------------- */

int top_view__signal_fd(void)
{
	return view.signal_fd;
}

/* Stops as a program that has done nothing about SIGTSTP, until it is told to go on. */
static void stop_here(void)
{
	struct sigaction stop = { .sa_handler = SIG_DFL };
	sigset_t signal;

	endwin();
	sigaction(SIGTSTP, &stop, NULL);
	sigemptyset(&signal);
	sigaddset(&signal, SIGTSTP);
	raise(SIGTSTP);
	sigprocmask(SIG_UNBLOCK, &signal, NULL);
	/* Here it has stopped, and goes on. */
	sigprocmask(SIG_BLOCK, &signal, NULL);
}

static void take_size(void)
{
	struct winsize size;

	if (!ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) && size.ws_row && size.ws_col)
		resizeterm(size.ws_row, size.ws_col);
}

bool top_view__take_signals(void)
{
	struct signalfd_siginfo info;
	bool must_paint = false;

	while (read(view.signal_fd, &info, sizeof(info)) == (ssize_t)sizeof(info)) {
		if (info.ssi_signo == SIGTSTP)
			stop_here();
		else if (info.ssi_signo == SIGCONT && !isendwin())
			endwin(); /* another program may have had the terminal: set all up again */
		take_size();
		top_view__repaint();
		must_paint = true;
	}
	return must_paint;
}

/* ---- keys -------------------------------------------------------------------------------- */

static wint_t translate(wint_t key)
{
	static const struct {
		wint_t key;
		wint_t press;
	} keys[] = {
		{ KEY_ENTER, TOP_PRESS_ENTER },	  { KEY_BACKSPACE, TOP_PRESS_BACKSPACE },
		{ KEY_UP, TOP_PRESS_UP },	  { KEY_DOWN, TOP_PRESS_DOWN },
		{ KEY_LEFT, TOP_PRESS_LEFT },	  { KEY_RIGHT, TOP_PRESS_RIGHT },
		{ KEY_PPAGE, TOP_PRESS_PAGE_UP }, { KEY_NPAGE, TOP_PRESS_PAGE_DOWN },
		{ KEY_HOME, TOP_PRESS_HOME },	  { KEY_END, TOP_PRESS_END },
		{ KEY_F(1), (wint_t)'h' },
	};

	for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++)
		if (keys[i].key == key)
			return keys[i].press;
	return TOP_PRESS_OTHER;
}

wint_t top_view__read_key(void)
{
	wint_t key;
	int ret;

	for (;;) {
		ret = get_wch(&key);
		if (ret == ERR)
			return WEOF;
		if (ret == KEY_CODE_YES) {
			if (key == KEY_RESIZE)
				continue; /* top_view__take_signals() has seen to that */
			return translate(key);
		}
		if (key == '\r' || key == '\n')
			return TOP_PRESS_ENTER;
		if (key == 0x1b)
			return TOP_PRESS_ESCAPE;
		if (key == 0x7f || key == '\b')
			return TOP_PRESS_BACKSPACE;
		return key;
	}
}

/* ---- painting ---------------------------------------------------------------------------- */

static attr_t attributes_of(enum top_style style)
{
	switch (style) {
	case TOP_TITLE:
		return A_BOLD;
	case TOP_WARNING:
		return view.has_colours ? A_BOLD | (attr_t)COLOR_PAIR(PAIR_WARNING) : A_BOLD;
	case TOP_BARS:
		return view.has_colours ? (attr_t)COLOR_PAIR(PAIR_BARS) : A_NORMAL;
	case TOP_HEADING:
	case TOP_SELECTED:
		return A_REVERSE;
	case TOP_FOOTER:
		return A_DIM;
	default:
		return A_NORMAL;
	}
}

static void paint_line(void *ctx, enum top_style style, const char *text, size_t size)
{
	(void)ctx;
	attrset(attributes_of(style));
	if (style == TOP_HEADING || style == TOP_SELECTED)
		mvhline(view.line, 0, ' ', COLS); /* over the whole width */
	mvaddnstr(view.line++, 0, text, (int)size);
}

void top_view__begin(struct top_frame *frame)
{
	erase();
	view.line = 0;
	*frame = (struct top_frame){
		.width = (unsigned int)COLS,
		.height = (unsigned int)LINES,
		.utf8 = !strcmp(nl_langinfo(CODESET), "UTF-8"),
		.put_line = paint_line,
	};
}

void top_view__show(void)
{
	refresh();
}

void top_view__repaint(void)
{
	clearok(curscr, TRUE);
}
