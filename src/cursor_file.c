// SPDX-License-Identifier: GPL-2.0-only OR LGPL-2.1-only
#define _GNU_SOURCE
#include "cursor_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#define FILE_MAGIC   0x72756366706270ull /* "pbpfcur" */
#define FILE_VERSION 1

/* The file has holes where nothing was stored. */
#define MAX_POSITIONS 16384
/* Of these, positions of events that are not read this time are kept, the latest ones. */
#define MAX_FOREIGN 8192

/* Positions that are written once more rather than with a call of their own for what is behind
 * them. */
#define MAX_GAP 64

/* A write to a regular file that was about to be done. A length of 0: none. */
struct announced_write {
	uint64_t device;
	uint64_t inode;
	uint64_t offset;
	uint64_t len;
};

/* @checksum covers everything else, and the positions. */
struct slot_head {
	uint64_t checksum;
	uint64_t generation;
	uint64_t nr;
	struct announced_write write;
};

/* Of two valid slots the one with the larger generation counts. */
struct slot {
	struct slot_head head;
	struct persist_position positions[MAX_POSITIONS];
};

struct file_head {
	uint64_t magic;
	uint32_t version;
	uint32_t position_size;
	uint64_t max_positions;
};

struct layout {
	struct file_head head; /* stored last when the file is made */
	uint8_t unused[4096 - sizeof(struct file_head)];
	struct slot slots[2];
};

/* Numbers of positions, each at most once. */
struct number_set {
	uint32_t nr;
	uint32_t numbers[MAX_POSITIONS];
	bool has[MAX_POSITIONS];
};

struct cursor_file {
	const struct log *log;
	const char *path;
	int fd;
	int output_fd;
	bool output_is_regular;
	uint64_t generation; /* of the last store */
	uint64_t nr;
	uint64_t sum; /* of the hashes of what is in the slots, or will be */
	struct persist_position positions[MAX_POSITIONS];
	uint64_t new_seqs[MAX_POSITIONS];
	struct number_set changed;     /* new_seqs that are not in positions yet */
	struct number_set outdated[2]; /* positions that are not in a slot yet */
};

static void number_set__add(struct number_set *set, uint32_t number)
{
	if (set->has[number])
		return;
	set->has[number] = true;
	set->numbers[set->nr++] = number;
}

static void number_set__clear(struct number_set *set)
{
	for (uint32_t i = 0; i < set->nr; i++)
		set->has[set->numbers[i]] = false;
	set->nr = 0;
}

/* ---- checksums --------------------------------------------------------------------------- */

/* The finalizer of MurmurHash3: every bit of the input changes half of those of the output. */
static uint64_t mix(uint64_t hash)
{
	hash ^= hash >> 33;
	hash *= 0xff51afd7ed558ccdull;
	hash ^= hash >> 33;
	hash *= 0xc4ceb9fe1a85ec53ull;
	return hash ^ hash >> 33;
}

/* Sums of these can be kept up to date when one position changes. */
static uint64_t hash_position(uint64_t number, const struct persist_position *position)
{
	uint64_t hash = mix(number + 1);

	hash = mix(hash ^ position->instance);
	hash = mix(hash ^ ((uint64_t)position->event_id << 32 | position->cpu));
	return mix(hash ^ position->seq);
}

static uint64_t slot_checksum(uint64_t sum, uint64_t generation, uint64_t nr,
			      const struct announced_write *write)
{
	uint64_t hash = mix(sum ^ FILE_MAGIC);

	hash = mix(hash ^ generation);
	hash = mix(hash ^ nr);
	hash = mix(hash ^ write->device);
	hash = mix(hash ^ write->inode);
	hash = mix(hash ^ write->offset);
	return mix(hash ^ write->len);
}

static uint64_t sum_of_positions(const struct persist_position *positions, uint64_t nr)
{
	uint64_t sum = 0;

	for (uint64_t i = 0; i < nr; i++)
		sum += hash_position(i, &positions[i]);
	return sum;
}

static bool slot_is_valid(const struct slot *slot)
{
	const struct slot_head *head = &slot->head;

	return head->generation && head->nr <= MAX_POSITIONS &&
	       head->checksum == slot_checksum(sum_of_positions(slot->positions, head->nr),
					       head->generation, head->nr, &head->write);
}

/* ---- storing ----------------------------------------------------------------------------- */

/* Takes new_seqs over into the positions. */
static void apply_changes(struct cursor_file *file)
{
	for (uint32_t i = 0; i < file->changed.nr; i++) {
		uint32_t number = file->changed.numbers[i];
		struct persist_position *position = &file->positions[number];

		file->sum -= hash_position(number, position);
		position->seq = file->new_seqs[number];
		file->sum += hash_position(number, position);
		number_set__add(&file->outdated[0], number);
		number_set__add(&file->outdated[1], number);
	}
	number_set__clear(&file->changed);
}

static int write_at(const struct cursor_file *file, const void *bytes, size_t size, off_t offset)
{
	ssize_t written = pwrite(file->fd, bytes, size, offset);

	if (written < 0)
		return -errno;
	return (size_t)written == size ? 0 : -ENOSPC;
}

/* The position from @first on that is outdated; file->nr if there is none. */
static uint32_t next_outdated(const struct cursor_file *file, const struct number_set *outdated,
			      uint32_t first)
{
	while (first < file->nr && !outdated->has[first])
		first++;
	return first;
}

/* Writes what is outdated, with what is between it where that is little. */
static int store_positions(const struct cursor_file *file, const struct number_set *outdated,
			   off_t offset)
{
	uint32_t first = outdated->nr ? next_outdated(file, outdated, 0) : (uint32_t)file->nr;
	int err = 0;

	while (!err && first < file->nr) {
		uint32_t end = first + 1, next = next_outdated(file, outdated, end);

		for (; next < file->nr && next - end <= MAX_GAP;
		     next = next_outdated(file, outdated, end))
			end = next + 1;
		err = write_at(file, &file->positions[first],
			       (end - first) * sizeof(file->positions[0]),
			       offset + (off_t)(first * sizeof(file->positions[0])));
		first = next;
	}
	return err;
}

/*
 * Overwrites the older slot. As soon as a position in it is another one its checksum is wrong, and
 * the other slot counts, until the new head is there: with one write, of a few words in one page.
 */
static int store_slot(struct cursor_file *file, const struct announced_write *write)
{
	uint64_t generation = file->generation + 1;
	struct number_set *outdated = &file->outdated[generation % 2];
	const struct slot_head head = {
		.checksum = slot_checksum(file->sum, generation, file->nr, write),
		.generation = generation,
		.nr = file->nr,
		.write = *write,
	};
	off_t slot = (off_t)(offsetof(struct layout, slots) + generation % 2 * sizeof(struct slot));
	int err;

	err = store_positions(file, outdated, slot + (off_t)offsetof(struct slot, positions));
	if (!err)
		err = write_at(file, &head, sizeof(head), slot);
	if (err)
		return err;
	number_set__clear(outdated);
	file->generation = generation;
	return 0;
}

static int store_head(const struct cursor_file *file)
{
	static const struct file_head head = {
		.magic = FILE_MAGIC,
		.version = FILE_VERSION,
		.position_size = sizeof(struct persist_position),
		.max_positions = MAX_POSITIONS,
	};

	return write_at(file, &head, sizeof(head), 0);
}

static void set_all_outdated(struct cursor_file *file)
{
	for (uint32_t i = 0; i < file->nr; i++) {
		number_set__add(&file->outdated[0], i);
		number_set__add(&file->outdated[1], i);
	}
}

/* Somebody has cut the file off while it is in use: what we know is still right. */
static int store_anew(struct cursor_file *file, const struct announced_write *write)
{
	int err = -posix_fallocate(file->fd, 0, sizeof(struct layout));

	log_warn(file->log, "%s: was changed while it is in use; it is written anew", file->path);
	set_all_outdated(file);
	if (!err)
		err = store_slot(file, write);
	return err ? err : store_head(file);
}

static int store(struct cursor_file *file, const struct announced_write *write)
{
	struct stat st;
	int err;

	apply_changes(file);
	if (fstat(file->fd, &st))
		err = -errno;
	else if (st.st_size != sizeof(struct layout))
		err = store_anew(file, write);
	else
		err = store_slot(file, write);
	if (err)
		log_error(file->log, "%s: cannot be written: %s", file->path, strerror(-err));
	return err;
}

int cursor_file__begin_write(struct cursor_file *file, size_t len)
{
	struct announced_write write = { 0 };
	struct stat st;
	off_t offset;

	if (!file->output_is_regular || fstat(file->output_fd, &st))
		return 0;
	offset = fcntl(file->output_fd, F_GETFL) & O_APPEND ? st.st_size
							    : lseek(file->output_fd, 0, SEEK_CUR);
	/* In the middle of a file its size would not tell anything. */
	if (offset != st.st_size)
		return 0;
	write.device = st.st_dev;
	write.inode = st.st_ino;
	write.offset = (uint64_t)offset;
	write.len = len;
	return store(file, &write);
}

int cursor_file__end_write(struct cursor_file *file)
{
	static const struct announced_write none;

	return store(file, &none);
}

void cursor_file__set(struct cursor_file *file, int number, uint64_t seq)
{
	file->new_seqs[number] = seq;
	number_set__add(&file->changed, (uint32_t)number);
}

int cursor_file__find(struct cursor_file *file, const struct persist_meta *meta, uint32_t cpu)
{
	uint32_t number;

	for (number = 0; number < file->nr; number++) {
		const struct persist_position *position = &file->positions[number];

		if (position->instance == meta->instance && position->event_id == meta->event_id &&
		    position->cpu == cpu)
			return (int)number;
	}
	if (number == MAX_POSITIONS) {
		log_error(file->log, "%s: no room for another event's position; use a new file",
			  file->path);
		return -ENOSPC;
	}
	file->positions[number] = (struct persist_position){
		.instance = meta->instance,
		.event_id = meta->event_id,
		.cpu = cpu,
	};
	file->sum += hash_position(number, &file->positions[number]);
	file->nr++;
	number_set__add(&file->outdated[0], number);
	number_set__add(&file->outdated[1], number);
	return (int)number;
}

size_t cursor_file__positions(const struct cursor_file *file,
			      const struct persist_position **positions)
{
	*positions = file->positions;
	return file->nr;
}

/* ---- opening ----------------------------------------------------------------------------- */

/*
 * Whether what @slot announced was written. What was written of it in part is removed: nobody else
 * has written behind it, or the file would be longer than the whole.
 */
static bool was_written(const struct cursor_file *file, const struct slot *slot)
{
	const struct announced_write *write = &slot->head.write;
	struct stat st;

	if (!write->len)
		return true;
	if (fstat(file->output_fd, &st) || st.st_dev != write->device ||
	    st.st_ino != write->inode) {
		log_warn(file->log,
			 "%s: the last reader was killed while it wrote to another file; what it "
			 "wrote last may come twice",
			 file->path);
		return false;
	}
	if ((uint64_t)st.st_size >= write->offset + write->len)
		return true;
	if ((uint64_t)st.st_size > write->offset &&
	    ftruncate(file->output_fd, (off_t)write->offset))
		log_warn(file->log, "%s: the output ends in a line that is not whole: %s",
			 file->path, strerror(errno));
	return false;
}

/* The slot that holds what was written out; NULL if neither is valid. */
static const struct slot *choose_slot(const struct cursor_file *file, const struct slot slots[2])
{
	bool valid[2] = { slot_is_valid(&slots[0]), slot_is_valid(&slots[1]) };
	int newest;

	if (!valid[0] && !valid[1])
		return NULL;
	newest = valid[1] && (!valid[0] || slots[1].head.generation > slots[0].head.generation);
	if (!was_written(file, &slots[newest]) && valid[!newest])
		newest = !newest;
	return &slots[newest];
}

/* Takes the positions over. Those that have not been used for long are dropped. */
static void load_slot(struct cursor_file *file, const struct slot *slot)
{
	uint64_t nr = slot->head.nr, dropped = nr > MAX_FOREIGN ? nr - MAX_FOREIGN : 0;

	file->nr = nr - dropped;
	memcpy(file->positions, slot->positions + dropped, file->nr * sizeof(file->positions[0]));
	file->sum = sum_of_positions(file->positions, file->nr);
	/* If that is not the newest, the next store replaces the newest: this one stays valid. */
	file->generation = slot->head.generation;
	set_all_outdated(file);
}

static int init_file(struct cursor_file *file)
{
	static const struct announced_write none;
	int err = store_slot(file, &none);

	return err ? err : store_head(file);
}

/* -EBADMSG if it has another size; a new file gets its own. */
static int check_size(int fd)
{
	struct stat st;
	int err;

	if (fstat(fd, &st))
		return -errno;
	if (!S_ISREG(st.st_mode) || (st.st_size && st.st_size != sizeof(struct layout)))
		return -EBADMSG;
	/* What has room now need not be given up for want of it in the middle. */
	err = -posix_fallocate(fd, 0, sizeof(struct layout));
	if (err && !st.st_size && ftruncate(fd, 0))
		err = -ENOSPC;
	return err;
}

static int load_content(struct cursor_file *file, const struct layout *content)
{
	const struct slot *slots = content->slots, *slot;

	/* All zero, or killed while it was made. */
	if (!content->head.magic && !slots[0].head.generation && slots[1].head.generation <= 1 &&
	    !slots[1].head.nr)
		return init_file(file);
	if (content->head.magic != FILE_MAGIC || content->head.version != FILE_VERSION ||
	    content->head.position_size != sizeof(struct persist_position) ||
	    content->head.max_positions != MAX_POSITIONS)
		return -EBADMSG;
	slot = choose_slot(file, slots);
	if (!slot)
		return -EBADMSG;
	load_slot(file, slot);
	return 0;
}

static int load(struct cursor_file *file)
{
	struct layout *content;
	ssize_t got;
	int err = check_size(file->fd);

	if (err)
		return err;
	content = malloc(sizeof(*content));
	if (!content)
		return -ENOMEM;
	got = pread(file->fd, content, sizeof(*content), 0);
	if (got < 0)
		err = -errno;
	else
		err = got == sizeof(*content) ? load_content(file, content) : -EBADMSG;
	free(content);
	return err;
}

static int open_and_lock(struct cursor_file *file)
{
	file->fd = open(file->path, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
	if (file->fd < 0)
		return -errno;
	if (flock(file->fd, LOCK_EX | LOCK_NB))
		return errno == EWOULDBLOCK ? -EBUSY : -errno;
	return 0;
}

static void explain(const struct log *log, const char *path, int err)
{
	if (err == -EBUSY)
		log_error(
			log,
			"%s: another reader uses this cursor file; end that one, or name another file",
			path);
	else if (err == -EBADMSG)
		log_error(log,
			  "%s: not a cursor file, or corrupt; it was left as it is. Name another "
			  "file, or remove this one to read from the oldest record on",
			  path);
	else
		log_error(log, "%s: cannot use it as cursor file: %s", path, strerror(-err));
}

int cursor_file__open(const char *path, int output_fd, const struct log *log,
		      struct cursor_file **result)
{
	struct cursor_file *file = calloc(1, sizeof(*file));
	struct stat st;
	int err;

	*result = NULL;
	if (!file)
		return -ENOMEM;
	file->log = log;
	file->path = path;
	file->fd = -1;
	file->output_fd = output_fd;
	file->output_is_regular = !fstat(output_fd, &st) && S_ISREG(st.st_mode);
	err = open_and_lock(file);
	if (!err)
		err = load(file);
	if (err) {
		explain(log, path, err);
		cursor_file__close(file);
		return err;
	}
	*result = file;
	return 0;
}

void cursor_file__close(struct cursor_file *file)
{
	if (!file)
		return;
	if (file->fd >= 0)
		close(file->fd);
	free(file);
}
