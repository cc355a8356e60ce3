/* SPDX-License-Identifier: GPL-2.0-only OR LGPL-2.1-only */
#ifndef PERSIST_VERSION_H
#define PERSIST_VERSION_H

#define PERSIST_BPF_VERSION "0.1.0"

#endif
