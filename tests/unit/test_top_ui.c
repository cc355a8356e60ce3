// SPDX-License-Identifier: GPL-2.0-only
/* top_ui: what keys do, and where the selected row goes. */
#include <locale.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "top/top_ui.h"

#define NR_ROWS 30

static struct top_ui ui;
static struct top_entry entries[NR_ROWS];
static uint32_t shown[NR_ROWS];
static struct top_snapshot snapshot = { .entries = entries, .shown = shown };

/* Row 0 first, then row 1, ... */
static int set_up(void **state)
{
	ui = (struct top_ui){ 0 };
	snapshot.nr_entries = snapshot.nr_shown = NR_ROWS;
	for (uint32_t i = 0; i < NR_ROWS; i++) {
		shown[i] = i;
		entries[i].row = i;
	}
	top_ui__place(&ui, &snapshot, 10);
	return 0;
}

static enum top_action press(wint_t key)
{
	enum top_action action = top_ui__press(&ui, &snapshot, key);

	top_ui__place(&ui, &snapshot, 10);
	return action;
}

static void press_all(const char *keys)
{
	for (; *keys; keys++)
		press((unsigned char)*keys);
}

static void expect_place(uint32_t selected, uint32_t first)
{
	assert_int_equal(ui.selected, selected);
	assert_int_equal(ui.first, first);
}

static void test_moving(void **state)
{
	expect_place(0, 0);
	press(TOP_PRESS_UP);
	expect_place(0, 0);
	press(TOP_PRESS_DOWN);
	press('j');
	expect_place(2, 0);
	press(TOP_PRESS_PAGE_DOWN);
	expect_place(12, 3);
	press(TOP_PRESS_END);
	expect_place(29, 20);
	press(TOP_PRESS_DOWN);
	expect_place(29, 20);
	press(TOP_PRESS_PAGE_UP);
	expect_place(19, 19);
	press(TOP_PRESS_HOME);
	expect_place(0, 0);
}

/* A row that was chosen stays chosen; the first one is whichever is first. */
static void test_rows_that_move(void **state)
{
	entries[0].row = 7;
	entries[7].row = 0;
	top_ui__place(&ui, &snapshot, 10);
	expect_place(0, 0);
	press(TOP_PRESS_DOWN);
	entries[1].row = 25;
	entries[25].row = 1;
	top_ui__place(&ui, &snapshot, 10);
	expect_place(25, 16);
	assert_int_equal(ui.selected_row, 1);
	press(TOP_PRESS_ESCAPE);
	expect_place(0, 0);
	/* It is not shown any more: the one in its place is. */
	press(TOP_PRESS_DOWN);
	press(TOP_PRESS_DOWN);
	shown[2] = 3;
	snapshot.nr_shown = 3;
	top_ui__place(&ui, &snapshot, 10);
	expect_place(2, 0);
	assert_int_equal(ui.selected_row, 3);
	snapshot.nr_shown = 0;
	top_ui__place(&ui, &snapshot, 10);
	assert_int_equal(press(TOP_PRESS_ENTER), TOP_NOTHING);
}

static void test_tiny_screens(void **state)
{
	press(TOP_PRESS_END);
	for (uint32_t page = 0; page < 40; page++) {
		top_ui__place(&ui, &snapshot, page);
		assert_int_equal(ui.selected, 29);
		assert_true(!page || ui.first + page > ui.selected);
	}
	expect_place(29, 0);
}

static void test_filter(void **state)
{
	press('/');
	assert_int_equal(ui.prompt, TOP_FILTER_PROMPT);
	assert_int_equal(press('q'), TOP_FILTER);
	assert_string_equal(ui.filter, "q");
	press(0xfc);
	assert_string_equal(ui.filter, "q\xc3\xbc");
	press(TOP_PRESS_BACKSPACE);
	assert_string_equal(ui.filter, "q");
	assert_int_equal(press(TOP_PRESS_UP), TOP_NOTHING);
	assert_int_equal(press(TOP_PRESS_ENTER), TOP_NOTHING);
	assert_int_equal(ui.prompt, TOP_NO_PROMPT);
	/* Another one, which is given up. */
	press_all("/xyz");
	assert_string_equal(ui.filter, "qxyz");
	assert_int_equal(press(TOP_PRESS_ESCAPE), TOP_FILTER);
	assert_string_equal(ui.filter, "q");
	assert_int_equal(press(TOP_PRESS_ESCAPE), TOP_FILTER);
	assert_string_equal(ui.filter, "");
	press_all("/abc");
	assert_int_equal(press(TOP_PRESS_CONTROL('u')), TOP_FILTER);
	assert_string_equal(ui.filter, "");
	press(TOP_PRESS_BACKSPACE);
	for (unsigned int i = 0; i < 2 * TOP_INPUT_SIZE; i++)
		press('x');
	assert_int_equal(strlen(ui.filter), TOP_INPUT_SIZE - 1);
}

static void test_key_prompt(void **state)
{
	press_all("Scomm,cpu");
	assert_string_equal(ui.filter, "");
	assert_int_equal(press(TOP_PRESS_ENTER), TOP_USE_KEY);
	assert_string_equal(ui.input, "comm,cpu");
	press_all("Sx");
	assert_int_equal(press(TOP_PRESS_ESCAPE), TOP_NOTHING);
	assert_int_equal(ui.prompt, TOP_NO_PROMPT);
}

static void test_actions(void **state)
{
	assert_int_equal(press('q'), TOP_QUIT);
	assert_int_equal(press('s'), TOP_NEXT_KEY);
	assert_int_equal(press('z'), TOP_COUNT_FROM_NOW);
	assert_int_equal(press(TOP_PRESS_CONTROL('l')), TOP_REPAINT);
	assert_int_equal(press('o'), TOP_REFRESH);
	assert_int_equal(ui.order, TOP_BY_TOTAL);
	assert_int_equal(press('p'), TOP_NOTHING);
	assert_true(ui.is_paused);
	assert_int_equal(press(' '), TOP_REFRESH);
	assert_false(ui.is_paused);
	press('h');
	assert_true(ui.shows_help);
	assert_int_equal(press('s'), TOP_NOTHING);
	assert_false(ui.shows_help);
	press('?');
	assert_int_equal(press('q'), TOP_QUIT);
	strcpy(ui.message, "something");
	assert_int_equal(press(TOP_PRESS_OTHER), TOP_NOTHING);
	assert_string_equal(ui.message, "");
}

static void test_records(void **state)
{
	press(TOP_PRESS_DOWN);
	assert_int_equal(press(TOP_PRESS_ENTER), TOP_OPEN_ZOOM);
	assert_int_equal(ui.selected_row, 1);
	ui.is_zoomed = true;
	top_ui__place_records(&ui, 25, 10);
	assert_int_equal(press(TOP_PRESS_UP), TOP_NOTHING);
	assert_int_equal(ui.zoom_back, 1);
	press(TOP_PRESS_PAGE_UP);
	assert_int_equal(ui.zoom_back, 11);
	press(TOP_PRESS_HOME);
	assert_int_equal(ui.zoom_back, 15);
	press(TOP_PRESS_PAGE_DOWN);
	press(TOP_PRESS_PAGE_DOWN);
	assert_int_equal(ui.zoom_back, 0);
	press(TOP_PRESS_LEFT);
	assert_int_equal(ui.zoom_skip, 0);
	press(TOP_PRESS_RIGHT);
	press(TOP_PRESS_RIGHT);
	press(TOP_PRESS_LEFT);
	assert_int_equal(ui.zoom_skip, 8);
	assert_int_equal(press(TOP_PRESS_ESCAPE), TOP_CLOSE_ZOOM);
	top_ui__begin_rows(&ui);
	assert_false(ui.is_zoomed);
	assert_false(ui.has_selected);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(test_moving, set_up),
		cmocka_unit_test_setup(test_rows_that_move, set_up),
		cmocka_unit_test_setup(test_tiny_screens, set_up),
		cmocka_unit_test_setup(test_filter, set_up),
		cmocka_unit_test_setup(test_key_prompt, set_up),
		cmocka_unit_test_setup(test_actions, set_up),
		cmocka_unit_test_setup(test_records, set_up),
	};

	if (!setlocale(LC_CTYPE, "C.UTF-8"))
		fputs("# no locale C.UTF-8\n", stderr);
	return cmocka_run_group_tests_name("top_ui", tests, NULL, NULL);
}
