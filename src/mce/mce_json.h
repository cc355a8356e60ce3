/* SPDX-License-Identifier: GPL-2.0-only */
/* A decoded machine check for programs. docs/mce.md describes every member. */
#ifndef MCE_JSON_H
#define MCE_JSON_H

#include "json_generator.h"
#include "mce/mce_decode.h"

/* One object: with @key a member of the one that is open. */
void mce_json__generate(struct json_generator *generator, const char *key,
			const struct mce_decoded *decoded);

/* The registers that are known, as an object of numbers by their names. */
void mce_json__generate_registers(struct json_generator *generator, const char *key,
				  const struct mce_registers *registers);

#endif
