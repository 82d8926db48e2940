/* SPDX-License-Identifier: MIT
 *
 * test_datagrams_open.c - sockets for datagrams begin and end with the incarnation, or are refused.
 */
#include <sys/stat.h>
#include <sys/un.h>

#include "datagram_scene.h"

static const ward_datagram_options none;

WARD_TEST(a_restart_opens_the_same_port_and_sends_what_was_written, "S168")
{
	char address[WARD_ADDRESS_TEXT];
	int peer;

	scene_start("udp:127.0.0.1:0", &none, WARD_RESTART);
	snprintf(address, sizeof address, "%s", scene.own);
	scene.address = address;
	peer = scene_peer("127.0.0.1");
	scene_send(peer, "a");
	scene_send(peer, "fail");
	scene_send(peer, "gone with the incarnation");
	scene_run();
	ward_assert_str(scene_answers(peer), "|1.1: a|1.2: fail");
	scene_send(peer, "b");
	scene_run();
	ward_assert_str(scene_answers(peer), "|2.1: b");
	ward_assert_str(scene.own, address);
	close(peer);
	ward_kit_finish(scene.kit);
}

WARD_TEST(an_actor_that_goes_on_after_a_failure_keeps_the_socket, "S166", "S168")
{
	int peer;

	scene_start("udp:127.0.0.1:0", &none, WARD_RESUME);
	peer = scene_peer("127.0.0.1");
	scene_send(peer, "fail");
	scene_send(peer, "a");
	scene_run();
	scene_send(peer, "b");
	scene_run();
	scene_send(peer, "c");
	scene_run();
	ward_assert_str(scene.got, "|fail|a|b|c");
	close(peer);
	ward_kit_finish(scene.kit);
}

/* The next message may have the address of that at the failure. */
WARD_TEST(after_a_resumed_failure_a_message_is_not_taken_for_one_of_the_socket, "S166")
{
	int peer;

	scene_start("udp:127.0.0.1:0", &none, WARD_RESUME);
	peer = scene_peer("127.0.0.1");
	for (int i = 0; i < 10; i++) {
		scene_send(peer, "fail");
		scene_run();
		scene.unhandled = false;
		ward_system_tell(ward_kit_system(scene.kit), scene.meter, scene_other);
		scene_run();
		ward_assert(scene.unhandled);
	}
	close(peer);
	ward_kit_finish(scene.kit);
}

WARD_TEST(the_readiness_after_a_resumed_failure_is_a_new_one, "S166")
{
	int peer;

	scene_start("udp:127.0.0.1:0", &none, WARD_RESUME);
	peer = scene_peer("127.0.0.1");
	for (int i = 0; i < 10; i++) {
		scene_send(peer, "fail");
		scene_run();
		scene.got[0] = '\0';
		scene_send(peer, "a");
		scene_run();
		ward_assert_str(scene.got, "|a");
	}
	close(peer);
	ward_kit_finish(scene.kit);
}

WARD_TEST(an_actor_that_stops_sends_and_frees_the_port, "S168")
{
	struct sockaddr_in at = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	int peer, other = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);

	scene_start("udp:127.0.0.1:0", &none, WARD_RESTART);
	at.sin_port = htons((uint16_t)atoi(strrchr(scene.own, ':') + 1));
	peer = scene_peer("127.0.0.1");
	scene_send(peer, "stop");
	scene_run();
	ward_assert_str(scene_answers(peer), "|1.1: stop");
	ward_assert(!scene_lives());
	ward_assert_eq(bind(other, (struct sockaddr *)&at, sizeof at), 0);
	close(other);
	close(peer);
	ward_kit_finish(scene.kit);
}

WARD_TEST(a_socket_can_be_closed_before_the_end, "S168")
{
	int peer;

	scene_start("udp:127.0.0.1:0", &none, WARD_RESTART);
	peer = scene_peer("127.0.0.1");
	scene_send(peer, "leave"); /* a message to self is under way then */
	scene_send(peer, "close");
	scene_send(peer, "b");
	scene_run();
	ward_assert_str(scene.got, "|leave|close");
	ward_assert_str(scene_answers(peer), "|1.1: leave|1.2: close");
	ward_assert(scene_lives());
	scene_writes(NULL, 1, 1);
	ward_assert_eq(scene_failures(), 0);
	close(peer);
	ward_kit_finish(scene.kit);
}

static void first_failure(char text[640])
{
	const ward_event *event = ward_kit_event(scene.kit, WARD_EVENT_FAILURE, "*", 0);

	ward_assert(event != NULL);
	ward_event_format(event, text, 640);
}

WARD_TEST(a_port_in_use_is_a_failure_with_the_address_the_call_and_errno, "S168")
{
	char address[WARD_ADDRESS_TEXT], text[640];
	ward_kit *kit;

	scene_start("udp:127.0.0.1:0", &none, WARD_RESTART);
	snprintf(address, sizeof address, "%s", scene.own);
	kit = scene.kit;
	scene_start(address, &none, WARD_STOP);
	first_failure(text);
	ward_assert_part(text, "ward_not_listening");
	ward_assert_part(text, address);
	ward_assert_part(text, ": bind: Address already in use: another socket has it");
	ward_assert(!scene_lives());
	ward_kit_finish(scene.kit);
	ward_kit_finish(kit);
}

WARD_TEST(a_path_is_made_with_its_mode_and_removed_at_the_end, "S168")
{
	char folder[] = "/tmp/ward-datagrams-XXXXXX", address[64], text[640];
	struct stat is;
	ward_kit *kit;

	ward_assert(mkdtemp(folder) != NULL);
	snprintf(address, sizeof address, "unixgram:%s/a", folder);
	scene_start(address, &none, WARD_RESTART);
	ward_assert_str(scene.own, address);
	ward_assert_eq(stat(address + strlen("unixgram:"), &is), 0);
	ward_assert(S_ISSOCK(is.st_mode));
	ward_assert_eq(is.st_mode & 0777, 0600);
	kit = scene.kit;
	scene_start(address, &none, WARD_STOP);
	first_failure(text);
	ward_assert_part(text, "somebody receives at the path: take another one, or end that");
	ward_kit_finish(scene.kit);
	ward_assert_eq(stat(address + strlen("unixgram:"), &is), 0);
	ward_kit_finish(kit);
	ward_assert_eq(rmdir(folder), 0);
}

/* Leaves a socket at the path, as a process that was killed does. */
static void leave_dead(const char *path)
{
	struct sockaddr_un at = {.sun_family = AF_UNIX};
	int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);

	ward_assert(fd >= 0);
	snprintf(at.sun_path, sizeof at.sun_path, "%s", path);
	ward_assert_eq(bind(fd, (struct sockaddr *)&at, sizeof at), 0);
	close(fd);
}

WARD_TEST(a_dead_path_is_taken_over_on_request_and_one_in_use_never, "S168")
{
	static const ward_datagram_options replacing = {.unix_replace = true, .send_buffer = 4096};
	char folder[] = "/tmp/ward-datagrams-XXXXXX", address[64], text[640];
	const char *path = address + strlen("unixgram:");
	struct stat is;
	ward_kit *kit;

	ward_assert(mkdtemp(folder) != NULL);
	snprintf(address, sizeof address, "unixgram:%s/a", folder);
	leave_dead(path);
	scene_start(address, &none, WARD_STOP);
	first_failure(text);
	ward_assert_part(text, "a socket that nobody has open: remove it, or set unix_replace");
	ward_kit_finish(scene.kit);
	ward_assert_eq(stat(path, &is), 0);

	scene_start(address, &replacing, WARD_RESTART);
	ward_assert_str(scene.own, address);
	kit = scene.kit;
	scene_start(address, &replacing, WARD_STOP);
	first_failure(text);
	ward_assert_part(text, "somebody receives at the path");
	ward_kit_finish(scene.kit);
	ward_kit_finish(kit);
	ward_assert_eq(stat(path, &is), -1);
	ward_assert_eq(rmdir(folder), 0);
}

/* ---- the try form ------------------------------------------------------------------------ */

struct row {
	const char *address;
	ward_datagram_options options;
	ward_err err;
	const char *part;
};

static const struct row rows[] = {
	{"tcp:127.0.0.1:0", {0}, WARD_EINVAL, "datagrams have udp:IP:PORT"},
	{"udp:127.0.0.1", {0}, WARD_EINVAL, "there is no port: write udp:IP:PORT"},
	{"udp:localhost:7", {0}, WARD_EINVAL, "names are not looked up for datagrams"},
	{NULL, {0}, WARD_EINVAL, "address \"\""},
	{"udp:127.0.0.1:0", {.size_max = 65536}, WARD_EINVAL, "size_max is 65536, at most 65535"},
	{"udp:127.0.0.1:0", {.batch = 1025}, WARD_EINVAL, "batch is 1025, at most 1024"},
	{"udp:127.0.0.1:0", {.receive_buffer = 1u << 31}, WARD_EINVAL, "receive_buffer"},
	{"unixgram:@a", {.unix_mode = 01000}, WARD_EINVAL, "unix_mode is 01000"},
	{"udp:127.0.0.1:0", {.reserved = {0, 0, 0, 1}}, WARD_EINVAL, "a reserved word is not zero"},
	{"udp:127.0.0.1:0", {.peer = "udp:*:7"}, WARD_EINVAL, "that is to receive at"},
	{"udp:127.0.0.1:0", {.peer = "udp:127.0.0.1:0"}, WARD_EINVAL, "port 0 is to receive at"},
	{"udp:127.0.0.1:0", {.peer = "unixgram:@a"}, WARD_ESYS, ".peer is of another family"},
	{"udp:192.0.2.1:0", {0}, WARD_ESYS, "bind: Cannot assign requested address: no interface"},
	{"unixgram:/nowhere/at/all", {0}, WARD_ESYS, "bind: No such file or directory"},
};

static ward_result try_rows(ward_self *self, void *state, const void *args)
{
	(void)state, (void)args;
	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		ward_datagrams *socket = NULL;
		ward_err err =
			ward_try_datagrams_open(self, rows[i].address, &rows[i].options, &socket);

		if (err == WARD_ENOMEM && ward_test_shortage())
			continue;
		ward_assert_err(err, rows[i].err);
		ward_assert_part(ward_err_detail(), rows[i].part);
		ward_assert(socket == NULL);
	}
	return WARD_DONE;
}

static ward_result ignore(ward_self *self, void *state, const ward_msg *msg)
{
	(void)self, (void)state, (void)msg;
	return WARD_DONE;
}

WARD_TEST(the_try_form_says_why_it_cannot_and_does_not_fail, "S168")
{
	static const ward_behavior trier = {.name = "trier", .init = try_rows, .receive = ignore};
	ward_kit *kit = ward_kit_start(NULL);

	(void)ward_kit_spawn(kit, &trier);
	ward_kit_run(kit);
	ward_assert_eq(ward_kit_count(kit, WARD_EVENT_FAILURE, "*"), 0);
	ward_kit_finish(kit);
}

WARD_TEST_MAIN
