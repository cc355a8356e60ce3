/* SPDX-License-Identifier: GPL-2.0-only OR LGPL-2.1-only */
/*
 * JSON by yajl, a call for each member of an object. What yajl refuses (it never should) is
 * remembered until the end, so that no call needs to be checked.
 */
#ifndef PERSIST_JSON_GENERATOR_H
#define PERSIST_JSON_GENERATOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <yajl/yajl_gen.h>

struct json_generator {
	yajl_gen gen;
	int error; /* of what is being generated */
};

/* Returns 0 or -ENOMEM. */
int json_generator__init(struct json_generator *generator);
void json_generator__destroy(struct json_generator *generator);

/* A new text, in place of what there is. */
void json_generator__begin(struct json_generator *generator);

/* What was generated since; valid until the next begin. Returns 0 or -errno. */
int json_generator__end(struct json_generator *generator, const unsigned char **text, size_t *len);

/* An object: the outermost one, or with @key a member of another. */
void json_generator__open_map(struct json_generator *generator, const char *key);
void json_generator__close_map(struct json_generator *generator);

/* A member that is an array, whose elements follow. */
void json_generator__open_array(struct json_generator *generator, const char *key);
void json_generator__close_array(struct json_generator *generator);

/* A member of an object, or without @key an element of an array. */
void json_generator__string(struct json_generator *generator, const char *key, const char *value);
void json_generator__bytes(struct json_generator *generator, const char *key, const void *bytes,
			   size_t len);
void json_generator__bool(struct json_generator *generator, const char *key, bool value);

/* Exact for all 64 bits. */
void json_generator__number(struct json_generator *generator, const char *key, uint64_t value);
void json_generator__signed(struct json_generator *generator, const char *key, int64_t value);

/* With three digits behind the point. */
void json_generator__decimal(struct json_generator *generator, const char *key, double value);

#endif
