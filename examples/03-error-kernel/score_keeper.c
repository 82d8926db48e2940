/* SPDX-License-Identifier: MIT
 *
 * score_keeper.c - a parent keeps what must not be lost; its child does what may fail.
 *
 *	cc examples/03-error-kernel/score_keeper.c $(pkg-config --cflags --libs ward) -o keeper
 *
 * The keeper knows the score of a match. Its child fetches the news over an unreliable line, and
 * fails: the score is never at risk. Prints the goals, the failures and the final score.
 */
#include <stdio.h>
#include <string.h>
#include <ward/ward.h>

/* The unreliable line: each call returns the next reply. Only the fetcher calls it. */
static const char *call_the_feed(void)
{
	static const char *const lines[] = {"51' GER Goetze", "503 busy",     "54' GHA Ayew",
					    "63' GHA",        "63' GHA Gyan", "71' GER Klose",
					    "90' END -"};
	static size_t calls;

	return lines[calls++];
}

WARD_SIGNAL(fetch);

struct news {
	int minute;
	char team[4];
	char scorer[16];
};
WARD_MESSAGE(news);

static const ward_failure_class bad_reply = {.name = "bad_reply", .parent = &ward_exception};

/* Fails here, below the callback: no caller has to pass an error on. */
static void tell_what_it_says(ward_self *self, ward_ref to, const char *line)
{
	struct news news;

	if (sscanf(line, "%d' %3s %15s", &news.minute, news.team, news.scorer) != 3)
		ward_fail(self, &bad_reply, "cannot read \"%s\"", line);
	ward_send(self, to, WARD_COPY(news, &news));
}

static ward_result fetcher_receive(ward_self *self, void *state, const ward_msg *msg)
{
	(void)state;
	if (!ward_match(msg, fetch))
		return WARD_UNHANDLED;
	tell_what_it_says(self, ward_msg_sender(msg), call_the_feed());
	return WARD_DONE;
}

/* The message that failed would be lost. Sent to self, it waits for the next incarnation. */
static ward_result fetcher_pre_restart(ward_self *self, void *state, const ward_failure *why,
				       const ward_msg *msg)
{
	(void)state, (void)why;
	if (msg)
		ward_forward(self, ward_self_ref(self));
	return ward_default_pre_restart(self);
}

static const ward_behavior fetcher = {
	.name = "fetcher", .receive = fetcher_receive, .pre_restart = fetcher_pre_restart};

struct keeper {
	int goals[2]; /* of GER, of GHA */
};

static ward_result keeper_start(ward_self *self, void *state)
{
	ward_ref child;

	(void)state;
	child = ward_spawn(self, &fetcher);
	ward_watch(self, child);
	ward_tell(self, child, fetch);
	return WARD_DONE;
}

static ward_result keeper_receive(ward_self *self, void *state, const ward_msg *msg)
{
	struct keeper *me = state;
	const struct news *news = ward_match(msg, news);

	if (!news)
		return WARD_UNHANDLED;
	if (strcmp(news->team, "END") == 0) {
		printf("final score: GER %d, GHA %d\n", me->goals[0], me->goals[1]);
		return ward_stop_self(self);
	}
	me->goals[strcmp(news->team, "GER") != 0]++;
	printf("%d' %s: GER %d, GHA %d\n", news->minute, news->scorer, me->goals[0], me->goals[1]);
	ward_tell(self, ward_msg_sender(msg), fetch);
	return WARD_DONE;
}

/* After ten restarts in 30 s the fetcher is stopped. So is the keeper: it handles no notice. */
static const ward_strategy patience = {
	.rules = {{&bad_reply, WARD_RESTART}}, .restarts_max = 10, .window_ms = 30 * WARD_SECOND};

static const ward_behavior keeper = {.name = "keeper",
				     .state_size = sizeof(struct keeper),
				     .child_strategy = &patience,
				     .receive = keeper_receive,
				     .pre_start = keeper_start};

static void print_failure(void *arg, const ward_event *event)
{
	(void)arg;
	printf("  failed: %s\n", event->text);
}

int main(void)
{
	return ward_run(WARD_PROPS(&keeper),
			&(ward_options){.log = print_failure, .log_kinds = WARD_EVENT_FAILURE});
}
