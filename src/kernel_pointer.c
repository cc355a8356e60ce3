// SPDX-License-Identifier: GPL-2.0-only OR LGPL-2.1-only
/* %p and all that may follow it. */
#include "kernel_printf.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <stdio.h>
#include <string.h>

static const char lower_digits[] = "0123456789abcdef";
static const char upper_digits[] = "0123456789ABCDEF";

static char *hex_byte(char *out, uint8_t byte, const char *digits)
{
	*out++ = digits[byte >> 4];
	*out++ = digits[byte & 15];
	return out;
}

static void print_text(struct text_out *out, const char *text, const struct printf_spec *spec)
{
	print_string(out, text, strlen(text), spec);
}

/* Bits beyond the memory count as clear. */
static bool test_bit(struct memory bitmap, size_t bit)
{
	size_t byte = bit / 8;

	/* The kernel's bitmaps are arrays of long. */
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
	byte = byte / sizeof(long) * sizeof(long) + (sizeof(long) - 1 - byte % sizeof(long));
#endif
	return byte < bitmap.size && (bitmap.data[byte] >> (bit % 8) & 1);
}

/* No more bits than the memory can hold, so that a hostile width costs nothing. */
static size_t clamp_bits(struct memory bitmap, size_t nr_bits)
{
	return nr_bits / 8 > bitmap.size ? bitmap.size * 8 : nr_bits;
}

void print_bitmap(struct text_out *out, struct memory bitmap, size_t nr_bits)
{
	const size_t chunk_bits = 32;
	size_t chunk;

	nr_bits = clamp_bits(bitmap, nr_bits);
	for (chunk = (nr_bits + chunk_bits - 1) / chunk_bits; chunk-- > 0;) {
		size_t first = chunk * chunk_bits;
		size_t n = nr_bits - first < chunk_bits ? nr_bits - first : chunk_bits;
		struct printf_spec spec = { .flags = PRINTF_ZERO, .base = 16, .precision = -1 };
		uint32_t value = 0;

		for (size_t bit = 0; bit < n; bit++)
			value |= (uint32_t)test_bit(bitmap, first + bit) << bit;
		spec.width = (int)((n + 3) / 4);
		print_number(out, value, &spec);
		if (chunk)
			text_out__char(out, ',');
	}
}

static void print_bitmap_list(struct text_out *out, struct memory bitmap, size_t nr_bits)
{
	bool first_range = true;

	nr_bits = clamp_bits(bitmap, nr_bits);
	for (size_t bit = 0; bit < nr_bits; bit++) {
		size_t first = bit;

		if (!test_bit(bitmap, bit))
			continue;
		while (bit + 1 < nr_bits && test_bit(bitmap, bit + 1))
			bit++;
		if (!first_range)
			text_out__char(out, ',');
		first_range = false;
		print_decimal(out, first);
		if (bit > first) {
			text_out__char(out, '-');
			print_decimal(out, bit);
		}
	}
}

/* %p, %px: the value with as many digits as the type has, or as the width says */
static void print_address(struct text_out *out, uint64_t address, const struct printf_spec *spec)
{
	struct printf_spec number = *spec;

	number.base = 16;
	number.is_signed = false;
	if (number.width < 0) {
		number.width = 2 * sizeof(void *);
		number.flags |= PRINTF_ZERO;
	}
	print_number(out, address, &number);
}

/* The form in which the kernel shows a bus address. */
static void print_special_hex(struct text_out *out, uint64_t value, size_t size)
{
	struct printf_spec spec = {
		.flags = PRINTF_SPECIAL | PRINTF_ZERO,
		.base = 16,
		.width = (int)(2 * size + 2),
		.precision = -1,
	};

	print_number(out, value, &spec);
}

static char *ip4_text(char *out, const uint8_t *address, bool leading_zeros, bool reversed)
{
	for (int i = 0; i < 4; i++) {
		unsigned int quad = address[reversed ? 3 - i : i];

		out += sprintf(out, leading_zeros ? "%03u" : "%u", quad);
		if (i < 3)
			*out++ = '.';
	}
	return out;
}

static char *ip6_full_text(char *out, const uint8_t *address, bool colons)
{
	for (int i = 0; i < 16; i++) {
		if (colons && i && i % 2 == 0)
			*out++ = ':';
		out = hex_byte(out, address[i], lower_digits);
	}
	return out;
}

static unsigned int ip6_word(const uint8_t *address, int i)
{
	return (unsigned int)address[2 * i] << 8 | address[2 * i + 1];
}

/* Addresses which carry an IPv4 one: ::ffff:a.b.c.d, and ISATAP's interface identifier. */
static bool ip6_embeds_ip4(const uint8_t *address)
{
	static const uint8_t mapped[12] = { [10] = 0xff, [11] = 0xff };

	if (!memcmp(address, mapped, sizeof(mapped)))
		return true;
	return (address[8] | 2) == 2 && !address[9] && address[10] == 0x5e && address[11] == 0xfe;
}

struct word_run {
	int first, length;
};

/* The first of the longest runs of zero words that "::" can stand for. */
static struct word_run ip6_longest_zeros(const uint8_t *address, int nr_words)
{
	struct word_run best = { .first = -1, .length = 1 };

	for (int i = 0; i < nr_words; i++) {
		int n = 0;

		while (i + n < nr_words && !ip6_word(address, i + n))
			n++;
		if (n > best.length)
			best = (struct word_run){ .first = i, .length = n };
	}
	return best;
}

static char *ip6_compressed_text(char *out, const uint8_t *address)
{
	bool ip4 = ip6_embeds_ip4(address);
	int nr_words = ip4 ? 6 : 8;
	struct word_run zeros = ip6_longest_zeros(address, nr_words);
	bool need_colon = false;

	for (int i = 0; i < nr_words; i++) {
		if (i == zeros.first) {
			if (need_colon || i == 0)
				*out++ = ':';
			*out++ = ':';
			need_colon = false;
			i += zeros.length - 1;
			continue;
		}
		if (need_colon)
			*out++ = ':';
		out += sprintf(out, "%x", ip6_word(address, i));
		need_colon = true;
	}
	if (ip4) {
		if (need_colon)
			*out++ = ':';
		out = ip4_text(out, address + 12, false, false);
	}
	return out;
}

/* "[", an IPv6 address in its longest form, "]:65535/1048575%4294967295", NUL */
#define MAX_ADDRESS_TEXT 96

static bool little_endian_suffix(const char *suffix)
{
	char order = suffix[0] && suffix[1] ? suffix[2] : '\0';

#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
	return order == 'l';
#else
	return order == 'l' || order == 'h';
#endif
}

/* %pI4 %pi4 */
static void print_ip4(struct text_out *out, const char *suffix, struct memory m,
		      const struct printf_spec *spec)
{
	char text[MAX_ADDRESS_TEXT];

	*ip4_text(text, m.data, suffix[0] == 'i', little_endian_suffix(suffix)) = '\0';
	print_text(out, text, spec);
}

/* %pI6 %pI6c %pi6 */
static void print_ip6(struct text_out *out, const char *suffix, struct memory m,
		      const struct printf_spec *spec)
{
	char text[MAX_ADDRESS_TEXT], *end;

	if (suffix[0] == 'I' && suffix[2] == 'c')
		end = ip6_compressed_text(text, m.data);
	else
		end = ip6_full_text(text, m.data, suffix[0] == 'I');
	*end = '\0';
	print_text(out, text, spec);
}

static void print_socket_address4(struct text_out *out, const char *suffix, struct memory m,
				  const struct printf_spec *spec)
{
	char text[MAX_ADDRESS_TEXT], *end;
	const char *options = suffix + 2;
	struct sockaddr_in address;
	bool reversed = strchr(options, 'l');

#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
	reversed = reversed || strchr(options, 'h');
#endif
	memcpy(&address, m.data, sizeof(address));
	end = ip4_text(text, (const uint8_t *)&address.sin_addr, suffix[0] == 'i', reversed);
	if (strchr(options, 'p'))
		end += sprintf(end, ":%u", ntohs(address.sin_port));
	*end = '\0';
	print_text(out, text, spec);
}

static void print_socket_address6(struct text_out *out, const char *suffix, struct memory m,
				  const struct printf_spec *spec)
{
	char text[MAX_ADDRESS_TEXT], *end = text;
	const char *options = suffix + 2;
	bool brackets = strpbrk(options, "pfs");
	struct sockaddr_in6 address;

	memcpy(&address, m.data, sizeof(address));
	if (brackets)
		*end++ = '[';
	if (suffix[0] == 'I' && strchr(options, 'c'))
		end = ip6_compressed_text(end, address.sin6_addr.s6_addr);
	else
		end = ip6_full_text(end, address.sin6_addr.s6_addr, suffix[0] == 'I');
	if (brackets)
		*end++ = ']';
	if (strchr(options, 'p'))
		end += sprintf(end, ":%u", ntohs(address.sin6_port));
	if (strchr(options, 'f'))
		end += sprintf(end, "/%u", ntohl(address.sin6_flowinfo) & 0x0fffffff);
	if (strchr(options, 's'))
		end += sprintf(end, "%%%u", address.sin6_scope_id);
	*end = '\0';
	print_text(out, text, spec);
}

/* %pIS with its options: a struct sockaddr of either family */
static void print_socket_address(struct text_out *out, const char *suffix, struct memory m,
				 const struct printf_spec *spec)
{
	sa_family_t family;

	memcpy(&family, m.data, sizeof(family));
	if (family == AF_INET && m.size >= sizeof(struct sockaddr_in))
		print_socket_address4(out, suffix, m, spec);
	else if (family == AF_INET6 && m.size >= sizeof(struct sockaddr_in6))
		print_socket_address6(out, suffix, m, spec);
	else
		print_text(out, "(einval)", spec);
}

/* %pM %pMF %pMR %pm %pmR */
static void print_mac(struct text_out *out, const char *suffix, struct memory m,
		      const struct printf_spec *spec)
{
	char text[sizeof("xx:xx:xx:xx:xx:xx")], *end = text;

	for (int i = 0; i < 6; i++) {
		if (i && suffix[0] == 'M')
			*end++ = suffix[1] == 'F' ? '-' : ':';
		end = hex_byte(end, m.data[suffix[1] == 'R' ? 5 - i : i], lower_digits);
	}
	*end = '\0';
	print_text(out, text, spec);
}

/* %pU %pUb %pUB: big endian, %pUl %pUL: little endian; a capital gives capital digits */
static void print_uuid(struct text_out *out, const char *suffix, struct memory m,
		       const struct printf_spec *spec)
{
	static const uint8_t big[] = { 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15 };
	static const uint8_t little[] = { 3, 2, 1, 0, 5, 4, 7, 6, 8, 9, 10, 11, 12, 13, 14, 15 };
	const uint8_t *order = suffix[1] == 'l' || suffix[1] == 'L' ? little : big;
	const char *digits = suffix[1] == 'L' || suffix[1] == 'B' ? upper_digits : lower_digits;
	char text[sizeof("xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx")], *end = text;

	for (int i = 0; i < 16; i++) {
		if (i == 4 || i == 6 || i == 8 || i == 10)
			*end++ = '-';
		end = hex_byte(end, m.data[order[i]], digits);
	}
	*end = '\0';
	print_text(out, text, spec);
}

/* %ph %phC %phD %phN: as many bytes as the width says, at most 64 */
static void print_hex_string(struct text_out *out, const char *suffix, struct memory m,
			     const struct printf_spec *spec)
{
	size_t n = spec->width < 0 ? 1 : (size_t)spec->width;
	char separator = ' ';

	if (suffix[1] == 'C')
		separator = ':';
	else if (suffix[1] == 'D')
		separator = '-';
	else if (suffix[1] == 'N')
		separator = '\0';
	if (n > 64)
		n = 64;
	print_hex_bytes(out, m.data, n < m.size ? n : m.size, separator);
}

/* %pb %pbl: as many bits as the width says */
static void print_bits(struct text_out *out, const char *suffix, struct memory m,
		       const struct printf_spec *spec)
{
	size_t nr_bits = spec->width < 0 ? 0 : (size_t)spec->width;

	if (suffix[1] == 'l')
		print_bitmap_list(out, m, nr_bits);
	else
		print_bitmap(out, m, nr_bits);
}

/* %pa %pap %pad: a physical or DMA address, which is printed with its full width */
static void print_bus_address(struct text_out *out, const char *suffix, struct memory m,
			      const struct printf_spec *spec)
{
	uint64_t address;

	memcpy(&address, m.data, sizeof(address));
	print_special_hex(out, address, sizeof(address));
}

/*
 * Suffixes that read what the pointer points to: letters (the first match counts), the least
 * number of bytes to read, and how.
 */
static const struct pointed_to {
	const char *suffix;
	size_t size;
	void (*print)(struct text_out *out, const char *suffix, struct memory m,
		      const struct printf_spec *spec);
} pointed_to[] = {
	{ "I4", 4, print_ip4 },
	{ "i4", 4, print_ip4 },
	{ "I6", 16, print_ip6 },
	{ "i6", 16, print_ip6 },
	{ "IS", 2, print_socket_address },
	{ "iS", 2, print_socket_address },
	{ "M", 6, print_mac },
	{ "m", 6, print_mac },
	{ "U", 16, print_uuid },
	{ "h", 0, print_hex_string },
	{ "b", 0, print_bits },
	{ "a", 8, print_bus_address },
};

static const struct pointed_to *find_pointed_to(const char *suffix)
{
	for (size_t i = 0; i < sizeof(pointed_to) / sizeof(pointed_to[0]); i++) {
		if (!strncmp(suffix, pointed_to[i].suffix, strlen(pointed_to[i].suffix)))
			return &pointed_to[i];
	}
	return NULL;
}

void print_pointer(struct text_out *out, const char *suffix, struct memory pointer,
		   const struct printf_spec *spec)
{
	const struct pointed_to *target = find_pointed_to(suffix);
	const char *bad;

	if (target && pointer.data) {
		if (pointer.size >= target->size)
			target->print(out, suffix, pointer, spec);
		return;
	}
	if (target) {
		bad = bad_pointer_text(pointer.address);
		if (bad) {
			print_text(out, bad, spec);
			return;
		}
	}
	print_address(out, pointer.address, spec);
}
