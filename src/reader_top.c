// SPDX-License-Identifier: GPL-2.0-only
/* `reader top`: events counted by what their records have in common, as a live view. */
#define _GNU_SOURCE
#include <errno.h>
#include <langinfo.h>
#include <locale.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "log.h"
#include "persist_bpf.h"
#include "reader_command.h"
#include "record_reader.h"
#include "selection.h"
#include "stop_signal.h"
#include "target_list.h"
#include "time_spec.h"
#include "top/top_frame.h"
#include "top/top_session.h"
#include "top/top_snapshot.h"
#include "top/top_ui.h"
#include "top/top_view.h"
#include "top/top_zoom.h"

#define DEFAULT_DELAY_NSEC  (2 * NSEC_PER_SEC)
#define SHORTEST_DELAY_NSEC (100 * NSEC_PER_MSEC)

/* How often the screen shows how far the reading of the history has come. */
#define HISTORY_DELAY_NSEC (250 * NSEC_PER_MSEC)

/* How long keys may have to wait while there is something to be read. */
#define READ_NSEC (40 * NSEC_PER_MSEC)

static const char top_help[] =
	"usage: {reader} top [-e TARGET[,TARGET...]]... [-s|--sort KEY[,KEY...]] [-d|--delay S]\n"
	"           [-E|--entries N] [--order ORDER] [--stdio] [--last N] [--since T]\n"
	"           [--until T] [-C|--cpu LIST] [--root DIR]\n"
	"\n"
	"Shows live which threads, CPUs or values events come from: rates and totals, with what was\n"
	"recorded before, and how much is missing. Press h for the keys.\n"
	"\n" TARGET_HELP "Without any, all events are shown, also those that come later.\n"
	"\n"
	"  -e, --event TARGET an event, or several with commas between them; can be given several\n"
	"                     times\n"
	"  -s, --sort KEYS    count together what has the same comm, pid, tid, cpu, event or\n"
	"                     field:NAME, or the same of several of these (default comm)\n"
	"  -d, --delay S      seconds between two looks (default 2)\n"
	"  -E, --entries N    show no more than N rows\n"
	"      --order ORDER  rate: the busiest rows first (default); total: the largest\n"
	"      --stdio        show what there is once, as text, and end\n"
	"  -C LIST            the same as --cpu\n" SELECTION_HELP "  -h, --help         show this\n"
	"\n"
	"Exit status: 0 done, 1 failed, 2 wrong usage.\n";

/* ---- the command line -------------------------------------------------------------------- */

struct top_options {
	struct persist_reader_options reader;
	struct target_list events;
	const char *key;
	uint64_t delay_ns;
	uint64_t entries; /* 0: no limit */
	enum top_order order;
	bool stdio;
};

enum {
	OPT_STDIO = 256,
	OPT_ORDER,
};

static const struct option long_options[] = {
	SELECTION_LONG_OPTIONS,
	{ "event", required_argument, NULL, 'e' },
	{ "sort", required_argument, NULL, 's' },
	{ "delay", required_argument, NULL, 'd' },
	{ "entries", required_argument, NULL, 'E' },
	{ "order", required_argument, NULL, OPT_ORDER },
	{ "stdio", no_argument, NULL, OPT_STDIO },
	{ "help", no_argument, NULL, 'h' },
	{ NULL, 0, NULL, 0 },
};

static bool parse_order(const char *text, enum top_order *order)
{
	*order = !strcmp(text, "total") ? TOP_BY_TOTAL : TOP_BY_RATE;
	return *order == TOP_BY_TOTAL || !strcmp(text, "rate");
}

/* That the events have the fields is known only when they are open. */
static int check_key(const char *text)
{
	struct top_key key;
	char error[256];
	int err = top_key__parse(&key, text, error, sizeof(error));

	if (err == -EINVAL)
		return usage_error("--sort", error);
	if (!err)
		top_key__free(&key);
	return -1;
}

/* Takes an option that has an argument of its own. As parse_options(). */
static int parse_option(int option, struct top_options *options)
{
	switch (option) {
	case 'e':
		return target_list__add(&options->events, optarg);
	case 's':
		options->key = optarg;
		return check_key(optarg);
	case 'd':
		if (!parse_seconds(optarg, &options->delay_ns) ||
		    options->delay_ns < SHORTEST_DELAY_NSEC)
			return usage_error("--delay wants seconds, at least 0.1, not", optarg);
		return -1;
	case 'E':
		return take_count("--entries", optarg, &options->entries);
	case OPT_ORDER:
		if (!parse_order(optarg, &options->order))
			return usage_error("--order wants rate or total, not", optarg);
		return -1;
	default:
		return selection__parse(&options->reader, option == 'C' ? OPT_CPU : option, optarg);
	}
}

/* Returns -1 to go on, or the status with which to exit. */
static int parse_options(int argc, char **argv, struct top_options *options)
{
	int option, status;

	while ((option = next_option(argc, argv, "e:s:d:E:C:h", long_options, NULL)) != -1) {
		if (option == 'h')
			return print_help();
		if (option == OPT_STDIO) {
			options->stdio = true;
			continue;
		}
		status = parse_option(option, options);
		if (status >= 0)
			return status;
	}
	while (optind < argc) {
		status = target_list__add(&options->events, argv[optind++]);
		if (status >= 0)
			return status;
	}
	options->reader.follow = !options->stdio;
	return selection__check(&options->reader);
}

/* ---- what is shown ----------------------------------------------------------------------- */

struct top {
	const struct top_options *options;
	struct top_session session;
	struct top_snapshot snapshot;
	struct top_ui ui;
	struct top_zoom zoom;
	struct top_frame frame;
	char events[512];    /* their names */
	uint64_t refresh_ns; /* when the counts are to be shown again */
	bool has_caught_up;  /* the history has been read */
	bool has_failed;     /* an error was said */
	bool has_ended;	     /* nothing will come any more */
	bool must_paint;
	bool is_over;
	bool has_lost_terminal;
};

/* Messages would spoil the screen while there is one: they are shown in it. */
static void take_message(void *ctx, enum persist_log_level level, const char *message)
{
	struct top *top = ctx;

	top->has_failed |= level == PERSIST_LOG_ERROR;
	if (!top_view__is_open()) {
		print_log_message(NULL, level, message);
		return;
	}
	snprintf(top->ui.message, sizeof(top->ui.message), "%s", message);
	top->must_paint = true;
}

static void name_events(struct top *top)
{
	const struct persist_event *event;
	size_t length = 0, size = sizeof(top->events);

	snprintf(top->events, size, "no events");
	for (uint32_t i = 0; (event = record_reader__event(top->session.reader, i)); i++) {
		length += (size_t)snprintf(top->events + length, size - length, "%s%s",
					   i ? ", " : "", persist_event__meta(event)->name);
		if (length >= size)
			return;
	}
}

static int take_snapshot(struct top *top)
{
	int err = top_snapshot__take(&top->snapshot, &top->session.model,
				     top_session__now(&top->session), top->ui.order);

	if (err)
		return err;
	top_snapshot__filter(&top->snapshot, &top->session.model, &top->session.key,
			     top->ui.filter);
	name_events(top);
	return 0;
}

static void draw(struct top *top)
{
	const struct top_scene scene = {
		.events = top->events,
		.key = &top->session.key,
		.model = &top->session.model,
		.snapshot = &top->snapshot,
		.ui = &top->ui,
		.zoom = &top->zoom,
		.is_complete = top->has_caught_up,
		.max_entries = top->options->entries < UINT32_MAX ? (uint32_t)top->options->entries
								  : UINT32_MAX,
	};

	top_frame__draw(&top->frame, &scene);
}

/* The rows are not those of before. */
static void begin_rows(struct top *top)
{
	top_zoom__close(&top->zoom);
	top_ui__begin_rows(&top->ui);
	top->refresh_ns = 0;
	top->has_caught_up = top->has_ended = false;
}

/* Counts by this key. What is wrong is said, and then the counting goes on as before. */
static int begin_counting(struct top *top, const char *key)
{
	char error[1024] = "";
	int err = top_session__begin(&top->session, key, error, sizeof(error));

	if (*error)
		take_message(top, PERSIST_LOG_ERROR, error);
	if (!err)
		begin_rows(top);
	return err;
}

/* ---- once, as text ----------------------------------------------------------------------- */

static void print_line(void *ctx, enum top_style style, const char *text, size_t size)
{
	(void)ctx;
	(void)style;
	while (size && text[size - 1] == ' ')
		size--;
	fwrite(text, 1, size, stdout);
	putchar('\n');
}

/* Where nothing could be read there is nothing to show: a frame would say that nothing happened. */
static bool has_nothing_to_read(const struct top *top)
{
	return top->has_failed && !record_reader__event(top->session.reader, 0);
}

static int print_once(struct top *top)
{
	int ret = 1;

	if (has_nothing_to_read(top))
		return -ENODATA; /* and messages were printed */
	while (ret == 1 && !stop_signal__has_come())
		ret = top_session__read(&top->session, boottime_now() + READ_NSEC);
	if (ret >= 0)
		ret = take_snapshot(top);
	if (ret)
		return ret;
	top->frame = (struct top_frame){
		.utf8 = !strcmp(nl_langinfo(CODESET), "UTF-8"),
		.put_line = print_line,
	};
	draw(top);
	return fflush(stdout) ? -errno : 0;
}

/* ---- live -------------------------------------------------------------------------------- */

static void count_by_next_key(struct top *top)
{
	char *key = top_session__next_key(&top->session, top->options->key);

	if (key)
		begin_counting(top, key);
	free(key);
}

static void open_zoom(struct top *top)
{
	const struct top_row *row = &top->session.model.rows[top->ui.selected_row];

	top_zoom__close(&top->zoom);
	if (top_zoom__open(&top->zoom, &top->session.options, top->session.targets,
			   top->session.nr_targets, &top->session.key, row->key, row->key_size))
		return;
	top_zoom__begin(&top->zoom);
	top->ui.is_zoomed = true;
	top->ui.zoom_back = top->ui.zoom_skip = 0;
}

static void close_zoom(struct top *top)
{
	top->ui.is_zoomed = false;
	top_zoom__close(&top->zoom);
}

static void act(struct top *top, enum top_action action)
{
	switch (action) {
	case TOP_QUIT:
		top->is_over = true;
		break;
	case TOP_FILTER:
		top_snapshot__filter(&top->snapshot, &top->session.model, &top->session.key,
				     top->ui.filter);
		break;
	case TOP_REFRESH:
		top->refresh_ns = 0;
		take_snapshot(top);
		break;
	case TOP_NEXT_KEY:
		count_by_next_key(top);
		break;
	case TOP_USE_KEY:
		begin_counting(top, top->ui.input);
		break;
	case TOP_COUNT_FROM_NOW:
		if (!top_session__restart(&top->session))
			begin_rows(top);
		break;
	case TOP_OPEN_ZOOM:
		open_zoom(top);
		break;
	case TOP_CLOSE_ZOOM:
		close_zoom(top);
		break;
	case TOP_REPAINT:
		top_view__repaint();
		break;
	case TOP_NOTHING:
		break;
	}
}

static void take_keys(struct top *top)
{
	wint_t key;

	while (!top->is_over && (key = top_view__read_key()) != WEOF) {
		act(top, top_ui__press(&top->ui, &top->snapshot, key));
		top->must_paint = true;
	}
}

/* Milliseconds for which there is nothing to do but to wait. */
static int time_to_wait(const struct top *top, bool is_behind)
{
	uint64_t now = boottime_now();

	if (is_behind || top->must_paint || now >= top->refresh_ns)
		return 0;
	return (int)((top->refresh_ns - now) / NSEC_PER_MSEC) + 1;
}

/* Waits for records, keys and signals, and deals with the latter two. */
static int wait_for_something(struct top *top, bool is_behind)
{
	int ret, timeout = time_to_wait(top, is_behind);
	struct pollfd fds[] = {
		{ .fd = persist_reader__fd(top->session.reader), .events = POLLIN },
		{ .fd = STDIN_FILENO, .events = POLLIN },
		{ .fd = stop_signal__fd(), .events = POLLIN },
		{ .fd = top_view__signal_fd(), .events = POLLIN },
	};

	if (top->has_ended)
		ret = poll(fds + 1, 3, timeout) < 0 ? -errno : 0;
	else
		ret = record_reader__poll(top->session.reader, fds, 4, timeout);
	if (ret < 0)
		return ret == -EINTR ? 0 : ret;
	if (fds[3].revents)
		top->must_paint |= top_view__take_signals();
	if (fds[1].revents & POLLIN)
		take_keys(top);
	/* The terminal is gone. */
	if (fds[1].revents & (POLLHUP | POLLERR | POLLNVAL))
		top->is_over = true;
	return 0;
}

static void say_that_it_ended(struct top *top)
{
	top->has_ended = true;
	if (!top->ui.message[0])
		take_message(top, PERSIST_LOG_INFO,
			     top->session.options.until_ns
				     ? "everything up to --until has been counted"
				     : "all events were removed");
}

/* Reads for a while. Returns whether there is more to be read, or -errno. */
static int read_items(struct top *top)
{
	int ret = -EAGAIN, zoom;

	if (!top->has_ended)
		ret = top_session__read(&top->session, boottime_now() + READ_NSEC);
	if (!ret)
		say_that_it_ended(top);
	if (ret < 0 && ret != -EAGAIN)
		return ret;
	top->has_caught_up |= ret != 1;
	if (!top->zoom.reader)
		return ret == 1;
	zoom = top_zoom__read(&top->zoom, boottime_now() + READ_NSEC);
	/* That it is complete is to be seen at once. */
	top->must_paint |= zoom == 0;
	return ret == 1 || zoom == 1;
}

/* Shows the counts of now when it is time, and anything else when there is something to show. */
static int refresh_screen(struct top *top)
{
	uint64_t now = boottime_now(), delay = top->options->delay_ns;
	int err = 0;

	if (now >= top->refresh_ns) {
		if (!top->has_caught_up && delay > HISTORY_DELAY_NSEC)
			delay = HISTORY_DELAY_NSEC;
		top->refresh_ns = now + delay;
		if (!top->ui.is_paused) {
			err = take_snapshot(top);
			if (top->ui.is_zoomed)
				top_zoom__begin(&top->zoom);
			top->must_paint = true;
		}
	}
	if (err || !top->must_paint)
		return err;
	top->must_paint = false;
	top_view__begin(&top->frame);
	draw(top);
	top_view__show();
	return 0;
}

static int show_live(struct top *top)
{
	int err = top_view__open(&log_to_stderr), is_behind;

	while (!err && !top->is_over && !stop_signal__has_come()) {
		is_behind = read_items(top);
		err = is_behind < 0 ? is_behind : refresh_screen(top);
		if (!err)
			err = wait_for_something(top, is_behind);
	}
	top->has_lost_terminal = !err && !isatty(STDIN_FILENO);
	top_view__close();
	return err;
}

/* ------------------------------------------------------------------------------------------ */

static int catch_signals(void)
{
	static const int also[] = { SIGHUP, SIGQUIT };
	int err = stop_signal__catch();

	for (size_t i = 0; i < sizeof(also) / sizeof(also[0]) && !err; i++)
		err = stop_signal__catch_also(also[i]);
	stop_signal__set_last_act(top_view__abandon);
	return err;
}

static int run_top(const struct top_options *options)
{
	struct top *top = calloc(1, sizeof(*top));
	int err = top ? 0 : -ENOMEM;

	if (!err)
		err = catch_signals();
	if (err) {
		log_error(&log_to_stderr, "cannot start: %s", strerror(-err));
		free(top);
		return err;
	}
	top->options = options;
	top->ui.order = options->order;
	top->session.options = options->reader;
	top->session.options.log_fn = take_message;
	top->session.options.log_ctx = top;
	top->session.targets = options->events.targets;
	top->session.nr_targets = options->events.nr;
	err = begin_counting(top, options->key);
	if (!err) {
		err = options->stdio ? print_once(top) : show_live(top);
		if (err && err != -ENODATA && err != -ENOTTY && err != -ENODEV && err != -EPIPE)
			log_error(&log_to_stderr, "cannot go on: %s", strerror(-err));
	}
	top_zoom__close(&top->zoom);
	top_session__end(&top->session);
	top_snapshot__free(&top->snapshot);
	/*
	 * A terminal that closes sends SIGCONT as well, which takes back the SIGSTOP by which the
	 * leak check at the exit of a sanitized program stops it: that would wait for ever.
	 */
	if (top->has_lost_terminal)
		_exit(EXIT_SUCCESS);
	free(top);
	return err;
}

static int run(int argc, char **argv)
{
	struct top_options options = { .key = "comm", .delay_ns = DEFAULT_DELAY_NSEC };
	int status;

	/* What a terminal can show depends on it; numbers and times do not. */
	setlocale(LC_CTYPE, "");
	selection__init(&options.reader);
	status = parse_options(argc, argv, &options);
	if (status < 0)
		status = run_top(&options) ? EXIT_FAILURE : EXIT_SUCCESS;
	target_list__free(&options.events);
	return status;
}

const struct reader_command top_command = {
	.name = "top",
	.summary = "show live what events come from, with rates and totals",
	.help = top_help,
	.run = run,
};
