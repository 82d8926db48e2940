/* SPDX-License-Identifier: MIT
 *
 * tls_client.c - the client of the trials of TLS: says a line, prints the answer, and closes.
 *
 *	tls_client PORT FOLDER [NAME=VALUE ...]
 *
 * FOLDER has authority.pem. Names: `name` of the server (localhost), `certificate` of its own,
 * `protocols`, `first_ms`. Prints what the handshake has come to, the answer, and events.
 */
#include <arpa/inet.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include <ward/tls.h>

#include "net/stream/stream.h"
#include "net/trial_top.h"

static ward_tls_files files;
static ward_tls_options secret = {.files = &files, .name = "localhost"};
static ward_stream_options options = {
	.framing = WARD_LINES, .filter = &ward_tls_client, .filter_options = &secret};

struct client {
	ward_stream *peer;
};

static ward_result client_init(ward_self *self, void *state, const void *args)
{
	struct client *me = state;

	me->peer = ward_stream_start(self, args, &options);
	ward_stream_write_frame(self, me->peer, "hello", 5);
	return WARD_DONE;
}

static ward_result client_receive(ward_self *self, void *state, const ward_msg *msg)
{
	struct client *me = state;
	struct ward_tls_info info;
	ward_frame line;

	while (ward_stream_next(self, me->peer, msg, &line)) {
		if (ward_tls_look(me->peer, &info))
			printf("with '%s' '%s' '%s' %s\n", info.protocol, info.name, info.subject,
			       info.verified ? "verified" : "not verified");
		printf("got %.*s\n", WARD_TEXT(line));
		ward_stream_close(self, me->peer);
	}
	return ward_stream_result(self, me->peer, msg);
}

static const ward_behavior client = {.name = "client",
				     .state_size = sizeof(struct client),
				     .args = &ward_type_ward_connection,
				     .init = client_init,
				     .receive = client_receive};

static ward_stream *connect_to(const char *port)
{
	struct sockaddr_in at = {.sin_family = AF_INET,
				 .sin_port = htons((uint16_t)atoi(port)),
				 .sin_addr = {htonl(INADDR_LOOPBACK)}};
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	struct wardi_peer peer = wardi_peer_of((struct sockaddr *)&at, sizeof at);

	if (connect(fd, (struct sockaddr *)&at, sizeof at) != 0 ||
	    fcntl(fd, F_SETFL, O_NONBLOCK) != 0) {
		perror("connect");
		exit(2);
	}
	return wardi_stream_make(fd, &peer);
}

static char *path_in(const char *folder, const char *name, const char *end)
{
	char *path = NULL;

	return asprintf(&path, "%s/%s.%s", folder, name, end) > 0 ? path : NULL;
}

static bool set(const char *folder, const char *name, char *value)
{
	if (strcmp(name, "name") == 0) {
		secret.name = value;
	} else if (strcmp(name, "protocols") == 0) {
		secret.protocols = value;
	} else if (strcmp(name, "first_ms") == 0) {
		options.first_ms = atol(value);
	} else if (strcmp(name, "certificate") == 0) {
		files.certificate = path_in(folder, value, "pem");
		files.key = path_in(folder, value, "key");
	} else {
		return false;
	}
	return true;
}

int main(int argc, char **argv)
{
	struct ward_connection connection = {NULL, NULL};
	int status;

	setvbuf(stdout, NULL, _IOLBF, 0);
	if (argc < 3)
		return 2;
	files.authorities = path_in(argv[2], "authority", "pem");
	for (int i = 3; i < argc; i++) {
		char *is = strchr(argv[i], '=');

		if (is != NULL)
			*is = '\0';
		if (is == NULL || !set(argv[2], argv[i], is + 1)) {
			fprintf(stderr, "tls_client: what is %s?\n", argv[i]);
			return 2;
		}
	}
	connection.stream = connect_to(argv[1]);
	status = ward_run(
		WARD_PROPS(&client, .args = {WARD_COPY(ward_connection, &connection)},
			   .args_given = true),
		&(ward_options){.log = print_event, .user_strategy = &ward_escalating_strategy});
	ward_tls_unload(&files);
	free((void *)(uintptr_t)files.certificate);
	free((void *)(uintptr_t)files.key);
	free((void *)(uintptr_t)files.authorities);
	return status;
}
