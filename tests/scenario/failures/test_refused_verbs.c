/* SPDX-License-Identifier: MIT
 *
 * test_refused_verbs.c - inside an actor a verb that is refused fails the actor: the callback runs
 * to its end, and the first refusal counts (S11, S16).
 *
 * Method: each verb is refused for a reason of its own, by an actor that is restarted for it; what
 * the callback does after it is noted.
 */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include <ward/breaker.h>
#include <ward/delivery.h>
#include <ward/exponential.h>
#include <ward/extend.h>
#include <ward/retry.h>

#include "support/family_tree.h"
#include "support/script.h"

static const ward_behavior idle = {.name = "idle"};

/* ---- each verb ----------------------------------------------------------------------------- */

static void spawn_by_a_wrong_name(ward_self *self)
{
	ward_ref child = ward_spawn(self, &idle, .name = "a/b");

	ward_assert(ward_ref_is_nobody(child));
}

static void spawn_link_by_a_wrong_name(ward_self *self)
{
	ward_ref child = ward_spawn_link(self, &idle, .name = "a/b");

	ward_assert(ward_ref_is_nobody(child));
}

static void spawn_nowhere(ward_self *self)
{
	const ward_props props = {.behavior = &idle, .dispatcher = "nowhere"};
	ward_ref child = ward_spawn_props(self, &props);

	ward_assert(ward_ref_is_nobody(child));
}

static void watch_nobody(ward_self *self)
{
	ward_watch(self, ward_nobody());
}

static void watch_nobody_with(ward_self *self)
{
	ward_watch_with(self, ward_nobody(), ward_poison_pill);
}

static void link_with_nobody(ward_self *self)
{
	ward_link(self, ward_nobody());
}

static void end_without_a_reason(ward_self *self)
{
	ward_exit_self(self, &(ward_exit_reason){.kind = (ward_exit_kind)99});
}

static void subscribe_to_what_is_none(ward_self *self)
{
	ward_subscribe(self, 1U << 31);
}

static void watch_a_descriptor_for_nothing(ward_self *self)
{
	ward_fd_watch(self, 0, 0);
}

static void watch_no_descriptor(ward_self *self)
{
	ward_fd_watch(self, 12345, WARD_FD_READ);
}

static void start_a_timer_in_the_past(ward_self *self)
{
	ward_after(self, 1, -1, ward_poison_pill);
}

static void tick_without_a_period(ward_self *self)
{
	ward_every(self, 1, -1, ward_poison_pill);
}

static void tell_nobody_later(ward_self *self)
{
	ward_tell_after(self, ward_nobody(), 0, 1, ward_poison_pill);
}

static void wait_for_no_time(ward_self *self)
{
	ward_receive_timeout_set(self, -5);
}

static void ask_without_a_tag(ward_self *self)
{
	ward_ask(self, ward_self_ref(self), 0, 100, ward_identify);
}

static void stop_oneself_gracefully(ward_self *self)
{
	ward_ask_stop(self, ward_self_ref(self), 1, 100);
}

static void stack_nothing(ward_self *self)
{
	ward_become_stacked(self, NULL);
}

static void join_no_phase(ward_self *self)
{
	ward_shutdown_join(self, "no such phase", "task");
}

static void broadcast_without_a_type(ward_self *self)
{
	ward_broadcast_send(self, ward_parent(self), NULL, NULL, 0);
}

static void ask_again_before_the_start(ward_self *self)
{
	ward_retry retry = {0};

	ward_retry_ask(self, &retry, ward_self_ref(self), 1, ward_identify);
}

static void start_to_ask_again_less_than_never(ward_self *self)
{
	static const ward_retry_options backwards = {.delay_min_ms = -1};
	ward_retry retry = {0};

	ward_assert_eq(ward_retry_init(self, &retry, &backwards), WARD_FAILED);
}

static void start_a_breaker_that_lasts_less_than_nothing(ward_self *self)
{
	static const ward_breaker_options backwards = {.reset_ms = -1};
	ward_breaker breaker = {0};

	ward_assert_eq(ward_breaker_init(self, &breaker, &backwards), WARD_FAILED);
}

static void start_a_breaker_without_options(ward_self *self)
{
	ward_breaker breaker = {0};

	ward_assert_eq(ward_breaker_init(self, &breaker, NULL), WARD_FAILED);
}

static void deliver_before_the_start(ward_self *self)
{
	ward_delivery out = {0};

	ward_deliver(self, &out, ward_parent(self), ward_identify);
}

static void start_to_deliver_in_the_past(ward_self *self)
{
	static const ward_delivery_options backwards = {.redeliver_ms = -1};
	ward_delivery out = {0};

	ward_assert_eq(ward_delivery_init(self, &out, &backwards), WARD_FAILED);
}

static void restore_before_the_start(ward_self *self)
{
	ward_delivery out = {0};
	ward_delivery_state *nothing;

	ward_assert_ok(ward_delivery_take(&out, &nothing));
	ward_delivery_restore(self, &out, nothing);
	ward_delivery_state_drop(nothing);
}

static void back_off_in_the_past(ward_self *self)
{
	static const ward_exponential_options backwards = {.slot_time_ms = -1};
	ward_exponential wait = {0};

	ward_assert_eq(ward_exponential_init(self, &wait, &backwards), WARD_FAILED);
	ward_assert_eq(wait.slot, 0);
}

static const struct verb {
	void (*call)(ward_self *self);
	const char *failure_class;
	const char *part; /* of the text */
} verbs[] = {
	{spawn_by_a_wrong_name, "ward_misuse", "\"a/b\""},
	{spawn_link_by_a_wrong_name, "ward_misuse", "\"a/b\""},
	{spawn_nowhere, "ward_exception", "nowhere"},
	{watch_nobody, "ward_misuse", "nobody"},
	{watch_nobody_with, "ward_misuse", "nobody"},
	{link_with_nobody, "ward_misuse", "nobody"},
	{end_without_a_reason, "ward_misuse", "99 is not a ward_exit_kind"},
	{subscribe_to_what_is_none, "ward_misuse", "kind"},
	{watch_a_descriptor_for_nothing, "ward_misuse", "event"},
	{watch_no_descriptor, "ward_os_failure", "(EBADF)"},
	{start_a_timer_in_the_past, "ward_misuse",
	 "a timer: .after_ms is -1: it must not be negative"},
	{tick_without_a_period, "ward_misuse", "a timer: .every_ms is -1: it must not be negative"},
	{tell_nobody_later, "ward_misuse", "a timer: the receiver is nobody; to send to self, use"},
	{wait_for_no_time, "ward_misuse",
	 "timeout_ms is -5: it must not be negative; 0 switches it off"},
	{ask_without_a_tag, "ward_misuse", "tag"},
	{stop_oneself_gracefully, "ward_misuse", "self"},
	{stack_nothing, "ward_misuse", "receive"},
	{join_no_phase, "ward_exception", "no such phase"},
	{broadcast_without_a_type, "ward_misuse", "type"},
	{ask_again_before_the_start, "ward_misuse", "ward_retry_ask before"},
	{start_to_ask_again_less_than_never, "ward_misuse", ".delay_min_ms is -1: it must not"},
	{start_a_breaker_that_lasts_less_than_nothing, "ward_misuse",
	 "a circuit breaker: .reset_ms is -1: it must not be negative"},
	{start_a_breaker_without_options, "ward_misuse",
	 "a circuit breaker: its options are NULL: {0} is all defaults"},
	{deliver_before_the_start, "ward_misuse", "ward_deliver before"},
	{start_to_deliver_in_the_past, "ward_misuse", ".redeliver_ms is -1: it must not"},
	{restore_before_the_start, "ward_misuse", "ward_delivery_restore before"},
	{back_off_in_the_past, "ward_misuse", "slot"},
};

static ward_result refuse_and_go_on(ward_self *self, void *arg)
{
	const struct verb *verb = arg;

	ward_assert(!ward_has_failed(self));
	verb->call(self);
	ward_assert(ward_has_failed(self));
	journal_note("went on");
	return WARD_DONE;
}

static void run_once(struct family *f, script_call *call, const void *arg)
{
	family_start(f);
	script_do(f->kit, f->a.ref, call, (void *)(uintptr_t)arg);
	ward_kit_run(f->kit);
}

static const ward_event *failure_of(struct family *f, script_call *call, const void *arg)
{
	run_once(f, call, arg);
	ward_assert_eq(ward_kit_count(f->kit, WARD_EVENT_FAILURE, "*/p/a"), 1);
	return ward_kit_event(f->kit, WARD_EVENT_FAILURE, "*/p/a", 0);
}

WARD_TEST(verb_that_is_refused_fails_the_actor_when_the_callback_is_over, "S11", "S16")
{
	for (size_t i = 0; i < sizeof verbs / sizeof verbs[0]; i++) {
		struct family f = FAMILY;
		const ward_event *event = failure_of(&f, refuse_and_go_on, &verbs[i]);

		ward_assert_str(event->failure_class, verbs[i].failure_class);
		ward_assert_part(event->text, verbs[i].part);
		ward_assert_part(journal_text(), "went on");
		ward_assert_eq(f.a.calls[SCRIPT_POST_RESTART], 1);
		script_finish(f.kit);
	}
}

/* ---- several, and what is done after one ------------------------------------------------- */

static ward_result two_refusals(ward_self *self, void *arg)
{
	(void)arg;
	watch_nobody(self);
	spawn_nowhere(self);
	return ward_failed(self, &ward_error, "a third");
}

WARD_TEST(first_refusal_counts, "S11")
{
	struct family f = FAMILY;
	const ward_event *event = failure_of(&f, two_refusals, NULL);

	ward_assert_str(event->failure_class, "ward_misuse");
	ward_assert_part(event->text, "nobody");
	script_finish(f.kit);
}

static ward_result talk_to_who_is_not_there(ward_self *self, void *arg)
{
	ward_ref child = ward_spawn(self, &idle, .name = "a/b");

	(void)arg;
	ward_watch(self, child);
	script_tell(self, child, "hello");
	ward_tell(self, child, ward_poison_pill);
	script_tell(self, ward_parent(self), "to p");
	return WARD_DONE;
}

WARD_TEST(nobody_of_a_refused_spawn_makes_no_dead_letters, "S11")
{
	struct family f = FAMILY;
	const ward_event *event = failure_of(&f, talk_to_who_is_not_there, NULL);

	ward_assert_part(event->text, "\"a/b\"");
	ward_assert_eq(ward_kit_count(f.kit, WARD_EVENT_DEAD_LETTER, "*"), 0);
	ward_assert_part(journal_text(), "p:to p");
	script_finish(f.kit);
}

static ward_result talk_to_nobody(ward_self *self, void *arg)
{
	(void)arg;
	script_tell(self, ward_nobody(), "hello");
	return WARD_DONE;
}

WARD_TEST(nobody_without_a_failure_makes_a_dead_letter, "S11", "S49")
{
	struct family f = FAMILY;

	run_once(&f, talk_to_nobody, NULL);
	ward_assert_eq(ward_kit_count(f.kit, WARD_EVENT_DEAD_LETTER, "*"), 1);
	script_finish(f.kit);
}

/* ---- codes into failures ----------------------------------------------------------------- */

static ward_result fail_with_code(ward_self *self, void *arg)
{
	const ward_err *err = arg;

	(void)!ward_refused(WARD_EINVAL, "of another call");
	return ward_failed_err(self, *err);
}

WARD_TEST(code_without_a_detail_of_its_own_has_the_words_of_the_code, "S16")
{
	static const struct {
		ward_err err;
		const char *failure_class, *part;
	} rows[] = {
		{WARD_EFULL, "ward_exception", "is full"},
		{WARD_ESTOPPING, "ward_exception", "is stopping"},
		{WARD_ENOMEM, "ward_out_of_memory", "out of memory"},
		{WARD_ENAME, "ward_misuse", "not a valid actor name"},
		{WARD_ESIZE, "ward_misuse", "size"},
		{WARD_EINVAL, "ward_misuse", "of another call"},
	};

	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		struct family f = FAMILY;
		const ward_event *event = failure_of(&f, fail_with_code, &rows[i].err);

		ward_assert_str(event->failure_class, rows[i].failure_class);
		ward_assert_part(event->text, rows[i].part);
		script_finish(f.kit);
	}
}

static ward_result no_refusal(ward_self *self, void *arg)
{
	(void)arg;
	ward_assert_eq(ward_failed_err(self, WARD_OK), WARD_DONE);
	return WARD_DONE;
}

WARD_TEST(code_that_is_none_is_no_failure, "S16")
{
	struct family f = FAMILY;

	run_once(&f, no_refusal, NULL);
	ward_assert_eq(ward_kit_count(f.kit, WARD_EVENT_FAILURE, "*"), 0);
	script_finish(f.kit);
}

static ward_result fail_with_errno(ward_self *self, void *arg)
{
	(void)arg;
	errno = EACCES;
	return ward_failed_errno(self, "bind %s", "::1");
}

WARD_TEST(failure_of_the_system_has_the_words_and_the_name_of_errno, "S16")
{
	struct family f = FAMILY;
	const ward_event *event = failure_of(&f, fail_with_errno, NULL);

	ward_assert_str(event->failure_class, "ward_os_failure");
	ward_assert_str(event->text, "bind ::1: Permission denied (EACCES)");
	script_finish(f.kit);
}

static ward_result fail_without_errno(ward_self *self, void *arg)
{
	(void)arg;
	errno = 0;
	return ward_failed_errno(self, "open");
}

static ward_result adopt_none_without_errno(ward_self *self, void *arg)
{
	(void)arg;
	errno = 0;
	ward_adopt_fd(self, -1);
	return WARD_DONE;
}

WARD_TEST(failure_of_the_system_without_errno_does_not_say_success, "S16")
{
	struct family f = FAMILY, g = FAMILY;

	ward_assert_str(failure_of(&f, fail_without_errno, NULL)->text,
			"open: errno is 0, which is no error");
	script_finish(f.kit);
	ward_assert_str(failure_of(&g, adopt_none_without_errno, NULL)->text,
			"no descriptor to adopt: errno is 0, which is no error");
	script_finish(g.kit);
}

/* ---- descriptors --------------------------------------------------------------------------- */

static ward_result adopt_what_was_refused(ward_self *self, void *arg)
{
	(void)arg;
	ward_adopt_fd(self, open("/no/such/file", O_RDONLY | O_CLOEXEC));
	journal_note("went on");
	return WARD_DONE;
}

WARD_TEST(descriptor_that_is_none_fails_with_the_words_of_errno)
{
	struct family f = FAMILY;
	const ward_event *event = failure_of(&f, adopt_what_was_refused, NULL);

	ward_assert_str(event->failure_class, "ward_os_failure");
	ward_assert_part(event->text, "No such file or directory (ENOENT)");
	ward_assert(strstr(journal_text(), "went on") == NULL);
	script_finish(f.kit);
}

static int adopted;

static ward_result keep_start(ward_self *self, void *state)
{
	const struct ward_fd *args = ward_args(self);

	(void)state;
	adopted = ward_adopt_fd_copy(self, args->fd);
	ward_assert(adopted >= 0 && adopted != args->fd);
	return WARD_DONE;
}

WARD_TEST(descriptor_in_arguments_is_a_copy_of_each_incarnation, "S35")
{
	static const ward_behavior keeper = {
		.name = "keeper", .args = &ward_type_ward_fd, .pre_start = keep_start};
	ward_kit *kit = ward_kit_start(NULL);
	int ends[2];
	char byte;

	ward_assert_eq(pipe2(ends, O_CLOEXEC | O_NONBLOCK), 0);
	ward_ref ref = ward_kit_spawn(kit, &keeper, .args = WARD_ARGS(ward_fd, ends[1]));
	close(ends[1]);
	ward_kit_run(kit);
	ward_assert_eq(write(adopted, "x", 1), 1);
	ward_assert_eq(read(ends[0], &byte, 1), 1);
	ward_system_stop(ward_kit_system(kit), ref);
	ward_kit_run(kit);
	ward_assert_eq(read(ends[0], &byte, 1), 0); /* all copies are closed */
	close(ends[0]);
	ward_kit_finish(kit);
}

WARD_TEST_MAIN
