// SPDX-License-Identifier: GPL-2.0-only OR LGPL-2.1-only
#include "kernel_printf.h"

#include <string.h>

/* 64 bits in octal, the longest form of a number without its sign and prefix. */
#define MAX_DIGITS 22

/* The kernel follows no pointer below this one, nor an error value at the other end. */
#define FIRST_VALID_ADDRESS 4096
#define MAX_ERRNO	    4095

static const char lower_digits[] = "0123456789abcdef";
static const char upper_digits[] = "0123456789ABCDEF";

static const char decimal_pairs[] = "00010203040506070809101112131415161718192021222324"
				    "25262728293031323334353637383940414243444546474849"
				    "50515253545556575859606162636465666768697071727374"
				    "75767778798081828384858687888990919293949596979899";

/* Both write the digits so that they end before `end`, and return where they begin. */
static char *decimal_digits(char *end, uint64_t value)
{
	while (value >= 100) {
		end -= 2;
		memcpy(end, decimal_pairs + 2 * (value % 100), 2);
		value /= 100;
	}
	if (value < 10) {
		*--end = (char)('0' + value);
		return end;
	}
	end -= 2;
	memcpy(end, decimal_pairs + 2 * value, 2);
	return end;
}

static char *power_of_two_digits(char *end, uint64_t value, unsigned int shift, const char *digits)
{
	unsigned int mask = (1U << shift) - 1;

	do {
		*--end = digits[value & mask];
		value >>= shift;
	} while (value);
	return end;
}

void print_decimal(struct text_out *out, uint64_t value)
{
	char digits[MAX_DIGITS], *end = digits + sizeof(digits);
	char *first = decimal_digits(end, value);

	text_out__bytes(out, first, (size_t)(end - first));
}

void print_hex(struct text_out *out, uint64_t value)
{
	char digits[MAX_DIGITS], *end = digits + sizeof(digits);
	char *first = power_of_two_digits(end, value, 4, lower_digits);

	text_out__bytes(out, first, (size_t)(end - first));
}

static char sign_of(uint64_t *value, const struct printf_spec *spec)
{
	if (!spec->is_signed)
		return 0;
	if ((int64_t)*value < 0) {
		*value = -*value;
		return '-';
	}
	if (spec->flags & PRINTF_PLUS)
		return '+';
	return spec->flags & PRINTF_SPACE ? ' ' : 0;
}

static const char *prefix_of(uint64_t value, const struct printf_spec *spec)
{
	if (!(spec->flags & PRINTF_SPECIAL) || spec->base == 10)
		return "";
	if (spec->base == 8)
		return value ? "0" : "";
	return spec->flags & PRINTF_UPPER ? "0X" : "0x";
}

void print_number(struct text_out *out, uint64_t value, const struct printf_spec *spec)
{
	char buf[MAX_DIGITS], *end = buf + sizeof(buf), *first;
	char sign = sign_of(&value, spec);
	const char *prefix = prefix_of(value, spec);
	size_t nr_prefix = strlen(prefix);
	size_t nr_digits, nr_zeros, nr_all;
	size_t padding = 0;

	if (spec->base == 10)
		first = decimal_digits(end, value);
	else
		first = power_of_two_digits(end, value, spec->base == 16 ? 4 : 3,
					    spec->flags & PRINTF_UPPER ? upper_digits
								       : lower_digits);
	nr_digits = (size_t)(end - first);
	nr_zeros = spec->precision > 0 && (size_t)spec->precision > nr_digits
			   ? (size_t)spec->precision - nr_digits
			   : 0;
	nr_all = (sign != 0) + nr_prefix + nr_zeros + nr_digits;
	if (spec->width > 0 && (size_t)spec->width > nr_all)
		padding = (size_t)spec->width - nr_all;

	/* Unlike libc, the kernel pads with zeros even when there is a precision. */
	if (padding && !(spec->flags & PRINTF_LEFT)) {
		if (spec->flags & PRINTF_ZERO)
			nr_zeros += padding;
		else
			text_out__fill(out, ' ', padding);
	}
	if (sign)
		text_out__char(out, sign);
	text_out__bytes(out, prefix, nr_prefix);
	if (nr_zeros)
		text_out__fill(out, '0', nr_zeros);
	text_out__bytes(out, first, nr_digits);
	if (padding && (spec->flags & PRINTF_LEFT))
		text_out__fill(out, ' ', padding);
}

void print_string(struct text_out *out, const void *text, size_t n, const struct printf_spec *spec)
{
	size_t length, padding = 0;

	if (spec->precision >= 0 && (size_t)spec->precision < n)
		n = (size_t)spec->precision;
	length = n ? strnlen(text, n) : 0;
	if (spec->width > 0 && (size_t)spec->width > length)
		padding = (size_t)spec->width - length;

	if (padding && !(spec->flags & PRINTF_LEFT))
		text_out__fill(out, ' ', padding);
	if (length)
		text_out__bytes(out, text, length);
	if (padding && (spec->flags & PRINTF_LEFT))
		text_out__fill(out, ' ', padding);
}

const char *bad_pointer_text(uint64_t address)
{
	if (!address)
		return "(null)";
	if (address < FIRST_VALID_ADDRESS || (uintptr_t)address >= (uintptr_t)-MAX_ERRNO)
		return "(efault)";
	return NULL;
}

void print_hex_bytes(struct text_out *out, const uint8_t *bytes, size_t n, char separator)
{
	for (size_t i = 0; i < n; i++) {
		char two[2] = { lower_digits[bytes[i] >> 4], lower_digits[bytes[i] & 15] };

		if (i && separator)
			text_out__char(out, separator);
		text_out__bytes(out, two, sizeof(two));
	}
}
