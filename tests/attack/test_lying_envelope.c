/* SPDX-License-Identifier: MIT
 *
 * test_lying_envelope.c - an envelope of a broadcast that was forged, and whose size is not that of
 * its body.
 */
#include <ward/router.h>
#include <ward/testkit.h>
#include <ward/ward.h>

struct plain {
	char bytes[4096];
};
WARD_MESSAGE_FLAT(plain);

struct owner {
	char bytes[4096];
};
struct single {
	char bytes[4096];
};
static int drops;

/* They look at what they are given, as those that free something do. */
static void owner_drop(struct owner *owner)
{
	drops += 1 + (owner->bytes[4095] != 0);
}
static ward_err owner_clone(struct owner *to, const struct owner *from)
{
	*to = *from;
	return WARD_OK;
}
WARD_MESSAGE_CLONE(owner, owner_drop, owner_clone);

static void single_drop(struct single *single)
{
	drops += 1 + (single->bytes[4095] != 0);
}
WARD_MESSAGE_DROP(single, single_drop);

/* What a program would have to make to forge one: the name and the layout of ward's own. */
struct envelope {
	const ward_type *type;
	uint64_t size;
};
static const ward_type forged = {
	.name = "ward_broadcast", .size = sizeof(struct envelope), .size_max = UINT32_MAX};

static int handled;

static ward_result worker_receive(ward_self *self, void *state, const ward_msg *msg)
{
	(void)self;
	(void)state;
	(void)msg;
	handled++;
	return WARD_DONE;
}
static const ward_behavior worker = {.name = "worker", .receive = worker_receive};

/* Of several sizes. */
static const ward_type loose = {.name = "loose", .size = 8, .size_max = 1 << 20};

struct full_envelope {
	struct envelope envelope;
	char body[64];
};

static ward_ref spawn_pool(ward_kit *kit, ward_routing routing, uint32_t routees)
{
	return ward_kit_spawn(kit, &ward_pool, .name = "pool",
			      .args = WARD_ARGS(ward_router, .routee = {.behavior = &worker},
						.routing = routing, .routees = routees));
}

/* One to whom an envelope of such a type and size is sent, which holds so much; it must not be
 * opened. */
static void send_holding(size_t held, ward_routing routing, uint32_t routees, const ward_type *type,
			 uint64_t size)
{
	struct full_envelope full = {{.type = type, .size = size}, {0}};
	ward_kit *kit = ward_kit_start(NULL);
	ward_ref pool = spawn_pool(kit, routing, routees);

	handled = drops = 0;
	ward_system_send(ward_kit_system(kit), pool, &forged, &full, sizeof full.envelope + held);
	ward_kit_run(kit);
	ward_assert_eq(handled, 0);
	ward_assert_eq(drops, 0);
	ward_assert_eq(ward_kit_count(kit, WARD_EVENT_DEAD_LETTER, "*"), 1);
	ward_assert_eq(ward_kit_event(kit, WARD_EVENT_DEAD_LETTER, "*", 0)->reason,
		       WARD_REASON_MISUSE);
	ward_kit_finish(kit);
}

static void send_lie(ward_routing routing, uint32_t routees, const ward_type *type, uint64_t size)
{
	send_holding(0, routing, routees, type, size);
}

WARD_TEST(envelope_that_names_more_than_it_holds_is_a_dead_letter, "S92")
{
	send_lie(WARD_ROUTE_ROUND_ROBIN, 3, &ward_type_plain, sizeof(struct plain));
	send_lie(WARD_ROUTE_BROADCAST, 3, &ward_type_plain, 100000);
	send_lie(WARD_ROUTE_ROUND_ROBIN, 1, &ward_type_plain, UINT64_MAX);
	/* What it holds fits the type, and so does what it names. */
	send_holding(64, WARD_ROUTE_ROUND_ROBIN, 3, &loose, loose.size_max);
}

WARD_TEST(envelope_without_the_body_that_it_would_own_drops_and_clones_none, "S92")
{
	send_lie(WARD_ROUTE_ROUND_ROBIN, 2, &ward_type_owner, sizeof(struct owner));
	send_lie(WARD_ROUTE_ROUND_ROBIN, 1, &ward_type_single, sizeof(struct single));
	send_lie(WARD_ROUTE_ROUND_ROBIN, 0, &ward_type_owner, sizeof(struct owner));
}

WARD_TEST(envelope_without_a_type_or_of_a_size_that_does_not_fit_it_is_a_dead_letter, "S92")
{
	send_lie(WARD_ROUTE_ROUND_ROBIN, 2, NULL, 0);
	send_lie(WARD_ROUTE_ROUND_ROBIN, 2, &ward_type_plain, 0);
	send_lie(WARD_ROUTE_ROUND_ROBIN, 2, &ward_type_single, 0);
}

static const ward_type *stolen;

static ward_result thief_receive(ward_self *self, void *state, const ward_msg *msg)
{
	(void)self;
	(void)state;
	stolen = ward_msg_type(msg);
	return WARD_DONE;
}
static const ward_behavior thief = {.name = "thief", .receive = thief_receive};

/* An envelope of ward's own type drops what it owns; the type is that of an honest one, which an
 * actor that is no router has received. */
WARD_TEST(lying_envelope_of_the_true_type_drops_nothing, "S92")
{
	struct full_envelope full = {{.type = &ward_type_owner, .size = sizeof(struct owner)}, {0}};
	ward_kit *kit = ward_kit_start(NULL);
	ward_ref pool = spawn_pool(kit, WARD_ROUTE_ROUND_ROBIN, 2);

	ward_assert_ok(ward_system_broadcast_send(ward_kit_system(kit), ward_kit_spawn(kit, &thief),
						  &loose, full.body, loose.size));
	ward_kit_run(kit);
	ward_assert_str(stolen->name, forged.name);
	handled = drops = 0;
	ward_system_send(ward_kit_system(kit), pool, stolen, &full, sizeof full);
	ward_kit_run(kit);
	ward_assert_eq(handled, 0);
	ward_assert_eq(drops, 0);
	ward_assert_eq(ward_kit_count(kit, WARD_EVENT_DEAD_LETTER, "*"), 1);
	ward_kit_finish(kit);
}

/* Each routee is a router, too, and looks at what comes out of the outer envelope. */
WARD_TEST(lying_envelope_in_an_honest_one_is_a_dead_letter_of_each_router, "S92")
{
	static const struct envelope lie = {.type = &ward_type_owner, .size = sizeof(struct owner)};
	const struct ward_router inner = {.routee = {.behavior = &worker}, .routees = 1};
	ward_kit *kit = ward_kit_start(NULL);
	ward_ref pool = ward_kit_spawn(
		kit, &ward_pool,
		.args = WARD_ARGS(ward_router,
				  .routee = {.behavior = &ward_pool,
					     .args = {WARD_COPY(ward_router, &inner)}},
				  .routees = 3));

	handled = drops = 0;
	ward_assert_ok(
		ward_system_broadcast_send(ward_kit_system(kit), pool, &forged, &lie, sizeof lie));
	ward_kit_run(kit);
	ward_assert_eq(handled, 0);
	ward_assert_eq(drops, 0);
	ward_assert_eq(ward_kit_count(kit, WARD_EVENT_DEAD_LETTER, "*"), 3);
	ward_kit_finish(kit);
}

WARD_TEST_MAIN
