/* SPDX-License-Identifier: MIT
 *
 * supervised.c - acts scripts out on the OTP profile, and prints what happens.
 *
 * Reads scripts from its input, as README.md describes them; supervisor.escript does the same on
 * Erlang's own supervisor. Each script has a simulated system, whose turns are drawn from the
 * number of the script; but `top`, which notes what happens, always goes first, so that it is noted
 * in order. A supervisor that is held has no turn. All is quiet when nobody has anything to do, nor
 * a timer that comes within a second.
 */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <ward/simulation.h>

#include "play.h"

enum { SPECS_MAX = 8 };
static const int64_t second_ns = 1000000000;

struct play play;

/* ---- what happens ------------------------------------------------------------------------ */

void note(const char *text, ...)
{
	va_list args;

	if (play.notes_count == NOTES_MAX)
		ward_test_fail(__FILE__, __LINE__, "too much happens");
	va_start(args, text);
	vsnprintf(play.notes[play.notes_count++], NOTE, text, args);
	va_end(args);
}

struct life *life_of(char label)
{
	for (int i = play.lives_count - 1; i >= 0; i--)
		if (play.lives[i].label == label)
			return &play.lives[i];
	return NULL;
}

struct life *life_with(ward_ref who)
{
	for (int i = play.lives_count - 1; i >= 0; i--)
		if (ward_ref_equal(play.lives[i].who, who))
			return &play.lives[i];
	return NULL;
}

/* As Erlang has it, and no more than what both know. */
static void reason_text(char *text, size_t max, const ward_exit_reason *reason)
{
	ward_exit_reason bare = *reason;

	bare.text[0] = '\0';
	ward_exit_format(&bare, text, max);
	if (reason->kind == WARD_EXIT_SHUTDOWN && is(reason->text, "x"))
		snprintf(text, max, "shutdown_x");
}

static void note_end(ward_ref who, const ward_exit_reason *reason)
{
	struct life *life = life_with(who);
	char text[32];

	reason_text(text, sizeof text, reason);
	if (ward_ref_equal(who, play.supervisor)) {
		play.dead = true;
		note("supervisor %.16s", text);
	} else if (life != NULL) {
		life->alive = false;
		note("- %c %.16s", life->label, text);
	}
}

/* ---- top: the parent of the supervisor --------------------------------------------------- */

/* Has top do something. */
struct order {
	enum { ORDER_START, ORDER_EXIT, ORDER_ASK } kind;
	const ward_otp_supervisor *table;
	ward_ref who;
	ward_exit_reason reason;
	int line;
	const char *what;
	char *const *words;
};
WARD_MESSAGE(order);

static ward_result obey(ward_self *self, const struct order *order)
{
	switch (order->kind) {
	case ORDER_START:
		if (ward_try_spawn_link(
			    self,
			    WARD_PROPS(&ward_otp_behavior, .name = order->table->name,
				       .args = {WARD_COPY(ward_otp_supervisor, order->table)}),
			    &play.supervisor) != WARD_OK)
			play.dead = true;
		break;
	case ORDER_EXIT:
		ward_assert_ok(ward_exit(self, order->who, &order->reason));
		break;
	case ORDER_ASK:
		ask(self, order->line, order->what, order->words);
		break;
	}
	return WARD_DONE;
}

static void ask_meanwhile(ward_self *self, const struct meanwhile *meanwhile)
{
	static const char *const whats[] = {"terminate", "restart", "delete", "which"};
	char label[] = {meanwhile->label, '\0'};

	ward_assert(play.meanwhile < MEANWHILE_MAX);
	ask(self, CALLS_MAX + play.meanwhile++, whats[strchr("TRDW", meanwhile->what) - "TRDW"],
	    (char *[]){label});
}

static ward_result top_init(ward_self *self, void *state, const void *args)
{
	(void)state, (void)args;
	ward_trap_exit(self, true);
	return WARD_DONE;
}

static ward_result top_receive(ward_self *self, void *state, const ward_msg *msg)
{
	const struct ward_exited *gone = ward_match(msg, ward_exited);
	const struct meanwhile *meanwhile = ward_match(msg, meanwhile);
	const struct order *order = ward_match(msg, order);

	(void)state;
	if (ward_ask_tag(self) != 0)
		answered(msg, ward_ask_tag(self));
	else if (gone != NULL)
		note_end(gone->who, &gone->reason);
	else if (meanwhile != NULL)
		ask_meanwhile(self, meanwhile);
	else if (order != NULL)
		return obey(self, order);
	return WARD_DONE;
}

static const ward_strategy stops = {.otherwise = WARD_STOP, .quiet = true};
static const ward_behavior top = {
	.name = "top",
	.init = top_init,
	.receive = top_receive,
	.child_strategy = &stops,
};

/* ---- turns ------------------------------------------------------------------------------- */

static uint64_t draw(uint64_t below)
{
	uint64_t z = play.dice += UINT64_C(0x9e3779b97f4a7c15);

	z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
	return (z ^ (z >> 31)) % below;
}

static bool is_held(ward_system *system, size_t index)
{
	return play.held && ward_ref_equal(ward_simulation_ready(system, index), play.supervisor);
}

static size_t choose(void *arg, ward_system *system, size_t count)
{
	size_t chosen = draw(count);

	(void)arg;
	for (size_t i = 0; i < count; i++)
		if (ward_ref_equal(ward_simulation_ready(system, i), play.top))
			return i;
	return is_held(system, chosen) ? (chosen + 1) % count : chosen;
}

static void run(void)
{
	ward_system *system = ward_kit_system(play.kit);
	int64_t until_ns = ward_kit_now_ns(play.kit) + second_ns;

	do {
		for (size_t count; (count = ward_simulation_count(system)) > 0;) {
			if (count == 1 && is_held(system, 0))
				return;
			(void)ward_simulation_step(system);
		}
	} while (!play.held && ward_simulation_advance(system, until_ns));
}

static void order(struct order order)
{
	ward_kit_tell(play.kit, play.top, order, .kind = order.kind, .table = order.table,
		      .who = order.who, .reason = order.reason, .line = order.line,
		      .what = order.what, .words = order.words);
	run();
}

/* ---- the end of a step ------------------------------------------------------------------- */

static int compare(const void *a, const void *b)
{
	return strcmp(a, b);
}

static void finish(void)
{
	run();
	snprintf(play.state, sizeof play.state, "dead");
	if (!play.dead)
		order((struct order){.kind = ORDER_ASK, .line = LINES_MAX, .what = "which"});
	if (play.simple && play.dead)
		qsort(play.notes, (size_t)play.notes_count, NOTE, compare);
	for (int i = 0; i < play.notes_count; i++)
		if (play.notes[i][0] != '\0')
			puts(play.notes[i]);
	for (int i = 0; i < LINES_MAX; i++)
		if (play.lines[i][0] != '\0')
			puts(play.lines[i]);
	printf("# %s\n", play.state);
	play.notes_count = play.calls = play.meanwhile = 0;
	memset(play.lines, 0, sizeof play.lines);
}

/* ---- steps ------------------------------------------------------------------------------- */

struct words {
	char line[LINE];
	char *at[WORDS_MAX];
	int count;
};

bool is(const char *word, const char *wanted)
{
	return strcmp(word, wanted) == 0;
}

static bool next_line(struct words *words)
{
	char *save = NULL;

	memset(words->at, 0, sizeof words->at);
	words->count = 0;
	if (fgets(words->line, sizeof words->line, stdin) == NULL)
		return false;
	for (char *word = strtok_r(words->line, " \n", &save);
	     word != NULL && words->count < WORDS_MAX; word = strtok_r(NULL, " \n", &save))
		words->at[words->count++] = word;
	return words->count > 0;
}

static char *next_step_line(void)
{
	ward_assert(play.calls < CALLS_MAX);
	return play.lines[play.calls++];
}

static void leave(const struct life *life, const char *reason)
{
	struct leave body = {""};

	/* A failure is decided by the supervisor, who is held. */
	snprintf(body.reason, sizeof body.reason, "%s",
		 play.held && is(reason, "fail") ? "error" : reason);
	ward_system_send(ward_kit_system(play.kit), life->who, WARD_COPY(leave, &body));
	run();
}

static void to_child(struct words *words)
{
	const struct life *life = life_of(words->at[1][0]);
	const char *why_not = life == NULL           ? "none"
			      : life->conduct == 'u' ? "unlinks"
			      : !life->alive         ? "gone"
						     : NULL;

	if (why_not != NULL)
		snprintf(next_step_line(), LINE, "? %s", why_not);
	else if (is(words->at[0], "leave"))
		leave(life, words->at[2]);
	else if (is(words->at[0], "kill"))
		order((struct order){
			.kind = ORDER_EXIT, .who = life->who, .reason.kind = WARD_EXIT_KILL});
	else
		order((struct order){.kind = ORDER_EXIT,
				     .who = life->who,
				     .reason = {WARD_EXIT_OTHER, .name = "error"}});
}

static void call(struct words *words)
{
	char *line = next_step_line();
	bool by_ref = is(words->at[1], "terminate") || is(words->at[1], "get");

	if (play.simple && by_ref && life_of(words->at[2][0]) == NULL)
		snprintf(line, LINE, "? none");
	else
		order((struct order){.kind = ORDER_ASK,
				     .line = play.calls - 1,
				     .what = words->at[1],
				     .words = words->at + 2});
}

static void act(struct words *words)
{
	if (is(words->at[0], "call"))
		call(words);
	else if (!is(words->at[0], "stop"))
		to_child(words);
	else if (!play.dead)
		order((struct order){.kind = ORDER_EXIT,
				     .who = play.supervisor,
				     .reason.kind = WARD_EXIT_SHUTDOWN});
}

static void act_held(void)
{
	struct words words;

	play.held = !play.dead;
	while (next_line(&words) && !is(words.at[0], "release"))
		act(&words);
	play.held = false;
}

/* ---- scripts ----------------------------------------------------------------------------- */

static ward_otp_strategy strategy_of(const char *word)
{
	return is(word, "one_for_one")    ? WARD_OTP_ONE_FOR_ONE
	       : is(word, "one_for_all")  ? WARD_OTP_ONE_FOR_ALL
	       : is(word, "rest_for_one") ? WARD_OTP_REST_FOR_ONE
					  : WARD_OTP_SIMPLE_ONE_FOR_ONE;
}

/* NUMBER STRATEGY INTENSITY PERIOD AUTO_SHUTDOWN */
static ward_otp_supervisor table_of(char *const *words)
{
	int32_t intensity = atoi(words[2]);

	return (ward_otp_supervisor){
		.name = "supervisor",
		.strategy = strategy_of(words[1]),
		.intensity = intensity == 0 ? WARD_RESTARTS_NONE : intensity,
		.window_ms = atoi(words[3]) * WARD_SECOND,
		.auto_shutdown = is(words[4], "never")             ? WARD_OTP_NEVER
				 : is(words[4], "any_significant") ? WARD_OTP_ANY_SIGNIFICANT
								   : WARD_OTP_ALL_SIGNIFICANT,
	};
}

static void start(ward_otp_supervisor *table)
{
	static struct spec specs[SPECS_MAX];
	ward_otp_child_spec children[SPECS_MAX + 1] = {{0}};
	struct words words;
	int count = 0;

	while (next_line(&words) && !is(words.at[0], "go")) {
		ward_assert(count < SPECS_MAX);
		if (is(words.at[0], "template"))
			spec_read_template(&specs[count], words.at + 1);
		else
			spec_read(&specs[count], words.at + 1);
		children[count] = specs[count].spec;
		count++;
	}
	table->children = children;
	order((struct order){.kind = ORDER_START, .table = table});
}

/* The supervisor did not come so far that anybody could end it. */
static void not_started(void)
{
	struct words words;

	for (int i = 0; i < play.notes_count; i++)
		if (strncmp(play.notes[i], "supervisor", 10) == 0)
			play.notes[i][0] = '\0';
	snprintf(next_step_line(), LINE, "! not started");
	finish();
	while (next_line(&words) && !is(words.at[0], "end"))
		;
}

static void steps(void)
{
	struct words words;

	if (play.dead) {
		not_started();
		return;
	}
	finish();
	while (next_line(&words) && !is(words.at[0], "end")) {
		if (is(words.at[0], "hold"))
			act_held();
		else
			act(&words);
		finish();
	}
}

static void act_out(char *const *words)
{
	static const ward_simulation simulation = {.choose = choose};
	ward_otp_supervisor table = table_of(words);

	memset(&play, 0, sizeof play);
	play.simple = table.strategy == WARD_OTP_SIMPLE_ONE_FOR_ONE;
	play.dice = strtoull(words[0], NULL, 10);
	play.kit = ward_kit_start(&(ward_kit_options){.seed = play.dice + 1,
						      .simulation = &simulation,
						      .keeps_no_events = true,
						      .pooled = true});
	play.top = ward_kit_spawn(play.kit, &top);
	printf("script %s\n", words[0]);
	start(&table);
	steps();
	puts("end");
	ward_kit_finish(play.kit);
}

int main(void)
{
	struct words words;

	while (next_line(&words)) {
		ward_assert(is(words.at[0], "script") && words.count == 6);
		act_out(words.at + 1);
	}
	return fflush(stdout) == 0 ? 0 : 1;
}
