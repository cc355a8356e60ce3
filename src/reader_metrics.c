// SPDX-License-Identifier: GPL-2.0-only
/* `reader metrics`: counters of the events for Prometheus and whoever else reads its formats. */
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "log.h"
#include "metrics/collector.h"
#include "metrics/page.h"
#include "metrics/page_file.h"
#include "metrics/server.h"
#include "persist_bpf.h"
#include "reader_command.h"
#include "selection.h"

static const char metrics_help[] =
	"usage: {reader} metrics [--format FORMAT] [--output FILE | --listen ADDR:PORT] [--root DIR]\n"
	"\n"
	"Prints what is counted about the events of a tree, as metrics for Prometheus.\n"
	"\n"
	"      --output FILE  replace FILE in one step, for the node exporter's textfile collector\n"
	"      --listen ADDR:PORT  serve them over HTTP at /metrics, until interrupted; port 0 is\n"
	"                     one that is free. IPv6: [::1]:9750\n"
	"      --format FORMAT  openmetrics, or prometheus (text format 0.0.4). The default is\n"
	"                     openmetrics; for FILE prometheus, since the collector reads no other.\n"
	"                     With --listen the client chooses.\n"
	"      --root DIR     the tree of pins (default " PERSIST_DEFAULT_ROOT ")\n"
	"  -h, --help         show this\n"
	"\n"
	"A tree or an event that cannot be read is no failure: persist_up or persist_event_up is 0,\n"
	"and a message says why.\n"
	"\n"
	"Exit status: 0 done, 1 failed, 2 wrong usage.\n";

struct metrics_options {
	const char *root;
	const char *output;
	const char *listen;
	bool has_format;
	enum metrics_format format;
};

enum {
	OPT_OUTPUT = 256,
	OPT_LISTEN,
	OPT_FORMAT,
};

static const struct option long_options[] = {
	ROOT_LONG_OPTION,
	{ "output", required_argument, NULL, OPT_OUTPUT },
	{ "listen", required_argument, NULL, OPT_LISTEN },
	{ "format", required_argument, NULL, OPT_FORMAT },
	{ "help", no_argument, NULL, 'h' },
	{ NULL, 0, NULL, 0 },
};

static bool parse_format(const char *name, struct metrics_options *options)
{
	options->has_format = true;
	if (!strcmp(name, "openmetrics"))
		options->format = METRICS_OPENMETRICS;
	else if (!strcmp(name, "prometheus"))
		options->format = METRICS_PROMETHEUS;
	else
		return false;
	return true;
}

/* Returns -1 to go on, or the status with which to exit. */
static int parse_options(int argc, char **argv, struct metrics_options *options)
{
	int option;

	while ((option = next_option(argc, argv, "h", long_options, NULL)) != -1) {
		switch (option) {
		case OPT_OUTPUT:
			options->output = optarg;
			break;
		case OPT_LISTEN:
			options->listen = optarg;
			break;
		case OPT_FORMAT:
			if (!parse_format(optarg, options))
				return usage_error("--format wants openmetrics or prometheus, not",
						   optarg);
			break;
		case OPT_ROOT:
			options->root = optarg;
			break;
		case 'h':
			return print_help();
		default:
			return EXIT_USAGE; /* and a message was printed */
		}
	}
	if (optind < argc)
		return unexpected_argument(argv[optind]);
	if (options->listen && (options->output || options->has_format))
		return usage_error("--listen goes with neither --output nor --format", NULL);
	if (options->output && !options->has_format)
		options->format = METRICS_PROMETHEUS;
	return -1;
}

static int serve(const struct metrics_options *options, struct metrics_collector *collector)
{
	struct metrics_server *server;
	int err = metrics_server__new(options->listen, collector, &log_to_stderr, &server);

	if (err)
		return err;
	/* For people, and for who asked for any port. */
	printf("serving http://%s/metrics\n", metrics_server__address(server));
	err = fflush(stdout) ? -errno : metrics_server__run(server);
	metrics_server__free(server);
	return err;
}

static int print_page(const char *page, size_t size)
{
	if (fwrite(page, 1, size, stdout) == size && !fflush(stdout))
		return 0;
	log_error(&log_to_stderr, "standard output: %s", strerror(errno));
	return -EIO;
}

static int tell_once(const struct metrics_options *options, struct metrics_collector *collector)
{
	size_t size;
	char *page;
	int err = metrics_page__make(collector, options->format, &page, &size);

	if (err)
		log_error(&log_to_stderr, "metrics: %s", strerror(-err));
	else if (options->output)
		err = page_file__replace(options->output, page, size, &log_to_stderr);
	else
		err = print_page(page, size);
	free(page);
	return err;
}

static int run(int argc, char **argv)
{
	struct metrics_options options = { .format = METRICS_OPENMETRICS };
	struct metrics_collector *collector;
	int err, status = parse_options(argc, argv, &options);

	if (status >= 0)
		return status;
	collector = metrics_collector__new(options.root, &log_to_stderr);
	if (!collector) {
		if (errno == ENOMEM)
			log_error(&log_to_stderr, "metrics: %s", strerror(errno));
		return EXIT_FAILURE;
	}
	err = options.listen ? serve(&options, collector) : tell_once(&options, collector);
	metrics_collector__free(collector);
	return err ? EXIT_FAILURE : EXIT_SUCCESS;
}

const struct reader_command metrics_command = {
	.name = "metrics",
	.summary = "tell what is counted, for Prometheus",
	.help = metrics_help,
	.run = run,
};
