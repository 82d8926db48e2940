/* SPDX-License-Identifier: MIT
 *
 * proxy.c - passes connections on to a server that may be down for a while.
 *
 *	cc examples/37-proxy/proxy.c $(pkg-config --cflags --libs ward-net) -o proxy
 *	./proxy tcp:127.0.0.1:7000 tcp:127.0.0.1:8080
 * After three clients in vain others end at once.
 */
#include <ward/breaker.h>
#include <ward/net.h>

WARD_SIGNAL(may_i); /* from a session to the proxy, which asks it to go on */
WARD_SIGNAL_FLAGS(go_on, WARD_TYPE_QUIET);
WARD_SIGNAL_FLAGS(reached, WARD_TYPE_QUIET); /* the first answer counts */
WARD_SIGNAL_FLAGS(in_vain, WARD_TYPE_QUIET);

static const char *address, *server;
static const ward_stream_options raw = {.half_close = true, .connect_tries = 6};

struct session {
	ward_stream *client, *server;
	ward_ref proxy;
};

static ward_result session_init(ward_self *self, void *state, const void *args)
{
	struct session *me = state;

	me->client = ward_stream_start(self, args, &raw);
	ward_stream_pause(self, me->client);
	ward_select_tell(self, "../..", may_i);
	return WARD_DONE;
}

static ward_result session_receive(ward_self *self, void *state, const ward_msg *msg)
{
	struct session *me = state;
	ward_result result = ward_stream_result(self, me->client, msg);

	if (result != WARD_UNHANDLED)
		return result;
	if (ward_match(msg, go_on)) {
		me->proxy = ward_msg_sender(msg);
		me->server = ward_stream_open(self, server, &raw);
		ward_stream_pipe(self, me->client, me->server);
		ward_stream_pipe(self, me->server, me->client);
		ward_stream_again(self, me->client);
		return WARD_DONE;
	}
	result = ward_stream_result(self, me->server, msg);
	if (ward_stream_news(me->server) & WARD_STREAM_OPENED)
		ward_tell(self, me->proxy, reached);
	if (ward_stream_news(me->server) & WARD_STREAM_RETRY)
		ward_tell(self, me->proxy, in_vain);
	return result;
}

static const ward_behavior session = {.name = "session",
				      .state_size = sizeof(struct session),
				      .args = &ward_type_ward_connection,
				      .init = session_init,
				      .receive = session_receive};

static bool has_failed(const ward_msg *msg)
{
	return ward_match(msg, in_vain) != NULL; /* not one whose client has left */
}

static const ward_breaker_options careful = {
	.failures_max = 3, .reset_ms = WARD_SECOND, .failed = has_failed};

static ward_result proxy_start(ward_self *self, void *breaker)
{
	struct ward_listener at = {.address = address, .child = {.behavior = &session}};

	ward_spawn(self, &ward_listen, .name = "listener", .args = {WARD_COPY(ward_listener, &at)});
	return ward_breaker_init(self, breaker, &careful);
}

static ward_result proxy_receive(ward_self *self, void *breaker, const ward_msg *msg)
{
	(void)!ward_breaker_receive(self, breaker, msg);
	if (ward_match(msg, may_i) && ward_breaker_ask(self, breaker, ward_msg_sender(msg),
						       ward_random(self), go_on) != WARD_OK)
		ward_stop(self, ward_msg_sender(msg));
	return WARD_DONE;
}

static const ward_behavior proxy = {.name = "proxy",
				    .state_size = sizeof(ward_breaker),
				    .pre_start = proxy_start,
				    .receive = proxy_receive,
				    .child_strategy = &ward_escalating_strategy};

int main(int argc, char **argv)
{
	if (argc > 2)
		address = argv[1], server = argv[2];
	return ward_main(&proxy);
}
