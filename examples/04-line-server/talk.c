/* SPDX-License-Identifier: MIT
 *
 * talk.c - talk PORT: the client of the test. Sends each line of its input and prints the answer.
 *
 * To "fail" there is none; at the end of the input it waits until the server closes. Nothing takes
 * longer than ten seconds: then it exits with 1.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>

/* Prints one line; 0: the server closed the connection, perhaps with bytes of ours unread. */
static ssize_t print_answer(int fd)
{
	ssize_t got;
	char c;

	while ((got = recv(fd, &c, 1, 0)) == 1) {
		putchar(c);
		if (c == '\n')
			break;
	}
	return got < 0 && errno == ECONNRESET ? 0 : got;
}

static int talk(int fd)
{
	char line[512];
	ssize_t got = 1;

	while (got == 1 && fgets(line, sizeof line, stdin) != NULL) {
		if (send(fd, line, strlen(line), MSG_NOSIGNAL) < 0)
			return 1;
		if (strcmp(line, "fail\n") != 0)
			got = print_answer(fd);
	}
	while (got == 1)
		got = print_answer(fd);
	puts(got == 0 ? "closed" : "no answer");
	return got != 0;
}

int main(int argc, char **argv)
{
	struct sockaddr_in at = {.sin_family = AF_INET,
				 .sin_port = htons((uint16_t)(argc > 1 ? atoi(argv[1]) : 0)),
				 .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	struct timeval limit = {.tv_sec = 10};
	int fd = socket(AF_INET, SOCK_STREAM, 0);

	if (fd < 0 || setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit) ||
	    connect(fd, (void *)&at, sizeof at)) {
		perror("talk");
		return 1;
	}
	setvbuf(stdout, NULL, _IOLBF, 0);
	return talk(fd);
}
