/* SPDX-License-Identifier: GPL-2.0-only OR LGPL-2.1-only */
/*
 * persist_bpf.h - persistent kernel events: recorded by BPF programs that no process owns,
 * into buffers pinned in bpffs.
 *
 * Rules that hold for every function below:
 *
 * - Functions that return int return 0 (or a count, where documented) on success and a negative
 *   errno value on failure. Functions that return a pointer return NULL and set errno.
 * - A function that frees accepts NULL.
 * - The library never prints. Messages go to the log callback of the handle at hand, and say
 *   more than an errno value can: the object, the cause and the remedy.
 * - There is no global state. Two handles can be used by two threads at the same time; one handle
 *   by one thread at a time.
 * - Options structures begin with their size. A caller that was built with a larger one than the
 *   library knows is refused (-E2BIG) if it sets what the library does not know.
 * - Every kernel from Linux 6.1 on will do, except where a function says otherwise.
 */
#ifndef PERSIST_BPF_H
#define PERSIST_BPF_H

#include <stddef.h>
#include <stdint.h>

#include "persist_record.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The library is built with -fvisibility=hidden: what is declared here is what it exports. */
#pragma GCC visibility push(default)

/* Where a tree of persistent events is, unless said otherwise. */
#define PERSIST_DEFAULT_ROOT "/sys/fs/bpf/persistent"

/* ---- Messages --------------------------------------------------------------------------- */

enum persist_log_level {
	PERSIST_LOG_ERROR = 0,
	PERSIST_LOG_WARNING = 1,
	PERSIST_LOG_INFO = 2,
	PERSIST_LOG_DEBUG = 3,
};

/**
 * typedef persist_log_fn - receives the messages of one handle
 * @ctx:     the pointer given together with the function
 * @level:   importance of the message
 * @message: one line without a newline; valid during the call only
 *
 * It is called from the thread that called the library.
 */
typedef void (*persist_log_fn)(void *ctx, enum persist_log_level level, const char *message);

/* ---- Reading ---------------------------------------------------------------------------- */

struct persist_event;
struct persist_reader;

/* Why records are missing. */
enum persist_loss_reason {
	/* It cannot be told which of the reasons below it was. */
	PERSIST_LOSS_UNKNOWN = 0,
	/* They were recorded, and the tail ring has overwritten them since. */
	PERSIST_LOSS_OVERWRITTEN = 1,
	/* The head ring was full and the event keeps the oldest records. */
	PERSIST_LOSS_RING_FULL = 2,
	/* The ring's lock could not be had in a context that must not wait. */
	PERSIST_LOSS_RING_BUSY = 3,
	/* The event interrupted the recording of another one. */
	PERSIST_LOSS_NESTED = 4,
	/* The record did not fit into any buffer. */
	PERSIST_LOSS_TOO_BIG = 5,
	/* The CPU had no buffer. */
	PERSIST_LOSS_NO_BUFFER = 6,
	/* The buffers were cleared on request before this reader came to them. */
	PERSIST_LOSS_CLEARED = 7,
};

/**
 * persist_loss_reason__name() - the word that the outputs show, such as "ring_full"
 * @reason: any value
 *
 * Return: a string that lives for ever; "unknown" for a value that is none.
 */
const char *persist_loss_reason__name(enum persist_loss_reason reason);

/**
 * struct persist_loss - records of one CPU that are missing
 * @lost:      how many: to_seq - from_seq + 1
 * @from_seq:  sequence number of the first
 * @to_seq:    sequence number of the last
 * @after_ns:  CLOCK_BOOTTIME of the record before the first, 0 without one
 * @before_ns: CLOCK_BOOTTIME of the record behind the last, or of the moment when it was found
 *             that the last events of the CPU are missing
 * @cpu:       the CPU
 * @reason:    why. A range that was overwritten, or that a full ring refused, may also hold
 *             single events that were lost for another reason; the event's counters tell how many.
 */
struct persist_loss {
	uint64_t lost;
	uint64_t from_seq;
	uint64_t to_seq;
	uint64_t after_ns;
	uint64_t before_ns;
	uint32_t cpu;
	enum persist_loss_reason reason;
};

/**
 * struct persist_item - what a reader gives out: a record, or where records are missing
 * @event:  the event, valid until the next call of persist_reader__next()
 * @record: the record, @record->header_size bytes before its payload, both valid until the next
 *          call of persist_reader__next(); NULL if this is a loss
 * @loss:   if @record is NULL
 * @stream: number of this event on this CPU among all that this reader meets, counted from 0; an
 *          event that is removed and added again gets new ones
 */
struct persist_item {
	const struct persist_event *event;
	const struct persist_record *record;
	struct persist_loss loss;
	uint32_t stream;
};

/* The payload of a record: what the event's format text describes. */
static inline const void *persist_record__payload(const struct persist_record *record)
{
	return (const char *)record + record->header_size;
}

/**
 * struct persist_reader_options - what is to be read
 * @size:             sizeof(struct persist_reader_options)
 * @log_fn:           receives messages, or NULL
 * @log_ctx:          its first argument
 * @log_level:        the least important level that is passed on
 * @root:             tree in which names are looked up; NULL: PERSIST_DEFAULT_ROOT
 * @cpus:             list of CPUs such as "0-3,8"; NULL: all
 * @since_ns:         nothing before this time (CLOCK_BOOTTIME); the present time for only what
 *                    comes from now on
 * @until_ns:         nothing after this time; 0: no limit
 * @last:             of what is there, only the newest @last records of all events together;
 *                    0: everything
 * @follow:           non-zero: go on with what comes
 * @poll_interval_ms: how often events are looked at that wake nobody (wakeup_events 0);
 *                    0: 19 ms, so that a record is seen within 20 ms
 */
struct persist_reader_options {
	size_t size;
	persist_log_fn log_fn;
	void *log_ctx;
	enum persist_log_level log_level;
	const char *root;
	const char *cpus;
	uint64_t since_ns;
	uint64_t until_ns;
	uint64_t last;
	uint32_t follow;
	uint32_t poll_interval_ms;
};

/**
 * persist_reader__new() - make a reader
 * @options: NULL for the defaults; strings are copied
 *
 * Return: the reader, which the caller frees, or NULL with errno: EINVAL (a list of CPUs that is
 * none, or since after until), E2BIG (options this library does not know), ENOMEM, EMFILE.
 */
struct persist_reader *persist_reader__new(const struct persist_reader_options *options);

/* Frees the reader. What was mapped is unmapped; the events are not touched. */
void persist_reader__free(struct persist_reader *reader);

/**
 * persist_reader__add() - read this event
 * @reader: before the first call of persist_reader__next()
 * @target: path of the event's directory, a name in the root, or "persistent/NAME/"; the name may
 * be a shell pattern, as in "sched_*", and then means each event that matches now
 *
 * Needs permission to open the event's pins, and no other privilege.
 *
 * Return: 0, or -ENOENT (no such event), -EEXIST (it was added before), -EACCES (the pins' mode),
 * -EPERM (bpf(2) is not allowed), -EMEDIUMTYPE (not a BPF file system), -EBADMSG (corrupt, or not
 * ours), -ENOTSUP (written by a newer version), -ERANGE (it has none of the CPUs of the options),
 * -EBUSY (next was called), -ENOMEM or what a system call returned. The log says more.
 */
int persist_reader__add(struct persist_reader *reader, const char *target);

/**
 * persist_reader__add_all() - read every event of the root
 * @reader: before the first call of persist_reader__next()
 *
 * Followers also read those that come later, need no tree to begin with, and never come to an end.
 * An event that cannot be read is left out, with a message.
 *
 * Return: 0, or -ENOENT (there is no tree, and @follow is not set), -EBUSY (next was called), or
 * as persist_list_events().
 */
int persist_reader__add_all(struct persist_reader *reader);

/**
 * struct persist_position - how far one event on one CPU was read
 * @instance: of the event's metadata
 * @event_id: its id
 * @cpu:      the CPU
 * @seq:      sequence number of the last record that was used; of an imported one, which comes
 *            before all others, with PERSIST_POSITION_IMPORTED. As signed numbers they are in order
 */
struct persist_position {
	uint64_t instance;
	uint32_t event_id;
	uint32_t cpu;
	uint64_t seq;
};

#define PERSIST_POSITION_IMPORTED (1ull << 63)

/* The @seq of the position at which a reader is that has used this item. */
static inline uint64_t persist_item__position(const struct persist_item *item)
{
	if (!item->record)
		return item->loss.to_seq;
	return item->record->flags & PERSIST_RECORD_IMPORTED
		       ? item->record->seq | PERSIST_POSITION_IMPORTED
		       : item->record->seq;
}

/**
 * persist_reader__positions() - how far the reader has come
 * @reader:    the reader
 * @positions: set to an array, which the caller frees with free(); NULL if nothing was read
 *
 * Everything that persist_reader__next() has given out counts as read, the last item as well: call
 * this when it has been dealt with. The array can be stored as it is.
 *
 * Return: how many, or -ENOMEM.
 */
int persist_reader__positions(const struct persist_reader *reader,
			      struct persist_position **positions);

/**
 * persist_reader__resume() - go on behind saved positions
 * @reader:    before the first call of persist_reader__next()
 * @positions: of persist_reader__positions(), or one's own, in any order; copied. Those of events
 *             that are not read are ignored.
 * @nr:        how many
 *
 * Without a position, an event is read from the oldest record that its buffers hold.
 *
 * Return: 0, or -EBUSY (next was called), -ENOMEM.
 */
int persist_reader__resume(struct persist_reader *reader, const struct persist_position *positions,
			   size_t nr);

/**
 * persist_reader__next() - the next record or loss
 * @reader: the reader
 * @item:   set if 1 is returned
 *
 * Items come in the order of time over all events, CPUs and rings. Each event that was seen while
 * it was persistent comes exactly once, as a record or as part of a loss. A follower holds a record
 * back for some microseconds, in case that an older one is just being written on another CPU; one
 * whose writer was held up for longer comes late.
 *
 * While the buffers of an event are cleared, newer records of others wait until the new buffers
 * are there, some 50 milliseconds.
 *
 * Without @follow, what was there when the event was added is given out. With it, an event whose
 * buffers are cleared goes on; one that is removed ends; one that is added again under the name of
 * one that was removed is taken up again, as a new event, as long as there are others to read.
 *
 * Return: 1 with an item; 0 at the end; -EAGAIN if there is nothing at the moment, after which
 * the caller waits with persist_reader__wait() or polls persist_reader__fd(); another negative
 * errno value on failure.
 */
int persist_reader__next(struct persist_reader *reader, struct persist_item *item);

/**
 * persist_reader__fd() - a descriptor to wait on
 * @reader: the reader, which keeps the descriptor
 *
 * After persist_reader__next() has returned -EAGAIN, the descriptor becomes readable when it
 * should be called again. Only poll it, do not read from it.
 */
int persist_reader__fd(const struct persist_reader *reader);

/**
 * persist_reader__wait() - wait after -EAGAIN
 * @reader:     the reader
 * @timeout_ms: the longest time, -1 for no limit
 *
 * Return: 1 when persist_reader__next() should be called, 0 after the time, -EINTR after a signal.
 */
int persist_reader__wait(struct persist_reader *reader, int timeout_ms);

/* The event's metadata. Valid as long as the event is, like everything below. */
const struct persist_meta *persist_event__meta(const struct persist_event *event);

/* The text that describes the payload, as tracefs shows it; "" if there is none. */
const char *persist_event__format_text(const struct persist_event *event);

/* The path by which the event was found. */
const char *persist_event__path(const struct persist_event *event);

/* ---- Fields of a record ------------------------------------------------------------------ */

/*
 * A field of the records of one event; it belongs to the event, and goes with it.
 */
struct persist_field;

/* What a field holds. */
enum persist_field_type {
	PERSIST_FIELD_UNSIGNED = 1, /* an unsigned integer of 1, 2, 4 or 8 bytes */
	PERSIST_FIELD_SIGNED = 2,   /* a signed one */
	PERSIST_FIELD_POINTER = 3,  /* an address in the kernel or in user space */
	PERSIST_FIELD_STRING = 4,   /* characters */
	PERSIST_FIELD_BYTES = 5,    /* an array of something else, or a structure */
};

/**
 * persist_event__find_field() - a field by its name
 * @event: the event
 * @name:  as in persist_event__format_text(), such as "prev_comm"; also one of those that every
 *         event has, such as "common_type"
 *
 * A field that was found for one record serves for all records of the same stream (struct
 * persist_item).
 *
 * Return: the field, or NULL with errno: ENOENT (there is no such field), ENODATA (there is no
 * format text, or it is malformed).
 */
const struct persist_field *persist_event__find_field(const struct persist_event *event,
						      const char *name);

/*
 * The fields of the event in the order of the format text, without those that every event has (the
 * record's header has what these say): how many there are, and one of them, NULL beyond the last.
 */
size_t persist_event__nr_fields(const struct persist_event *event);
const struct persist_field *persist_event__field(const struct persist_event *event, size_t index);

const char *persist_field__name(const struct persist_field *field);
enum persist_field_type persist_field__type(const struct persist_field *field);

/* The type as the kernel's source has it, such as "pid_t", "char[16]" or "__data_loc u32[]". */
const char *persist_field__type_text(const struct persist_field *field);

/* Bytes of one element of an array; of any other field, its own. */
size_t persist_field__element_size(const struct persist_field *field);

/**
 * persist_field__get_u64() - the value of an integer or address
 * @field:  of the event that the record is of
 * @record: a record
 * @value:  set to the value
 *
 * Return: 0, or -EINVAL (the field is of another type), -ERANGE (the value is negative), -ENODATA
 * (the record ends before it).
 */
int persist_field__get_u64(const struct persist_field *field, const struct persist_record *record,
			   uint64_t *value);

/* The same, as a signed number. -ERANGE: it is larger than INT64_MAX. */
int persist_field__get_s64(const struct persist_field *field, const struct persist_record *record,
			   int64_t *value);

/**
 * persist_field__get_string() - the characters of a string
 * @field:  of the event that the record is of
 * @record: a record
 * @string: set to the first character, in the record; it is valid as long as that is, and not
 *          always followed by a NUL. What is in it came from anywhere: names of threads and files
 *          can contain any byte.
 * @length: set to the number of characters
 *
 * Return: 0, or -EINVAL (the field is of another type), -ENODATA (the record ends before it).
 */
int persist_field__get_string(const struct persist_field *field,
			      const struct persist_record *record, const char **string,
			      size_t *length);

/**
 * persist_field__get_bytes() - the memory of a field of any type
 * @field:  of the event that the record is of
 * @record: a record
 * @bytes:  set to the first byte, in the record, which need not be aligned; valid as long as that
 * @size:   set to the number of bytes. A "__data_loc" or "__rel_loc" stands for what it points to.
 *
 * Return: 0, or -ENODATA (the record ends before it).
 */
int persist_field__get_bytes(const struct persist_field *field, const struct persist_record *record,
			     const void **bytes, size_t *size);

/**
 * persist_event__print() - the text that ftrace prints for a record, behind "event_name: "
 * @event:  the event that the record is of
 * @record: the record
 * @text:   gets the text and a NUL, as far as there is room; may be NULL if @size is 0
 * @size:   bytes of @text
 *
 * Addresses are shown as they are, and with names where the kernel's print format asks for that and
 * /proc/kallsyms tells. Strings of the record are in the text as they are.
 *
 * Return: bytes of the whole text without the NUL, whatever @size is, or -ENODATA (there is no
 * format text, or it is malformed).
 */
int persist_event__print(const struct persist_event *event, const struct persist_record *record,
			 char *text, size_t size);

/**
 * persist_event__print_json() - the fields of a record as one JSON object
 * @event:  the event that the record is of
 * @record: the record
 * @text:   gets the object and a NUL, as far as there is room; may be NULL if @size is 0
 * @size:   bytes of @text
 *
 * Integers and addresses are decimal numbers of their exact value, strings are strings in which a
 * byte that is not UTF-8 is shown as \xNN, and arrays are arrays.
 *
 * Return: as persist_event__print().
 */
int persist_event__print_json(const struct persist_event *event,
			      const struct persist_record *record, char *text, size_t size);

/* ---- Lists of events --------------------------------------------------------------------- */

/**
 * struct persist_event_info - one line of a list of events
 * @meta:     what the event is
 * @seen:     events that were seen, over all CPUs
 * @recorded: of these, recorded
 * @lost:     of these, not recorded; what was overwritten since is not in it
 * @error:    0, or why the event cannot be read (-errno); then only meta.name is valid, and the
 *            counters are 0
 */
struct persist_event_info {
	struct persist_meta meta;
	uint64_t seen;
	uint64_t recorded;
	uint64_t lost;
	int error;
};

/**
 * persist_list_events() - what is in a tree
 * @root:  path of the tree, NULL for PERSIST_DEFAULT_ROOT
 * @log_fn: receives messages about what cannot be read, or NULL
 * @log_ctx: its first argument
 * @infos: set to an array in the order of the names, which the caller frees with free(); NULL if
 *         there is none
 *
 * Return: how many, or -ENOENT (no tree), -EMEDIUMTYPE (not a BPF file system), -EACCES, -ENOMEM.
 */
int persist_list_events(const char *root, persist_log_fn log_fn, void *log_ctx,
			struct persist_event_info **infos);

#pragma GCC visibility pop

#ifdef __cplusplus
}
#endif

#include "persist_attr.h"
#include "persist_totals.h"
#include "persist_tree.h"

#endif
