/* SPDX-License-Identifier: MIT
 *
 * test_listen.c - files with listeners and connectors: which are accepted, what is said of the
 * others, and that they serve.
 */
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <ward/net.h>
#include <ward/net/module.h>

#include "config/shop.h"

static const ward_stream_options lines = {.framing = WARD_LINES};

struct session {
	ward_stream *stream;
};

static ward_result session_init(ward_self *self, void *state, const void *args)
{
	((struct session *)state)->stream = ward_stream_start(self, args, &lines);
	return WARD_DONE;
}

static ward_result session_receive(ward_self *self, void *state, const ward_msg *msg)
{
	struct session *me = state;
	ward_frame line;

	while (ward_stream_next(self, me->stream, msg, &line))
		ward_stream_printf(self, me->stream, "%s!\n", line.text);
	return ward_stream_result(self, me->stream, msg);
}

static const ward_behavior session = {.name = "session",
				      .state_size = sizeof(struct session),
				      .args = &ward_type_ward_connection,
				      .init = session_init,
				      .receive = session_receive};

static ward_result ignore(ward_self *self, void *state, const ward_msg *msg)
{
	(void)self, (void)state, (void)msg;
	return WARD_DONE;
}

static const ward_behavior idle = {.name = "idle", .receive = ignore};

static const ward_config_behavior behaviors[] = {
	{.name = "session", .behavior = &session}, {.name = "idle", .behavior = &idle}, {0}};
static const ward_config_module mine = {
	.version = WARD_CONFIG_VERSION, .name = "mine", .behaviors = behaviors};
static const ward_config_module *const with_net[] = {&mine, &ward_net_module, NULL};
static const ward_config_module *const without[] = {&mine, NULL};

static void tell(void *arg, const ward_config_error *error)
{
	char *told = arg;
	size_t used = strlen(told);

	snprintf(told + used, 1024 - used, "%s\n", error->full);
}

static ward_err load(const char *actors, const ward_config_module *const *modules, char told[1024],
		     ward_config **ret_config)
{
	const ward_config_listener listener = {.error = tell, .arg = told};
	char text[1024];
	ward_err err;

	told[0] = '\0';
	snprintf(text, sizeof text, "actors: { %s };", actors);
	err = ward_config_open_text("a", text, strlen(text), &listener, ret_config);
	if (err == WARD_OK) {
		err = ward_config_check(*ret_config, modules, &listener);
		if (err != WARD_OK)
			ward_config_close(*ret_config);
	}
	return err;
}

static void wrong(const char *actors, const char *wanted)
{
	ward_config *config;
	char told[1024];

	ward_assert_err(load(actors, with_net, told, &config), WARD_EINVAL);
	ward_assert_str(told, wanted);
}

static int connect_to(const char *name)
{
	struct sockaddr_un at = {.sun_family = AF_UNIX};
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);

	snprintf(at.sun_path + 1, sizeof at.sun_path - 1, "%s", name);
	ward_assert_eq(connect(fd, (struct sockaddr *)&at,
			       (socklen_t)(sizeof at.sun_family + 1 + strlen(name))),
		       0);
	return fd;
}

static void check_served(const char *format)
{
	char name[64], actors[512], told[1024], text[16] = "";
	ward_config *config;
	ward_kit *kit;
	int peer;

	snprintf(name, sizeof name, "ward-test-file-%d", getpid());
	snprintf(actors, sizeof actors, format, name);
	ward_assert_ok(load(actors, with_net, told, &config));
	kit = ward_kit_start(&(ward_kit_options){.may_leave_mail = true});
	ward_assert_ok(ward_config_spawn(config, ward_kit_system(kit)));
	ward_kit_advance(kit, 3 * WARD_SECOND); /* a back-off has started what had no memory */
	peer = connect_to(name);
	ward_kit_run(kit);
	ward_assert_eq(send(peer, "a\n", 2, MSG_NOSIGNAL), 2);
	ward_kit_run(kit);
	ward_assert_eq(recv(peer, text, sizeof text - 1, 0), 3);
	ward_assert_str(text, "a!\n");
	close(peer);
	ward_kit_finish(kit);
	ward_config_close(config);
}

WARD_TEST(an_actor_with_listen_is_a_listener, "S171")
{
	check_served("front: { behavior = \"session\"; listen = \"unix:@%s\"; };");
	check_served("front: { behavior = \"session\"; strategy = \"stopping\"; "
		     "listen: { address = \"unix:@%s\"; connections-max = 3; backlog = 2; "
		     "drain = \"1 s\"; unix-replace = true; reuse-port = false; "
		     "unix-mode = 0x1b0; }; };");
	check_served("front: { behavior = \"ward-listener\"; "
		     "args: { address = \"unix:@%s\"; child = \"session\"; }; };");
	check_served("all: { children: { front: { behavior = \"session\"; listen = \"unix:@%s\"; "
		     "}; }; };");
	check_served("front: { behavior = \"session\"; listen = \"unix:@%s\"; "
		     "backoff: { min = \"1 s\"; max = \"2 s\"; }; };");
}

WARD_TEST(what_is_wrong_with_a_listener_is_said_at_its_key, "S171")
{
	wrong("f: { behavior = \"session\"; listen = \"7000\"; };",
	      "a:1: actors.f.listen: address \"7000\": an address begins with its scheme: tcp:, "
	      "unix:, fd: or systemd:, and that of datagrams with udp: or unixgram:\n");
	wrong("f: { behavior = \"session\"; listen = \"tcp:*:0 udp:*:0\"; };",
	      "a:1: actors.f.listen: \"udp:*:0\" is no address to listen at: write one of this "
	      "machine, such as tcp:127.0.0.1:7000, tcp:*:7000 or unix:/run/a.sock\n");
	wrong("f: { behavior = \"session\"; listen: { address = \"\"; }; };",
	      "a:1: actors.f.listen.address: the length of the string is 0, must be at least 1\n");
	wrong("f: { behavior = \"session\"; listen: { }; };",
	      "a:1: actors.f.listen.address: is missing, must be a string\n");
	wrong("f: { behavior = \"session\"; listen = true; };",
	      "a:1: actors.f.listen: must be an address, such as \"tcp:127.0.0.1:7000\", or a "
	      "group with one\n");
	wrong("f: { behavior = \"session\"; };",
	      "a:1: actors.f.behavior: \"session\" serves connections: give the actor a key "
	      "listen or connect, such as listen = \"tcp:127.0.0.1:7000\"\n");
	wrong("f: { behavior = \"idle\"; listen = \"unix:@a\"; };",
	      "a:1: actors.f.behavior: \"idle\" does not take connections: declare .args = "
	      "&ward_type_ward_connection\n");
	wrong("f: { behavior = \"ward-listener\"; args: { address = \"unix:@a\"; }; };",
	      "a:1: actors.f.args.child: is missing, must be the behavior that serves a "
	      "connection\n");
	wrong("f: { behavior = \"ward-listener\"; args: { address = \"unix:@a\"; child = "
	      "\"idle\"; }; };",
	      "a:1: actors.f.args.child: the behavior \"idle\" does not take connections: declare "
	      ".args = &ward_type_ward_connection\n");
	wrong("f: { behavior = \"ward-listener\"; args: { address = \"unix:@a\"; child = 3; }; };",
	      "a:1: actors.f.args.child: is a whole number, must be the name of a behavior\n");
	wrong("f: { listen = \"unix:@a\"; };",
	      "a:1: actors.f.listen: needs a behavior: an actor without one only supervises\n"
	      "a:1: actors.f: needs a behavior or children\n");
	wrong("f: { behavior = \"session\"; listen = \"unix:@a\"; args: { }; pool: { routees = 2; "
	      "}; };",
	      "a:1: actors.f.args: listen and args exclude each other: the arguments of an actor "
	      "that serves a connection are the connection\n"
	      "a:1: actors.f.pool: listen and pool exclude each other\n");
}

/* ---- connectors -------------------------------------------------------------------------- */

static int listen_at_name(const char *name)
{
	struct sockaddr_un at = {.sun_family = AF_UNIX};
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);

	snprintf(at.sun_path + 1, sizeof at.sun_path - 1, "%s", name);
	ward_assert_eq(bind(fd, (struct sockaddr *)&at,
			    (socklen_t)(sizeof at.sun_family + 1 + strlen(name))),
		       0);
	ward_assert_eq(listen(fd, 5), 0);
	return fd;
}

static void check_connected(const char *format)
{
	char name[64], actors[512], told[1024], text[16] = "";
	ward_config *config;
	ward_kit *kit;
	int listener, peer;

	snprintf(name, sizeof name, "ward-test-file-%d", getpid());
	snprintf(actors, sizeof actors, format, name);
	listener = listen_at_name(name);
	ward_assert_ok(load(actors, with_net, told, &config));
	kit = ward_kit_start(&(ward_kit_options){.may_leave_mail = true});
	ward_assert_ok(ward_config_spawn(config, ward_kit_system(kit)));
	for (int i = 0; i < 2; i++) { /* the second one after a pause */
		ward_kit_advance(kit, 3 * WARD_SECOND);
		peer = accept4(listener, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);
		ward_assert(peer >= 0);
		ward_assert_eq(send(peer, "a\n", 2, MSG_NOSIGNAL), 2);
		ward_kit_run(kit);
		ward_assert_eq(recv(peer, text, sizeof text - 1, 0), 3);
		ward_assert_str(text, "a!\n");
		close(peer);
		ward_kit_run(kit);
	}
	close(listener);
	ward_kit_finish(kit);
	ward_config_close(config);
}

WARD_TEST(an_actor_with_connect_is_a_connector, "S171")
{
	check_connected("out: { behavior = \"session\"; connect = \"unix:@%s\"; };");
	check_connected("out: { behavior = \"session\"; strategy = \"stopping\"; "
			"connect: { address = \"unix:@%s\"; timeout = \"1 s\"; "
			"min-backoff = \"1 s\"; max-backoff = \"2 s\"; random-factor = 0.2; "
			"auto-reset = \"1 s\"; tries-max = 5; stash-max = 3; }; };");
	check_connected("out: { behavior = \"ward-connector\"; "
			"args: { address = \"unix:@%s\"; child = \"session\"; }; };");
}

WARD_TEST(what_is_wrong_with_a_connector_is_said_at_its_key, "S171")
{
	wrong("f: { behavior = \"session\"; connect = \"tcp:*:7000\"; };",
	      "a:1: actors.f.connect: address \"tcp:*:7000\": it is to listen at: connect to one "
	      "as "
	      "tcp:127.0.0.1:7000, tcp:example.org:7000 or unix:/run/a.sock\n");
	wrong("f: { behavior = \"session\"; connect = \"tcp:a:1,tcp:b:2\"; };",
	      "a:1: actors.f.connect: address \"tcp:a:1,tcp:b:2\": that is a list: a listener "
	      "takes "
	      "several addresses with a space between them, all others take one\n");
	wrong("f: { behavior = \"session\"; connect = \"sim:a\"; };",
	      "a:1: actors.f.connect: \"sim:a\" is for systems that are simulated\n");
	wrong("f: { behavior = \"session\"; connect: { address = \"unix:@a\"; min-backoff = "
	      "\"5 s\"; max-backoff = \"1 s\"; }; };",
	      "a:1: actors.f.connect.max-backoff: is less than min-backoff (default: 100 ms)\n");
	wrong("f: { behavior = \"session\"; connect: { address = \"unix:@a\"; max-backoff = "
	      "\"50 ms\"; }; };",
	      "a:1: actors.f.connect.max-backoff: is less than min-backoff (default: 100 ms)\n");
	wrong("f: { behavior = \"session\"; connect: { address = \"unix:@a\"; random-factor = 2; "
	      "}; "
	      "};",
	      "a:1: actors.f.connect.random-factor: the number is 2, must be from 0 to 1\n");
	wrong("f: { behavior = \"session\"; connect: { address = \"unix:@a\"; child = \"idle\"; }; "
	      "};",
	      "a:1: actors.f.connect.child: is not allowed here: it is the behavior of the "
	      "actor\n");
	wrong("f: { behavior = \"session\"; connect = 7; };",
	      "a:1: actors.f.connect: must be an address, such as \"tcp:127.0.0.1:7000\", or a "
	      "group with one\n");
	wrong("f: { behavior = \"idle\"; connect = \"unix:@a\"; };",
	      "a:1: actors.f.behavior: \"idle\" does not take connections: declare .args = "
	      "&ward_type_ward_connection\n");
	wrong("f: { behavior = \"ward-connector\"; args: { address = \"unix:@a\"; }; };",
	      "a:1: actors.f.args.child: is missing, must be the behavior that serves a "
	      "connection\n");
	wrong("f: { connect = \"unix:@a\"; };",
	      "a:1: actors.f.connect: needs a behavior: an actor without one only supervises\n"
	      "a:1: actors.f: needs a behavior or children\n");
	wrong("f: { behavior = \"session\"; listen = \"unix:@a\"; connect = \"unix:@a\"; };",
	      "a:1: actors.f.connect: listen and connect exclude each other\n");
	wrong("f: { behavior = \"session\"; connect = \"unix:@a\"; args: { }; pool: { routees = 2; "
	      "}; };",
	      "a:1: actors.f.args: connect and args exclude each other: the arguments of an actor "
	      "that serves a connection are the connection\n"
	      "a:1: actors.f.pool: connect and pool exclude each other\n");
}

WARD_TEST(a_program_without_the_library_is_told_what_is_missing, "S171")
{
	ward_config *config;
	char told[1024];

	ward_assert_err(load("f: { behavior = \"session\"; listen = \"unix:@a\"; };", without, told,
			     &config),
			WARD_EINVAL);
	ward_assert_str(told, "a:1: actors.f.listen: no module brings the library ward-net: link a "
			      "module with it, or add ward_net_module to those of the program\n");
}

static void add_line(void *arg, const char *text)
{
	tell(arg, &(ward_config_error){.full = text});
}

WARD_TEST(a_tree_shows_where_an_actor_listens_and_who_serves, "S171")
{
	ward_config *config;
	char told[1024];

	ward_assert_ok(load("f: { behavior = \"session\"; listen = \"unix:@a tcp:*:0\"; };",
			    with_net, told, &config));
	ward_assert_ok(ward_config_tree(config, add_line, told));
	ward_assert_str(told,
			"ward\n  user\n    f: listens at unix:@a tcp:*:0, behavior session\n");
	ward_config_close(config);
	ward_assert_ok(load("f: { behavior = \"session\"; connect: { address = \"unix:@a\"; }; };",
			    with_net, told, &config));
	ward_assert_ok(ward_config_tree(config, add_line, told));
	ward_assert_str(told, "ward\n  user\n    f: connects to unix:@a, behavior session\n");
	ward_config_close(config);
}

WARD_TEST(what_has_started_shows_nothing_of_its_start)
{
	WARD_TEST_SEEDS(30)
	{
		ward_config *config;
		char told[1024];
		ward_kit *kit;

		ward_assert_ok(load("f: { behavior = \"session\"; listen = \"unix:@ward-test\"; };",
				    with_net, told, &config));
		kit = ward_kit_start(&(ward_kit_options){.may_leave_mail = true});
		ward_assert_ok(ward_config_spawn(config, ward_kit_system(kit)));
		ward_assert_ok(ward_system_tree(ward_kit_system(kit), add_line, told));
		ward_assert_part(told, "f running: listens at unix:@ward-test\n");
		ward_assert(strstr(told, "ward-config-start") == NULL);
		ward_kit_finish(kit);
		ward_config_close(config);
	}
}

WARD_TEST(failure_classes_of_connections_have_names_in_rules, "S171")
{
	ward_config *config;
	char told[1024];

	ward_assert_ok(load("f: { behavior = \"session\"; listen = \"unix:@a\"; strategy = \"s\"; "
			    "}; }; strategies: { s: { rules: { ward_peer_slow = \"restart\"; }; "
			    "otherwise = \"stop\"; }; ",
			    with_net, told, &config));
	ward_config_close(config);
}

WARD_TEST_MAIN
