/* SPDX-License-Identifier: GPL-2.0-only */
/* What `reader perf` and libpersist-perf.so tell each other. */
#ifndef PERF_PRELOAD_H
#define PERF_PRELOAD_H

/* Variables of the environment in which perf is started. */
#define PERF_PRELOAD_VIEW      "PERSIST_PERF_VIEW"	 /* directory of the view, see below */
#define PERF_PRELOAD_ROOT      "PERSIST_PERF_ROOT"	 /* the tree of pins */
#define PERF_PRELOAD_BEFORE    "PERSIST_PERF_LD_PRELOAD" /* what LD_PRELOAD was; unset: nothing */
#define PERF_PRELOAD_LIVE      "PERSIST_PERF_LIVE"   /* set: perf shows what happens at present */
#define PERF_PRELOAD_READER    "PERSIST_PERF_READER" /* what the reader was called by */
#define PERF_PRELOAD_BY_SCRIPT "PERSIST_PERF_BY_SCRIPT" /* set: perf is started by a script */

/* What is in the directory of the view. */
#define PERF_VIEW_SYSFS	  "sys"
#define PERF_VIEW_TRACEFS "tracing" /* only where needed */
#define PERF_VIEW_LOADED  "loaded"  /* the library was loaded */
#define PERF_VIEW_NOT_RUN "not-run" /* perf could not be executed */

#endif
