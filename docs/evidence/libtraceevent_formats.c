// SPDX-License-Identifier: GPL-2.0-only
/*
 * Which format texts of the running kernel does libtraceevent not understand?
 *
 *	cc libtraceevent_formats.c -o formats $(pkg-config --cflags --libs libtraceevent)
 *	find /sys/kernel/tracing/events -name format | ./formats
 *
 * It prints each such text's event, and how many there were. A text that cannot be parsed
 * is shown by libtraceevent as "[FAILED TO PARSE]" and a list of fields.
 */
#include <stdio.h>
#include <string.h>
#include <traceevent/event-parse.h>

/* "/sys/.../events/SYSTEM/NAME/format" */
static const char *system_of(char *path)
{
	char *slash;

	for (int i = 0; i < 2; i++) {
		slash = strrchr(path, '/');
		if (!slash)
			return "";
		*slash = '\0';
	}
	slash = strrchr(path, '/');
	return slash ? slash + 1 : "";
}

int main(void)
{
	static char path[4096], text[1 << 20];
	struct tep_handle *tep = tep_alloc();
	struct tep_event *event;
	int all = 0, failed = 0;
	size_t len;
	FILE *file;

	while (fgets(path, sizeof(path), stdin)) {
		path[strcspn(path, "\n")] = '\0';
		file = fopen(path, "r");
		if (!file)
			continue;
		len = fread(text, 1, sizeof(text) - 1, file);
		fclose(file);
		text[len] = '\0';
		event = NULL;
		all++;
		if (tep_parse_format(tep, &event, text, len, system_of(path)) || !event ||
		    event->flags & TEP_EVENT_FL_FAILED) {
			failed++;
			printf("%s\n", event ? event->name : path);
		}
	}
	printf("%d of %d\n", failed, all);
	tep_free(tep);
	return 0;
}
