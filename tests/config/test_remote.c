/* SPDX-License-Identifier: MIT
 *
 * test_remote.c - actors of a file that live elsewhere.
 *
 * Method: the file is of the node left, its actors start on right, by a loop; simulated kits, one
 * seed.
 */
#include <ward/guests.h>
#include <ward/remote.h>
#include <ward/testkit/neighbours.h>

#include "shop.h"

static struct {
	ward_config *config;
	ward_kit *left, *right;
	ward_loop *loop;
	ward_props plain, till, broken, other;
	ward_kind kinds[5];
} t;

static const ward_behavior *behavior(const char *name)
{
	const ward_config_behavior *row = shop.behaviors;

	while (strcmp(row->name, name) != 0)
		row++;
	return row->behavior;
}

static void begin_by(const char *text, ward_loop_form form)
{
	ward_ref guests;

	t.config = shop_good(text);
	t.left = shop_kit(t.config);
	t.right = ward_kit_start(&(ward_kit_options){.system.name = "right"});
	t.plain = (ward_props){.behavior = behavior("plain"), .name = "guest"};
	t.till = (ward_props){.behavior = behavior("till"), .name = "guest"};
	t.broken = (ward_props){.behavior = behavior("broken"), .name = "guest"};
	t.other = (ward_props){.behavior = behavior("plain"), .name = "other"};
	t.kinds[0] = (ward_kind){"plain", &t.plain};
	t.kinds[1] = (ward_kind){"till", &t.till};
	t.kinds[2] = (ward_kind){"broken", &t.broken};
	t.kinds[3] = (ward_kind){"other", &t.other};
	t.kinds[4] = (ward_kind){NULL, NULL};
	ward_assert_ok(ward_guests_start(ward_kit_system(t.right),
					 &(ward_guests_options){.kinds = t.kinds}, &guests));
	t.loop = ward_loop_start(&(ward_loop_options){.form = form});
	ward_loop_join(t.loop, ward_kit_system(t.left), "left");
	ward_loop_join(t.loop, ward_kit_system(t.right), "right");
	ward_loop_guests(t.loop, "right", guests);
	ward_loop_connect(t.loop, "left", "right");
	ward_assert(ward_loop_await(t.loop, "left", "right", WARD_MINUTE));
}

static void begin(const char *text)
{
	begin_by(text, WARD_LOOP_BY_VALUE);
}

static ward_err start(void)
{
	return ward_config_spawn(t.config, ward_kit_system(t.left));
}

static void end(void)
{
	ward_loop_finish(t.loop);
	ward_kit_finish(t.left);
	ward_kit_finish(t.right);
	ward_config_close(t.config);
}

static void tell_note(const char *path)
{
	ward_system_tell(ward_kit_system(t.left), shop_at(t.left, path), note, .text = "x");
	ward_kit_advance(t.left, 10);
}

/* How many guests run on right. */
static void look_for(void *arg, const ward_actor_info *info)
{
	*(size_t *)arg += strstr(info->path, "/guest") != NULL &&
			  strcmp(strrchr(info->path, '/'), "/guest") == 0;
}

static size_t guests(void)
{
	size_t count = 0;

	ward_system_actors(ward_kit_system(t.right), look_for, &count);
	return count;
}

WARD_TEST(actor_of_a_file_starts_at_its_node_with_its_arguments, "S189")
{
	begin("actors: { a: { behavior = \"till\"; args: { number = 4; }; mailbox: { counted = "
	      "true; };"
	      " remote: { nodes = [\"nowhere\", \"right\"]; start-timeout = \"1 s\";"
	      " grace = \"2 min\"; }; }; };");
	ward_assert_ok(start());
	ward_assert_str(shop_seen(), "shop-starts shed-starts guest+");
	ward_assert_eq(guests(), 1);
	ward_assert_eq(shop_till.number, 4);
	ward_assert_str(shop_till.drawer, "top");
	tell_note("/user/a");
	ward_assert_str(shop_seen(), "guest! x");
	end();
}

WARD_TEST(actor_of_a_file_may_have_a_kind_of_another_name, "S189")
{
	begin("actors: { a: { behavior = \"plain\";"
	      " remote: { nodes = [\"right\"]; kind = \"other\"; }; }; };");
	ward_assert_ok(start());
	ward_assert_str(shop_seen(), "shop-starts shed-starts other+");
	end();
}

WARD_TEST(failure_elsewhere_is_decided_by_the_strategy_of_the_file, "S190")
{
	begin("strategies: { s: { otherwise = \"stop\"; }; };"
	      "actors: { g: { strategy = \"s\"; children: { a: { behavior = \"plain\";"
	      " remote: { nodes = [\"right\"]; }; }; }; }; };");
	ward_assert_ok(start());
	ward_assert_eq(guests(), 1);
	ward_system_tell(ward_kit_system(t.left), shop_at(t.left, "/user/g/a"), fail_with,
			 .failure_class = &jammed);
	ward_kit_advance(t.left, 100);
	ward_assert(ward_ref_is_nobody(shop_at(t.left, "/user/g/a")));
	ward_assert_eq(guests(), 0);
	end();
}

WARD_TEST(pool_and_backoff_of_a_file_have_their_actors_elsewhere, "S190")
{
	begin("actors: { p: { behavior = \"plain\"; remote: { nodes = [\"right\"]; };"
	      " pool: { routees = 3; routing = \"broadcast\"; }; };"
	      " b: { behavior = \"plain\"; remote: { nodes = [\"right\"]; };"
	      " backoff: { min = \"1 s\"; max = \"8 s\"; }; }; };");
	ward_assert_ok(start());
	ward_kit_advance(t.left, 100);
	ward_assert_eq(guests(), 4);
	shop_log[0] = '\0';
	tell_note("/user/p");
	ward_assert_str(shop_seen(), "guest! x guest! x guest! x");
	ward_system_tell(ward_kit_system(t.left), shop_at(t.left, "/user/b"), fail_with,
			 .failure_class = &jammed);
	ward_kit_advance(t.left, 100);
	ward_assert_eq(guests(), 3);
	ward_kit_advance(t.left, 2000);
	ward_assert_eq(guests(), 4);
	end();
}

struct jam {
	uint32_t sheets;
};
WARD_MESSAGE_FIELDS(jam, 1, WARD_FIELD(UINT, jam, sheets));

static ward_result jam_it(ward_self *self, void *state, const ward_msg *msg)
{
	(void)state;
	if (ward_match(msg, jam))
		return ward_failed(self, &jammed, "no paper");
	return WARD_UNHANDLED;
}
static const ward_behavior press = {.name = "press", .receive = jam_it};

/* Also where only bytes come back. */
WARD_TEST(class_of_a_failure_elsewhere_is_one_of_the_modules, "S190")
{
	static const ward_loop_form forms[] = {WARD_LOOP_BY_VALUE, WARD_LOOP_BY_BYTES};

	for (size_t i = 0; i < 2; i++) {
		begin_by("strategies: { s: { rules: { jammed = \"stop\"; }; otherwise = "
			 "\"resume\"; }; };"
			 "actors: { g: { strategy = \"s\"; children: { a: { behavior = \"plain\";"
			 " remote: { nodes = [\"right\"]; kind = \"other\"; }; }; }; }; };",
			 forms[i]);
		t.other.behavior = &press;
		ward_assert_ok(start());
		ward_system_tell(ward_kit_system(t.left), shop_at(t.left, "/user/g/a"), jam,
				 .sheets = 2);
		ward_kit_advance(t.left, 100);
		ward_assert(ward_ref_is_nobody(shop_at(t.left, "/user/g/a")));
		shop_log[0] = '\0';
		end();
	}
}

WARD_TEST(file_of_which_one_fails_elsewhere_starts_nothing, "S193")
{
	begin("actors: { a: { behavior = \"plain\"; };\n"
	      " b: { behavior = \"broken\"; remote: { nodes = [\"right\"]; }; }; };");
	ward_assert_err(start(), WARD_EDEAD);
	ward_assert_part(ward_err_detail(), "t:2: actors.b: failed during its start: ");
	ward_assert_part(ward_err_detail(), "no paper");
	ward_kit_advance(t.left, 100);
	ward_assert_eq(guests(), 0);
	ward_assert(ward_ref_is_nobody(shop_at(t.left, "/user/a")));
	end();
}

WARD_TEST(kind_that_no_node_has_is_named, "S189", "S193")
{
	begin("actors: { a: { behavior = \"plain\"; remote: { nodes = [\"right\"];"
	      " kind = \"nonesuch\"; }; }; };");
	ward_assert_err(start(), WARD_EDEAD);
	ward_assert_part(ward_err_detail(), "nonesuch");
	end();
}

/* The start does not wait, and the supervisor decides about ward_unreached. */
WARD_TEST(file_whose_nodes_are_not_connected_starts, "S193")
{
	begin("strategies: { s: { rules: { ward_unreached = \"stop\"; remote_failure = \"stop\"; "
	      "}; }; };"
	      "actors: { g: { strategy = \"s\"; children: { a: { behavior = \"plain\";"
	      " remote: { nodes = [\"nowhere\"]; start-timeout = \"1 s\"; }; }; }; }; };");
	ward_assert_ok(start());
	ward_assert(!ward_ref_is_nobody(shop_at(t.left, "/user/g/a")));
	ward_assert_eq(guests(), 0);
	ward_kit_advance(t.left, 1100);
	ward_assert(ward_ref_is_nobody(shop_at(t.left, "/user/g/a")));
	shop_log[0] = '\0';
	end();
}

static void add_line(void *arg, const char *line)
{
	strcat(strcat(arg, line), "\n");
}

WARD_TEST(tree_of_a_file_shows_where_its_actors_live)
{
	char text[512] = "";

	t.config =
		shop_good("actors: { a: { behavior = \"plain\"; remote: { nodes = [\"x\", \"y\"];"
			  " kind = \"k\"; }; }; b: { behavior = \"plain\"; remote: {}; }; };");
	ward_assert_ok(ward_config_tree(t.config, add_line, text));
	ward_assert_part(text, "a: behavior plain, remote kind k at x or y\n");
	ward_assert_part(text, "b: behavior plain, remote kind plain\n");
	ward_config_close(t.config);
}

WARD_TEST(what_a_file_cannot_say_of_an_actor_elsewhere_is_refused)
{
#define WHY "and remote exclude each other: the kind at the node has what concerns the actor there"
	shop_wrong("actors: { a: {\n remote: { };\n children: { b: { behavior = \"plain\"; }; }; "
		   "}; };",
		   "t:2: actors.a.remote: needs a behavior: an actor without one only supervises");
	shop_wrong("actors: { a: { behavior = \"house\"; remote: { };\n"
		   " children: { b: { behavior = \"plain\"; }; }; }; };",
		   "t:2: actors.a.children: " WHY);
	shop_wrong("strategies: { s: { otherwise = \"stop\"; }; };\n"
		   "actors: { a: { behavior = \"plain\"; remote: { };\n"
		   " strategy = \"s\";\n memory-max = 4096;\n stash-max = 3; }; };",
		   "t:3: actors.a.strategy: " WHY "\nt:4: actors.a.memory-max: " WHY
		   "\nt:5: actors.a.stash-max: " WHY);
	shop_wrong("actors: { a: { behavior = \"plain\";\n remote: { nodes = []; }; }; };",
		   "t:2: actors.a.remote.nodes: is empty: leave it out for the system of the file "
		   "itself");
	shop_wrong("actors: { a: { behavior = \"plain\"; remote: {\n nodes = [\"left@10.0.0.1\", "
		   "\"\",\n \"node with space\"]; }; }; };",
		   "t:3: actors.a.remote.nodes[2]: the name of a node has a forbidden character "
		   "(0x20) at position 4: letters, digits and -_.@: are fine");
	shop_wrong("actors: { a: { behavior = \"plain\";\n remote = \"right\"; }; };",
		   "t:2: actors.a.remote: is a string, must be a group: { key = value; }");
	shop_wrong("actors: { a: { behavior = \"plain\";\n remote: { node = \"right\"; }; }; };",
		   "t:2: actors.a.remote.node: unknown key; did you mean \"nodes\"?");
#undef WHY
}

WARD_TEST_MAIN
