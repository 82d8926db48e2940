/* SPDX-License-Identifier: MIT
 *
 * test_placement.c - where a child elsewhere is started, what is refused, and that it is one (S189,
 * S193, S194).
 *
 * Method: the nodes are this system, by its name or as "", and names that nobody has.
 */
#include <string.h>

#include <ward/codec.h>

#include "guest_family.h"

static struct script boss, worker;
static ward_kit *kit;

/* ---- a kind ------------------------------------------------------------------------------ */

struct clerk {
	int desk;
};
WARD_MESSAGE_FIELDS(clerk, 1, WARD_FIELD(INT, clerk, desk));
struct file_it {
	int page;
};
WARD_MESSAGE_FIELDS(file_it, 1, WARD_FIELD(INT, file_it, page));

static ward_result clerk_init(ward_self *self, void *state, const void *args)
{
	const struct clerk *clerk = args;
	(void)self, (void)state;
	journal_note("clerk:desk %d", clerk->desk);
	return WARD_DONE;
}

static ward_result clerk_receive(ward_self *self, void *state, const ward_msg *msg)
{
	const struct file_it *file = ward_match(msg, file_it);
	(void)state;
	if (file == NULL)
		return WARD_UNHANDLED;
	journal_note("clerk:files %d", file->page);
	if (file->page < 0)
		return ward_failed(self, &ward_exception, "no page %d", file->page);
	return WARD_DONE;
}

static ward_result clerk_stop(ward_self *self, void *state)
{
	(void)self, (void)state;
	journal_note("clerk:post_stop");
	return WARD_DONE;
}

static const ward_behavior clerk_behavior = {
	.name = "clerk",
	.args = &ward_type_clerk,
	.init = clerk_init,
	.receive = clerk_receive,
	.post_stop = clerk_stop,
};
static const struct clerk desk_1 = {.desk = 1};
static const ward_props clerk_props = {.behavior = &clerk_behavior,
				       .name = "clerk",
				       .args = {&ward_type_clerk, &desk_1, sizeof desk_1}};
static const ward_kind kinds[] = {{"clerk", &clerk_props}, {NULL, NULL}};

static void begin_with(const ward_guests_options *options)
{
	boss = (struct script){.name = "boss", .strategy = &script_one, .decides = WARD_RESTART};
	worker = (struct script){.name = "worker"};
	kit = script_start(&(ward_kit_options){.may_leave_mail = true});
	if (options != NULL)
		ward_assert_ok(ward_guests_start(ward_kit_system(kit), options, NULL));
	script_spawn(kit, &boss);
	journal_clear();
}

static void begin(void)
{
	begin_with(&(ward_guests_options){.kinds = kinds});
}

struct order {
	const struct ward_remote *remote;
	ward_err wanted;
	const char *text; /* part of a refusal */
	ward_ref child;
};

static ward_result spawn_remote(ward_self *self, void *arg)
{
	struct order *order = arg;
	ward_props props = ward_remote_props(order->remote);
	props.name = "child";
	ward_err err = ward_try_spawn(self, &props, &order->child);
	if (err == WARD_ENOMEM)
		return ward_failed_err(self, err);
	ward_assert_err(err, order->wanted);
	if (err == WARD_OK)
		script_name_add(order->child, "child");
	else
		ward_assert_part(ward_err_detail(), order->text);
	return WARD_DONE;
}

static ward_ref spawn(const struct ward_remote *remote)
{
	struct order order = {remote, WARD_OK, "", ward_nobody()};
	script_do(kit, boss.ref, spawn_remote, &order);
	ward_kit_run(kit);
	return order.child;
}

static void refuse(const struct ward_remote *remote, const char *text)
{
	struct order order = {remote, WARD_EINVAL, text, ward_nobody()};
	script_do(kit, boss.ref, spawn_remote, &order);
	ward_kit_run(kit);
}

static void file(ward_ref who, int page)
{
	ward_system_tell(ward_kit_system(kit), who, file_it, .page = page);
}

WARD_TEST(kind_is_started_with_its_own_arguments_or_those_given, "S189")
{
	begin();
	ward_ref child = spawn(&(struct ward_remote){.kind = "clerk"});
	file(child, 7);
	ward_kit_run(kit);
	assert_journal_of("clerk", "desk 1;files 7");
	ward_system_stop(ward_kit_system(kit), child);
	ward_kit_run(kit);
	journal_clear();
	child = spawn(&(struct ward_remote){.kind = "clerk", .args = WARD_ARGS(clerk, .desk = 5)});
	file(child, -1);
	file(child, 8);
	ward_kit_run(kit);
	assert_journal_of("clerk", "desk 5;files -1;post_stop;desk 5;files 8");
	script_finish(kit);
}

WARD_TEST(unknown_kind_is_refused_by_its_name, "S189", "S193")
{
	begin();
	boss.decides = WARD_STOP;
	ward_ref child = spawn(&(struct ward_remote){.kind = "baker"});
	assert_journal_of("boss", "decide child");
	const ward_event *event = ward_kit_event(kit, WARD_EVENT_FAILURE, "*/child", 0);
	ward_assert(event != NULL);
	ward_assert_part(event->text, "no kind \"baker\"");
	ward_assert_str(event->failure_class, "ward_initialization");
	ward_assert(!ward_kit_is_alive(kit, child));
	script_finish(kit);
}

WARD_TEST(wrong_arguments_of_a_kind_are_refused_there, "S189")
{
	begin();
	boss.decides = WARD_STOP;
	(void)spawn(&(struct ward_remote){.kind = "clerk", .args = WARD_ARGS(file_it, .page = 1)});
	const ward_event *event = ward_kit_event(kit, WARD_EVENT_FAILURE, "*/child", 0);
	ward_assert(event != NULL);
	ward_assert_part(event->text, "takes arguments of type \"clerk\"");
	script_finish(kit);
}

WARD_TEST(wrong_description_is_refused_at_the_spawn, "S189")
{
	static const char *const none[] = {NULL};
	begin();
	refuse(&(struct ward_remote){0}, ".kind or .props");
	refuse(&(struct ward_remote){.kind = "clerk", .props = &clerk_props}, ".kind or .props");
	refuse(&(struct ward_remote){.props = &clerk_props, .args = WARD_ARGS(clerk)}, ".args");
	refuse(&(struct ward_remote){.kind = ""}, ".kind has 1 to 63 bytes");
	refuse(&(struct ward_remote){.kind = "clerk", .nodes = none}, ".nodes is empty");
	refuse(&(struct ward_remote){.kind = "clerk", .grace_ms = 10}, ".grace_ms is 10");
	refuse(&(struct ward_remote){.kind = "clerk", .grace_ms = -1}, ".grace_ms is -1");
	refuse(&(struct ward_remote){.kind = "clerk", .start_timeout_ms = -1}, ".start_timeout_ms");
	refuse(&(struct ward_remote){.kind = "clerk", .reserved = {1}}, "reserved");
	script_finish(kit);
}

WARD_TEST(wrong_kinds_are_refused_and_guests_start_once, "S189")
{
	static const ward_kind twice[] = {{"a", &clerk_props}, {"a", &clerk_props}, {NULL, NULL}};
	static const ward_kind empty[] = {{"", &clerk_props}, {NULL, NULL}};
	static const ward_kind bare[] = {{"a", NULL}, {NULL, NULL}};
	static const struct {
		const ward_kind *kinds;
		ward_err err;
	} rows[] = {{twice, WARD_EEXIST}, {empty, WARD_EINVAL}, {bare, WARD_EINVAL}};
	begin_with(NULL);
	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
		ward_assert_err(ward_guests_start(ward_kit_system(kit),
						  &(ward_guests_options){.kinds = rows[i].kinds},
						  NULL),
				rows[i].err);
	ward_assert_ok(ward_guests_start(ward_kit_system(kit), NULL, NULL));
	ward_assert_err(ward_guests_start(ward_kit_system(kit), NULL, NULL), WARD_EEXIST);
	ward_assert_part(ward_err_detail(), "ward_guests_start: this system has guests already");
	script_finish(kit);
}

/* ---- nodes ------------------------------------------------------------------------------- */

WARD_TEST(node_that_is_not_connected_is_passed_over, "S193")
{
	static const char *const nodes[] = {"nowhere@1", "", "nowhere@2", NULL};
	begin();
	ward_ref child = spawn(&(struct ward_remote){.kind = "clerk", .nodes = nodes});
	file(child, 1);
	ward_kit_run(kit);
	assert_journal_of("clerk", "desk 1;files 1");
	script_finish(kit);
}

WARD_TEST(without_a_node_it_is_unreached_after_the_timeout, "S193")
{
	static const char *const nodes[] = {"nowhere@1", "nowhere@2", NULL};
	begin();
	ward_ref child = spawn(
		&(struct ward_remote){.kind = "clerk", .nodes = nodes, .start_timeout_ms = 500});
	file(child, 1);
	ward_kit_run(kit);
	assert_journal("");
	ward_kit_advance(kit, 499);
	assert_journal("");
	ward_kit_advance(kit, 1);
	assert_journal("boss:decide child");
	const ward_event *event = ward_kit_event(kit, WARD_EVENT_FAILURE, "*/child", 0);
	ward_assert_str(event->failure_class, "ward_unreached");
	ward_assert_part(event->text, "nowhere@2");
	ward_kit_advance(kit, 500); /* restarted, and tried again */
	assert_journal("boss:decide child;boss:decide child");
	script_finish(kit);
}

WARD_TEST(resumed_without_a_node_it_starts_again, "S193")
{
	begin_with(NULL);
	boss.decides = WARD_RESUME;
	ward_ref child = spawn(&(struct ward_remote){.kind = "clerk", .start_timeout_ms = 500});
	file(child, 1);
	ward_kit_advance(kit, 1000);
	assert_journal("boss:decide child;boss:decide child");
	ward_assert_ok(ward_guests_start(ward_kit_system(kit),
					 &(ward_guests_options){.kinds = kinds}, NULL));
	ward_kit_advance(kit, 500);
	assert_journal("boss:decide child;boss:decide child;boss:decide child;"
		       "clerk:desk 1;clerk:files 1");
	script_finish(kit);
}

WARD_TEST(mail_waits_for_the_next_guest_when_its_host_is_gone, "S193")
{
	ward_ref host;
	begin();
	ward_ref child = spawn(&(struct ward_remote){.kind = "clerk"});
	file(child, 1);
	ward_kit_run(kit);
	ward_assert_ok(ward_system_resolve(ward_kit_system(kit), "/system/guests/ward_guest_host$1",
					   WARD_SECOND, &host));
	ward_system_stop(ward_kit_system(kit), host);
	ward_kit_run(kit);
	file(child, 2);
	file(child, 3);
	ward_kit_run(kit);
	assert_journal_of("boss", "decide child");
	assert_journal_of("clerk", "desk 1;files 1;post_stop;desk 1;files 2;files 3");
	const ward_event *event = ward_kit_event(kit, WARD_EVENT_FAILURE, "*/child", 0);
	ward_assert_str(event->failure_class, "ward_unreached");
	script_finish(kit);
}

WARD_TEST(stand_in_answers_ward_identify_when_its_guest_has_started, "S188", "S193")
{
	WARD_TEST_SEEDS(40)
	{
		ward_ref host, found;
		begin();
		ward_ref child = spawn(&(struct ward_remote){.kind = "clerk"});
		ward_assert_ok(ward_system_resolve(ward_kit_system(kit),
						   "/system/guests/ward_guest_host$1", WARD_SECOND,
						   &host));
		ward_system_stop(ward_kit_system(kit), host);
		for (uint64_t i = 0; i < ward_test_seed() % 24; i++)
			(void)ward_kit_step(kit);
		bool gone = !ward_kit_is_alive(kit, host);
		ward_assert_ok(ward_system_resolve(ward_kit_system(kit), "/user/boss/child",
						   WARD_SECOND, &found));
		ward_assert(ward_ref_equal(found, child));
		if (gone)
			ward_assert_part(journal_text(), "clerk:desk 1;clerk:post_stop");
		if (strstr(journal_text(), "boss:decide child") != NULL)
			ward_assert_part(strstr(journal_text(), "boss:decide child"),
					 "clerk:desk 1");
		ward_kit_run(kit);
		script_finish(kit);
	}
}

/* ---- one at most ------------------------------------------------------------------------- */

WARD_TEST(start_that_is_restarted_leaves_one_guest, "S194")
{
	/* The stand-in is restarted for a sibling while its start is under way. */
	static const ward_strategy all = {.scope = WARD_ALL_FOR_ONE, .decide = script_decide};
	WARD_TEST_SEEDS(100)
	{
		boss = (struct script){.name = "boss", .strategy = &all, .decides = WARD_RESTART};
		worker = (struct script){.name = "worker"};
		boss.children[0] = &worker;
		kit = script_start(&(ward_kit_options){.may_leave_mail = true});
		ward_assert_ok(ward_guests_start(ward_kit_system(kit),
						 &(ward_guests_options){.kinds = kinds}, NULL));
		script_spawn(kit, &boss);
		struct order order = {&(struct ward_remote){.kind = "clerk"}, WARD_OK, "",
				      ward_nobody()};
		script_do(kit, boss.ref, spawn_remote, &order);
		script_break(kit, worker.ref, &ward_exception);
		for (uint64_t i = 0; i < ward_test_seed() % 16; i++)
			(void)ward_kit_step(kit);
		script_break(kit, worker.ref, &ward_exception);
		ward_kit_run(kit);
		size_t made = 0, ended = 0;
		for (const char *at = journal_text(); (at = strstr(at, "clerk:desk")); at++)
			made++;
		for (const char *at = journal_text(); (at = strstr(at, "clerk:post_stop")); at++)
			ended++;
		ward_assert_eq(made, ended + 1);
		/* None starts before the one before it has ended. */
		const char *at = strstr(journal_text(), "clerk:desk");
		while (at != NULL) {
			const char *next = strstr(at + 1, "clerk:desk");
			const char *end = strstr(at, "clerk:post_stop");
			ward_assert(next == NULL || (end != NULL && end < next));
			at = next;
		}
		ward_stats stats;
		ward_system_stats(ward_kit_system(kit), &stats);
		/* root, user, system, guests, host, clerk; boss, worker, child */
		ward_assert_eq(stats.actors, 9);
		script_finish(kit);
	}
}

WARD_TEST(guest_goes_with_its_stand_in_also_before_the_answer, "S194")
{
	WARD_TEST_SEEDS(100)
	{
		begin();
		struct order order = {&(struct ward_remote){.kind = "clerk"}, WARD_OK, "",
				      ward_nobody()};
		script_do(kit, boss.ref, spawn_remote, &order);
		for (uint64_t i = 0; i < ward_test_seed() % 16; i++)
			(void)ward_kit_step(kit);
		ward_system_stop(ward_kit_system(kit), boss.ref);
		ward_kit_run(kit);
		ward_stats stats;
		ward_system_stats(ward_kit_system(kit), &stats);
		ward_assert_eq(stats.actors, 4);
		script_finish(kit);
	}
}

WARD_TEST_MAIN
