// SPDX-License-Identifier: GPL-2.0-only
/* top_frame and top_plot: lines that fit, whatever the size, and say what was counted. */
#include <limits.h>
#include <locale.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "time_spec.h"
#include "top/top_frame.h"
#include "top/top_plot.h"
#include "top/top_text.h"

#define NOW (10000 * NSEC_PER_SEC)

static struct top_model model;
static struct top_snapshot snapshot;
static struct top_key key;
static struct top_ui ui;
static struct top_zoom zoom;
static struct top_frame frame;

/* What was put: all lines, with a newline behind each. */
static char text[1 << 20];
static size_t length;
static unsigned int nr_lines, nr_selected;

static void take_line(void *ctx, enum top_style style, const char *line, size_t size)
{
	assert_true(length + size + 2 < sizeof(text));
	memcpy(text + length, line, size);
	length += size;
	strcpy(text + length++, "\n");
	nr_lines++;
	nr_selected += style == TOP_SELECTED;
	assert_true(!frame.width || top_text__columns(line, size) <= frame.width);
}

static void count(const char *comm, uint32_t cpu, uint64_t nr, uint64_t time_ns)
{
	unsigned char bytes[64];
	uint64_t number = cpu;
	size_t size = strlen(comm);

	bytes[0] = TOP_VALUE_TEXT;
	bytes[1] = (unsigned char)size;
	memcpy(bytes + 2, comm, size);
	bytes[2 + size] = TOP_VALUE_UNSIGNED;
	memcpy(bytes + 3 + size, &number, sizeof(number));
	for (uint64_t i = 0; i < nr; i++) {
		top_model__count_in_row(&model, bytes, size + 3 + sizeof(number), time_ns);
		top_model__count(&model, time_ns);
	}
}

static int set_up(void **state)
{
	char error[64], comm[16];

	ui = (struct top_ui){ 0 };
	if (top_model__init(&model, 40) || top_key__parse(&key, "comm,cpu", error, sizeof(error)))
		return -1;
	count("b\x1b", 3, 10, NOW - NSEC_PER_SEC);
	count("Gr\xc3\xbc\xc3\x9f", 0, 1500, NOW - 60 * NSEC_PER_SEC);
	for (unsigned int i = 0; i < 50; i++) {
		snprintf(comm, sizeof(comm), "thread%u", i);
		count(comm, i, 1, NOW - 3600 * NSEC_PER_SEC);
	}
	top_model__count_lost(&model, PERSIST_LOSS_RING_BUSY, 390, NOW - 40 * NSEC_PER_SEC,
			      NOW - 30 * NSEC_PER_SEC);
	return top_snapshot__take(&snapshot, &model, NOW, TOP_BY_RATE);
}

static int tear_down(void **state)
{
	top_snapshot__free(&snapshot);
	top_model__destroy(&model);
	top_key__free(&key);
	return 0;
}

static void draw(unsigned int width, unsigned int height, bool utf8, uint32_t max_entries)
{
	const struct top_scene scene = {
		.events = "one, two",
		.key = &key,
		.model = &model,
		.snapshot = &snapshot,
		.ui = &ui,
		.zoom = &zoom,
		.is_complete = true,
		.max_entries = max_entries,
	};

	frame = (struct top_frame){
		.width = width,
		.height = height,
		.utf8 = utf8,
		.put_line = take_line,
	};
	length = nr_lines = nr_selected = 0;
	top_frame__draw(&frame, &scene);
}

static void expect(const char *part)
{
	if (!strstr(text, part))
		fail_msg("\"%s\" is not in:\n%s", part, text);
}

static void test_text(void **state)
{
	draw(0, 0, false, 2);
	expect("  one, two  by comm,cpu; busiest first\n");
	expect("\n1,560 records, 2.0 events/s; lost 390 (20.0%): ring_busy 390\n");
	expect("\n RATE/s       RECORDS      %  LAST  COMM  CPU\n"
	       "    2.0            10    0.6    1s  b\\x1b   3\n"
	       "      0         1,500   96.2    1m  Gr\xc3\xbc\xc3\x9f    0\n"
	       "      0            12    0.8    1h  (others: keys beyond 40 rows; z: anew)\n");
	assert_null(strstr(text, "thread"));
	draw(0, 0, false, 0);
	expect("thread37  37\n");
	assert_null(strstr(text, "thread38"));
	assert_int_equal(nr_selected, 0);
}

/* Rates that are not counted are marked. */
static void test_estimates(void **state)
{
	top_model__count_lost(&model, PERSIST_LOSS_OVERWRITTEN, 6000, NOW - 5 * NSEC_PER_SEC, NOW);
	assert_int_equal(top_snapshot__take(&snapshot, &model, NOW, TOP_BY_RATE), 0);
	draw(0, 0, false, 2);
	expect(" records, 1202 events/s; lost 6,390 (80.4%)");
	expect("\n  ~1202            10    0.6    1s  b\\x1b   3\n"
	       "      0         1,500   96.2    1m  Gr\xc3\xbc\xc3\x9f    0\n");
	top_model__count_lost(&model, PERSIST_LOSS_OVERWRITTEN, 10, NOW + 8 * NSEC_PER_SEC,
			      NOW + 9 * NSEC_PER_SEC);
	assert_int_equal(
		top_snapshot__take(&snapshot, &model, NOW + 10 * NSEC_PER_SEC, TOP_BY_RATE), 0);
	draw(0, 0, false, 2);
	expect(" records, 2.0 events/s; lost");
	expect("\n      ?         1,500");
}

/* Every size has as many lines as the screen, none of which is too wide, and a row is selected. */
static void expect_sizes(void)
{
	for (unsigned int height = 1; height < 60; height++) {
		for (unsigned int width = 1; width < 250; width += width < 100 ? 1 : 31) {
			draw(width, height, height % 2, 0);
			assert_int_equal(nr_lines, height);
		}
	}
}

static void test_sizes(void **state)
{
	expect_sizes();
	draw(80, 24, true, 0);
	assert_int_equal(nr_selected, 1);
	expect("\n  ! lost");
	expect("q quit  h help");
	ui.is_paused = true;
	expect_sizes();
	draw(80, 24, true, 0);
	expect("PAUSED");
	ui.shows_help = true;
	expect_sizes();
	ui.shows_help = false;
	strcpy(ui.filter, "thread");
	top_snapshot__filter(&snapshot, &model, &key, ui.filter);
	expect_sizes();
	draw(80, 24, true, 0);
	expect("[38 of 40 rows have \"thread\", Esc: all]");
	ui.prompt = TOP_FILTER_PROMPT;
	memset(ui.input, 'x', sizeof(ui.input) - 1);
	expect_sizes();
	expect("xxx_\n");
	ui.prompt = TOP_NO_PROMPT;
	memset(ui.message, 'm', sizeof(ui.message) - 1);
	expect_sizes();
}

static void test_records(void **state)
{
	static char lines[20][64];

	for (unsigned int i = 0; i < 20; i++) {
		snprintf(lines[i], sizeof(lines[i]), "record %u\t\xff and its long text", i);
		zoom.lines[i] = lines[i];
	}
	zoom.bytes = (unsigned char *)model.rows[1].key;
	ui.is_zoomed = true;
	ui.selected_row = 1;
	draw(80, 24, true, 0);
	expect("the buffers hold no record of this row any more");
	zoom.nr_lines = 20;
	expect_sizes();
	draw(80, 24, true, 0);
	expect("comm=Gr\xc3\xbc\xc3\x9f cpu=0: 1,500 records, 0/s");
	expect("records 7 to 20 of the last 20 of this row");
	expect("record 19\\x09\\xff and its long text\nEsc back");
	ui.zoom_back = 100;
	ui.zoom_skip = 7;
	draw(80, 24, true, 0);
	expect("records 1 to 14 of the last 20 of this row\n0\\x09\\xff and");
	zoom = (struct top_zoom){ 0 };
}

/* Bytes of other characters are for those who can show them only. */
static void test_ascii(void **state)
{
	draw(80, 24, false, 1);
	for (size_t i = 0; i < length; i++)
		assert_true((unsigned char)text[i] < 0x80);
	expect("#");
}

static void test_layouts(void **state)
{
	struct top_layout layout = top_layout__of(24);

	assert_int_equal(layout.bars, 4);
	assert_int_equal(layout.rows, 14);
	for (unsigned int height = 1; height < 200; height++) {
		layout = top_layout__of(height);
		assert_true(layout.rows < height);
		assert_true(height < 6 || layout.rows >= 2);
	}
	assert_int_equal(top_layout__of(0).rows, UINT_MAX);
}

static const char *bars(const struct top_plot *plot, unsigned int line, unsigned int nr)
{
	static char put[4 * TOP_PLOT_MAX_COLUMNS + 64];
	struct text_out out = { .buf = put, .cap = sizeof(put) };

	top_plot__put_bars(plot, line, nr, &out);
	text_out__finish(&out);
	return put;
}

static void test_plot(void **state)
{
	struct top_timeline timeline = { 0 };
	struct top_plot plot;

	/* Columns of 60 seconds; the last one has just begun. */
	for (uint64_t i = 0; i < 4; i++)
		top_timeline__at(&timeline, (600 + 60 * i) * NSEC_PER_SEC)->events = 60 * i;
	top_timeline__at(&timeline, 845 * NSEC_PER_SEC)->events = 6;
	top_plot__init(&plot, &timeline, 846 * NSEC_PER_SEC, TOP_BARS_OF_ALL_EVENTS,
		       TOP_PLOT_MARGIN + 5, false);
	assert_int_equal(plot.seconds_per_column, 60);
	assert_string_equal(bars(&plot, 0, 2), "   3.0/s|  .# ");
	assert_string_equal(bars(&plot, 1, 2), "        | :##:");
	assert_false(plot.has_losses);
	top_timeline__at(&timeline, 700 * NSEC_PER_SEC)->lost = 6 * 60;
	top_plot__init(&plot, &timeline, 846 * NSEC_PER_SEC, TOP_BARS_OF_ALL_EVENTS,
		       TOP_PLOT_MARGIN + 5, false);
	assert_true(plot.is_lossy[1]);
	/* What is lost is an event all the same; of one row's records, nobody knows. */
	assert_string_equal(bars(&plot, 0, 1), "   7.0/s| #...");
	top_plot__init(&plot, &timeline, 846 * NSEC_PER_SEC, TOP_BARS_OF_RECORDS,
		       TOP_PLOT_MARGIN + 5, false);
	assert_true(plot.is_lossy[1]);
	assert_string_equal(bars(&plot, 0, 2), "   3.0/s|  .# ");
	/* Of any width, from the first second of the machine on. */
	for (unsigned int columns = 0; columns < 600; columns++) {
		top_plot__init(&plot, &timeline, columns * NSEC_PER_SEC / 2, TOP_BARS_OF_ALL_EVENTS,
			       columns, true);
		bars(&plot, 0, 1);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_text, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_estimates, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_sizes, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_records, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_ascii, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_layouts, set_up, tear_down),
		cmocka_unit_test(test_plot),
	};

	if (!setlocale(LC_CTYPE, "C.UTF-8"))
		fputs("# no locale C.UTF-8\n", stderr);
	return cmocka_run_group_tests_name("top_frame", tests, NULL, NULL);
}
