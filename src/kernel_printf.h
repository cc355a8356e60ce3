/* SPDX-License-Identifier: GPL-2.0-only OR LGPL-2.1-only */
/*
 * The conversions of the kernel's vsnprintf(), which differ from libc's: "%#x" of 0 is "0x0",
 * zero padding survives a precision, and %p takes a family of suffixes (Documentation/
 * core-api/printk-formats.rst). One function a kind of conversion; parsing the format and
 * finding the arguments is print_plan's part.
 */
#ifndef PERSIST_KERNEL_PRINTF_H
#define PERSIST_KERNEL_PRINTF_H

#include <stdbool.h>
#include <stdint.h>

#include "text_out.h"

enum printf_flag {
	PRINTF_LEFT = 1 << 0,	 /* - */
	PRINTF_PLUS = 1 << 1,	 /* + */
	PRINTF_SPACE = 1 << 2,	 /* blank */
	PRINTF_SPECIAL = 1 << 3, /* # */
	PRINTF_ZERO = 1 << 4,	 /* 0 */
	PRINTF_UPPER = 1 << 5,	 /* hexadecimal digits */
};

/* The kernel clamps a width to this, too. */
#define PRINTF_WIDTH_MAX ((1 << 23) - 1)

struct printf_spec {
	uint8_t flags;
	uint8_t base;	/* 8, 10 or 16 */
	uint8_t size;	/* bytes of the argument: 1, 2, 4, 8 */
	bool is_signed; /* print as signed */
	int width;	/* -1: none */
	int precision;	/* -1: none */
};

/* Bytes that may be read, and whether there are any: a kernel address has only its value. */
struct memory {
	const uint8_t *data; /* NULL: not part of the record */
	size_t size;	     /* bytes readable at data */
	uint64_t address;    /* when data is NULL */
};

void print_decimal(struct text_out *out, uint64_t value);
void print_hex(struct text_out *out, uint64_t value);

/* value: extended to 64 bits according to spec->is_signed */
void print_number(struct text_out *out, uint64_t value, const struct printf_spec *spec);

/* Up to n bytes, less if there is a NUL before. */
void print_string(struct text_out *out, const void *text, size_t n, const struct printf_spec *spec);

/* The kernel's words for a pointer that it will not follow, else NULL. */
const char *bad_pointer_text(uint64_t address);

/* Bytes as two hexadecimal digits each, a separator between them unless it is NUL. */
void print_hex_bytes(struct text_out *out, const uint8_t *bytes, size_t n, char separator);

/* Bitmap of n bytes as groups of 32 bits in hexadecimal, the highest first: "00,0000000f". */
void print_bitmap(struct text_out *out, struct memory bitmap, size_t nr_bits);

/**
 * print_pointer() - %p with all that may follow it but symbols.
 * @out: the output
 * @suffix: the letters and digits after the p
 * @pointer: the argument
 * @spec: flags, width and precision
 */
void print_pointer(struct text_out *out, const char *suffix, struct memory pointer,
		   const struct printf_spec *spec);

#endif /* PERSIST_KERNEL_PRINTF_H */
