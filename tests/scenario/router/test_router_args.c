/* SPDX-License-Identifier: MIT
 *
 * test_router_args.c - arguments of routers: what does not fit together is refused at the spawn,
 * and what fits is copied.
 */
#include "router_and_workers.h"

static void refused(const ward_behavior *behavior, struct ward_router args, const char *part)
{
	ward_ref ref;
	ward_err err = ward_system_spawn(
		ward_kit_system(rig.kit),
		WARD_PROPS(behavior, .args = {WARD_COPY(ward_router, &args)}), &ref);

	ward_assert_err(err, WARD_EINVAL);
	ward_assert_part(ward_err_detail(), part);
}

static uint64_t hash(const ward_msg *msg)
{
	(void)msg;
	return 0;
}

WARD_TEST(arguments_that_do_not_fit_together_are_refused_with_a_text)
{
	const ward_props of_worker = {.behavior = &worker};
	ward_ref member = {1, 1, 0};

	rig_open(NULL);
	refused(&ward_pool, (struct ward_router){0}, "needs .routee");
	refused(&ward_pool, (struct ward_router){.routee = {.behavior = &worker, .name = "ada"}},
		"\"ada\"");
	refused(&ward_pool, (struct ward_router){.routee = of_worker, .members = &member},
		".members and .paths are for a ward_group");
	refused(&ward_pool, (struct ward_router){.routee = of_worker, .members_count = 1},
		".members and .paths are for a ward_group");
	refused(&ward_pool,
		(struct ward_router){.routee = of_worker, .routees = WARD_ROUTEES_MAX + 1},
		".routees is 1048577; at most 1048576");
	refused(&ward_pool, (struct ward_router){.routee = of_worker, .routees = UINT32_MAX},
		".routees is 4294967295");
	refused(&ward_group, (struct ward_router){.routee = of_worker}, "spawns no routees");
	refused(&ward_group, (struct ward_router){.routees = 1}, "spawns no routees");
	refused(&ward_group, (struct ward_router){.resizer = &(ward_resizer){0}},
		"spawns no routees");
	refused(&ward_group, (struct ward_router){.members_count = 2}, ".members_count is 2");
	refused(&ward_pool, (struct ward_router){.routee = of_worker, .routing = (ward_routing)7},
		"which is not a routing");
	refused(&ward_pool, (struct ward_router){.routee = of_worker, .routing = (ward_routing)-1},
		"which is not a routing");
	refused(&ward_group, (struct ward_router){.routing = WARD_ROUTE_CONSISTENT_HASHING},
		"needs .hash");
	refused(&ward_group, (struct ward_router){.timeout_ms = -1},
		"a router: .timeout_ms is -1: it must not be negative");
	refused(&ward_group, (struct ward_router){.interval_ms = -1},
		"a router: .interval_ms is -1: it must not be negative");
	refused(&ward_group, (struct ward_router){.reserved = {0, 0, 0, 1}}, "reserved");
	rig_close();
}

/* Wherever the cut comes. */
WARD_TEST(name_in_the_text_of_a_refusal_is_cut_between_its_characters)
{
	rig_open(NULL);
	for (int shift = 0; shift < 4; shift++) {
		char name[256] = "aaa", part[256];
		size_t length = (size_t)shift;

		for (int i = 0; i < 20; i++, length += 4)
			memcpy(name + length, "\xf0\x9f\x90\x88", 4);
		name[length] = '\0';
		snprintf(part, sizeof part, "\"%.*s\"", shift == 0 ? 64 : 60 + shift, name);
		refused(&ward_pool,
			(struct ward_router){.routee = {.behavior = &worker, .name = name}}, part);
	}
	rig_close();
}

WARD_TEST(resizer_that_does_not_fit_together_is_refused_with_a_text)
{
	const ward_resizer bad[] = {
		{.routees_min = 3, .routees_max = 2}, {.routees_min = WARD_ROUTEES_MAX + 1},
		{.routees_max = UINT32_MAX},          {.pressure_min = -1},
		{.back_off_below_percent = -1},       {.reserved = {0, 0, 0, 1}},
	};
	const char *parts[] = {".routees_max 2 is less than .routees_min 3",
			       "1048577; at most 1048576",
			       "4294967295; at most 1048576",
			       "a resizer: .pressure_min is -1: it must not be negative",
			       ".back_off_below_percent is -1: it must not be negative",
			       "reserved"};

	rig_open(NULL);
	for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
		refused(&ward_pool,
			(struct ward_router){.routee = {.behavior = &worker}, .resizer = &bad[i]},
			parts[i]);
	rig_close();
}

/* ---- copies -------------------------------------------------------------------------------- */

struct hoard {
	bool full;
};
static int hoards;
static void hoard_drop(void *body)
{
	hoards -= ((struct hoard *)body)->full;
}
static ward_err hoard_clone(void *to, const void *from)
{
	memcpy(to, from, sizeof(struct hoard));
	hoards += ((const struct hoard *)from)->full;
	return WARD_OK;
}
static ward_err hoard_decode(const void *bytes, size_t count, void *body, size_t size)
{
	ward_err err = raw_decode(bytes, count, body, size);
	hoards += err == WARD_OK && ((struct hoard *)body)->full;
	return err;
}
RAW_MESSAGE_OWNED(hoard, hoard_drop, hoard_clone, hoard_decode);

static ward_result miser_init(ward_self *self, void *state, const void *args)
{
	ward_assert(((const struct hoard *)args)->full);
	return worker_init(self, state, args);
}
static const ward_behavior miser = {
	.name = "miser", .args = &ward_type_hoard, .init = miser_init, .receive = worker_receive};

WARD_TEST(arguments_of_routees_are_cloned_for_the_pool_and_for_each_routee)
{
	struct hoard hoard = {true};
	ward_resizer resizer = {.routees_min = 3, .messages_per_resize = 1};

	rig_open(NULL);
	hoards = 0;
	start_pool(.routee = {.behavior = &miser, .args = {WARD_COPY(hoard, &hoard)}},
		   .resizer = &resizer);
	ward_assert_eq(rig.made, 3);
	ward_assert_eq(hoards, 4);
	/* What was given is free to change. */
	hoard.full = false;
	resizer.routees_min = resizer.routees_max = 1;
	ward_kit_tell(rig.kit, rig.router, ward_adjust_pool, .change = 1);
	send_job(.number = 1, .op = BREAK); /* restarted from the copy */
	ward_assert_eq(hoards, 5);
	ward_kit_advance(rig.kit, 1000);
	ward_assert_eq(ward_kit_stats(rig.kit).actors, 3 + 1 + 4); /* the copy's bounds */
	rig_close();
	ward_assert_eq(hoards, 0);
}

WARD_TEST(routee_whose_arguments_cannot_be_copied_is_refused_with_a_text)
{
	static const ward_behavior lonely = {
		.name = "lonely", .args = &ward_type_single, .receive = worker_receive};
	struct single single = {0};
	struct ward_router args = {
		.routee = {.behavior = &lonely, .args = {WARD_COPY(single, &single)}}};
	ward_ref ref;

	rig_open(NULL);
	ward_assert_err(
		ward_system_spawn(ward_kit_system(rig.kit),
				  WARD_PROPS(&ward_pool, .args = {WARD_COPY(ward_router, &args)}),
				  &ref),
		WARD_EUNIQUE);
	ward_assert_part(ward_err_detail(), "lonely");
	ward_assert_part(ward_err_detail(), "\"single\"");
	rig_close();
}

WARD_TEST(pool_of_pools_routes_through_both)
{
	struct ward_router inner = {.routees = 2, .routee = {.behavior = &worker}};

	rig_open(NULL);
	start_pool(.routees = 2,
		   .routee = {.behavior = &ward_pool, .args = {WARD_COPY(ward_router, &inner)}});
	ward_assert_eq(rig.made, 4);
	send_jobs(1, 4);
	for (int i = 1; i <= 4; i++)
		ward_assert_eq(strlen(rig.workers[OTHERS + i].got), 1);
	rig_close();
}

WARD_TEST(router_arguments_that_were_copied_already_are_copied_again)
{
	struct ward_router args = {.routing = WARD_ROUTE_CONSISTENT_HASHING,
				   .hash = hash,
				   .routee = {.behavior = &worker},
				   .own = (void *)1}; /* of somebody else: not looked at */

	rig_open(NULL);
	start_pool_with(args, NULL);
	send_jobs(1, 2);
	assert_got(1, "1 2");
	rig_close();
}

WARD_TEST_MAIN
