/* SPDX-License-Identifier: GPL-2.0-only OR LGPL-2.1-only */
/* The running kernel's symbols, from /proc/kallsyms. */
#ifndef PERSIST_KERNEL_SYMBOLS_H
#define PERSIST_KERNEL_SYMBOLS_H

#include "event_format.h"

/**
 * kernel_symbols__find() - the symbol that an address of the kernel belongs to.
 * @address: the address
 * @symbol: filled when there is one; its strings stay for ever
 *
 * Fits event_format__use_symbols(). The symbols are read when the first one is asked for,
 * which takes some 100 ms and 15 MiB, and kept. Who may not see addresses in /proc/kallsyms
 * (kernel.kptr_restrict, no CAP_SYSLOG) finds none.
 *
 * Return: whether there is one. Thread safety: any thread, at any time.
 */
bool kernel_symbols__find(uint64_t address, struct event_format_symbol *symbol);

#endif /* PERSIST_KERNEL_SYMBOLS_H */
