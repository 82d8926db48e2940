/* SPDX-License-Identifier: MIT
 *
 * test_clerk.c - how to test an actor: probes play its neighbours, and the clock is virtual.
 *
 *	cc examples/06-testing/test_clerk.c $(pkg-config --cflags --libs ward-testkit) -o test_clerk
 *
 * The clerk asks a store, waits for half a minute, and asks again. Prints the results of its tests.
 */
#include <ward/testkit.h>
#include <ward/ward.h>

/* ---- what is tested ---------------------------------------------------------------------- */

struct fetch {
	int key;
};
WARD_MESSAGE_FLAT(fetch);
struct found {
	int key;
	int value; /* never negative */
};
WARD_MESSAGE_FLAT(found);
WARD_SIGNAL(unreachable);
WARD_SIGNAL(too_late);

static const ward_failure_class nonsense = {.name = "nonsense", .parent = &ward_exception};

struct clerk_args {
	ward_ref store;
};
WARD_MESSAGE(clerk_args);

struct clerk {
	ward_ref client;
	struct fetch wanted;
	int asked;
};

enum { PATIENCE = 1, ASKED_MAX = 3 };

static ward_result ask(ward_self *self, struct clerk *me)
{
	const struct clerk_args *args = ward_args(self);

	me->asked++;
	ward_send(self, args->store, WARD_COPY(fetch, &me->wanted));
	ward_after(self, PATIENCE, 30 * WARD_SECOND, too_late);
	return WARD_DONE;
}

static ward_result clerk_receive(ward_self *self, void *state, const ward_msg *msg)
{
	struct clerk *me = state;
	const struct fetch *fetch;
	const struct found *found;

	if ((fetch = ward_match(msg, fetch))) {
		*me = (struct clerk){.client = ward_msg_sender(msg), .wanted = *fetch};
		return ask(self, me);
	}
	if ((found = ward_match(msg, found))) {
		ward_timer_cancel(self, PATIENCE);
		if (found->value < 0)
			return ward_failed(self, &nonsense, "%d for %d", found->value, found->key);
		return ward_forward(self, me->client);
	}
	if (!ward_match(msg, too_late))
		return WARD_UNHANDLED;
	if (me->asked < ASKED_MAX)
		return ask(self, me);
	ward_tell(self, me->client, unreachable);
	return WARD_DONE;
}

static const ward_behavior clerk = {
	.name = "clerk",
	.state_size = sizeof(struct clerk),
	.args = &ward_type_clerk_args,
	.receive = clerk_receive,
};

/* ---- its tests: one probe is the store, another the client and the parent ---------------- */

WARD_TEST(silent_store_is_asked_three_times_in_a_minute_and_a_half)
{
	ward_kit *kit = ward_kit_start(NULL);
	ward_probe *store = ward_probe_start(kit, "store");
	ward_probe *client = ward_probe_start(kit, "client");
	struct clerk_args args = {ward_probe_ref(store)};
	ward_ref it = ward_kit_spawn(kit, &clerk, .args = {WARD_COPY(clerk_args, &args)});

	ward_probe_tell(client, it, fetch, .key = 7);
	for (int i = 0; i < 3; i++)
		ward_assert_eq(ward_expect(store, 30 * WARD_SECOND, fetch)->key, 7);
	ward_assert(ward_expect(client, 30 * WARD_SECOND, unreachable) != NULL);
	ward_assert_eq(ward_kit_now_ns(kit), 90 * INT64_C(1000000000));
	ward_expect_none(store, WARD_HOUR);
	ward_kit_finish(kit);
}

WARD_TEST(nonsense_of_the_store_is_a_failure_and_a_restart_mends_it)
{
	ward_kit *kit = ward_kit_start(NULL);
	ward_probe *store = ward_probe_start(kit, "store");
	ward_probe *parent = ward_probe_start(kit, "parent");
	struct clerk_args args = {ward_probe_ref(store)};
	ward_ref it = ward_probe_spawn(parent, &clerk, .args = {WARD_COPY(clerk_args, &args)});

	ward_probe_tell(store, it, found, .key = 7, .value = -1);
	ward_expect_failure(parent, WARD_SECOND, it, &nonsense);
	ward_expect_events(kit, 1, .old_state = WARD_STATE_RESTARTING,
			   .new_state = WARD_STATE_RUNNING)
		ward_probe_decide(parent, it, WARD_RESTART);
	ward_probe_tell(parent, it, fetch, .key = 8);
	ward_expect(store, WARD_SECOND, fetch);
	ward_probe_reply(store, found, .key = 8, .value = 80);
	ward_assert_eq(ward_expect(parent, WARD_SECOND, found)->value, 80);
	ward_kit_finish(kit);
}
WARD_TEST_MAIN
