/* SPDX-License-Identifier: MIT
 *
 * test_memory_after_burst.c - what a burst of messages or of actors has taken goes back when it is
 * over and the workers are idle. Of an actor its cell is left, and used again by the next one.
 *
 * Method: the kit's allocator counts the bytes; blocks come from slabs, as in a program. Simulated,
 * time is stepped; on threads the test waits until the bytes are back.
 */
#include <ward/testkit.h>
#include <ward/ward.h>

#include "cell/cell.h"

enum { MESSAGES = 100 * 1000, ACTORS = 60 * 1000, FEW = 300, ROUNDS = 2, LATER_MS = 4000 };
/* What is not worth a look, tables; and one slab of a block that is in use. */
enum { SLACK = 512 * 1024 + (2 << 20) };

struct parcel {
	int64_t contents[4];
};
WARD_MESSAGE(parcel);
WARD_SIGNAL(flood);
WARD_SIGNAL(crowd);

struct scene {
	ward_kit *kit;
	ward_ref host;
	uint64_t base; /* bytes */
	uint64_t peak;
	bool real_threads;
};
static struct scene scene;

static int messages(void)
{
	return ward_test_shortage() ? FEW : MESSAGES;
}

static int actors(void)
{
	return ward_test_shortage() ? FEW : ACTORS;
}

static void note_peak(void)
{
	scene.peak = ward_kit_bytes(scene.kit);
}

static ward_result member_receive(ward_self *self, void *state, const ward_msg *msg)
{
	(void)self;
	(void)state;
	return ward_match(msg, parcel) ? WARD_DONE : WARD_UNHANDLED;
}

static const ward_behavior member = {.name = "member", .state_size = 32, .receive = member_receive};

static ward_result crowd_start(ward_self *self, void *state)
{
	ward_ref child;

	(void)state;
	for (int i = 0; i < actors(); i++) {
		if (ward_try_spawn(self, WARD_PROPS(&member), &child))
			return ward_failed(self, &ward_exception, "%s", ward_err_detail());
		ward_tell(self, child, parcel, {i});
	}
	note_peak();
	ward_stop_self(self);
	return WARD_DONE;
}

static const ward_behavior crowd_mother = {
	.name = "crowd", .pre_start = crowd_start, .receive = member_receive};

/* A flood waits in its own mailbox, all at once; a crowd is below a child that stops. */
static ward_result host_receive(ward_self *self, void *state, const ward_msg *msg)
{
	ward_ref child;

	(void)state;
	if (ward_match(msg, flood)) {
		for (int i = 0; i < messages(); i++)
			ward_tell(self, ward_self_ref(self), parcel, {i});
		note_peak();
		return WARD_DONE;
	}
	if (ward_match(msg, crowd)) {
		if (ward_try_spawn(self, WARD_PROPS(&crowd_mother), &child))
			return ward_failed(self, &ward_exception, "%s", ward_err_detail());
		return WARD_DONE;
	}
	return ward_match(msg, parcel) ? WARD_DONE : WARD_UNHANDLED;
}

static const ward_behavior host = {.name = "host", .receive = host_receive};

static void begin(bool real_threads)
{
	scene = (struct scene){.real_threads = real_threads};
	scene.kit = ward_kit_start(&(ward_kit_options){.pooled = true,
						       .real_threads = real_threads,
						       .keeps_no_events = true,
						       .near_children = true, /* of one system */
						       .system.workers = 2});
	scene.host = ward_kit_spawn(scene.kit, &host);
	ward_kit_run(scene.kit);
	scene.base = ward_kit_bytes(scene.kit);
}

static bool is_back(void *arg)
{
	const uint64_t *left = arg;

	return ward_kit_bytes(scene.kit) <= scene.base + *left;
}

/* The peak was that of the load; later no more is left than so much, beside the slack. */
static void expect_back(uint64_t load, uint64_t left)
{
	ward_kit_run(scene.kit);
	ward_assert(scene.peak >= scene.base + load);
	left += SLACK;
	if (scene.real_threads)
		ward_assert(ward_kit_run_until(scene.kit, 40 * WARD_SECOND, is_back, &left));
	else
		ward_kit_advance(scene.kit, LATER_MS);
	ward_assert(is_back(&left));
}

static void send(const ward_type *type)
{
	ward_system_send(ward_kit_system(scene.kit), scene.host, type, NULL, 0);
}

static void flood_and_look(bool real_threads)
{
	begin(real_threads);
	for (int round = 0; round < ROUNDS; round++) {
		send(&ward_type_flood);
		expect_back(UINT64_C(80) * (uint64_t)messages(), 0);
	}
	ward_kit_finish(scene.kit);
}

WARD_TEST(burst_of_messages_leaves_no_memory_taken)
{
	flood_and_look(false);
}

WARD_TEST(burst_of_messages_on_threads_leaves_no_memory_taken)
{
	flood_and_look(true);
}

/* The cells that the first crowd has left are those of the next ones. */
static void crowd_and_look(bool real_threads)
{
	const uint64_t cells = (uint64_t)actors() * sizeof(struct wardi_cell);
	/* The last row of cells is not full. */
	const uint64_t left = cells + 4096 * sizeof(struct wardi_cell);

	begin(real_threads);
	for (int round = 0; round < ROUNDS; round++) {
		send(&ward_type_crowd);
		expect_back(cells + UINT64_C(32) * (uint64_t)actors(), left);
	}
	ward_kit_finish(scene.kit);
}

WARD_TEST(burst_of_actors_leaves_their_cells)
{
	crowd_and_look(false);
}

WARD_TEST(burst_of_actors_on_threads_leaves_their_cells)
{
	crowd_and_look(true);
}

WARD_TEST_MAIN
