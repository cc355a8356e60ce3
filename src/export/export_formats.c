// SPDX-License-Identifier: GPL-2.0-only
#include "export/export_format.h"

const struct export_format *const export_formats[] = {
	&chrome_format,
	&ctf_format,
	&rasdaemon_format,
};

const size_t nr_export_formats = sizeof(export_formats) / sizeof(export_formats[0]);
