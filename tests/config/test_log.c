/* SPDX-License-Identifier: MIT
 *
 * test_log.c - a log that is a named pipe: nobody who reads it, or does not, holds anything up.
 *
 * Method: the log of the options is called as a system would; the pipe is as small as it can be.
 */
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <termios.h>
#include <unistd.h>

#include "scratch.h"
#include "shop.h"

static ward_config *begin_as(const char *format)
{
	char file[128];

	scratch_begin();
	ward_assert_eq(mkfifo("pipe", 0600), 0);
	snprintf(file, sizeof file, "system: { log: { to = \"pipe\"%s; }; };", format);
	return shop_good(file);
}

static ward_config *begin(void)
{
	return begin_as("");
}

static void end(ward_config *config)
{
	ward_config_close(config);
	scratch_end();
}

static int open_reader(void)
{
	int fd = open("pipe", O_RDONLY | O_NONBLOCK | O_CLOEXEC);

	ward_assert(fd >= 0);
	(void)!fcntl(fd, F_SETPIPE_SZ, 4096);
	return fd;
}

static void say(const ward_options *options, const char *text)
{
	ward_event event = {.kind = WARD_EVENT_NOTE, .level = WARD_LEVEL_INFO, .path = "a"};

	strcpy(event.text, text);
	options->log(options->log_arg, &event);
}

static size_t read_all(int fd, char *text, size_t max)
{
	size_t length = 0;
	ssize_t got;

	while (length + 1 < max && (got = read(fd, text + length, max - 1 - length)) > 0)
		length += (size_t)got;
	text[length] = '\0';
	return length;
}

WARD_TEST(log_to_a_pipe_that_nobody_reads_is_refused)
{
	ward_config *config = begin();
	ward_options options;

	ward_assert_err(ward_config_options(config, &options), WARD_ESYS);
	ward_assert_str(ward_err_detail(),
			"the log pipe: no process has this pipe open for reading");
	end(config);
}

WARD_TEST(log_to_a_pipe_outlives_its_reader)
{
	ward_config *config = begin();
	ward_options options;
	char text[4096];
	int reader = open_reader();

	signal(SIGPIPE, SIG_DFL);
	ward_assert_ok(ward_config_options(config, &options));
	say(&options, "one");
	ward_assert(read_all(reader, text, sizeof text) > 0);
	ward_assert_str(text, "a: one\n");
	close(reader);
	say(&options, "two");
	say(&options, "three");
	reader = open_reader();
	say(&options, "four");
	read_all(reader, text, sizeof text);
	ward_assert_str(text, "(2 lines are lost here: nobody read them)\na: four\n");
	close(reader);
	end(config);
}

/* A signal of somebody else's that waits is not taken away. */
WARD_TEST(log_to_a_pipe_leaves_the_signals_of_a_thread_as_they_are)
{
	ward_config *config = begin();
	ward_options options;
	sigset_t set, waiting;
	int reader = open_reader();

	sigemptyset(&set);
	sigaddset(&set, SIGPIPE);
	ward_assert_ok(ward_config_options(config, &options));
	close(reader);
	say(&options, "one");
	pthread_sigmask(SIG_SETMASK, NULL, &waiting);
	ward_assert_eq(sigismember(&waiting, SIGPIPE), 0);
	pthread_sigmask(SIG_BLOCK, &set, NULL);
	pthread_kill(pthread_self(), SIGPIPE);
	say(&options, "two");
	sigpending(&waiting);
	ward_assert_eq(sigismember(&waiting, SIGPIPE), 1);
	end(config);
}

/* A line in that format; and one after another was lost, with the notice in front of it. */
static void check_format(const char *format, const char *line, const char *notice)
{
	ward_config *config = begin_as(format);
	ward_options options;
	char text[4096];
	int reader = open_reader();

	ward_assert_ok(ward_config_options(config, &options));
	say(&options, "one \"two\"");
	read_all(reader, text, sizeof text);
	ward_assert_str(text, line);
	close(reader);
	say(&options, "lost");
	reader = open_reader();
	say(&options, "one \"two\"");
	read_all(reader, text, sizeof text);
	ward_assert_part(text, notice);
	ward_assert_str(text + strlen(text) - strlen(line), line);
	close(reader);
	end(config);
}

WARD_TEST(log_in_json_is_an_object_on_each_line)
{
	check_format(", format = \"json\"",
		     "{\"time\":\"1970-01-01T00:00:00.000Z\",\"level\":\"info\","
		     "\"kind\":\"note\",\"path\":\"a\",\"text\":\"one \\\"two\\\"\"}\n",
		     "\"level\":\"warning\",\"kind\":\"note\","
		     "\"text\":\"1 line is lost here: nobody read it\"}\n{\"time\":");
}

WARD_TEST(log_for_journald_has_priorities)
{
	check_format(", format = \"journald\"", "<6>a: one \"two\"\n",
		     "<4>(1 line is lost here: nobody read it)\n<6>a: ");
}

WARD_TEST(log_of_an_unknown_format_is_refused)
{
	shop_wrong(
		"system: { log: { format = \"xml\"; }; };",
		"t:1: system.log.format: \"xml\" is unknown; must be one of: line, json, journald");
}

static void *say_much(void *arg)
{
	for (int i = 0; i < 5000; i++)
		say(arg, "a line that finds no room in the pipe, since nobody reads there");
	return NULL;
}

WARD_TEST(log_to_a_pipe_that_is_full_holds_no_thread_up)
{
	ward_config *config = begin();
	static char text[65536];
	ward_options options;
	pthread_t threads[4];
	int reader = open_reader();

	ward_assert_ok(ward_config_options(config, &options));
	for (int i = 0; i < 4; i++)
		ward_assert_eq(pthread_create(&threads[i], NULL, say_much, &options), 0);
	for (int i = 0; i < 4; i++)
		pthread_join(threads[i], NULL);
	ward_assert(read_all(reader, text, sizeof text) > 0);
	ward_assert_eq(text[strlen(text) - 1], '\n');
	say(&options, "last");
	read_all(reader, text, sizeof text);
	ward_assert_part(text, " lines are lost here: nobody read them)\na: last\n");
	close(reader);
	end(config);
}

/* ---- signals of the program -------------------------------------------------------------- */

static sem_t signals;

static void on_alarm(int signal)
{
	(void)signal;
	sem_post(&signals);
}

static void fill(void)
{
	int fd = open("pipe", O_WRONLY | O_NONBLOCK | O_CLOEXEC);
	char block[512];

	ward_assert(fd >= 0);
	memset(block, '.', sizeof block);
	while (write(fd, block, sizeof block) > 0)
		;
	close(fd);
}

/* Makes room after some signals. */
static void *read_later(void *arg)
{
	char block[65536];

	for (int i = 0; i < 5; i++)
		while (sem_wait(&signals) != 0)
			;
	(void)!read(*(int *)arg, block, sizeof block);
	return NULL;
}

WARD_TEST(log_to_a_pipe_that_is_full_waits_on_after_a_signal)
{
	const struct itimerval often = {{0, 10000}, {0, 10000}}, never = {{0, 0}, {0, 0}};
	ward_config *config = begin();
	int reader = open_reader();
	ward_options options;
	sigset_t alarm;
	pthread_t thread;
	char text[8192];

	ward_assert_ok(ward_config_options(config, &options));
	fill();
	sem_init(&signals, 0, 0);
	signal(SIGALRM, on_alarm);
	sigemptyset(&alarm);
	sigaddset(&alarm, SIGALRM);
	pthread_sigmask(SIG_BLOCK, &alarm, NULL);
	ward_assert_eq(pthread_create(&thread, NULL, read_later, &reader), 0);
	pthread_sigmask(SIG_UNBLOCK, &alarm, NULL);
	setitimer(ITIMER_REAL, &often, NULL);
	say(&options, "patient");
	pthread_join(thread, NULL);
	setitimer(ITIMER_REAL, &never, NULL);
	say(&options, "last");
	read_all(reader, text, sizeof text);
	ward_assert_part(text, "a: patient\na: last\n");
	close(reader);
	end(config);
}

/* ---- a terminal -------------------------------------------------------------------------- */

enum { LINES = 5000, GENEROUS_MS = 20000, A_WHILE_MS = 300 };

static struct {
	int ours, logs; /* the two ends of a terminal */
} terminal;

static sem_t all_said;

static void in_a_while(struct timespec *until)
{
	clock_gettime(CLOCK_REALTIME, until);
	until->tv_nsec += A_WHILE_MS * 1000000L;
	until->tv_sec += until->tv_nsec / 1000000000;
	until->tv_nsec %= 1000000000;
}

static void open_terminal(void)
{
	struct termios how;

	terminal.ours = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);
	ward_assert(terminal.ours >= 0);
	ward_assert(grantpt(terminal.ours) == 0 && unlockpt(terminal.ours) == 0);
	terminal.logs = open(ptsname(terminal.ours), O_RDWR | O_NOCTTY | O_CLOEXEC);
	ward_assert(terminal.logs >= 0);
	ward_assert_eq(tcgetattr(terminal.logs, &how), 0);
	cfmakeraw(&how);
	ward_assert_eq(tcsetattr(terminal.logs, TCSANOW, &how), 0);
}

/* Reads when all is said, or cannot be in a while. */
static void *count_lines(void *arg)
{
	struct pollfd some = {.fd = terminal.ours, .events = POLLIN};
	static char block[4096];
	struct timespec until;
	size_t *lines = arg;
	ssize_t got;

	in_a_while(&until);
	(void)sem_timedwait(&all_said, &until);
	while (*lines < LINES && poll(&some, 1, GENEROUS_MS) == 1 &&
	       (got = read(some.fd, block, sizeof block)) > 0)
		for (ssize_t i = 0; i < got; i++)
			*lines += block[i] == '\n';
	return NULL;
}

WARD_TEST(log_to_a_terminal_waits_for_room)
{
	char text[128];
	ward_config *config;
	ward_options options;
	pthread_t thread;
	size_t lines = 0;

	open_terminal();
	sem_init(&all_said, 0, 0);
	snprintf(text, sizeof text, "system: { log: { to = \"%s\"; }; };", ptsname(terminal.ours));
	config = shop_good(text);
	ward_assert_ok(ward_config_options(config, &options));
	ward_assert_eq(pthread_create(&thread, NULL, count_lines, &lines), 0);
	for (int i = 0; i < LINES; i++)
		say(&options, "a line that waits until there is room for it on the terminal");
	sem_post(&all_said);
	pthread_join(thread, NULL);
	ward_assert_eq(lines, LINES);
	ward_config_close(config);
	close(terminal.logs);
	close(terminal.ours);
}

/* ---- a pipe that is the program's own ---------------------------------------------------- */

enum { MANY = 48 };
static struct {
	pthread_mutex_t mu;
	pthread_cond_t met;
	int wanted, found;
} meeting = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, 0, 0};

int __real_poll(struct pollfd *fds, nfds_t count, int timeout);
int __wrap_poll(struct pollfd *fds, nfds_t count, int timeout);

/* Those who find room go on when all others have found it too, or do not in a while. */
int __wrap_poll(struct pollfd *fds, nfds_t count, int timeout)
{
	int got = __real_poll(fds, count, timeout);
	struct timespec until;

	pthread_mutex_lock(&meeting.mu);
	if (got == 1 && meeting.found < meeting.wanted) {
		meeting.found++;
		pthread_cond_broadcast(&meeting.met);
		in_a_while(&until);
		while (meeting.found < meeting.wanted &&
		       pthread_cond_timedwait(&meeting.met, &meeting.mu, &until) == 0)
			;
	}
	pthread_mutex_unlock(&meeting.mu);
	return got;
}

static void *say_long(void *arg)
{
	char text[200];

	memset(text, 'x', sizeof text - 1);
	text[sizeof text - 1] = '\0';
	say(arg, text);
	return NULL;
}

/* There is room for one, and for some more, but not for all. */
WARD_TEST(log_to_stdout_that_has_little_room_holds_no_thread_up)
{
	int ends[2], before = dup(STDOUT_FILENO);
	ward_config *config = shop_good("system: { log: { to = \"stdout\"; }; };");
	pthread_t threads[MANY];
	ward_options options;

	ward_assert_eq(pipe(ends), 0);
	(void)!fcntl(ends[1], F_SETPIPE_SZ, 4096);
	dup2(ends[1], STDOUT_FILENO);
	ward_assert_ok(ward_config_options(config, &options));
	dup2(before, STDOUT_FILENO);
	meeting.wanted = MANY;
	for (int i = 0; i < MANY; i++)
		ward_assert_eq(pthread_create(&threads[i], NULL, say_long, &options), 0);
	for (int i = 0; i < MANY; i++)
		pthread_join(threads[i], NULL);
	ward_config_close(config);
	close(ends[0]);
	close(ends[1]);
	close(before);
}

WARD_TEST_MAIN
