// SPDX-License-Identifier: GPL-2.0-only OR LGPL-2.1-only
#define _GNU_SOURCE
#include "time_spec.h"

#include <ctype.h>
#include <errno.h>
#include <stdbool.h>
#include <string.h>
#include <time.h>

#define SEC_PER_DAY 86400

static int64_t clock_ns(clockid_t clock)
{
	struct timespec now;

	clock_gettime(clock, &now);
	return now.tv_sec * (int64_t)NSEC_PER_SEC + now.tv_nsec;
}

uint64_t boottime_now(void)
{
	return (uint64_t)clock_ns(CLOCK_BOOTTIME);
}

int64_t wall_clock_offset(void)
{
	int64_t best_offset = 0, best_gap = INT64_MAX;

	/* The closer together the two clocks are read, the better. */
	for (int i = 0; i < 3; i++) {
		int64_t before = clock_ns(CLOCK_BOOTTIME);
		int64_t wall = clock_ns(CLOCK_REALTIME);
		int64_t after = clock_ns(CLOCK_BOOTTIME);

		if (after - before < best_gap) {
			best_gap = after - before;
			best_offset = wall - (before + best_gap / 2);
		}
	}
	return best_offset;
}

/* ---- parsing ----------------------------------------------------------------------------- */

/* Reads exactly @digits digits. */
static bool parse_digits(const char **text, int digits, int *value)
{
	*value = 0;
	for (; digits > 0; digits--) {
		if (!isdigit((unsigned char)**text))
			return false;
		*value = *value * 10 + (*(*text)++ - '0');
	}
	return true;
}

static bool parse_char(const char **text, char c)
{
	if (**text != c)
		return false;
	(*text)++;
	return true;
}

/* Reads ".123" as nanoseconds; digits behind the ninth do not count. */
static bool parse_fraction(const char **text, int64_t *ns)
{
	int64_t unit = NSEC_PER_SEC / 10;

	*ns = 0;
	if (!parse_char(text, '.'))
		return true;
	if (!isdigit((unsigned char)**text))
		return false;
	for (; isdigit((unsigned char)**text); (*text)++) {
		*ns += unit * (**text - '0');
		unit /= 10;
	}
	return true;
}

static int days_in_month(int year, int month)
{
	static const int days[] = { 31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31 };
	bool is_leap = (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;

	return days[month - 1] + (month == 2 && is_leap);
}

/* Reads "2026-01-02". */
static bool parse_date(const char **text, struct tm *tm)
{
	int year, month, day;

	if (!parse_digits(text, 4, &year) || !parse_char(text, '-') ||
	    !parse_digits(text, 2, &month) || !parse_char(text, '-') ||
	    !parse_digits(text, 2, &day))
		return false;
	if (month < 1 || month > 12 || day < 1 || day > days_in_month(year, month))
		return false;
	tm->tm_year = year - 1900;
	tm->tm_mon = month - 1;
	tm->tm_mday = day;
	return true;
}

/* Reads "03:04" or "03:04:05". */
static bool parse_clock(const char **text, struct tm *tm)
{
	if (!parse_digits(text, 2, &tm->tm_hour) || !parse_char(text, ':') ||
	    !parse_digits(text, 2, &tm->tm_min) || tm->tm_hour > 23 || tm->tm_min > 59)
		return false;
	if (!parse_char(text, ':'))
		return true;
	/* 60: a leap second */
	return parse_digits(text, 2, &tm->tm_sec) && tm->tm_sec <= 60;
}

/* Reads "Z", "+01:00" or "-01:00" as seconds. */
static bool parse_zone(const char **text, int64_t *seconds)
{
	int hours, minutes;
	bool is_west = **text == '-';

	*seconds = 0;
	if (parse_char(text, 'Z') || parse_char(text, 'z'))
		return true;
	if (!parse_char(text, '+') && !parse_char(text, '-'))
		return false;
	if (!parse_digits(text, 2, &hours) || !parse_char(text, ':') ||
	    !parse_digits(text, 2, &minutes) || hours > 23 || minutes > 59)
		return false;
	*seconds = (hours * 60 + minutes) * 60;
	if (is_west)
		*seconds = -*seconds;
	return true;
}

/* Years 0 to 9999 in nanoseconds leave the range of 64 bits: about 1678 to 2262 fit. */
static int wall_from_seconds(int64_t seconds, int64_t ns, int64_t *wall)
{
	if (__builtin_mul_overflow(seconds, (int64_t)NSEC_PER_SEC, wall) ||
	    __builtin_add_overflow(*wall, ns, wall))
		return -ERANGE;
	return 0;
}

/* A date and what may follow it. */
static int parse_calendar(const char *text, int64_t *wall)
{
	struct tm tm = { .tm_isdst = -1 };
	int64_t ns = 0, zone = 0;

	if (!parse_date(&text, &tm))
		return -EINVAL;
	if (parse_char(&text, 'T') || parse_char(&text, 't')) {
		if (!parse_clock(&text, &tm) || !parse_fraction(&text, &ns) ||
		    !parse_zone(&text, &zone) || *text)
			return -EINVAL;
		return wall_from_seconds(timegm(&tm) - zone, ns, wall);
	}
	if (parse_char(&text, ' ') && (!parse_clock(&text, &tm) || !parse_fraction(&text, &ns)))
		return -EINVAL;
	if (*text)
		return -EINVAL;
	return wall_from_seconds(mktime(&tm), ns, wall);
}

/* Reads "10", "10.5" as nanoseconds. */
static int parse_seconds(const char **text, uint64_t *result)
{
	uint64_t seconds = 0;
	int64_t ns;

	if (!isdigit((unsigned char)**text))
		return -EINVAL;
	for (; isdigit((unsigned char)**text); (*text)++)
		if (__builtin_mul_overflow(seconds, 10, &seconds) ||
		    __builtin_add_overflow(seconds, (uint64_t)(**text - '0'), &seconds))
			return -ERANGE;
	if (!parse_fraction(text, &ns))
		return -EINVAL;
	if (__builtin_mul_overflow(seconds, NSEC_PER_SEC, result) ||
	    __builtin_add_overflow(*result, (uint64_t)ns, result))
		return -ERANGE;
	return 0;
}

/* "-10s" and its like. */
static int parse_relative(const char *text, uint64_t now, uint64_t *result)
{
	uint64_t back, unit;
	int err = parse_seconds(&text, &back);

	if (err)
		return err;
	switch (*text) {
	case 's':
		unit = 1;
		break;
	case 'm':
		unit = 60;
		break;
	case 'h':
		unit = 3600;
		break;
	case 'd':
		unit = SEC_PER_DAY;
		break;
	default:
		return -EINVAL;
	}
	if (text[1])
		return -EINVAL;
	if (__builtin_mul_overflow(back, unit, &back))
		back = UINT64_MAX;
	*result = back < now ? now - back : 0;
	return 0;
}

int time_spec__parse(const char *text, uint64_t now, int64_t offset, uint64_t *result)
{
	int64_t wall;
	int err;

	if (strcmp(text, "now") == 0) {
		*result = now;
		return 0;
	}
	if (*text == '-')
		return parse_relative(text + 1, now, result);
	err = parse_calendar(text, &wall);
	if (!err) {
		if (__builtin_sub_overflow(wall, offset, &wall))
			return -ERANGE;
		*result = wall < 0 ? 0 : (uint64_t)wall;
		return 0;
	}
	if (err == -ERANGE)
		return err;
	err = parse_seconds(&text, result);
	return err ? err : *text ? -EINVAL : 0;
}

/* ---- formatting -------------------------------------------------------------------------- */

static void put_digits(char *to, unsigned int digits, uint64_t value)
{
	while (digits--) {
		to[digits] = (char)('0' + value % 10);
		value /= 10;
	}
}

void rfc3339__put_fraction(uint64_t ns, char text[RFC3339_SIZE])
{
	put_digits(text + sizeof("0000-00-00T00:00:00.") - 1, 9, ns);
}

void local_time__format(int64_t wall_ns, char text[LOCAL_TIME_SIZE])
{
	time_t seconds = wall_ns / (int64_t)NSEC_PER_SEC;
	struct tm tm;

	text[0] = '\0';
	if (localtime_r(&seconds, &tm))
		strftime(text, LOCAL_TIME_SIZE, "%Y-%m-%d %H:%M:%S", &tm);
}

void rfc3339__format(int64_t wall_ns, char text[RFC3339_SIZE])
{
	int64_t seconds = wall_ns / (int64_t)NSEC_PER_SEC;
	int64_t ns = wall_ns % (int64_t)NSEC_PER_SEC;
	time_t time;
	struct tm tm;

	if (ns < 0) {
		ns += NSEC_PER_SEC;
		seconds--;
	}
	time = seconds;
	gmtime_r(&time, &tm);
	memcpy(text, "0000-00-00T00:00:00.000000000Z", RFC3339_SIZE);
	put_digits(text, 4, (uint64_t)tm.tm_year + 1900);
	put_digits(text + 5, 2, (uint64_t)tm.tm_mon + 1);
	put_digits(text + 8, 2, (uint64_t)tm.tm_mday);
	put_digits(text + 11, 2, (uint64_t)tm.tm_hour);
	put_digits(text + 14, 2, (uint64_t)tm.tm_min);
	put_digits(text + 17, 2, (uint64_t)tm.tm_sec);
	rfc3339__put_fraction((uint64_t)ns, text);
}
