/* SPDX-License-Identifier: MIT
 *
 * test_net.c - clients and a server over the network of a simulation, which cuts, delays, stalls,
 * resets and half-closes their connections.
 *
 * Method: each client writes numbered requests, a few at a time, and finishes; a session answers
 * each of them. Both know the bytes of each request and answer, so a byte that is lost, comes twice
 * or in another place is seen at once. Sessions and clients are restarted: by requests that bring
 * bad luck, which are not answered, and by messages from outside, which must lose nothing. A few
 * requests end their session for good, which no client may take for an end in order. A patient
 * client finishes when it has had all answers, so nothing comes only because of its end. At the end
 * everything is gone: actors, connections, memory.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <ward/net.h>
#include <ward/net/sim.h>
#include <ward/testkit.h>

#include "net_faults.h"
#include "net_texts.h"

enum { CLIENTS = 4, REQUESTS = 16, TRIPS = 6, STEP_MS = 30, UNLUCKY = 12, FATAL = 150 };
enum side { SERVER, CLIENT, SIDES };
enum timer { STEP = 1, GO_ON, CONNECT, TRIP };

WARD_SIGNAL(step);
WARD_SIGNAL(go_on);
WARD_SIGNAL(connect_next);
WARD_SIGNAL(trip); /* fail, without a frame at hand */

static const ward_failure_class fatal = {.name = "fatal", .parent = &ward_exception};

/* What one side has read of a connection; it outlives incarnations. */
struct reader {
	uint32_t count; /* whole texts */
	bool in_body;   /* of COUNTED: the head was read */
	size_t body_at;
	bool torn; /* the connection ended within a line, which comes as a frame: the last one */
};

/* A connection. */
struct book {
	uint32_t number;
	uint32_t requests, written;
	bool patient, finished;
	uint32_t answers[REQUESTS]; /* the requests that were answered, in order */
	uint32_t answers_count;
	struct reader readers[SIDES];
	ward_ref refs[SIDES];
	bool ended; /* the client, in order */
	bool fatal; /* the session has failed, by bad luck */
};

static struct world {
	struct ward_net_sim_options network;
	ward_stream_options options[SIDES];
	const struct framing_texts *framing;
	uint64_t salt;
	struct book books[CLIENTS];
	uint32_t clients, trips;
	ward_ref listener;
	uint64_t restarts;
	bool strict; /* no faults but those of the network */
} world;

/* ---- reading ----------------------------------------------------------------------------- */

struct end {
	ward_stream *stream;
	struct book *book;
	enum side side;
};

/* The text that comes next to this side. */
static size_t next_text(const struct end *me, struct text *ret_text)
{
	const struct book *book = me->book;
	uint32_t count = book->readers[me->side].count;

	if (me->side == SERVER) {
		ward_assert(count < book->written);
		return text_make(world.framing, world.salt, 'q', book->number, count, ret_text);
	}
	ward_assert(count < book->answers_count);
	return text_make(world.framing, world.salt, 'a', book->number, book->answers[count],
			 ret_text);
}

/* A line without its end, where the network has ended the connection. */
static bool is_torn(const char *wanted, size_t size, const ward_frame *frame)
{
	return world.framing->torn && world.network.half_close != 0 && frame->size < size &&
	       memcmp(wanted, frame->text, frame->size) == 0;
}

static bool is_frame(struct reader *reader, const char *wanted, size_t size,
		     const ward_frame *frame)
{
	ward_assert(!reader->torn);
	if (is_torn(wanted, size, frame)) {
		reader->torn = true;
		return false;
	}
	ward_assert_eq(frame->size, size);
	ward_assert(memcmp(frame->text, wanted, size) == 0);
	return true;
}

static void check_piece(struct reader *reader, const struct text *wanted, const ward_frame *frame)
{
	ward_assert(reader->body_at + frame->size <= wanted->size);
	ward_assert(memcmp(wanted->bytes + reader->body_at, frame->text, frame->size) == 0);
	reader->body_at += frame->size;
}

static void begin_body(ward_self *self, struct end *me, const struct text *wanted)
{
	const ward_framing body = WARD_COUNTED(wanted->size);

	me->book->readers[me->side].in_body = true;
	me->book->readers[me->side].body_at = 0;
	ward_stream_framing(self, me->stream, &body);
}

static bool end_body(ward_self *self, struct end *me, const struct text *wanted)
{
	const ward_framing head = WARD_LINES;
	struct reader *reader = &me->book->readers[me->side];

	if (!reader->in_body || reader->body_at < wanted->size ||
	    (ward_stream_news(me->stream) & WARD_STREAM_COUNTED) == 0)
		return false;
	reader->in_body = false;
	ward_stream_framing(self, me->stream, &head);
	return true;
}

/* Reads the next whole text; *ret_wanted is what it had to be. */
static bool read_text(ward_self *self, struct end *me, const ward_msg *msg, struct text *ret_wanted)
{
	struct reader *reader = &me->book->readers[me->side];
	ward_frame frame;
	bool whole = false;

	while (!whole && ward_stream_next(self, me->stream, msg, &frame)) {
		(void)next_text(me, ret_wanted);
		if (reader->in_body)
			check_piece(reader, ret_wanted, &frame);
		else if (!world.framing->counted)
			whole = is_frame(reader, ret_wanted->bytes, ret_wanted->size, &frame);
		else if (is_frame(reader, ret_wanted->head, strlen(ret_wanted->head), &frame))
			begin_body(self, me, ret_wanted);
	}
	if (!whole && reader->in_body) {
		(void)next_text(me, ret_wanted);
		whole = end_body(self, me, ret_wanted);
	}
	reader->count += whole;
	return whole;
}

static void write_text(ward_self *self, struct end *me, char kind, uint32_t number)
{
	struct text text;

	(void)text_make(world.framing, world.salt, kind, me->book->number, number, &text);
	if (world.framing->counted) {
		ward_stream_printf(self, me->stream, "%s\n", text.head);
		ward_stream_write(self, me->stream, text.bytes, text.size);
	} else {
		ward_stream_write_frame(self, me->stream, text.bytes, text.size);
	}
}

/* ---- either side ------------------------------------------------------------------------- */

static void begin(ward_self *self, struct end *me, enum side side, const void *args,
		  struct book *book)
{
	world.restarts += ward_incarnation(self) > 1;
	me->side = side;
	me->book = book;
	book->refs[side] = ward_self_ref(self);
	me->stream = ward_stream_start(self, args, &world.options[side]);
}

/* Now and then it does not read for a while. */
static void rest(ward_self *self, struct end *me)
{
	if (ward_random(self) % 16 != 0)
		return;
	ward_stream_pause(self, me->stream);
	ward_after(self, GO_ON, (int64_t)(ward_random(self) % 200), go_on);
}

static ward_result either_receive(ward_self *self, struct end *me, const ward_msg *msg)
{
	if (ward_match(msg, go_on)) {
		ward_stream_again(self, me->stream);
		return WARD_DONE;
	}
	if (ward_match(msg, trip))
		return ward_failed(self, &ward_exception, "tripped");
	return ward_stream_result(self, me->stream, msg);
}

static ward_result post_stop(ward_self *self, void *state)
{
	struct end *me = state;
	const ward_failure *failure;
	ward_end why = ward_stop_reason(self, &failure);

	if (me->book == NULL)
		return WARD_DONE;
	me->book->ended |= me->side == CLIENT && why == WARD_END_NORMAL;
	me->book->fatal |= why == WARD_END_FAILED && ward_failure_class_of(failure) == &fatal;
	return WARD_DONE;
}

/* ---- the server -------------------------------------------------------------------------- */

static ward_result session_init(ward_self *self, void *state, const void *args)
{
	char peer[WARD_ADDRESS_TEXT];
	unsigned number;

	/* The network numbers connections from 1. */
	(void)ward_stream_peer(((const struct ward_connection *)args)->stream, peer);
	ward_assert_eq(sscanf(peer, "sim:server#%u", &number), 1);
	begin(self, state, SERVER, args, &world.books[number - 1]);
	ward_stream_again(self, ((struct end *)state)->stream); /* if it rested before */
	return WARD_DONE;
}

static ward_result session_receive(ward_self *self, void *state, const ward_msg *msg)
{
	struct end *me = state;
	struct book *book = me->book;
	struct text wanted;

	while (read_text(self, me, msg, &wanted)) {
		uint32_t number = book->readers[SERVER].count - 1;

		if (ward_random(self) % FATAL == 0)
			return ward_failed(self, &fatal, "very bad luck");
		if (ward_random(self) % UNLUCKY == 0)
			return ward_failed(self, &ward_exception, "bad luck");
		if (ward_random(self) % UNLUCKY == 0)
			ward_fail(self, &ward_exception, "bad luck");
		book->answers[book->answers_count++] = number;
		write_text(self, me, 'a', number);
		rest(self, me);
	}
	return either_receive(self, me, msg);
}

static const ward_behavior session = {.name = "session",
				      .state_size = sizeof(struct end),
				      .args = &ward_type_ward_connection,
				      .init = session_init,
				      .receive = session_receive,
				      .post_stop = post_stop};

/* ---- the clients ------------------------------------------------------------------------- */

static void step_later(ward_self *self)
{
	ward_after(self, STEP, (int64_t)(ward_random(self) % STEP_MS), step);
}

static ward_result client_init(ward_self *self, void *state, const void *args)
{
	const struct ward_connection *connection = args;

	begin(self, state, CLIENT, args, (struct book *)(uintptr_t)connection->with);
	ward_stream_again(self, ((struct end *)state)->stream);
	step_later(self);
	return WARD_DONE;
}

/* All was read that will come, as far as anybody can know. */
static bool has_all(const struct book *book)
{
	return book->readers[SERVER].count == book->requests &&
	       book->readers[CLIENT].count == book->answers_count;
}

static void write_some(ward_self *self, struct end *me)
{
	struct book *book = me->book;

	for (uint64_t i = ward_random(self) % 4; i > 0 && book->written < book->requests; i--)
		write_text(self, me, 'q', book->written++);
	if (book->written < book->requests || (book->patient && !has_all(book))) {
		step_later(self);
	} else if (!book->finished) {
		book->finished = true;
		ward_stream_finish(self, me->stream);
	}
}

static ward_result client_receive(ward_self *self, void *state, const ward_msg *msg)
{
	struct end *me = state;
	struct text wanted;

	if (ward_match(msg, step)) {
		write_some(self, me);
		return WARD_DONE;
	}
	while (read_text(self, me, msg, &wanted))
		rest(self, me);
	return either_receive(self, me, msg);
}

static const ward_behavior client = {.name = "client",
				     .state_size = sizeof(struct end),
				     .args = &ward_type_ward_connection,
				     .init = client_init,
				     .receive = client_receive,
				     .post_stop = post_stop};

/* ---- who starts them --------------------------------------------------------------------- */

static const ward_strategy strategy = {
	.otherwise = WARD_RESTART, .rules = {{&ward_net_failure, WARD_STOP}, {&fatal, WARD_STOP}}};

/* `often`, in one run of two. */
static uint32_t maybe(ward_self *self, uint32_t often)
{
	return ward_random(self) % 2 == 0 ? often : 0;
}

static void draw_options(ward_self *self, ward_stream_options *options)
{
	*options = (ward_stream_options){
		.framing = world.framing->framing,
		.frame_max = TEXT_MAX,
		.write_ms = 60 * WARD_MINUTE, /* stalls may add up */
		.frames_per_turn = maybe(self, 1 + (uint32_t)(ward_random(self) % 3)),
		/* Two ends that do not read while they are full would wait for each other. */
		.write_high = options == &world.options[SERVER] ? maybe(self, 200) : 0,
		.write_closes_mailbox = ward_random(self) % 2 == 0,
	};
}

static void draw(ward_self *self)
{
	world.salt = ward_random(self);
	world.framing = &framings[ward_random(self) % FRAMINGS];
	world.network = (struct ward_net_sim_options){
		.cut = maybe(self, 300),
		.delay = maybe(self, 300),
		.stall = maybe(self, 20),
		.reset = maybe(self, 8),
		.half_close = maybe(self, 8),
		.narrow = maybe(self, 400),
		.refuse = maybe(self, 100),
		.descriptors = maybe(self, 300),
		.window = maybe(self, 500),
	};
	draw_options(self, &world.options[SERVER]);
	draw_options(self, &world.options[CLIENT]);
	for (uint32_t i = 0; i < CLIENTS; i++) {
		world.books[i].number = i;
		world.books[i].patient = ward_random(self) % 2 == 0;
		world.books[i].requests = (uint32_t)(ward_random(self) % (REQUESTS + 1));
	}
}

static void connect_later(ward_self *self)
{
	ward_after(self, CONNECT, (int64_t)(1 + ward_random(self) % 50), connect_next);
}

static void trip_later(ward_self *self)
{
	ward_after(self, TRIP, (int64_t)(1 + ward_random(self) % 200), trip);
}

static ward_result director_init(ward_self *self, void *state, const void *args)
{
	(void)state, (void)args;
	draw(self);
	ward_spawn(self, &ward_net_sim, .name = "network",
		   .args = {WARD_COPY(ward_net_sim_options, &world.network)});
	connect_later(self);
	trip_later(self);
	return WARD_DONE;
}

/* Once the network is there. */
static void listen_first(ward_self *self)
{
	struct ward_listener at = {.address = "sim:server", .child = {.behavior = &session}};

	world.listener =
		ward_spawn(self, &ward_listen, .name = "listener",
			   .args = {WARD_COPY(ward_listener, &at)}, .child_strategy = &strategy);
}

static void connect_one(ward_self *self)
{
	struct ward_connection connection;

	ward_assert_ok(ward_net_sim_connect(ward_self_system(self), "sim:server", &connection));
	connection.with = &world.books[world.clients++];
	ward_spawn(self, &client, .args_given = true,
		   .args = {WARD_COPY(ward_connection, &connection)});
}

static void trip_one(ward_self *self)
{
	uint64_t which = ward_random(self);
	ward_ref who = world.books[which / SIDES % CLIENTS].refs[which % SIDES];

	if (ward_system_is_alive(ward_self_system(self), who))
		ward_tell(self, who, trip);
	if (++world.trips < TRIPS)
		trip_later(self);
}

static ward_result director_receive(ward_self *self, void *state, const ward_msg *msg)
{
	(void)state;
	if (ward_match(msg, trip)) {
		trip_one(self);
		return WARD_DONE;
	}
	if (ward_ref_is_nobody(world.listener))
		listen_first(self);
	else
		connect_one(self);
	if (world.clients < CLIENTS)
		connect_later(self);
	return WARD_DONE;
}

static const ward_behavior director = {.name = "director",
				       .child_strategy = &strategy,
				       .init = director_init,
				       .receive = director_receive};

/* ---- the runs ---------------------------------------------------------------------------- */

/* Of all runs: how many had what. In memory that their processes share. */
struct tally {
	bool strict;
	uint64_t salt; /* of the last run */
	uint64_t runs, faulty, restarts, whole;
	struct net_faults faults;
	uint64_t framings[FRAMINGS];
};

static void tally_up(struct tally *tally, const struct ward_net_sim_counts *counts)
{
	if (tally->salt == world.salt)
		return; /* made twice, to compare */
	tally->salt = world.salt;
	tally->runs++;
	tally->framings[world.framing - framings]++;
	count_faults(&tally->faults, counts);
	count_run(&tally->restarts, world.restarts);
	count_run(&tally->faulty, counts->cuts + counts->stalls + counts->resets +
					  counts->half_closes + counts->refusals +
					  counts->descriptors);
	for (int i = 0; i < CLIENTS; i++)
		tally->whole += world.books[i].ended;
}

static void check_book(ward_kit *kit, const struct book *book,
		       const struct ward_net_sim_counts *counts)
{
	for (int side = 0; side < SIDES; side++)
		ward_assert(!ward_system_is_alive(ward_kit_system(kit), book->refs[side]));
	/* Nothing went wrong that may lose anything. */
	if (world.strict && counts->resets + counts->half_closes + counts->refusals == 0)
		ward_assert(book->ended || book->fatal);
	if (!book->ended || counts->half_closes > 0)
		return;
	ward_assert_eq(book->written, book->requests);
	ward_assert_eq(book->readers[SERVER].count, book->requests);
	ward_assert_eq(book->readers[CLIENT].count, book->answers_count);
}

static void run(ward_kit *kit, void *arg)
{
	struct ward_net_sim_counts counts;
	struct ward_listener_state now;

	world = (struct world){.strict = ((struct tally *)arg)->strict};
	(void)ward_kit_spawn(kit, &director);
	ward_simulation_eventually_idle(kit, 60 * WARD_MINUTE);
	ward_assert_eq(world.clients, CLIENTS);
	ward_assert(ward_net_sim_look(ward_kit_system(kit), &counts));
	ward_assert_eq(counts.connects, CLIENTS);
	for (int i = 0; i < CLIENTS; i++)
		check_book(kit, &world.books[i], &counts);
	ward_assert_eq(counts.wires, 0);
	ward_assert_ok(ward_system_ask(ward_kit_system(kit), world.listener, WARD_SECOND, &now,
				       ward_listener_look));
	ward_assert_eq(now.connections, 0);
	ward_assert_eq(now.accepted, counts.accepts);
	ward_simulation_note(kit, counts.bytes);
	ward_simulation_note(kit, counts.cuts + counts.delays + counts.stalls);
	tally_up(arg, &counts);
}

static void simulate(ward_simulation_test test, bool strict)
{
	struct tally *tally = shared_by_runs(sizeof *tally);

	tally->strict = strict;
	test.run = run;
	test.arg = tally;
	ward_simulate_check(&test);
	printf("# %" PRIu64 " seeds, %" PRIu64 " with a fault that cuts, stalls or ends\n",
	       tally->runs, tally->faulty);
	printf("# restarts in %" PRIu64 " of them, %" PRIu64 " connections that ended in order\n",
	       tally->restarts, tally->whole);
	for (int i = 0; i < FRAMINGS; i++) {
		printf("# %s: %" PRIu64 "\n", framings[i].name, tally->framings[i]);
		ward_assert(tally->framings[i] > 0 || tally->runs < 100);
	}
	check_faults(&tally->faults, tally->runs);
}

WARD_TEST(each_request_is_answered_once_and_in_order, "S133", "S134", "S135", "S155", "S157",
	  "S159")
{
	simulate((ward_simulation_test){.name = "net", .seeds = 300, .check_every = 16}, true);
}

/* Turns that are late, clocks that jump, callbacks that fail: what is lost there is not looked
 * for, the rest is. */
WARD_TEST(beside_faults_of_the_system_nothing_comes_twice_or_in_another_order, "S133", "S134",
	  "S155")
{
	static const ward_fault_mix faults = {
		.stall = 4, .jump = 2, .fail = 6, .delay = 6, .path = "*/listener/*"};

	simulate((ward_simulation_test){.name = "net_faults", .seeds = 200, .faults = faults},
		 false);
}

WARD_TEST_MAIN
