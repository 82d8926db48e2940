/* SPDX-License-Identifier: MIT
 *
 * client.c - tls-client: connections with TLS that are idle, and the memory of their server.
 *
 *	tls-client NAME PORT CONNECTIONS MS PID WORKERS [REQUEST]
 *
 * The arguments of echo-client, of which MS and WORKERS mean nothing here. Each connection to PORT
 * on loopback sends one line of 64 bytes, or REQUEST and an empty line, reads the answer, and is
 * idle then. NAME is the memory of the process PID for a connection: what it has more with all of
 * them than with a tenth.
 */
#include <arpa/inet.h>
#include <netinet/tcp.h>
#include <openssl/ssl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "../echo/echo.h"

enum { SETTLE_MS = 200, REQUEST = 256, ANSWER = 1024 };

static void must(int done, const char *what)
{
	if (done > 0)
		return;
	fprintf(stderr, "tls-client: %s failed\n", what);
	exit(1);
}

static int connect_to(uint16_t port)
{
	const struct sockaddr_in to = {.sin_family = AF_INET,
				       .sin_port = htons(port),
				       .sin_addr = {htonl(INADDR_LOOPBACK)}};
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	const int on = 1;

	must(fd, "socket");
	must(setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on)) == 0, "nodelay");
	must(connect(fd, (const struct sockaddr *)(const void *)&to, sizeof(to)) == 0, "connect");
	return fd;
}

static void open_one(SSL_CTX *context, uint16_t port, const char *request)
{
	SSL *ssl = SSL_new(context);
	char answer[ANSWER];

	must(ssl != NULL, "SSL_new");
	must(SSL_set_fd(ssl, connect_to(port)), "SSL_set_fd");
	must(SSL_connect(ssl), "SSL_connect");
	must(SSL_write(ssl, request, (int)strlen(request)), "SSL_write");
	must(SSL_read(ssl, answer, sizeof(answer)), "SSL_read");
}

/* Once the server has done what is left to do. */
static double resident_bytes(const char *pid)
{
	const struct timespec settle = {.tv_nsec = SETTLE_MS * 1000000L};
	long long size = 0, resident = 0;
	char path[64];
	FILE *file;

	nanosleep(&settle, NULL);
	snprintf(path, sizeof(path), "/proc/%s/statm", pid);
	file = fopen(path, "re");
	must(file != NULL && fscanf(file, "%lld %lld", &size, &resident) == 2, path);
	fclose(file);
	return (double)(resident * sysconf(_SC_PAGESIZE));
}

int main(int argc, char **argv)
{
	char request[REQUEST] = {[ECHO_BYTES - 1] = '\n'};
	SSL_CTX *context = SSL_CTX_new(TLS_client_method());
	int64_t count, first;
	double before;
	uint16_t port;

	if (argc < 7 || argc > 8) {
		fprintf(stderr,
			"usage: tls-client NAME PORT CONNECTIONS MS PID WORKERS [REQUEST]\n");
		return 2;
	}
	memset(request, 'x', ECHO_BYTES - 1);
	must(context != NULL, "SSL_CTX_new");
	SSL_CTX_set_mode(context, SSL_MODE_RELEASE_BUFFERS);
	port = (uint16_t)atoi(argv[2]);
	count = atoll(argv[3]);
	first = count / 10 + 1;
	if (argc == 8)
		snprintf(request, sizeof(request), "%s\r\nHost: localhost\r\n\r\n", argv[7]);
	echo_allow_files(count);
	for (int64_t i = 0; i < first; i++)
		open_one(context, port, request);
	before = resident_bytes(argv[5]);
	for (int64_t i = first; i < count; i++)
		open_one(context, port, request);
	printf("%s\t%.3f\tbytes\n", argv[1],
	       (resident_bytes(argv[5]) - before) / (double)(count - first));
	return 0;
}
