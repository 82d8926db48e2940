/* SPDX-License-Identifier: MIT
 *
 * test_inbox.c - a thread outside that sends, is answered and watches like an actor.
 *
 * Method: a simulation steps itself while the inbox waits, so time-outs are in virtual time.
 */
#include <poll.h>
#include <pthread.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "support/asking_actors.h"
#include "support/elsewhere.h"

/* Owns nothing: a case that is cut short for want of memory may leave it unread. */
struct note {
	char text[24];
};
WARD_MESSAGE(note);

struct desk {
	struct office office;
	ward_kit *kit;
	ward_system *system;
	ward_inbox *inbox;
};

static void open_desk(struct desk *desk, const ward_inbox_options *options)
{
	memset(desk, 0, sizeof(*desk));
	open_office(&desk->office, ANSWER);
	desk->kit = desk->office.kit;
	desk->system = ward_kit_system(desk->kit);
	ward_assert_ok(ward_inbox_create(desk->system, options, &desk->inbox));
}

static void close_desk(struct desk *desk)
{
	ward_inbox_destroy(desk->inbox);
	close_office(&desk->office);
}

static const struct answer *receive_answer(struct desk *desk)
{
	const ward_msg *msg = NULL;
	ward_assert_ok(ward_inbox_receive(desk->inbox, WARD_SECOND, &msg));
	ward_assert(ward_match(msg, answer) != NULL);
	return ward_match(msg, answer);
}

static void receive_nothing(struct desk *desk, int64_t timeout_ms)
{
	const ward_msg *msg = NULL;
	ward_assert_err(ward_inbox_receive(desk->inbox, timeout_ms, &msg), WARD_ETIMEDOUT);
	ward_assert((strstr(ward_err_detail(), ": a negative time does not wait") != NULL) ==
		    (timeout_ms < 0));
	ward_assert(msg == NULL);
}

static void say(struct desk *desk, const char *text)
{
	struct note note = {""};
	snprintf(note.text, sizeof(note.text), "%s", text);
	ward_system_send(desk->system, ward_inbox_ref(desk->inbox), WARD_COPY(note, &note));
}

static void receive_note(struct desk *desk, const char *text)
{
	const ward_msg *msg = NULL;
	ward_assert_ok(ward_inbox_receive(desk->inbox, 0, &msg));
	ward_assert(ward_match(msg, note) != NULL);
	ward_assert_str(ward_match(msg, note)->text, text);
}

static const struct ward_terminated *receive_end(struct desk *desk)
{
	const ward_msg *msg = NULL;
	ward_assert_ok(ward_inbox_receive(desk->inbox, WARD_SECOND, &msg));
	ward_assert(ward_match(msg, ward_terminated) != NULL);
	return ward_match(msg, ward_terminated);
}

static bool is_readable(int fd)
{
	struct pollfd it = {.fd = fd, .events = POLLIN};
	ward_assert(poll(&it, 1, 0) >= 0);
	return (it.revents & POLLIN) != 0;
}

/* ---- receiving --------------------------------------------------------------------------- */

WARD_TEST(inbox_asks_many_and_gets_their_answers_in_order_of_arrival)
{
	struct desk desk;
	const ward_msg *msg;
	open_desk(&desk, NULL);
	ward_inbox_tell(desk.inbox, desk.office.b.ref, question, .number = 1);
	ward_assert_eq(receive_answer(&desk)->number, 1);
	ward_inbox_tell(desk.inbox, desk.office.c.ref, question, .number = 2);
	ward_assert_ok(ward_inbox_receive(desk.inbox, WARD_SECOND, &msg));
	ward_assert(ward_ref_equal(ward_msg_sender(msg), desk.office.c.ref));
	/* A reply to what was received goes to who sent it. */
	ward_inbox_reply(desk.inbox, msg, question, .number = 3);
	ward_assert_eq(receive_answer(&desk)->number, 3);
	for (int i = 0; i < 5; i++)
		ward_inbox_tell(desk.inbox, desk.office.b.ref, question, .number = i);
	ward_kit_run(desk.kit);
	for (int i = 0; i < 5; i++)
		ward_assert_eq(receive_answer(&desk)->number, i);
	close_desk(&desk);
}

WARD_TEST(inbox_waits_no_longer_than_it_is_told)
{
	struct desk desk;
	open_desk(&desk, NULL);
	int64_t before = ward_kit_now_ns(desk.kit);
	receive_nothing(&desk, 100);
	ward_assert_eq(ward_kit_now_ns(desk.kit) - before, 100 * NS_PER_MS);
	receive_nothing(&desk, 0);
	receive_nothing(&desk, -1);
	receive_nothing(&desk, WARD_FOREVER); /* in a simulation nothing will ever happen */
	/* What is on its way at the moment is in time for a look. */
	say(&desk, "now");
	const ward_msg *msg;
	ward_assert_ok(ward_inbox_receive(desk.inbox, 0, &msg));
	close_desk(&desk);
}

/* The next message is that word, which owns something, and so many are left then. Leaves nothing in
 * the inbox when it fails the case: it may be cut short for want of memory. */
static void receive_word(struct desk *desk, const char *text, int64_t left)
{
	const ward_msg *msg = NULL;
	ward_err err = ward_inbox_receive(desk->inbox, 0, &msg);
	if (err != WARD_OK || strcmp(ward_match(msg, script_word)->text, text) != 0 ||
	    script_words_left() != left) {
		ward_inbox_destroy(desk->inbox);
		ward_test_fail(__FILE__, __LINE__, "no word, or another one, for \"%s\"", text);
	}
}

WARD_TEST(received_message_is_dropped_at_the_next_receive_or_the_destroy)
{
	struct desk desk;
	open_desk(&desk, NULL);
	script_say(desk.kit, ward_inbox_ref(desk.inbox), "one");
	script_say(desk.kit, ward_inbox_ref(desk.inbox), "two");
	receive_word(&desk, "one", 2);
	receive_word(&desk, "two", 1);
	ward_inbox_destroy(desk.inbox);
	ward_assert_eq(script_words_left(), 0);
	desk.inbox = NULL;
	close_desk(&desk);
}

WARD_TEST(unread_mail_of_a_destroyed_inbox_is_dead_letters)
{
	struct desk desk;
	open_desk(&desk, NULL);
	ward_ref ref = ward_inbox_ref(desk.inbox);
	script_say(desk.kit, ref, "in the queue");
	ward_kit_run(desk.kit);
	script_say(desk.kit, ref, "in the mailbox");
	ward_inbox_destroy(desk.inbox);
	ward_kit_run(desk.kit);
	ward_assert(!ward_system_is_alive(desk.system, ref));
	ward_assert_eq(letters(&desk.office, WARD_REASON_DEAD), 2);
	desk.inbox = NULL;
	close_desk(&desk);
}

WARD_TEST(question_that_an_inbox_leaves_unread_fails)
{
	struct desk desk;
	open_desk(&desk, NULL);
	order(&desk.office,
	      (ward_question){.to = ward_inbox_ref(desk.inbox), .timeout_ms = 100, .tag = TAG});
	ward_kit_run(desk.kit);
	ward_inbox_destroy(desk.inbox);
	ward_kit_run(desk.kit);
	assert_journal("7: gone of ?");
	desk.inbox = NULL;
	close_desk(&desk);
}

WARD_TEST(inbox_that_nobody_destroys_goes_with_its_system)
{
	struct desk desk;
	int fd;
	open_desk(&desk, NULL);
	ward_assert_ok(ward_inbox_fd(desk.inbox, &fd));
	say(&desk, "unread");
	close_office(&desk.office);
}

WARD_TEST(full_inbox_refuses_what_comes_but_no_notice)
{
	struct desk desk;
	const ward_msg *msg;
	open_desk(&desk, &(ward_inbox_options){.name = "inbox", .messages_max = 2});
	ward_assert_ok(ward_inbox_watch(desk.inbox, desk.office.b.ref));
	for (int i = 0; i < 3; i++)
		say(&desk, "word");
	ward_kit_run(desk.kit);
	ward_system_stop(desk.system, desk.office.b.ref);
	ward_kit_run(desk.kit);
	ward_assert_eq(letters(&desk.office, WARD_REASON_FULL), 1);
	for (int i = 0; i < 3; i++) {
		ward_assert_ok(ward_inbox_receive(desk.inbox, 0, &msg));
		ward_assert((ward_match(msg, ward_terminated) != NULL) == (i == 2));
	}
	receive_nothing(&desk, 0);
	say(&desk, "again");
	ward_assert_ok(ward_inbox_receive(desk.inbox, 0, &msg));
	close_desk(&desk);
}

WARD_TEST(message_that_finds_no_memory_on_its_way_to_the_queue_is_a_dead_letter)
{
	struct desk desk;
	open_desk(&desk, NULL);
	say(&desk, "word");
	ward_kit_fail_all_allocations(desk.kit, true);
	ward_kit_run(desk.kit);
	ward_kit_fail_all_allocations(desk.kit, false);
	ward_assert_eq(ward_kit_stats(desk.kit).dead_letters, 1);
	receive_nothing(&desk, 0);
	close_desk(&desk);
}

/* ---- watching ---------------------------------------------------------------------------- */

WARD_TEST(inbox_is_told_of_an_end_after_what_was_sent_before, "S60", "S61")
{
	struct desk desk;
	open_desk(&desk, NULL);
	desk.office.clerk_b.manner = ANSWER_DIE;
	ward_assert_ok(ward_inbox_watch(desk.inbox, desk.office.b.ref));
	ward_assert_ok(ward_inbox_watch(desk.inbox, desk.office.b.ref)); /* a no-op */
	ward_inbox_tell(desk.inbox, desk.office.b.ref, question, .number = 1);
	ward_assert_eq(receive_answer(&desk)->number, 1);
	const struct ward_terminated *end = receive_end(&desk);
	ward_assert(end->end != WARD_END_UNKNOWN && ward_ref_equal(end->who, desk.office.b.ref));
	receive_nothing(&desk, 100);
	/* At once, of one that is gone. */
	ward_assert_ok(ward_inbox_watch(desk.inbox, desk.office.b.ref));
	ward_assert_eq(receive_end(&desk)->end, WARD_END_UNKNOWN);
	close_desk(&desk);
}

WARD_TEST(unwatched_is_not_told_of_even_if_the_notice_waits_already, "S63")
{
	/* not watched any more; in the queue, alone, or among others */
	for (int where = 0; where < 5; where++) {
		struct desk desk;
		const ward_msg *msg;
		open_desk(&desk, NULL);
		ward_assert_ok(ward_inbox_watch(desk.inbox, desk.office.b.ref));
		ward_assert_ok(ward_inbox_watch(desk.inbox, desk.office.c.ref));
		if (where == 0)
			ward_assert_ok(ward_inbox_unwatch(desk.inbox, desk.office.b.ref));
		if (where == 2 || where == 4)
			say(&desk, "before");
		ward_kit_run(desk.kit);
		if (where == 4) {
			ward_system_stop(desk.system, desk.office.c.ref);
			ward_kit_run(desk.kit);
		}
		ward_system_stop(desk.system, desk.office.b.ref);
		ward_kit_run(desk.kit);
		if (where >= 3)
			say(&desk, "after");
		ward_kit_run(desk.kit);
		ward_assert_ok(ward_inbox_unwatch(desk.inbox, desk.office.b.ref));
		if (where == 2 || where == 4) {
			receive_note(&desk, "before");
		}
		if (where == 4) {
			ward_assert(ward_ref_equal(receive_end(&desk)->who, desk.office.c.ref));
		}
		if (where >= 3) {
			receive_note(&desk, "after");
		}
		receive_nothing(&desk, 100);
		say(&desk, "last"); /* the end of the queue is where it was */
		ward_assert_ok(ward_inbox_receive(desk.inbox, 0, &msg));
		close_desk(&desk);
	}
}

WARD_TEST(watch_that_is_refused_says_why)
{
	struct desk desk;
	open_desk(&desk, NULL);
	ward_ref foreign = ref_elsewhere(desk.office.b.ref);
	ward_assert_err(ward_inbox_watch(desk.inbox, ward_nobody()), WARD_EINVAL);
	ward_assert_err(ward_inbox_watch(desk.inbox, foreign), WARD_EFOREIGN);
	ward_assert_part(ward_err_detail(), "ward_inbox_watch: ");
	ward_kit_fail_all_allocations(desk.kit, true);
	ward_assert_err(ward_inbox_watch(desk.inbox, desk.office.b.ref), WARD_ENOMEM);
	ward_kit_fail_all_allocations(desk.kit, false);
	ward_system_stop(desk.system, ward_inbox_ref(desk.inbox));
	ward_kit_run(desk.kit);
	ward_assert_err(ward_inbox_watch(desk.inbox, desk.office.b.ref), WARD_ESTOPPING);
	ward_assert_err(ward_inbox_unwatch(desk.inbox, desk.office.b.ref), WARD_ESTOPPING);
	close_desk(&desk);
}

WARD_TEST(order_whose_answer_finds_no_memory_is_refused_and_not_waited_for)
{
	struct desk desk;
	ward_err err;
	uint64_t tries = 0;
	size_t unanswered = 0;
	open_desk(&desk, NULL);
	/* What the first watch makes stays: so each try has the same allocations. */
	ward_assert_ok(ward_inbox_watch(desk.inbox, desk.office.c.ref));
	do {
		ward_kit_fail_allocation(desk.kit, ++tries);
		err = ward_inbox_watch(desk.inbox, desk.office.b.ref);
		ward_kit_fail_allocation(desk.kit, 0);
		ward_assert(err == WARD_OK || err == WARD_ENOMEM);
		unanswered += err != WARD_OK &&
			      strstr(ward_err_detail(), "no memory for the answer") != NULL;
	} while (err != WARD_OK);
	ward_assert_eq(unanswered, 1);
	ward_system_stop(desk.system, desk.office.b.ref);
	receive_end(&desk);
	receive_nothing(&desk, 0);
	close_desk(&desk);
}

WARD_TEST(thread_that_waits_hears_when_its_answer_finds_no_memory)
{
	struct desk desk;
	struct answer answer;
	ward_err err;
	uint64_t tries = 0;
	open_desk(&desk, NULL);
	do {
		ward_kit_fail_allocation(desk.kit, ++tries);
		err = ward_system_ask(desk.system, desk.office.b.ref, WARD_FOREVER, &answer,
				      question, .number = 5);
		ward_kit_fail_allocation(desk.kit, 0);
		ward_assert(err == WARD_OK || err == WARD_ENOMEM || err == WARD_EDEAD);
	} while (err != WARD_OK);
	ward_assert(tries > 2);
	close_desk(&desk);
}

/* ---- polling ----------------------------------------------------------------------------- */

WARD_TEST(descriptor_is_readable_while_mail_waits_and_when_none_can_come)
{
	struct desk desk;
	const ward_msg *msg;
	int fd = -1, again = -2;
	open_desk(&desk, NULL);
	say(&desk, "before it is asked for");
	ward_kit_run(desk.kit);
	ward_assert_ok(ward_inbox_fd(desk.inbox, &fd));
	ward_assert_ok(ward_inbox_fd(desk.inbox, &again));
	ward_assert_eq(fd, again);
	ward_assert(is_readable(fd));
	ward_assert_ok(ward_inbox_receive(desk.inbox, 0, &msg));
	ward_assert(!is_readable(fd));
	say(&desk, "one");
	say(&desk, "two");
	ward_kit_run(desk.kit);
	ward_assert_ok(ward_inbox_receive(desk.inbox, 0, &msg));
	ward_assert(is_readable(fd));
	ward_assert_ok(ward_inbox_receive(desk.inbox, 0, &msg));
	ward_assert(!is_readable(fd));
	ward_system_stop(desk.system, ward_inbox_ref(desk.inbox));
	ward_kit_run(desk.kit);
	ward_assert(is_readable(fd));
	ward_assert_err(ward_inbox_receive(desk.inbox, 0, &msg), WARD_ESTOPPING);
	ward_assert(is_readable(fd));
	close_desk(&desk);
}

/* ---- the end ----------------------------------------------------------------------------- */

WARD_TEST(descriptor_that_the_kernel_refuses_is_told_and_can_be_had_later)
{
	struct desk desk;
	struct rlimit limit, none;
	int fd = -1;
	open_desk(&desk, NULL);
	ward_assert_eq(getrlimit(RLIMIT_NOFILE, &limit), 0);
	none = (struct rlimit){0, limit.rlim_max};
	ward_assert_eq(setrlimit(RLIMIT_NOFILE, &none), 0);
	ward_err err = ward_inbox_fd(desk.inbox, &fd);
	ward_assert_eq(setrlimit(RLIMIT_NOFILE, &limit), 0);
	ward_assert_err(err, WARD_ESYS);
	ward_assert_part(ward_err_detail(), "eventfd: ");
	ward_assert_eq(fd, -1);
	ward_assert_ok(ward_inbox_fd(desk.inbox, &fd));
	ward_assert(!is_readable(fd));
	say(&desk, "now");
	ward_kit_run(desk.kit);
	ward_assert(is_readable(fd));
	receive_note(&desk, "now");
	ward_assert(!is_readable(fd));
	close_desk(&desk);
}

WARD_TEST(inbox_of_a_system_that_went_down_gives_what_is_left_and_then_says_so)
{
	struct desk desk;
	const ward_msg *msg;
	open_desk(&desk, NULL);
	say(&desk, "left");
	ward_kit_run(desk.kit);
	ward_system_shutdown(desk.system, NULL);
	ward_kit_run(desk.kit);
	receive_note(&desk, "left");
	ward_assert_err(ward_inbox_receive(desk.inbox, WARD_FOREVER, &msg), WARD_ESTOPPING);
	close_desk(&desk);
}

WARD_TEST(inbox_that_waits_when_its_actor_ends_is_told)
{
	struct desk desk;
	const ward_msg *msg;
	open_desk(&desk, NULL);
	/* The order to stop waits in its mailbox when it begins to wait. */
	ward_system_tell(desk.system, ward_inbox_ref(desk.inbox), ward_poison_pill);
	ward_assert_err(ward_inbox_receive(desk.inbox, WARD_FOREVER, &msg), WARD_ESTOPPING);
	close_desk(&desk);
}

/* ---- what it refuses --------------------------------------------------------------------- */

WARD_TEST(wrong_inboxes_are_refused)
{
	struct desk desk;
	ward_inbox *other = NULL;
	const ward_msg *msg;
	int fd;
	open_desk(&desk, &(ward_inbox_options){.name = "inbox"});
	ward_assert_err(ward_inbox_create(NULL, NULL, &other), WARD_EINVAL);
	ward_assert_err(ward_inbox_create(desk.system, NULL, NULL), WARD_EINVAL);
	ward_assert_err(
		ward_inbox_create(desk.system, &(ward_inbox_options){.reserved = {1}}, &other),
		WARD_EINVAL);
	ward_assert_err(
		ward_inbox_create(desk.system, &(ward_inbox_options){.name = "inbox"}, &other),
		WARD_EEXIST);
	/* However many allocations it takes: without any one of them it is refused. */
	for (uint64_t nth = 1; other == NULL; nth++) {
		ward_kit_fail_allocation(desk.kit, nth);
		ward_err err = ward_inbox_create(desk.system, NULL, &other);
		if (err == WARD_OK)
			ward_assert(nth > 2);
		else
			ward_assert_err(err, WARD_ENOMEM);
	}
	ward_kit_fail_allocation(desk.kit, 0);
	ward_inbox_destroy(other);
	ward_assert_err(ward_inbox_receive(NULL, 0, &msg), WARD_EINVAL);
	ward_assert_err(ward_inbox_receive(desk.inbox, 0, NULL), WARD_EINVAL);
	ward_assert_err(ward_inbox_watch(NULL, desk.office.b.ref), WARD_EINVAL);
	ward_assert_err(ward_inbox_unwatch(NULL, desk.office.b.ref), WARD_EINVAL);
	ward_assert_err(ward_inbox_fd(NULL, &fd), WARD_EINVAL);
	ward_assert_err(ward_inbox_fd(desk.inbox, NULL), WARD_EINVAL);
	ward_assert(ward_ref_is_nobody(ward_inbox_ref(NULL)));
	ward_inbox_destroy(NULL);
	struct script_word word = script_word("dropped", &(struct script_word){0});
	ward_inbox_send(NULL, desk.office.b.ref, &ward_type_script_word, &word, sizeof(word));
	ward_assert_eq(script_words_left(), 0);
	close_desk(&desk);
}

static ward_result receive_inside(ward_self *self, void *arg)
{
	const ward_msg *msg;
	int fd;
	(void)self;
	ward_assert_err(ward_inbox_receive(arg, 0, &msg), WARD_ETHREAD);
	ward_assert_err(ward_inbox_fd(arg, &fd), WARD_ETHREAD);
	journal_note("refused");
	return WARD_DONE;
}

static void *receive_elsewhere(void *arg)
{
	const ward_msg *msg;
	ward_assert_err(ward_inbox_receive(arg, 0, &msg), WARD_ETHREAD);
	return NULL;
}

WARD_TEST(actor_and_foreign_thread_must_not_receive_in_a_simulation)
{
	struct desk desk;
	pthread_t thread;
	open_desk(&desk, NULL);
	script_do(desk.kit, desk.office.a.ref, receive_inside, desk.inbox);
	ward_kit_run(desk.kit);
	assert_journal("refused");
	ward_assert_eq(pthread_create(&thread, NULL, receive_elsewhere, desk.inbox), 0);
	ward_assert_eq(pthread_join(thread, NULL), 0);
	close_desk(&desk);
}

WARD_TEST(forked_child_is_told_what_it_is)
{
	struct desk desk;
	int status;
	open_desk(&desk, NULL);
	pid_t child = fork();
	ward_assert(child >= 0);
	if (child == 0) {
		const ward_msg *msg;
		int fd;
		bool told = ward_inbox_receive(desk.inbox, 0, &msg) == WARD_EFORKED &&
			    ward_inbox_watch(desk.inbox, desk.office.b.ref) == WARD_EFORKED &&
			    ward_inbox_fd(desk.inbox, &fd) == WARD_EFORKED;
		ward_inbox_destroy(desk.inbox);
		_exit(told ? 0 : 1);
	}
	ward_assert_eq(waitpid(child, &status, 0), child);
	ward_assert_eq(status, 0);
	close_desk(&desk);
}

static void *receive_answer_elsewhere(void *arg)
{
	const ward_msg *msg;
	ward_assert_ok(ward_inbox_receive(arg, WARD_MINUTE, &msg));
	ward_assert_eq(ward_match(msg, answer)->number, 7);
	return NULL;
}

static void count_waits(void *arg, const ward_wait_info *info)
{
	*(bool *)arg = strcmp(info->what, "a message") == 0;
}

WARD_TEST(two_threads_must_not_receive_at_once)
{
	ward_kit *kit = ward_kit_start(&(ward_kit_options){.real_threads = true});
	ward_system *system = ward_kit_system(kit);
	ward_inbox *inbox = NULL;
	const ward_msg *msg;
	pthread_t thread;
	bool waits = false;
	ward_assert_ok(ward_inbox_create(system, NULL, &inbox));
	ward_assert_eq(pthread_create(&thread, NULL, receive_answer_elsewhere, inbox), 0);
	while (!waits)
		ward_system_waits(system, count_waits, &waits);
	ward_assert_err(ward_inbox_receive(inbox, 0, &msg), WARD_ETHREAD);
	ward_assert_part(ward_err_detail(), "an inbox of its own");
	ward_system_tell(system, ward_inbox_ref(inbox), answer, .number = 7);
	ward_assert_eq(pthread_join(thread, NULL), 0);
	ward_inbox_destroy(inbox);
	ward_kit_finish(kit);
}

WARD_TEST_MAIN
