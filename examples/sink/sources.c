/* SPDX-License-Identifier: MIT
 *
 * sources.c - the memory of inputs; see sources.h.
 *
 * In the folder: `sources`, one line for each, replaced as a whole; `spool-N`; `lock`, held as long
 * as a sink works with the folder.
 */
#include "sources.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "digest.h"

#define HEADING "ward-sink sources 1\n"

/* ---- names, with what would end a line or a word escaped as %HH -------------------------- */

static void write_name(FILE *file, const char *name)
{
	for (const unsigned char *c = (const unsigned char *)name; *c; c++) {
		if (*c <= ' ' || *c == '%' || *c == 0x7f)
			fprintf(file, "%%%02X", *c);
		else
			fputc(*c, file);
	}
}

static bool read_name(char *name)
{
	char *to = name;
	for (const char *from = name; *from; from++) {
		unsigned value;
		if (*from != '%') {
			*to++ = *from;
		} else if (isxdigit((unsigned char)from[1]) && isxdigit((unsigned char)from[2]) &&
			   sscanf(from + 1, "%2x", &value) == 1 && value != 0) {
			*to++ = (char)value;
			from += 2;
		} else {
			return false;
		}
	}
	*to = '\0';
	return to > name;
}

/* ---- the list ---------------------------------------------------------------------------- */

static struct source *append(struct sources *sources, const char *name)
{
	struct source *all = realloc(sources->all, (sources->count + 1) * sizeof(*all));
	if (!all)
		return NULL;
	sources->all = all;
	struct source *source = &all[sources->count];
	*source = (struct source){
		.id = 1, .fd = -1, .complete = true, .acked = SOURCE_UNKNOWN, .name = strdup(name)};
	if (!source->name)
		return NULL;
	if (sources->count > 0)
		source->id = all[sources->count - 1].id + 1;
	sources->count++;
	return source;
}

static bool parse_source(struct sources *sources, char *line)
{
	struct source read = {0};
	unsigned kind, verified;
	int name_at = 0;
	int fields = sscanf(line,
			    "%" SCNu32 " %u %" SCNu64 " %" SCNu32 " %" SCNx64 " %" SCNd64
			    " %" SCNd64 " %u %n",
			    &read.id, &kind, &read.inode, &read.print_length, &read.print,
			    &read.end, &read.lines, &verified, &name_at);
	if (fields != 8 || name_at == 0 || kind > SOURCE_SPOOL || verified > 1 || read.end < 0 ||
	    read.lines < 0 || read.print_length > SOURCE_PRINT || !read_name(line + name_at))
		return false;
	uint32_t last = sources->count > 0 ? sources->all[sources->count - 1].id : 0;
	struct source *source = read.id > last ? append(sources, line + name_at) : NULL;
	if (!source)
		return false;
	read.name = source->name;
	read.kind = (enum source_kind)kind;
	read.verified = verified;
	read.fd = -1;
	read.complete = true;
	read.limit = read.end;
	read.acked = SOURCE_UNKNOWN;
	*source = read;
	return true;
}

static bool load(struct sources *sources, const char *folder, struct why *why)
{
	int fd = openat(sources->folder, "sources", O_RDONLY | O_CLOEXEC);
	if (fd < 0 && errno == ENOENT)
		return true;
	FILE *file = fd < 0 ? NULL : fdopen(fd, "r");
	if (!file)
		return why_not(why, "%s/sources: cannot be read: %s", folder, strerror(errno));
	char *line = NULL;
	size_t room = 0;
	int number = 0;
	bool good = true;
	while (good && getline(&line, &room, file) >= 0) {
		number++;
		if (number == 1) {
			good = strcmp(line, HEADING) == 0;
		} else {
			line[strcspn(line, "\n")] = '\0';
			good = parse_source(sources, line);
		}
	}
	if (ferror(file) || number == 0)
		good = false;
	free(line);
	fclose(file);
	return good || why_not(why,
			       "%s/sources: line %d is damaged. Move the folder and the database "
			       "aside to start again",
			       folder, number);
}

bool sources_open(struct sources *sources, const char *folder, struct why *why)
{
	*sources = (struct sources){.folder = -1, .lock = -1};
	if (mkdir(folder, 0777) != 0 && errno != EEXIST)
		return why_not(why, "%s: cannot be made: %s", folder, strerror(errno));
	sources->folder = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (sources->folder >= 0)
		sources->lock = openat(sources->folder, "lock", O_RDWR | O_CREAT | O_CLOEXEC, 0666);
	if (sources->lock < 0)
		why_not(why, "%s: cannot be used as the memory of inputs: %s", folder,
			strerror(errno));
	else if (flock(sources->lock, LOCK_EX | LOCK_NB) != 0)
		why_not(why, "%s: another ward-sink is at work here; wait for it or stop it",
			folder);
	else if (load(sources, folder, why))
		return true;
	sources_close(sources);
	return false;
}

void sources_close(struct sources *sources)
{
	for (size_t i = 0; i < sources->count; i++) {
		if (sources->all[i].fd >= 0)
			close(sources->all[i].fd);
		free(sources->all[i].name);
	}
	free(sources->all);
	if (sources->lock >= 0)
		close(sources->lock);
	if (sources->folder >= 0)
		close(sources->folder);
	*sources = (struct sources){.folder = -1, .lock = -1};
}

/* ---- recognising files ------------------------------------------------------------------- */

/* Sums up the first bytes. False: the file is shorter, or cannot be read. */
static bool take_print(int fd, uint32_t length, uint64_t *ret_print)
{
	char bytes[SOURCE_PRINT];
	uint32_t held = 0;
	while (held < length) {
		ssize_t got = pread(fd, bytes + held, length - held, held);
		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0)
			return false;
		held += (uint32_t)got;
	}
	*ret_print = digest_bytes(DIGEST_START, bytes, length);
	return true;
}

/* Whether the open file is the remembered one, perhaps grown since. */
static bool is_same_file(const struct source *source, int fd, const struct stat *status)
{
	uint64_t print;
	return source->kind == SOURCE_FILE && source->inode == status->st_ino &&
	       status->st_size >= source->end && take_print(fd, source->print_length, &print) &&
	       print == source->print;
}

/* Opens a regular file. Returns -1 and says why. */
static int open_file(const char *path, struct stat *ret_status, struct why *why)
{
	/* O_NONBLOCK: a FIFO without a writer must not hold us up before we refuse it. */
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
	if (fd < 0 || fstat(fd, ret_status) != 0)
		why_not(why, "%s: cannot be opened: %s", path, strerror(errno));
	else if (S_ISDIR(ret_status->st_mode))
		why_not(why, "%s: is a directory; name the files in it", path);
	else if (!S_ISREG(ret_status->st_mode))
		why_not(why, "%s: is not a regular file; feed it to standard input instead", path);
	else
		return fd;
	if (fd >= 0)
		close(fd);
	return -1;
}

static bool remember_new_file(struct sources *sources, const char *name, int fd,
			      const struct stat *status)
{
	struct source *source = append(sources, name);
	if (!source)
		return false;
	source->kind = SOURCE_FILE;
	source->inode = status->st_ino;
	source->fd = fd;
	source->limit = status->st_size;
	source->print_length =
		status->st_size < SOURCE_PRINT ? (uint32_t)status->st_size : SOURCE_PRINT;
	if (take_print(fd, source->print_length, &source->print))
		return true;
	free(source->name);
	sources->count--;
	return false;
}

bool sources_add_file(struct sources *sources, const char *path, struct why *why)
{
	struct stat status;
	int fd = open_file(path, &status, why);
	if (fd < 0)
		return false;
	char *name = realpath(path, NULL);
	bool added = false;
	if (name) {
		struct source *known = NULL;
		for (size_t i = 0; i < sources->count && !known; i++)
			if (is_same_file(&sources->all[i], fd, &status))
				known = &sources->all[i];
		if (!known) {
			added = remember_new_file(sources, name, fd, &status);
		} else {
			if (known->fd >= 0)
				close(known->fd); /* it was named twice */
			free(known->name);
			known->name = name;
			known->fd = fd;
			known->limit = status.st_size;
			return true;
		}
	}
	if (!added) {
		why_not(why, "%s: cannot be read: %s", path, strerror(errno));
		close(fd);
	}
	free(name);
	return added;
}

void sources_reopen(struct sources *sources)
{
	for (size_t i = 0; i < sources->count; i++) {
		struct source *source = &sources->all[i];
		struct stat status;
		struct why why;
		if (source->fd >= 0)
			continue;
		if (source->kind == SOURCE_SPOOL) {
			source->fd = openat(sources->folder, source->name, O_RDONLY | O_CLOEXEC);
			if (source->fd >= 0 && fstat(source->fd, &status) == 0)
				source->limit = status.st_size;
			continue;
		}
		int fd = open_file(source->name, &status, &why);
		if (fd < 0)
			continue;
		if (!is_same_file(source, fd, &status)) {
			close(fd);
			continue;
		}
		source->fd = fd;
		/* What was read to its end then is not begun again; the rest was asked for. */
		source->limit = source->verified ? source->end : status.st_size;
	}
}

/* ---- spools ------------------------------------------------------------------------------ */

int sources_add_spool(struct sources *sources, struct why *why)
{
	struct source *source = append(sources, "spool");
	char *name = NULL;
	if (source && asprintf(&name, "spool-%" PRIu32, source->id) >= 0) {
		free(source->name);
		source->name = name;
		source->kind = SOURCE_SPOOL;
		source->complete = false;
		source->fd = openat(sources->folder, name,
				    O_RDWR | O_CREAT | O_EXCL | O_APPEND | O_CLOEXEC, 0666);
		if (source->fd >= 0 && fsync(sources->folder) == 0)
			return (int)(sources->count - 1);
	}
	why_not(why, "the spool for standard input cannot be made: %s", strerror(errno));
	return -1;
}

void sources_release(struct sources *sources, struct source *source)
{
	if (source->kind != SOURCE_SPOOL || source->fd < 0 || !source->verified || source->cut)
		return;
	close(source->fd);
	source->fd = -1;
	unlinkat(sources->folder, source->name, 0);
}

/* ---- saving ------------------------------------------------------------------------------ */

static bool write_all(const struct sources *sources, FILE *file)
{
	fputs(HEADING, file);
	for (size_t i = 0; i < sources->count; i++) {
		const struct source *source = &sources->all[i];
		fprintf(file,
			"%" PRIu32 " %d %" PRIu64 " %" PRIu32 " %" PRIx64 " %" PRId64 " %" PRId64
			" %d ",
			source->id, source->kind, source->inode, source->print_length,
			source->print, source->end, source->lines, source->verified);
		write_name(file, source->name);
		fputc('\n', file);
	}
	return fflush(file) == 0 && !ferror(file) && fsync(fileno(file)) == 0;
}

bool sources_save(const struct sources *sources, struct why *why)
{
	int fd = openat(sources->folder, "sources.new", O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC,
			0666);
	FILE *file = fd < 0 ? NULL : fdopen(fd, "w");
	bool saved = file && write_all(sources, file);
	if (file && fclose(file) != 0)
		saved = false;
	saved = saved &&
		renameat(sources->folder, "sources.new", sources->folder, "sources") == 0 &&
		fsync(sources->folder) == 0;
	return saved || why_not(why, "the memory of inputs cannot be written: %s", strerror(errno));
}
