/* SPDX-License-Identifier: MIT
 *
 * talk.c - talk PORT [reset | deaf | late]: the client of the test.
 *
 * Sends each line of its input, and prints the answer. The line "fail" has no answer. At the end of
 * the input it waits until the server closes the connection.
 * "reset" closes the connection after an answer, so that the server gets a reset. "deaf" sends as
 * much as the sockets take, and reads nothing; "late" then reads. It has ten seconds.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

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

static int reset(int fd)
{
	const struct linger at_once = {.l_onoff = 1};

	if (send(fd, "reset\n", 6, MSG_NOSIGNAL) < 0 || print_answer(fd) != 1)
		return 1;
	return setsockopt(fd, SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once) || close(fd);
}

static const char question[] = "is anybody there?\n";

/* Sends until the sockets take nothing for half a second. Returns how many lines that were. */
static long fill(int fd)
{
	struct pollfd wait = {fd, POLLOUT, 0};
	size_t sent = 0, length = sizeof question - 1;
	ssize_t took = 0;

	while ((took >= 0 || errno == EAGAIN) && poll(&wait, 1, 500) == 1) {
		took = send(fd, question + sent % length, length - sent % length,
			    MSG_NOSIGNAL | MSG_DONTWAIT);
		sent += took > 0 ? (size_t)took : 0;
	}
	return (long)(sent / length);
}

static int be_deaf(int fd)
{
	struct pollfd wait = {fd, 0, 0};

	puts(fill(fd) > 0 ? "full" : "nothing was taken");
	puts(poll(&wait, 1, 10000) == 1 ? "closed" : "still open");
	return 0;
}

static int read_late(int fd)
{
	long sent = fill(fd), answers = 0;
	ssize_t got;
	char bytes[4096];

	shutdown(fd, SHUT_WR);
	while ((got = recv(fd, bytes, sizeof bytes, 0)) > 0)
		for (ssize_t i = 0; i < got; i++)
			answers += bytes[i] == '\n';
	puts(answers == sent ? "all is answered" : "answers are missing");
	return 0;
}

int main(int argc, char **argv)
{
	struct sockaddr_in at = {.sin_family = AF_INET,
				 .sin_port = htons((uint16_t)(argc > 1 ? atoi(argv[1]) : 0)),
				 .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	struct timeval limit = {.tv_sec = 10};
	int fd = socket(AF_INET, SOCK_STREAM, 0);

	if (fd < 0 || setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &(int){4096}, sizeof(int)) ||
	    setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit) ||
	    connect(fd, (void *)&at, sizeof at)) {
		perror("talk");
		return 1;
	}
	setvbuf(stdout, NULL, _IOLBF, 0);
	if (argc > 2)
		return argv[2][0] == 'd'   ? be_deaf(fd)
		       : argv[2][0] == 'l' ? read_late(fd)
					   : reset(fd);
	return talk(fd);
}
