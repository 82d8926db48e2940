/* SPDX-License-Identifier: MIT
 *
 * tls_server.c - the server of the trials of TLS: answers each line with its number.
 *
 *	tls_server FOLDER [NAME=VALUE ...]
 *
 * FOLDER has server.pem, server.key and authority.pem. Names: `verify` (none, wanted, required),
 * `protocols`, `first_ms`. Prints its address, then one line for each event. "look" is answered
 * with what the handshake has come to, "reload" with the outcome of that, "big N" with N bytes;
 * "bye" closes. A line that begins with GET makes it a server of HTTP.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <ward/tls.h>

#include "net/trial_top.h"

static ward_tls_files files;
static ward_tls_options secret = {.files = &files};
static ward_stream_options options = {.framing = WARD_LINES,
				      .frame_max = 4096,
				      .filter = &ward_tls_server,
				      .filter_options = &secret};

struct session {
	ward_stream *peer;
	int count;
	bool http;
};

static ward_result session_init(ward_self *self, void *state, const void *args)
{
	((struct session *)state)->peer = ward_stream_start(self, args, &options);
	return WARD_DONE;
}

static void answer_big(ward_self *self, struct session *me, size_t size)
{
	char *bytes = malloc(size + 1);

	memset(bytes, 'x', size);
	bytes[size] = '\n';
	ward_stream_write(self, me->peer, bytes, size + 1);
	free(bytes);
}

static void answer_look(ward_self *self, struct session *me)
{
	struct ward_tls_info info;

	if (ward_tls_look(me->peer, &info))
		ward_stream_printf(self, me->peer, "%s '%s' '%s' '%s' %s\n", info.version,
				   info.protocol, info.name, info.subject,
				   info.verified ? "verified" : "not verified");
}

static void answer(ward_self *self, struct session *me, const char *line)
{
	if (strncmp(line, "GET ", 4) == 0) {
		me->http = true;
	} else if (me->http && line[0] == '\0') {
		ward_stream_printf(self, me->peer,
				   "HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\nhello\n");
		ward_stream_close(self, me->peer);
	} else if (me->http) {
		return;
	} else if (strcmp(line, "look") == 0) {
		answer_look(self, me);
	} else if (strcmp(line, "reload") == 0) {
		ward_err err = ward_tls_load(&files);

		ward_stream_printf(self, me->peer, "%s\n",
				   err == WARD_OK ? "loaded" : ward_err_detail());
	} else if (strncmp(line, "big ", 4) == 0) {
		answer_big(self, me, (size_t)atol(line + 4));
	} else {
		ward_stream_printf(self, me->peer, "%d: %s\n", ++me->count, line);
		if (strcmp(line, "bye") == 0)
			ward_stream_close(self, me->peer);
	}
}

static ward_result session_receive(ward_self *self, void *state, const ward_msg *msg)
{
	struct session *me = state;
	ward_frame line;

	while (ward_stream_next(self, me->peer, msg, &line))
		answer(self, me, line.text);
	return ward_stream_result(self, me->peer, msg);
}

static const ward_behavior session = {.name = "session",
				      .state_size = sizeof(struct session),
				      .args = &ward_type_ward_connection,
				      .init = session_init,
				      .receive = session_receive};
static struct ward_listener listener = {.address = "tcp:127.0.0.1:0",
					.child = {.behavior = &session}};

/* ---- the top ----------------------------------------------------------------------------- */

static ward_result top_start(ward_self *self, void *state)
{
	ward_ref at = ward_spawn(self, &ward_listen, .name = "listener",
				 .args = {WARD_COPY(ward_listener, &listener)});

	(void)state;
	ward_tell(self, at, ward_listener_look);
	return WARD_DONE;
}

static const ward_behavior top = {.name = "top",
				  .pre_start = top_start,
				  .receive = print_address,
				  .child_strategy = &ward_escalating_strategy};

static char *path_in(const char *folder, const char *name)
{
	char *path = NULL;

	return asprintf(&path, "%s/%s", folder, name) > 0 ? path : NULL;
}

static bool set(const char *name, char *value)
{
	if (strcmp(name, "verify") == 0)
		secret.verify = strcmp(value, "required") == 0 ? WARD_TLS_REQUIRED
				: strcmp(value, "wanted") == 0 ? WARD_TLS_WANTED
							       : WARD_TLS_NONE;
	else if (strcmp(name, "protocols") == 0)
		secret.protocols = value;
	else if (strcmp(name, "first_ms") == 0)
		options.first_ms = atol(value);
	else
		return false;
	return true;
}

int main(int argc, char **argv)
{
	int status;

	setvbuf(stdout, NULL, _IOLBF, 0);
	if (argc < 2)
		return 2;
	files.certificate = path_in(argv[1], "server.pem");
	files.key = path_in(argv[1], "server.key");
	files.authorities = path_in(argv[1], "authority.pem");
	for (int i = 2; i < argc; i++) {
		char *is = strchr(argv[i], '=');

		if (is != NULL)
			*is = '\0';
		if (is == NULL || !set(argv[i], is + 1)) {
			fprintf(stderr, "tls_server: what is %s?\n", argv[i]);
			return 2;
		}
	}
	if (ward_tls_load(&files) != WARD_OK) {
		fprintf(stderr, "tls_server: %s\n", ward_err_detail());
		return 1;
	}
	status = ward_run(WARD_PROPS(&top),
			  &(ward_options){.workers = 2,
					  .log = print_event,
					  .user_strategy = &ward_escalating_strategy});
	ward_tls_unload(&files);
	free((void *)(uintptr_t)files.certificate);
	free((void *)(uintptr_t)files.key);
	free((void *)(uintptr_t)files.authorities);
	return status;
}
