/* SPDX-License-Identifier: MIT
 *
 * test_log_formats.c - an event as a line with its time, as JSON, and as journald reads it; and the
 * logs that write these to standard error.
 *
 * Method: events that are made here. JSON is read by Python's parser, which meson needs anyway.
 */
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <ward/testkit.h>
#include <ward/ward.h>

enum { NS_PER_S = 1000000000, THREADS = 4, LINES = 200 };

static ward_event note(ward_level level, const char *text)
{
	ward_event event = {.kind = WARD_EVENT_NOTE,
			    .level = level,
			    .wall_ns = INT64_C(951868799) * NS_PER_S + 999999999,
			    .path = "sim/user/a",
			    .restarts_left = -1};

	snprintf(event.text, sizeof event.text, "%s", text);
	return event;
}

/* ---- the time, the level ----------------------------------------------------------------- */

WARD_TEST(event_stamped_has_time_and_level_in_front)
{
	ward_event event = note(WARD_LEVEL_WARNING, "it is\nwarm");
	char text[256], cut[12];
	size_t length = ward_event_stamped(&event, text, sizeof text);

	ward_assert_str(text, "2000-02-29T23:59:59.999Z warning sim/user/a: it is\\nwarm");
	ward_assert_eq(length, strlen(text));
	ward_assert_eq(ward_event_stamped(&event, cut, sizeof cut), length);
	ward_assert_str(cut, "2000-02-29T");
	ward_assert_eq(ward_event_stamped(&event, NULL, 0), length);
}

WARD_TEST(event_stamped_agrees_with_the_calendar_of_the_c_library)
{
	const int64_t step = 86400 * 13 + 3671;

	for (int64_t s = -INT64_C(2208988800) /* 1900 */; s < INT64_C(7258118400) /* 2200 */;
	     s += step) {
		ward_event event = note(WARD_LEVEL_INFO, "");
		char text[256], wanted[64];
		time_t time = (time_t)s;
		struct tm tm;

		event.wall_ns = s * NS_PER_S + 42 * 1000000;
		ward_event_stamped(&event, text, sizeof text);
		strftime(wanted, sizeof wanted, "%Y-%m-%dT%H:%M:%S.042Z info",
			 gmtime_r(&time, &tm));
		text[strlen(wanted)] = '\0';
		ward_assert_str(text, wanted);
	}
}

WARD_TEST(event_for_journald_has_its_priority_in_front)
{
	static const char *const wanted[] = {"<3>", "<7>", "<6>", "<4>", "<3>", "<3>"};

	for (uint32_t level = 0; level < sizeof wanted / sizeof wanted[0]; level++) {
		ward_event event = note((ward_level)level, "it is warm");
		char text[64];
		size_t length = ward_event_journald(&event, text, sizeof text);

		ward_assert_eq(strncmp(text, wanted[level], 3), 0);
		ward_assert_str(text + 3, "sim/user/a: it is warm");
		ward_assert_eq(length, strlen(text));
	}
}

/* ---- JSON -------------------------------------------------------------------------------- */

static const char reader[] = "import json, sys\n"
			     "for line in open(sys.argv[1], encoding='utf-8', newline='\\n'):\n"
			     "    o = json.loads(line)\n"
			     "    print(*(f'{k}={ascii(v)}' for k, v in o.items()), sep=';')\n";

static char folder[] = "/tmp/ward-log-XXXXXX";

/* Has Python read a file of objects, and returns what it makes of them. */
static const char *read_by_python(const char *name)
{
	static char text[65536];
	char command[2048];
	FILE *program;
	size_t length;

	snprintf(command, sizeof command, "python3 -c \"%s\" %s", reader, name);
	program = popen(command, "r");
	ward_assert(program != NULL);
	length = fread(text, 1, sizeof text - 1, program);
	text[length] = '\0';
	ward_assert_eq(pclose(program), 0);
	return text;
}

/* Standard error is a file while events are logged. */
static const char *log_to_file(void (*log)(void *arg, const ward_event *event),
			       const ward_event *events, size_t count)
{
	static char name[64];
	int before = dup(STDERR_FILENO), fd;

	if (name[0] == '\0') {
		ward_assert(mkdtemp(folder) != NULL);
		snprintf(name, sizeof name, "%s/log", folder);
	}
	fd = open(name, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	ward_assert(fd >= 0);
	dup2(fd, STDERR_FILENO);
	for (size_t i = 0; i < count; i++)
		log(NULL, &events[i]);
	dup2(before, STDERR_FILENO);
	close(before);
	close(fd);
	return name;
}

static void remove_file(const char *name)
{
	unlink(name);
	rmdir(folder);
}

WARD_TEST(event_as_json_has_what_it_has)
{
	ward_event events[3] = {
		note(WARD_LEVEL_SEVERE, "no \"paper\" \\ left"), note(WARD_LEVEL_DEBUG, ""),
		note(WARD_LEVEL_INFO, "the receiver has ended; a later start has a new ref")};
	const char *name;

	events[0].kind = WARD_EVENT_FAILURE;
	strcpy(events[0].origin_path, "sim/user/a/b");
	strcpy(events[0].failure_class, "jammed");
	strcpy(events[0].message_type, "print");
	events[0].directive = WARD_RESTART;
	events[0].denied = 1;
	strcpy(events[0].follows, "anew, at once");
	events[0].incarnation = 3;
	events[0].restarts = 2;
	events[0].restarts_left = 0;
	events[1].kind = WARD_EVENT_LIFECYCLE;
	strcpy(events[1].old_state, "starting");
	strcpy(events[1].new_state, "running");
	events[2].kind = WARD_EVENT_DEAD_LETTER;
	events[2].reason = WARD_REASON_NO_MEMORY;
	strcpy(events[2].sender_path, "sim/user/c");
	name = log_to_file(ward_log_json, events, 3);
	ward_assert_str(
		read_by_python(name),
		"time='2000-02-29T23:59:59.999Z';level='severe';kind='failure';path='sim/user/a';"
		"origin='sim/user/a/b';class='jammed';text='no \"paper\" \\\\ left';"
		"message='print';directive='restart';follows='anew, at once';denied=True;"
		"restarts=2;restarts_left=0;incarnation=3\n"
		"time='2000-02-29T23:59:59.999Z';level='debug';kind='lifecycle';"
		"path='sim/user/a';old_state='starting';new_state='running'\n"
		"time='2000-02-29T23:59:59.999Z';level='info';kind='dead-letter';"
		"path='sim/user/a';text='the receiver has ended; a later start has a new "
		"ref';sender='sim/user/c';"
		"reason='no-memory'\n");
	remove_file(name);
}

/* Each of the 255 bytes, and what is more than one byte. */
WARD_TEST(event_as_json_with_any_bytes_is_read_by_a_parser)
{
	ward_event events[4] = {
		note(WARD_LEVEL_INFO, ""), note(WARD_LEVEL_INFO, ""),
		note(WARD_LEVEL_INFO, "\xc3\xa4\xe2\x80\xae\xf0\x9f\x90\x8a\xe2\x82"),
		note((ward_level)9, "")};
	const char *name, *text;

	for (int i = 1; i < 256; i++)
		events[0].text[i - 1] = (char)i;
	memset(events[1].text, '\x01', sizeof events[1].text); /* without an end */
	memset(events[1].path, '"', sizeof events[1].path);
	events[3].kind = 1000;
	events[3].reason = 1000;
	name = log_to_file(ward_log_json, events, 4);
	text = read_by_python(name);
	ward_assert_part(text, "text='\\x01\\x02\\x03");
	ward_assert_part(text, "!\"#$%&\\'()*+,-./0");
	ward_assert_part(text, "~\\x7f\\ufffd\\ufffd");
	ward_assert_part(text, "text='\\xe4\\u202e\\U0001f40a\\ufffd\\ufffd'");
	ward_assert_part(text, "level='?';kind='?'");
	ward_assert_part(text, "reason='?'");
	remove_file(name);
}

WARD_TEST(event_as_json_shows_no_control_to_a_terminal)
{
	ward_event event = note(WARD_LEVEL_INFO, "\x1b[2J\x7f\xc2\x9b\xe2\x80\xae");
	char text[WARD_EVENT_JSON];

	ward_event_json(&event, text, sizeof text);
	ward_assert_part(text, "\"text\":\"\\u001b[2J\\u007f\\u009b\\u202e\"");
}

WARD_TEST(event_as_json_that_does_not_fit_is_nothing)
{
	ward_event event = note(WARD_LEVEL_INFO, "it is warm");
	char text[WARD_EVENT_JSON];
	size_t length = ward_event_json(&event, text, sizeof text);

	ward_assert_eq(length, strlen(text));
	ward_assert_eq(ward_event_json(&event, text, length), length);
	ward_assert_str(text, "");
	ward_assert_eq(ward_event_json(&event, NULL, 0), length);
	ward_assert_eq(ward_event_json(&event, text, length + 1), length);
	ward_assert_eq(strlen(text), length);
}

WARD_TEST(event_as_json_is_never_longer_than_said)
{
	ward_event event;
	char text[WARD_EVENT_JSON];

	memset(&event, 0xff, sizeof event);
	event.kind = WARD_EVENT_FAILURE;
	event.restarts_left = INT32_MAX;
	event.wall_ns = INT64_MIN;
	ward_assert(ward_event_json(&event, text, sizeof text) < sizeof text);
	ward_assert(text[0] == '{');
}

/* ---- a line ------------------------------------------------------------------------------ */

WARD_TEST(event_format_has_what_follows_in_place_of_the_directive)
{
	ward_event event = note(WARD_LEVEL_WARNING, "no paper");
	char text[256];

	event.kind = WARD_EVENT_FAILURE;
	event.directive = WARD_RESTART;
	event.incarnation = 1;
	strcpy(event.origin_path, "sim/user/a");
	strcpy(event.failure_class, "jammed");
	strcpy(event.follows, "anew, at once");
	ward_event_format(&event, text, sizeof text);
	ward_assert_str(text, "sim/user/a failed: jammed: no paper -> anew, at once");
	event.incarnation = 2;
	ward_event_format(&event, text, sizeof text);
	ward_assert_part(text, " -> anew, at once (incarnation 2");
	event.denied = 1;
	ward_event_format(&event, text, sizeof text);
	ward_assert_part(text, " -> anew, at once, but the limit says stop (incarnation 2");
}

/* ---- logs -------------------------------------------------------------------------------- */

static void *log_lines(void *arg)
{
	ward_event event = note(WARD_LEVEL_INFO, "a line of a thread");

	(void)arg;
	for (int i = 0; i < LINES; i++)
		ward_log_stderr(NULL, &event);
	return NULL;
}

WARD_TEST(log_of_several_threads_has_whole_lines)
{
	const char *wanted = "2000-02-29T23:59:59.999Z info sim/user/a: a line of a thread\n";
	int ends[2], before = dup(STDERR_FILENO), count = 0;
	pthread_t threads[THREADS];
	char line[256];
	FILE *lines;

	ward_assert_eq(pipe(ends), 0);
	(void)!fcntl(ends[1], F_SETPIPE_SZ, 1 << 17);
	dup2(ends[1], STDERR_FILENO);
	close(ends[1]);
	for (int i = 0; i < THREADS; i++)
		ward_assert_eq(pthread_create(&threads[i], NULL, log_lines, NULL), 0);
	for (int i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	dup2(before, STDERR_FILENO);
	close(before);
	lines = fdopen(ends[0], "r");
	for (; fgets(line, sizeof line, lines) != NULL; count++)
		ward_assert_str(line, wanted);
	fclose(lines);
	ward_assert_eq(count, THREADS * LINES);
}

WARD_TEST(log_to_a_pipe_that_nobody_reads_ends_no_process)
{
	ward_event event = note(WARD_LEVEL_INFO, "lost");
	int ends[2], before = dup(STDERR_FILENO);
	sigset_t set, waiting;

	signal(SIGPIPE, SIG_DFL);
	ward_assert_eq(pipe(ends), 0);
	dup2(ends[1], STDERR_FILENO);
	close(ends[0]);
	close(ends[1]);
	ward_log_stderr(NULL, &event);
	ward_log_json(NULL, &event);
	ward_log_journald(NULL, &event);
	dup2(before, STDERR_FILENO);
	close(before);
	sigpending(&waiting);
	ward_assert_eq(sigismember(&waiting, SIGPIPE), 0);
	pthread_sigmask(SIG_SETMASK, NULL, &set);
	ward_assert_eq(sigismember(&set, SIGPIPE), 0);
}

WARD_TEST(log_for_journald_writes_lines)
{
	ward_event events[2] = {note(WARD_LEVEL_WARNING, "one"), note(WARD_LEVEL_DEBUG, "two")};
	const char *name = log_to_file(ward_log_journald, events, 2);
	char text[256] = "";
	FILE *file = fopen(name, "r");

	ward_assert(file != NULL);
	ward_assert(fread(text, 1, sizeof text - 1, file) > 0);
	fclose(file);
	ward_assert_str(text, "<4>sim/user/a: one\n<7>sim/user/a: two\n");
	remove_file(name);
}

WARD_TEST_MAIN
