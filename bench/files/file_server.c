/* SPDX-License-Identifier: MIT
 *
 * file_server.c - the files of a folder by HTTP/1.1, kept alive.
 *
 *	file_server FOLDER [WORKERS]
 *
 * Prints its port. It opens the files once, at the beginning, as nginx does with open_file_cache.
 */
#include <arpa/inet.h>
#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <ward/net.h>

#include "../echo/echo.h"

enum { FILES = 64, NAME = 64 };

static struct file {
	char name[NAME];
	int fd;
	off_t size;
} files[FILES];
static int files_count;

static const ward_stream_options http = {
	.framing = WARD_UNTIL("\r\n\r\n"), .frame_max = 8192, .idle_ms = WARD_MINUTE};

struct session {
	ward_stream *peer;
};

static const struct file *find(const char *name)
{
	for (int i = 0; i < files_count; i++)
		if (strcmp(files[i].name, name) == 0)
			return &files[i];
	return NULL;
}

static void answer(ward_self *self, ward_stream *peer, const char *request)
{
	const struct file *file = NULL;
	char name[NAME];

	if (sscanf(request, "GET /%63[^ ] HTTP/1.1\r\n", name) == 1)
		file = find(name);
	if (file == NULL) {
		ward_stream_printf(self, peer,
				   "HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n");
		return;
	}
	ward_stream_printf(self, peer,
			   "HTTP/1.1 200 OK\r\nContent-Type: application/octet-stream\r\n"
			   "Content-Length: %lld\r\nConnection: keep-alive\r\n\r\n",
			   (long long)file->size);
	ward_stream_write_file(self, peer, fcntl(file->fd, F_DUPFD_CLOEXEC, 0), 0,
			       (uint64_t)file->size);
}

static ward_result session_init(ward_self *self, void *state, const void *args)
{
	((struct session *)state)->peer = ward_stream_start(self, args, &http);
	return WARD_DONE;
}

static ward_result session_receive(ward_self *self, void *state, const ward_msg *msg)
{
	struct session *me = state;
	ward_frame request;

	while (ward_stream_next(self, me->peer, msg, &request))
		answer(self, me->peer, request.text);
	return ward_stream_result(self, me->peer, msg);
}

static const ward_behavior session = {
	.name = "session",
	.state_size = sizeof(struct session),
	.args = &ward_type_ward_connection,
	.init = session_init,
	.receive = session_receive,
};

static void open_files(const char *path)
{
	DIR *folder = opendir(path);
	const struct dirent *entry;
	struct stat status;

	if (folder == NULL) {
		perror(path);
		exit(1);
	}
	while (files_count < FILES && (entry = readdir(folder)) != NULL) {
		struct file *file = &files[files_count];

		if (entry->d_name[0] == '.' || strlen(entry->d_name) >= NAME)
			continue;
		strcpy(file->name, entry->d_name);
		file->fd = openat(dirfd(folder), file->name, O_RDONLY | O_CLOEXEC);
		if (file->fd < 0 || fstat(file->fd, &status) != 0) {
			perror(file->name);
			exit(1);
		}
		file->size = status.st_size;
		files_count++;
	}
	closedir(folder);
}

int main(int argc, char **argv)
{
	char address[32];
	struct ward_listener at = {.address = address, .child = {.behavior = &session}};
	uint16_t port;

	if (argc < 2 || argc > 3) {
		fprintf(stderr, "usage: file_server FOLDER [WORKERS]\n");
		return 2;
	}
	open_files(argv[1]);
	snprintf(address, sizeof(address), "fd:%d", echo_listen(&port));
	printf("%d\n", port);
	fflush(stdout);
	return ward_run(WARD_PROPS(&ward_listen, .args = {WARD_COPY(ward_listener, &at)}),
			&(ward_options){.workers = argc > 2 ? (uint32_t)atoi(argv[2]) : 1,
					.log_kinds = WARD_EVENT_NONE});
}
