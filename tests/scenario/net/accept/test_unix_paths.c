/* SPDX-License-Identifier: MIT
 *
 * test_unix_paths.c - the path of a socket goes with its actor, and that of somebody else stays.
 *
 * Somebody has removed the path and listens there in the meantime, such as the next version of the
 * same server.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <ward/net.h>
#include <ward/testkit.h>

static char folder[32], path[64];

static ward_result keep_open(ward_self *self, void *state, const void *args)
{
	char address[80];

	(void)state, (void)args;
	snprintf(address, sizeof address, "unixgram:%s", path);
	(void)ward_datagrams_open(self, address, NULL);
	return WARD_DONE;
}

static const ward_behavior keeper = {.name = "keeper", .init = keep_open};
static const ward_behavior session = {.name = "session", .args = &ward_type_ward_connection};

static void make_folder(void)
{
	strcpy(folder, "/tmp/ward-paths-XXXXXX");
	ward_assert(mkdtemp(folder) != NULL);
	snprintf(path, sizeof path, "%s/socket", folder);
}

static void remove_folder(void *arg)
{
	(void)arg;
	unlink(path);
	rmdir(folder);
}

static ward_ref begin(ward_kit *kit, bool datagrams)
{
	struct ward_listener at = {.child = {.behavior = &session}};
	char address[80];
	ward_ref who;

	snprintf(address, sizeof address, "unix:%s", path);
	at.address = address;
	if (datagrams)
		who = ward_kit_spawn(kit, &keeper);
	else
		who = ward_kit_spawn(kit, &ward_listen, .args = {WARD_COPY(ward_listener, &at)});
	ward_kit_run(kit);
	ward_assert_eq(access(path, F_OK), 0);
	return who;
}

/* Puts a socket of somebody else there. */
static int take_over(void)
{
	struct sockaddr_un at = {.sun_family = AF_UNIX};
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

	snprintf(at.sun_path, sizeof at.sun_path, "%s", path);
	ward_assert_eq(unlink(path), 0);
	ward_assert_eq(bind(fd, (struct sockaddr *)&at, sizeof at), 0);
	return fd;
}

static void check(bool datagrams, bool taken)
{
	ward_kit *kit = ward_kit_start(NULL);
	ward_ref who;
	int other;

	make_folder();
	ward_kit_on_cut(kit, remove_folder, NULL);
	who = begin(kit, datagrams);
	other = taken ? take_over() : -1;
	ward_system_stop(ward_kit_system(kit), who);
	ward_kit_run(kit);
	ward_assert_eq(access(path, F_OK), taken ? 0 : -1);
	if (taken)
		close(other);
	remove_folder(NULL);
	ward_kit_finish(kit);
}

WARD_TEST(a_path_goes_with_its_listener)
{
	check(false, false);
}

WARD_TEST(a_path_that_leads_elsewhere_by_now_survives_the_listener)
{
	check(false, true);
}

WARD_TEST(a_path_goes_with_its_socket_for_datagrams)
{
	check(true, false);
}

WARD_TEST(a_path_that_leads_elsewhere_by_now_survives_the_socket_for_datagrams)
{
	check(true, true);
}

WARD_TEST_MAIN
