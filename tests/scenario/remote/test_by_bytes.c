/* SPDX-License-Identifier: MIT
 *
 * test_by_bytes.c - children on a node to which only bytes go (S189-S194).
 *
 * Method: the boss is on the node left, its child on right, behind a loop by bytes. What has no
 * table is named "secret".
 */
#include <stdio.h>
#include <string.h>

#include <ward/codec.h>
#include <ward/extend.h>
#include <ward/guests.h>
#include <ward/remote.h>
#include <ward/testkit/neighbours.h>

#include "patterns/remote/wire.h"
#include "support/script.h"

enum { TAG = 1, SECRETLY = -100, ROUNDS = 20 };

static struct nodes {
	ward_kit *left, *right;
	ward_loop *loop;
	struct script boss, anchor;
	ward_ref child, guests;
	int starts, living; /* of slow guests */
} nodes;

static const char *const right[] = {"right", NULL};
static const char *const both[] = {"right", "left", NULL};

/* ---- the child --------------------------------------------------------------------------- */

static const ward_failure_class jam = {.name = "jam", .parent = &ward_exception};

struct clerk {
	int desk;
	char *name; /* owned */
};
WARD_MESSAGE_FIELDS_OWNED(clerk, 1, WARD_FIELD(INT, clerk, desk),
			  WARD_FIELD(STRING, clerk, name, .max = 100));
struct file_it {
	int page;
};
WARD_MESSAGE_FIELDS(file_it, 1, WARD_FIELD(INT, file_it, page));
struct page {
	int number;
	ward_ref of;
};
WARD_MESSAGE_FIELDS(page, 1, WARD_FIELD(INT, page, number), WARD_FIELD(REF, page, of));
struct secret {
	int number;
};
WARD_MESSAGE(secret);
WARD_SIGNAL(tell_me);
WARD_SIGNAL(tell_me_a_secret);

static ward_result clerk_init(ward_self *self, void *state, const void *args)
{
	const struct clerk *clerk = args;
	(void)self, (void)state;
	journal_note("clerk:desk %d %s", clerk->desk, clerk->name);
	return WARD_DONE;
}

static ward_result clerk_receive(ward_self *self, void *state, const ward_msg *msg)
{
	const struct file_it *file = ward_match(msg, file_it);
	(void)state;
	if (ward_match(msg, tell_me))
		return ward_reply(self, msg, page, .number = 5, .of = ward_self_ref(self));
	if (ward_match(msg, tell_me_a_secret))
		return ward_reply(self, msg, secret, .number = 5);
	if (file == NULL)
		return WARD_UNHANDLED;
	journal_note("clerk:files %d", file->page);
	if (file->page == SECRETLY)
		return ward_failed_body(self, &jam, WARD_BODY(secret, .number = 3), "hidden");
	if (file->page < 0)
		return ward_failed_body(
			self, &jam,
			WARD_BODY(page, .number = -file->page, .of = ward_self_ref(self)),
			"no page %d", file->page);
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
static const ward_props clerk_props = {
	.behavior = &clerk_behavior, .name = "clerk", .args = WARD_ARGS(clerk, .desk = 1)};

static ward_result keeper_init(ward_self *self, void *state, const void *args)
{
	(void)self, (void)state;
	journal_note("keeper:secret %d", ((const struct secret *)args)->number);
	return WARD_DONE;
}

static ward_result ignore(ward_self *self, void *state, const ward_msg *msg)
{
	(void)self, (void)state, (void)msg;
	return WARD_DONE;
}

static const ward_behavior keeper_behavior = {
	.name = "keeper", .args = &ward_type_secret, .init = keeper_init, .receive = ignore};
static const ward_props keeper_props = {
	.behavior = &keeper_behavior, .name = "keeper", .args = WARD_ARGS(secret, .number = 1)};

/* Its end waits for that of the anchor. */
static ward_result slow_start(ward_self *self, void *state)
{
	(void)state;
	nodes.starts++;
	nodes.living++;
	return ward_failed_err(self, ward_try_represent(self, nodes.anchor.ref, nodes.anchor.ref));
}

static ward_result slow_stop(ward_self *self, void *state)
{
	(void)self, (void)state;
	nodes.living--;
	return WARD_DONE;
}

static ward_result slow_receive(ward_self *self, void *state, const ward_msg *msg)
{
	const struct ward_identify *question = ward_match(msg, ward_identify);
	(void)state;
	if (question == NULL)
		return WARD_DONE;
	return ward_reply(self, msg, ward_identity, .tag = question->tag,
			  .who = ward_self_ref(self), .found = true);
}

static const ward_behavior slow_behavior = {
	.name = "slow", .pre_start = slow_start, .receive = slow_receive, .post_stop = slow_stop};
static const ward_props slow_props = {.behavior = &slow_behavior, .name = "slow"};

static const ward_kind kinds[] = {
	{"clerk", &clerk_props}, {"keeper", &keeper_props}, {"slow", &slow_props}, {NULL, NULL}};

/* ---- its parent -------------------------------------------------------------------------- */

static ward_directive look(ward_self *self, ward_ref child, const ward_failure *failure)
{
	const struct page *page = ward_failure_body(failure, page);
	char text[32] = "";
	if (page != NULL)
		(void)snprintf(text, sizeof text, ", page %d%s", page->number,
			       ward_ref_place(page->of) == ward_ref_place(child) ? ""
										 : " of there");
	journal_note("boss:saw %s: %s%s", ward_failure_class_of(failure)->name,
		     ward_failure_text(failure), text);
	return script_of(self)->decides;
}

static ward_result note_answers(ward_self *self, const ward_msg *msg)
{
	const struct page *page = ward_match(msg, page);
	const struct ward_ask_failed *failed = ward_match(msg, ward_ask_failed);
	const struct wardi_guest_started *started = ward_match(msg, wardi_guest_started);
	(void)self;
	if (page != NULL)
		journal_note("boss:page %d %s", page->number,
			     ward_ref_equal(ward_msg_sender(msg), nodes.child) &&
					     ward_ref_place(page->of) ==
						     ward_ref_place(nodes.guests)
				     ? "of there"
				     : "?");
	else if (failed != NULL)
		journal_note("boss:%s", ward_err_text(failed->why));
	else if (started != NULL)
		journal_note("boss:started %u %s", (unsigned)started->err, started->text);
	else
		return WARD_UNHANDLED;
	return WARD_DONE;
}

static ward_result spawn_remote(ward_self *self, void *arg)
{
	ward_props props = ward_remote_props(arg);
	props.name = "child";
	ward_err err = ward_try_spawn(self, &props, &nodes.child);
	if (err == WARD_OK)
		script_name_add(nodes.child, "child");
	return ward_failed_err(self, err);
}

static void settle(int64_t ms)
{
	ward_kit_advance(nodes.left, ms);
}

static void spawn(const struct ward_remote *remote)
{
	struct ward_remote copy = *remote;
	script_do(nodes.left, nodes.boss.ref, spawn_remote, &copy);
	settle(100);
}

static void spawn_clerk(void)
{
	static char name[] = "Ada";
	const ward_failure_class *classes[] = {&jam, NULL};
	spawn(&(struct ward_remote){.nodes = right,
				    .kind = "clerk",
				    .args = WARD_ARGS(clerk, .desk = 5, .name = name),
				    .failure_classes = classes});
	classes[0] = &ward_error; /* the spawn has copied them */
}

static void file(int page)
{
	ward_system_tell(ward_kit_system(nodes.left), nodes.child, file_it, .page = page);
	settle(100);
}

static size_t count_of(ward_kit *kit, const char *name)
{
	return ward_kit_count(kit, WARD_EVENT_DEAD_LETTER, name);
}

/* A slow guest is not to wait when the case is over. */
static void stop_anchor(void *arg)
{
	(void)arg;
	ward_system_stop(ward_kit_system(nodes.right), nodes.anchor.ref);
}

static void begin_by(ward_loop_form form)
{
	memset(&nodes, 0, sizeof nodes);
	nodes.boss = (struct script){.name = "boss",
				     .strategy = &script_one,
				     .decide = look,
				     .decides = WARD_RESTART,
				     .receive = note_answers};
	nodes.anchor.name = "anchor";
	nodes.left =
		script_start(&(ward_kit_options){.system.name = "left", .may_leave_mail = true});
	nodes.right =
		ward_kit_start(&(ward_kit_options){.system.name = "right", .may_leave_mail = true});
	const ward_guests_options options = {.kinds = kinds};
	ward_ref guests;
	ward_assert_ok(ward_guests_start(ward_kit_system(nodes.left), &options, NULL));
	ward_assert_ok(ward_guests_start(ward_kit_system(nodes.right), &options, &guests));
	nodes.loop = ward_loop_start(&(ward_loop_options){.form = form, .latency_ms = 1});
	ward_loop_join(nodes.loop, ward_kit_system(nodes.left), "left");
	ward_loop_join(nodes.loop, ward_kit_system(nodes.right), "right");
	ward_loop_guests(nodes.loop, "right", guests);
	ward_loop_connect(nodes.loop, "left", "right");
	ward_assert(ward_loop_await(nodes.loop, "left", "right", WARD_MINUTE));
	nodes.guests = ward_loop_ref(nodes.loop, "left", "right", guests);
	script_spawn(nodes.left, &nodes.boss);
	script_spawn(nodes.right, &nodes.anchor);
	ward_kit_on_cut(nodes.right, stop_anchor, NULL);
	journal_clear();
}

static void begin(void)
{
	begin_by(WARD_LOOP_BY_BYTES);
}

static void finish(void)
{
	ward_loop_finish(nodes.loop);
	ward_kit_finish(nodes.right);
	script_finish(nodes.left);
}

static void look_for(void *arg, const ward_actor_info *info)
{
	*(size_t *)arg += strstr(info->path, "/guests/ward_guest_host") != NULL;
}

/* Hosts and guests. */
static size_t actors_of_guests(ward_kit *kit)
{
	size_t count = 0;
	ward_system_actors(ward_kit_system(kit), look_for, &count);
	return count;
}

/* ---- all that a child does ---------------------------------------------------------------- */

WARD_TEST(child_behind_bytes_lives_as_any_other, "S189", "S190", "S191", "S192")
{
	begin();
	spawn_clerk();
	file(1);
	file(-7);
	file(2);
	assert_journal_of("clerk", "desk 5 Ada;files 1;files -7;post_stop;desk 5 Ada;files 2");
	assert_journal_of("boss", "decide child;saw jam: no page -7, page 7 of there");
	ward_assert_eq(actors_of_guests(nodes.right), 2);
	journal_clear();
	ward_system_stop(ward_kit_system(nodes.left), nodes.child);
	settle(100);
	assert_journal_of("clerk", "post_stop");
	ward_assert_eq(actors_of_guests(nodes.right), 0);
	finish();
}

WARD_TEST(verdicts_are_bytes, "S190")
{
	static const struct {
		ward_directive directive;
		const char *clerk;
	} rows[] = {{WARD_RESUME, "files -7;files 2"},
		    {WARD_RESTART, "files -7;post_stop;desk 5 Ada;files 2"},
		    {WARD_STOP, "files -7;post_stop"},
		    {WARD_ESCALATE, "files -7;post_stop"}};
	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		begin();
		nodes.boss.decides = rows[i].directive;
		spawn_clerk();
		journal_clear();
		file(-7);
		file(2);
		assert_journal_of("clerk", rows[i].clerk);
		finish();
	}
}

WARD_TEST(class_that_is_not_known_here_is_named, "S190")
{
	begin();
	spawn(&(struct ward_remote){.nodes = right, .kind = "clerk"});
	file(-7);
	assert_journal_of("boss",
			  "decide child;saw ward_remote_failure: /ward_exception/jam: no page -7");
	finish();
}

WARD_TEST(child_that_stops_or_exits_ends_its_stand_in, "S192")
{
	begin();
	spawn_clerk();
	journal_clear();
	ward_system_tell(ward_kit_system(nodes.left), nodes.child, ward_poison_pill);
	settle(100);
	assert_journal_of("clerk", "post_stop");
	ward_assert(!ward_kit_is_alive(nodes.left, nodes.child));
	finish();
}

static ward_result ask_it(ward_self *self, void *arg)
{
	const ward_type *type = arg;
	ward_ask_send(self,
		      &(ward_question){.to = nodes.child, .tag = TAG, .timeout_ms = WARD_FOREVER},
		      type, NULL, 0);
	return WARD_DONE;
}

static void ask(const ward_type *type)
{
	script_do(nodes.left, nodes.boss.ref, ask_it, (void *)(uintptr_t)type);
	settle(100);
}

WARD_TEST(answer_of_a_child_is_bytes, "S191")
{
	begin();
	spawn_clerk();
	ask(&ward_type_tell_me);
	assert_journal_of("boss", "page 5 of there");
	finish();
}

/* ---- what has no table -------------------------------------------------------------------- */

static void refuse_arguments(ward_loop_form form)
{
	begin_by(form);
	nodes.boss.decides = WARD_STOP;
	spawn(&(struct ward_remote){
		.nodes = right, .kind = "keeper", .args = WARD_ARGS(secret, .number = 5)});
	settle(6000);
	ward_assert_part(journal_of("boss"), "saw ward_initialization: right: message \"secret\"");
	ward_assert_part(journal_of("boss"), "no table");
	assert_journal_of("keeper", "");
	ward_assert_eq(actors_of_guests(nodes.right), 0);
	finish();
}

WARD_TEST(arguments_without_a_table_are_refused_by_name, "S189", "S193")
{
	refuse_arguments(WARD_LOOP_BY_BYTES);
	refuse_arguments(WARD_LOOP_BY_BYTES_SAME_REFS);
}

WARD_TEST(node_in_the_same_process_takes_what_has_no_table, "S193")
{
	begin();
	spawn(&(struct ward_remote){
		.nodes = both, .kind = "keeper", .args = WARD_ARGS(secret, .number = 5)});
	assert_journal_of("keeper", "secret 5");
	ward_assert_eq(actors_of_guests(nodes.right), 0);
	ward_assert_eq(actors_of_guests(nodes.left), 2);
	finish();
}

WARD_TEST(props_are_refused_by_name, "S189", "S193")
{
	begin();
	nodes.boss.decides = WARD_STOP;
	spawn(&(struct ward_remote){.nodes = right, .props = &clerk_props});
	settle(6000);
	ward_assert_part(
		journal_of("boss"),
		"saw ward_initialization: right: .props are for the nodes of this process");
	journal_clear();
	spawn(&(struct ward_remote){.nodes = both, .props = &clerk_props});
	ward_assert_part(journal_of("clerk"), "desk 1");
	ward_assert_eq(actors_of_guests(nodes.right), 0);
	finish();
}

WARD_TEST(message_without_a_table_is_a_dead_letter_with_its_name, "S196")
{
	begin();
	spawn_clerk();
	ward_system_tell(ward_kit_system(nodes.left), nodes.child, secret, .number = 1);
	file(2);
	ward_assert_eq(count_of(nodes.left, "*"), 1);
	const ward_event *event = ward_kit_event(nodes.left, WARD_EVENT_DEAD_LETTER, "*", 0);
	ward_assert_str(event->message_type, "secret");
	ward_assert_eq(event->reason, WARD_REASON_LOCAL);
	ward_assert_part(journal_of("clerk"), "files 2");
	ask(&ward_type_secret);
	assert_journal_of("boss", ward_err_text(WARD_ELOCAL));
	finish();
}

WARD_TEST(answer_without_a_table_ends_the_question, "S201")
{
	begin();
	spawn_clerk();
	ask(&ward_type_tell_me_a_secret);
	assert_journal_of("boss", ward_err_text(WARD_ELOCAL));
	const ward_event *event = ward_kit_event(nodes.right, WARD_EVENT_DEAD_LETTER, "*", 0);
	ward_assert(event != NULL);
	ward_assert_str(event->message_type, "secret");
	ward_assert_eq(event->reason, WARD_REASON_LOCAL);
	ask(&ward_type_tell_me);
	ward_assert_part(journal_of("boss"), "page 5");
	finish();
}

WARD_TEST(failure_whose_body_has_no_table_comes_without_it, "S190")
{
	begin();
	spawn_clerk();
	file(SECRETLY);
	file(2);
	assert_journal_of("boss", "decide child;saw jam: hidden");
	const ward_event *event = ward_kit_event(nodes.right, WARD_EVENT_DEAD_LETTER, "*", 0);
	ward_assert(event != NULL);
	ward_assert_str(event->message_type, "secret");
	ward_assert_part(journal_of("clerk"), "post_stop;desk 5 Ada;files 2");
	finish();
}

/* ---- numbers ------------------------------------------------------------------------------ */

static ward_result ask_guests(ward_self *self, void *arg)
{
	struct wardi_guest_start start = *(const struct wardi_guest_start *)arg;
	start.stand_in = start.parent = ward_self_ref(self);
	ward_ask_send(self,
		      &(ward_question){.to = nodes.guests, .tag = TAG, .timeout_ms = WARD_FOREVER},
		      WARD_COPY(wardi_guest_start, &start));
	return WARD_DONE;
}

static void start(uint32_t protocol, uint64_t life, uint64_t token)
{
	struct wardi_guest_start start = {
		.protocol = protocol, .life = life, .token = token, .kind = "clerk"};
	journal_clear();
	script_do(nodes.left, nodes.boss.ref, ask_guests, &start);
	settle(100);
}

WARD_TEST(start_of_another_protocol_is_refused, "S189")
{
	begin();
	start(WARDI_REMOTE_PROTOCOL + 1, 7, 1);
	ward_assert_part(journal_of("boss"), "started 1 the start is of protocol 2");
	ward_assert_eq(actors_of_guests(nodes.right), 0);
	start(WARDI_REMOTE_PROTOCOL, 7, 1);
	assert_journal_of("boss", "started 0 ");
	ward_assert_eq(actors_of_guests(nodes.right), 1); /* the host: no guest was asked for */
	finish();
}

WARD_TEST(start_that_is_not_later_is_refused, "S194")
{
	begin();
	start(WARDI_REMOTE_PROTOCOL, 7, 5);
	start(WARDI_REMOTE_PROTOCOL, 7, 5);
	ward_assert_part(journal_of("boss"), "start 5 of this stand-in is not the latest");
	start(WARDI_REMOTE_PROTOCOL, 7, 4);
	ward_assert_part(journal_of("boss"), "start 4 of this stand-in is not the latest");
	start(WARDI_REMOTE_PROTOCOL, 7, 6);
	assert_journal_of("boss", "started 0 ");
	ward_assert_eq(actors_of_guests(nodes.right), 1); /* the host: no guest was asked for */
	finish();
}

WARD_TEST(stand_in_has_one_guest_though_its_ref_differs_with_each_connection, "S194")
{
	WARD_TEST_SEEDS(ROUNDS)
	{
		begin();
		spawn(&(struct ward_remote){.nodes = right, .kind = "slow"});
		ward_assert_eq(nodes.living, 1);
		for (int i = 0; i < 3; i++) {
			ward_loop_reset(nodes.loop, "left", "right");
			settle(10000);
			ward_assert(ward_loop_is_open(nodes.loop, "left", "right"));
			ward_assert_eq(nodes.starts, 1);
			ward_assert_eq(nodes.living, 1);
		}
		stop_anchor(NULL);
		settle(0);
		script_spawn(nodes.right, &nodes.anchor);
		settle(20000);
		ward_assert_eq(nodes.starts, 2);
		ward_assert_eq(nodes.living, 1);
		stop_anchor(NULL);
		finish();
	}
}

WARD_TEST_MAIN
