/* SPDX-License-Identifier: MIT
 *
 * echo.c - what the echo servers written in C share: the socket, and the run of their client.
 */
#include "echo.h"

#include <arpa/inet.h>
#include <inttypes.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

enum { BACKLOG = 1024, OTHER_FILES = 32 };

static void must(int done, const char *what)
{
	if (done >= 0)
		return;
	perror(what);
	exit(1);
}

void echo_allow_files(int64_t count)
{
	struct rlimit limit;

	must(getrlimit(RLIMIT_NOFILE, &limit), "getrlimit");
	limit.rlim_cur = limit.rlim_max;
	must(setrlimit(RLIMIT_NOFILE, &limit), "setrlimit");
	if (limit.rlim_max >= (rlim_t)count + OTHER_FILES)
		return;
	fprintf(stderr,
		"%" PRId64 " connections need more descriptors than a process may have: "
		"ulimit -Hn\n",
		count);
	exit(1);
}

int echo_listen(uint16_t *port)
{
	struct sockaddr_in at = {.sin_family = AF_INET, .sin_addr = {htonl(INADDR_LOOPBACK)}};
	socklen_t size = sizeof(at);
	int fd;

	echo_allow_files(0);
	must(fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0), "socket");
	must(bind(fd, (const struct sockaddr *)(const void *)&at, sizeof(at)), "bind");
	must(listen(fd, BACKLOG), "listen");
	must(getsockname(fd, (struct sockaddr *)(void *)&at, &size), "getsockname");
	*port = ntohs(at.sin_port);
	return fd;
}

int echo_accept(int listening)
{
	int fd = accept4(listening, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
	const int on = 1;

	if (fd >= 0)
		must(setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on)), "nodelay");
	return fd;
}

void echo_beside(const char *file, char *ret_path, size_t size)
{
	char path[256];
	ssize_t length = readlink("/proc/self/exe", path, sizeof(path) - 1);

	must((int)length, "/proc/self/exe");
	path[length] = '\0';
	*strrchr(path, '/') = '\0';
	snprintf(ret_path, size, "%s/%s", path, file);
}

/* The clients are in folders of their own, beside that of this program. */
static FILE *start_client(const struct echo_run *run)
{
	char path[512], command[1024];
	FILE *output;

	echo_beside(run->tls ? "../tls/tls-client" : "../echo/echo-client", path, sizeof(path));
	snprintf(command, sizeof(command), "exec '%s' %s %d %d %" PRId64 " %d %u", path, run->name,
		 run->port, run->connections, run->ms, getpid(), run->workers);
	output = popen(command, "re");
	if (output == NULL)
		must(-1, path);
	return output;
}

void echo_client(struct echo_run *run)
{
	FILE *output = start_client(run);
	size_t length = strlen(run->name);
	char line[256];

	while (fgets(line, sizeof(line), output) != NULL) {
		if (strcmp(line, "begin\n") == 0) {
			if (run->begin != NULL)
				run->begin(run->arg);
			continue;
		}
		if (strncmp(line, run->name, length) == 0 && line[length] == '\t') {
			run->us = strtod(line + length, NULL);
			if (run->end != NULL)
				run->end(run->arg);
		}
		fputs(line, stdout);
	}
	if (pclose(output) != 0) {
		fprintf(stderr, "the client failed\n");
		exit(1);
	}
}
