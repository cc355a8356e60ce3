// SPDX-License-Identifier: GPL-2.0-only OR LGPL-2.1-only
#include "json_generator.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "json_string.h"
#include "kernel_printf.h"
#include "text_out.h"

int json_generator__init(struct json_generator *generator)
{
	generator->error = 0;
	generator->gen = yajl_gen_alloc(NULL);
	return generator->gen ? 0 : -ENOMEM;
}

void json_generator__destroy(struct json_generator *generator)
{
	if (generator->gen)
		yajl_gen_free(generator->gen);
}

static void check(struct json_generator *generator, yajl_gen_status status)
{
	if (status != yajl_gen_status_ok && !generator->error)
		generator->error = -EINVAL;
}

void json_generator__begin(struct json_generator *generator)
{
	generator->error = 0;
	yajl_gen_reset(generator->gen, NULL);
	yajl_gen_clear(generator->gen);
}

int json_generator__end(struct json_generator *generator, const unsigned char **text, size_t *len)
{
	check(generator, yajl_gen_get_buf(generator->gen, text, len));
	return generator->error;
}

static void put_key(struct json_generator *generator, const char *key)
{
	if (key)
		check(generator,
		      yajl_gen_string(generator->gen, (const unsigned char *)key, strlen(key)));
}

void json_generator__open_map(struct json_generator *generator, const char *key)
{
	put_key(generator, key);
	check(generator, yajl_gen_map_open(generator->gen));
}

void json_generator__close_map(struct json_generator *generator)
{
	check(generator, yajl_gen_map_close(generator->gen));
}

void json_generator__open_array(struct json_generator *generator, const char *key)
{
	put_key(generator, key);
	check(generator, yajl_gen_array_open(generator->gen));
}

void json_generator__close_array(struct json_generator *generator)
{
	check(generator, yajl_gen_array_close(generator->gen));
}

void json_generator__bytes(struct json_generator *generator, const char *key, const void *bytes,
			   size_t len)
{
	int err;

	put_key(generator, key);
	err = json_string__emit(generator->gen, bytes, len);
	if (err && !generator->error)
		generator->error = err;
}

void json_generator__string(struct json_generator *generator, const char *key, const char *value)
{
	json_generator__bytes(generator, key, value, strlen(value));
}

void json_generator__bool(struct json_generator *generator, const char *key, bool value)
{
	put_key(generator, key);
	check(generator, yajl_gen_bool(generator->gen, value));
}

/* yajl_gen_integer() has no more than a long long. */
void json_generator__number(struct json_generator *generator, const char *key, uint64_t value)
{
	char digits[20];
	struct text_out out = { .buf = digits, .cap = sizeof(digits) };

	print_decimal(&out, value);
	put_key(generator, key);
	check(generator, yajl_gen_number(generator->gen, digits, out.len));
}

void json_generator__signed(struct json_generator *generator, const char *key, int64_t value)
{
	put_key(generator, key);
	check(generator, yajl_gen_integer(generator->gen, value));
}

void json_generator__decimal(struct json_generator *generator, const char *key, double value)
{
	char digits[400]; /* the largest double has 309 before the point */
	int len = snprintf(digits, sizeof(digits), "%.3f", value);

	put_key(generator, key);
	check(generator, yajl_gen_number(generator->gen, digits, (size_t)len));
}
