/* SPDX-License-Identifier: MIT
 *
 * test_unix_path.c - sockets that listen at a path: its mode, and a path that exists already.
 *
 * Method: paths in a folder of their own, which must be empty at the end. bind() and listen() are
 * wrapped, to look at the path and at the lock of its folder in between, and so is the pause
 * between two tries of the lock.
 */
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <time.h>

#include "unit/net/sockets.h"

enum { ROUNDS = 200, THREADS = 4 };

int __real_bind(int fd, const struct sockaddr *at, socklen_t size);
int __wrap_bind(int fd, const struct sockaddr *at, socklen_t size);
int __real_listen(int fd, int backlog);
int __wrap_listen(int fd, int backlog);
int __wrap_nanosleep(const struct timespec *time, struct timespec *ret_left);

static struct {
	const char *path; /* NULL: nothing is looked at */
	const char *folder;
	int bound, listening; /* its modes */
	bool was_locked;
	int lock; /* of the folder, in other hands; -1: none */
	int naps, naps_max;
	bool forks; /* while the folder is locked */
	int child_waits[2];
	pid_t child;
} seen = {.lock = -1};

static int mode_of(const char *path)
{
	struct stat is;

	ward_assert_eq(lstat(path, &is), 0);
	return is.st_mode & 07777;
}

static int open_folder(const char *name)
{
	int fd = open(name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	ward_assert(fd >= 0);
	return fd;
}

int __wrap_bind(int fd, const struct sockaddr *at, socklen_t size)
{
	int result = __real_bind(fd, at, size);

	if (seen.path != NULL && result == 0)
		seen.bound = mode_of(seen.path);
	return result;
}

static void fork_child(void)
{
	char byte;

	seen.child = fork();
	if (seen.child != 0)
		return;
	close(seen.child_waits[1]);
	_exit((int)read(seen.child_waits[0], &byte, 1));
}

int __wrap_listen(int fd, int backlog)
{
	if (seen.forks)
		fork_child();
	if (seen.path != NULL) {
		int folder = open_folder(seen.folder);

		seen.listening = mode_of(seen.path);
		seen.was_locked = flock(folder, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK;
		close(folder);
	}
	return __real_listen(fd, backlog);
}

/* No time passes, but the other hands let go. */
int __wrap_nanosleep(const struct timespec *time, struct timespec *ret_left)
{
	(void)time, (void)ret_left;
	if (seen.lock < 0) { /* in the hands of another thread */
		sched_yield();
		return 0;
	}
	if (++seen.naps == seen.naps_max) {
		close(seen.lock);
		seen.lock = -1;
	}
	return 0;
}

static int listens_at_path(const struct folder *folder, const struct wardi_listening *how)
{
	struct wardi_net_refusal refusal = {.text = ""};
	char path[WARD_ADDRESS_TEXT];
	int fd = listen_at(folder->address, how, path, &refusal);

	ward_assert_str(refusal.text, "");
	ward_assert_str(path, folder->path);
	check_flags(fd);
	return fd;
}

static struct wardi_net_refusal refused_at(const char *text, const struct wardi_listening *how)
{
	struct wardi_net_refusal refusal;
	char path[WARD_ADDRESS_TEXT];
	int before = count_fds();

	ward_assert_eq(listen_at(text, how, path, &refusal), -1);
	ward_assert_str(path, "");
	ward_assert_eq(count_fds(), before);
	return refusal;
}

static const struct wardi_listening replacing = {.unix_replace = true};

/* Leaves a socket of the type at the path; returns its descriptor. */
static int make_socket(const char *path, int type)
{
	struct sockaddr_un at = {.sun_family = AF_UNIX};
	int fd = socket(AF_UNIX, type | SOCK_CLOEXEC, 0);

	ward_assert(fd >= 0);
	snprintf(at.sun_path, sizeof at.sun_path, "%s", path);
	ward_assert_eq(__real_bind(fd, (struct sockaddr *)&at, sizeof at), 0);
	return fd;
}

WARD_TEST(path_is_listened_at_and_reached)
{
	int before = count_fds(), fd;
	struct folder folder = make_folder();
	char text[WARD_ADDRESS_TEXT];

	fd = listens_at_path(&folder, NULL);
	check_reached(fd, folder.address);
	ward_assert_str(own_address(fd, text), folder.address);
	unlink(folder.path);
	close(fd);
	ward_assert_eq(count_fds(), before);
	remove_folder(&folder);
}

WARD_TEST(mode_is_set_before_anybody_can_connect)
{
	static const struct {
		mode_t mask;
		uint32_t mode;
		int bound, listening;
	} rows[] = {
		{0, 0, 0600, 0600},       {022, 0, 0600, 0600},    {0, 0666, 0666, 0666},
		{022, 0666, 0644, 0666},  {0777, 0640, 0, 0640},   {0, 0777, 0777, 0777},
		{0200, 0600, 0400, 0600}, {022, 0620, 0600, 0620},
	};
	struct folder folder = make_folder();

	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		mode_t old = umask(rows[i].mask);
		int fd;

		seen.path = folder.path;
		seen.folder = folder.name;
		fd = listens_at_path(&folder, &(struct wardi_listening){.unix_mode = rows[i].mode});
		seen.path = NULL;
		umask(old);
		ward_assert_eq(seen.bound, rows[i].bound);
		ward_assert_eq(seen.listening, rows[i].listening);
		ward_assert_eq(mode_of(folder.path), rows[i].listening);
		ward_assert(seen.was_locked);
		unlink(folder.path);
		close(fd);
	}
	remove_folder(&folder);
}

WARD_TEST(mode_has_permission_bits_only)
{
	struct folder folder = make_folder();
	struct wardi_net_refusal refusal =
		refused_at(folder.address, &(struct wardi_listening){.unix_mode = 04600});

	ward_assert_eq(refusal.error, EINVAL);
	ward_assert_part(refusal.text, "unix_mode is 04600, and can be up to 0777");
	remove_folder(&folder);
}

WARD_TEST(path_of_a_listener_is_never_taken)
{
	struct folder folder = make_folder();
	int fd = listens_at_path(&folder, NULL), peer;
	struct wardi_net_refusal refusal = refused_at(folder.address, NULL);

	ward_assert_eq(refusal.error, EADDRINUSE);
	ward_assert_str(refusal.call, "bind");
	ward_assert_part(refusal.text, "Address already in use: somebody listens at the path");
	ward_assert_eq(refused_at(folder.address, &replacing).error, EADDRINUSE);
	/* It was asked by connecting, which it sees as two peers that have gone. */
	for (int i = 0; i < 2; i++) {
		peer = accept4(fd, NULL, NULL, SOCK_CLOEXEC);
		ward_assert(peer >= 0);
		close(peer);
	}
	check_reached(fd, folder.address);
	unlink(folder.path);
	close(fd);
	remove_folder(&folder);
}

WARD_TEST(path_of_a_listener_with_a_full_queue_is_never_taken)
{
	struct folder folder = make_folder();
	int fd = make_socket(folder.path, SOCK_STREAM), client;

	ward_assert_eq(__real_listen(fd, 0), 0);
	client = reach_text(folder.address);
	ward_assert(client >= 0);
	ward_assert_part(refused_at(folder.address, &replacing).text, "somebody listens");
	close(client);
	unlink(folder.path);
	close(fd);
	remove_folder(&folder);
}

WARD_TEST(path_at_which_nobody_listens_is_taken_on_request)
{
	struct folder folder = make_folder();
	struct wardi_net_refusal refusal;
	int fd;

	close(make_socket(folder.path, SOCK_STREAM));
	refusal = refused_at(folder.address, NULL);
	ward_assert_eq(refusal.error, EADDRINUSE);
	ward_assert_part(refusal.text,
			 "the path is a socket that nobody has open: remove it, or set "
			 "unix_replace (in a file unix-replace)");
	fd = listens_at_path(&folder, &replacing);
	check_reached(fd, folder.address);
	unlink(folder.path);
	close(fd);
	/* With nothing there it is as without. */
	fd = listens_at_path(&folder, &replacing);
	unlink(folder.path);
	close(fd);
	remove_folder(&folder);
}

WARD_TEST(datagram_socket_is_taken_when_it_is_dead)
{
	struct folder folder = make_folder();
	int fd = make_socket(folder.path, SOCK_DGRAM);
	struct wardi_net_refusal refusal = refused_at(folder.address, &replacing);

	ward_assert_part(refusal.text, "a socket of another type that is in use");
	close(fd);
	fd = listens_at_path(&folder, &replacing);
	unlink(folder.path);
	close(fd);
	remove_folder(&folder);
}

WARD_TEST(what_is_no_socket_is_never_removed)
{
	struct folder folder = make_folder();
	char target[80];
	struct stat is;

	snprintf(target, sizeof target, "%s/gone", folder.name);
	for (int i = 0; i < 4; i++) {
		struct wardi_net_refusal refusal;

		if (i == 0)
			close(open(folder.path, O_CREAT | O_WRONLY | O_CLOEXEC, 0600));
		else if (i == 1)
			ward_assert_eq(mkdir(folder.path, 0700), 0);
		else if (i == 2)
			ward_assert_eq(symlink(target, folder.path), 0);
		else
			ward_assert_eq(mkfifo(folder.path, 0600), 0);
		refusal = refused_at(folder.address, &replacing);
		ward_assert_eq(refusal.error, EADDRINUSE);
		ward_assert_part(refusal.text, "is not a socket, so it is never removed");
		ward_assert_eq(lstat(folder.path, &is), 0);
		ward_assert_eq(remove(folder.path), 0);
	}
	ward_assert(lstat(target, &is) != 0);
	remove_folder(&folder);
}

WARD_TEST(link_to_a_dead_socket_is_not_followed)
{
	struct folder folder = make_folder();
	char target[80];

	snprintf(target, sizeof target, "%s/dead", folder.name);
	close(make_socket(target, SOCK_STREAM));
	ward_assert_eq(symlink(target, folder.path), 0);
	ward_assert_part(refused_at(folder.address, &replacing).text, "is not a socket");
	ward_assert_eq(unlink(folder.path), 0);
	ward_assert_eq(unlink(target), 0);
	remove_folder(&folder);
}

WARD_TEST(folder_must_exist_and_be_one)
{
	struct folder folder = make_folder();
	struct wardi_net_refusal refusal;
	char text[90];

	snprintf(text, sizeof text, "unix:%s/none/a", folder.name);
	refusal = refused_at(text, NULL);
	ward_assert_eq(refusal.error, ENOENT);
	ward_assert_str(refusal.text,
			"No such file or directory: the folder of the path does not exist");
	close(open(folder.path, O_CREAT | O_WRONLY | O_CLOEXEC, 0600));
	snprintf(text, sizeof text, "%s/a", folder.address);
	refusal = refused_at(text, NULL);
	ward_assert_eq(refusal.error, ENOTDIR);
	ward_assert_part(refusal.text, ": a part of the path is not a folder");
	unlink(folder.path);
	remove_folder(&folder);
	refusal = refused_at("unix:/", &replacing);
	ward_assert_eq(refusal.error, EADDRINUSE);
}

WARD_TEST(lock_of_the_folder_is_waited_for)
{
	struct folder folder = make_folder();
	int before = count_fds(), fd;

	seen.lock = open_folder(folder.name);
	ward_assert_eq(flock(seen.lock, LOCK_EX), 0);
	seen.naps = 0;
	seen.naps_max = 3;
	fd = listens_at_path(&folder, NULL);
	ward_assert_eq(seen.naps, 3);
	unlink(folder.path);
	close(fd);
	ward_assert_eq(count_fds(), before);
	remove_folder(&folder);
}

WARD_TEST(lock_that_stays_refuses_in_the_end)
{
	struct folder folder = make_folder();
	struct wardi_net_refusal refusal;

	seen.lock = open_folder(folder.name);
	ward_assert_eq(flock(seen.lock, LOCK_EX), 0);
	seen.naps = seen.naps_max = 0;
	refusal = refused_at(folder.address, NULL);
	ward_assert_eq(refusal.error, EWOULDBLOCK);
	ward_assert_part(refusal.text, "another process keeps the folder locked");
	ward_assert_eq(seen.naps, 100);
	close(seen.lock);
	/* Also that of the root, which has no name in front of its '/'. */
	seen.lock = open_folder("/");
	ward_assert_eq(flock(seen.lock, LOCK_SH | LOCK_NB), 0);
	ward_assert_eq(refused_at("unix:/ward-net-in-root", NULL).error, EWOULDBLOCK);
	close(seen.lock);
	seen.lock = -1;
	remove_folder(&folder);
}

WARD_TEST(lock_is_released_though_a_fork_has_it)
{
	struct folder folder = make_folder();
	int fd, lock, status = -1;

	ward_assert_eq(pipe2(seen.child_waits, O_CLOEXEC), 0);
	seen.forks = true;
	fd = listens_at_path(&folder, NULL);
	seen.forks = false;
	ward_assert(seen.child > 0);
	lock = open_folder(folder.name);
	ward_assert_eq(flock(lock, LOCK_EX | LOCK_NB), 0);
	close(lock);
	close(seen.child_waits[1]);
	ward_assert_eq(waitpid(seen.child, &status, 0), seen.child);
	ward_assert_eq(status, 0);
	close(seen.child_waits[0]);
	unlink(folder.path);
	close(fd);
	remove_folder(&folder);
}

/* ---- several at once ---- */

static struct {
	struct folder folder;
	atomic_int ready, listening;
	int fds[THREADS];
} race;

static void *run_racer(void *arg)
{
	struct wardi_net_refusal refusal;
	char path[WARD_ADDRESS_TEXT];
	int *fd = arg;

	atomic_fetch_add(&race.ready, 1);
	while (atomic_load(&race.ready) < THREADS)
		sched_yield();
	do
		*fd = listen_at(race.folder.address, &replacing, path, &refusal);
	while (*fd < 0 && refusal.error == EWOULDBLOCK); /* no nap takes time here */
	if (*fd >= 0)
		atomic_fetch_add(&race.listening, 1);
	return NULL;
}

WARD_TEST(dead_path_is_taken_by_one_of_several)
{
	race.folder = make_folder();
	for (int i = 0; i < ROUNDS; i++) {
		pthread_t threads[THREADS];

		close(make_socket(race.folder.path, SOCK_STREAM));
		atomic_store(&race.ready, 0);
		atomic_store(&race.listening, 0);
		for (int k = 0; k < THREADS; k++)
			ward_assert_eq(pthread_create(&threads[k], NULL, run_racer, &race.fds[k]),
				       0);
		for (int k = 0; k < THREADS; k++)
			pthread_join(threads[k], NULL);
		ward_assert_eq(atomic_load(&race.listening), 1);
		ward_assert_eq(unlink(race.folder.path), 0);
		for (int k = 0; k < THREADS; k++)
			if (race.fds[k] >= 0)
				close(race.fds[k]);
	}
	remove_folder(&race.folder);
}

WARD_TEST_MAIN
