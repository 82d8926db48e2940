/* SPDX-License-Identifier: MIT
 *
 * test_proxy.c - clients, the proxy of examples/37-proxy as it is, and a server that is down now
 * and then, all in the network of a simulation.
 *
 * Method: a client writes numbered requests, a few at a time, and finishes; the server answers each
 * of them in order. Both know the bytes, so one that is lost, comes twice or in another connection
 * is seen at once. Some clients open their streams, the others are children of connectors; each
 * connects again, after a pause, until one connection has brought all answers. What is checked:
 *
 *	- a connection that ends in order has brought all answers, or the breaker has sent it away;
 *	  what the server does not end in order, the client does not see as an end
 *	- where nothing went wrong each client is done with its first connection
 *	- when the faults have ended all clients come to their ends, and nothing is left
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include <ward/net/sim.h>
#include <ward/testkit.h>

/* The example has a program around it, and stops only whom its breaker sends away. */
int proxy_main(int argc, char **argv);
static uint64_t sent_away;
#define main proxy_main
#define ward_stop(self_, who_) (sent_away++, ward_stop(self_, who_))
#include "../../examples/37-proxy/proxy.c"
#undef ward_stop
#undef main

#include "net_faults.h"
#include "net_texts.h"

enum { CLIENTS = 6, REQUESTS = 12, BOOKS = 4000, STEPS = 100, STEP_MS = 200 };
enum timer { WRITE = 1, GO_ON, STEP, LISTEN, START /* and the number of the client */ };

WARD_SIGNAL(write_on);
WARD_SIGNAL(read_on);
WARD_SIGNAL(step);
WARD_SIGNAL(listen_again);
struct start_client {
	uint32_t number;
};
WARD_MESSAGE_FLAT(start_client);

/* A connection of a client. */
struct book {
	uint32_t number;
	struct customer *customer;
	uint32_t written, seen, answered; /* requests; seen by the server */
};

struct customer {
	uint32_t number, requests;
	bool patient; /* finishes when it has had all answers */
	bool connector;
	bool done;
	ward_ref ref;
};

static struct world {
	struct ward_net_sim_options network;
	ward_stream_options options[2]; /* of clients, of the server */
	const struct framing_texts *framing;
	uint64_t salt;
	struct customer customers[CLIENTS];
	struct book books[BOOKS];
	uint32_t books_count, steps;
	uint64_t vain,
		early; /* ends without all answers; the server has seen nothing, or something */
	uint64_t downs, lost, not_connected, retries;
	bool down;
	ward_ref listener;
} world;

/* ---- either side ------------------------------------------------------------------------- */

static bool is_text(const ward_frame *frame, char kind, uint32_t book, uint32_t number)
{
	struct text wanted;

	(void)text_make(world.framing, world.salt, kind, book, number, &wanted);
	return frame->size == wanted.size && memcmp(frame->text, wanted.bytes, wanted.size) == 0;
}

static void write_text(ward_self *self, ward_stream *stream, char kind, uint32_t book,
		       uint32_t number)
{
	struct text text;

	(void)text_make(world.framing, world.salt, kind, book, number, &text);
	ward_stream_write_frame(self, stream, text.bytes, text.size);
}

/* Now and then it does not read for a while. */
static void rest(ward_self *self, ward_stream *stream)
{
	if (ward_random(self) % 16 != 0)
		return;
	ward_stream_pause(self, stream);
	ward_after(self, GO_ON, (int64_t)(ward_random(self) % 200), read_on);
}

/* ---- the server -------------------------------------------------------------------------- */

struct desk {
	ward_stream *peer;
	struct book *book; /* that of the first request */
};

static ward_result desk_init(ward_self *self, void *state, const void *args)
{
	((struct desk *)state)->peer = ward_stream_start(self, args, &world.options[1]);
	return WARD_DONE;
}

static void answer(ward_self *self, struct desk *me, const ward_frame *frame)
{
	unsigned book, number;

	ward_assert_eq(sscanf(frame->text, "q %u %u ", &book, &number), 2);
	ward_assert(book < world.books_count);
	if (me->book == NULL)
		me->book = &world.books[book];
	ward_assert(me->book == &world.books[book]);
	ward_assert_eq(number, me->book->seen);
	ward_assert(is_text(frame, 'q', book, number));
	me->book->seen++;
	write_text(self, me->peer, 'a', book, number);
}

static ward_result desk_receive(ward_self *self, void *state, const ward_msg *msg)
{
	struct desk *me = state;
	ward_frame frame;

	if (ward_match(msg, read_on)) {
		ward_stream_again(self, me->peer);
		return WARD_DONE;
	}
	while (ward_stream_next(self, me->peer, msg, &frame)) {
		answer(self, me, &frame);
		rest(self, me->peer);
	}
	return ward_stream_result(self, me->peer, msg);
}

/* A server that is killed does not end its connections in order. */
static ward_result desk_post_stop(ward_self *self, void *state)
{
	if (ward_stop_reason(self, NULL) == WARD_END_STOPPED)
		ward_stream_abort(self, ((struct desk *)state)->peer);
	return WARD_DONE;
}

static const ward_behavior desk = {.name = "desk",
				   .state_size = sizeof(struct desk),
				   .args = &ward_type_ward_connection,
				   .init = desk_init,
				   .receive = desk_receive,
				   .post_stop = desk_post_stop};

/* ---- the clients ------------------------------------------------------------------------- */

struct asker {
	ward_stream *stream;
	struct book *book;
};

static void write_later(ward_self *self)
{
	ward_after(self, WRITE, (int64_t)(ward_random(self) % 30), write_on);
}

static void begin(ward_self *self, struct asker *me, uint32_t number)
{
	ward_assert(world.books_count < BOOKS);
	me->book = &world.books[world.books_count];
	me->book->number = world.books_count++;
	me->book->customer = &world.customers[number];
	write_later(self);
}

static ward_result opener_init(ward_self *self, void *state, const void *args)
{
	struct asker *me = state;

	me->stream = ward_stream_open(self, address, &world.options[0]);
	begin(self, me, ((const struct start_client *)args)->number);
	return WARD_DONE;
}

static ward_result linked_init(ward_self *self, void *state, const void *args)
{
	const struct ward_connection *connection = args;
	struct asker *me = state;

	me->stream = ward_stream_start(self, connection, &world.options[0]);
	begin(self, me, ((const struct start_client *)connection->with)->number);
	return WARD_DONE;
}

static bool has_all(const struct book *book)
{
	return book->answered == book->customer->requests;
}

static void write_some(ward_self *self, struct asker *me)
{
	struct book *book = me->book;
	const struct customer *customer = book->customer;

	for (uint64_t i = ward_random(self) % 4; i > 0 && book->written < customer->requests; i--)
		write_text(self, me->stream, 'q', book->number, book->written++);
	if (book->written < customer->requests || (customer->patient && !has_all(book)))
		write_later(self);
	else
		ward_stream_finish(self, me->stream);
}

static ward_result asker_receive(ward_self *self, void *state, const ward_msg *msg)
{
	struct asker *me = state;
	ward_result result;
	ward_frame frame;

	if (ward_match(msg, write_on)) {
		write_some(self, me);
		return WARD_DONE;
	}
	if (ward_match(msg, read_on)) {
		ward_stream_again(self, me->stream);
		return WARD_DONE;
	}
	while (ward_stream_next(self, me->stream, msg, &frame)) {
		ward_assert(me->book->answered < me->book->seen);
		ward_assert(is_text(&frame, 'a', me->book->number, me->book->answered));
		me->book->answered++;
		rest(self, me->stream);
	}
	result = ward_stream_result(self, me->stream, msg);
	world.retries += (ward_stream_news(me->stream) & WARD_STREAM_RETRY) != 0;
	return result;
}

static ward_result asker_post_stop(ward_self *self, void *state)
{
	const struct book *book = ((const struct asker *)state)->book;
	const ward_failure *failure;
	ward_end why = ward_stop_reason(self, &failure);

	if (why == WARD_END_FAILED) {
		const struct ward_net_error *body = ward_failure_body(failure, ward_net_error);
		bool connected = ward_failure_class_of(failure) != &ward_not_connected;

		/* What the network refuses was a try to connect, and no connection. */
		ward_assert(body != NULL && (!connected || body->error != ECONNREFUSED));
		world.lost += connected;
		world.not_connected += !connected;
	} else if (why == WARD_END_NORMAL) {
		book->customer->done |= has_all(book);
		world.vain += !has_all(book) && book->seen == 0;
		world.early += !has_all(book) && book->seen > 0;
	}
	return WARD_DONE;
}

static const ward_behavior opener = {.name = "opener",
				     .state_size = sizeof(struct asker),
				     .args = &ward_type_start_client,
				     .init = opener_init,
				     .receive = asker_receive,
				     .post_stop = asker_post_stop};
static const ward_behavior linked = {.name = "linked",
				     .state_size = sizeof(struct asker),
				     .args = &ward_type_ward_connection,
				     .init = linked_init,
				     .receive = asker_receive,
				     .post_stop = asker_post_stop};

/* ---- who starts them --------------------------------------------------------------------- */

static const ward_strategy stopping = {.otherwise = WARD_STOP, .quiet = true};

/* `often`, in one run of two. */
static uint32_t maybe(ward_self *self, uint32_t often)
{
	return ward_random(self) % 2 == 0 ? often : 0;
}

static void draw(ward_self *self)
{
	world.salt = ward_random(self);
	do
		world.framing = &framings[ward_random(self) % FRAMINGS];
	while (world.framing->torn);
	world.network = (struct ward_net_sim_options){
		.cut = maybe(self, 300),
		.delay = maybe(self, 300),
		.stall = maybe(self, 20),
		.reset = maybe(self, 8),
		.half_close = maybe(self, 8),
		.narrow = maybe(self, 400),
		.refuse = maybe(self, 150),
		.descriptors = maybe(self, 150),
		.window = maybe(self, 500),
	};
	for (int i = 0; i < 2; i++)
		world.options[i] = (ward_stream_options){
			.framing = world.framing->framing,
			.frame_max = TEXT_MAX,
			.connect_tries = 1 + (uint32_t)(ward_random(self) % 4),
			.connect_ms = 5000,
			.frames_per_turn = maybe(self, 1),
		};
	for (uint32_t i = 0; i < CLIENTS; i++)
		world.customers[i] = (struct customer){
			.number = i,
			.requests = (uint32_t)(1 + ward_random(self) % REQUESTS),
			.patient = ward_random(self) % 2 == 0,
			.connector = i % 2 == 0,
		};
}

static void listen_at_back(ward_self *self)
{
	struct ward_listener at = {.address = server, .child = {.behavior = &desk}};

	world.listener = ward_spawn(self, &ward_listen, .args = {WARD_COPY(ward_listener, &at)},
				    .child_strategy = &stopping);
	world.down = false;
}

static void start(ward_self *self, struct customer *customer)
{
	struct start_client who = {customer->number};
	struct ward_connector to = {
		.address = address,
		.child = {.behavior = &linked, .args = {WARD_COPY(start_client, &who)}},
		.connect_ms = 5000,
		.random_factor = 0.2,
	};

	if (customer->connector) {
		customer->ref =
			ward_spawn(self, &ward_connect, .args = {WARD_COPY(ward_connector, &to)});
		return;
	}
	customer->ref = ward_spawn(self, &opener, .args = {WARD_COPY(start_client, &who)});
	ward_watch(self, customer->ref);
}

static void start_later(ward_self *self, struct customer *customer)
{
	ward_timer timer = {.key = START + customer->number,
			    .after_ms = (int64_t)(ward_random(self) % 500)};
	struct start_client who = {customer->number};

	ward_timer_start(self, &timer, WARD_COPY(start_client, &who));
}

static ward_result director_init(ward_self *self, void *state, const void *args)
{
	(void)state, (void)args;
	draw(self);
	ward_spawn(self, &ward_net_sim, .name = "network",
		   .args = {WARD_COPY(ward_net_sim_options, &world.network)});
	world.down = true;
	ward_after(self, STEP, 1, step);
	return WARD_DONE;
}

/* Once the network is there. */
static void start_all(ward_self *self)
{
	ward_spawn(self, &proxy, .name = "proxy");
	listen_at_back(self);
	for (uint32_t i = 0; i < CLIENTS; i++)
		start_later(self, &world.customers[i]);
}

static void kill_server(ward_self *self)
{
	world.downs++;
	world.down = true;
	ward_stop(self, world.listener);
	ward_after(self, LISTEN, (int64_t)(500 + ward_random(self) % 4000), listen_again);
}

/* Connectors whose client is done would go on. */
static bool all_are_done(ward_self *self)
{
	bool all = true;

	for (uint32_t i = 0; i < CLIENTS; i++) {
		struct customer *customer = &world.customers[i];

		all = all && customer->done;
		if (!customer->done || !customer->connector || ward_ref_is_nobody(customer->ref))
			continue;
		ward_stop(self, customer->ref);
		customer->ref = ward_nobody();
	}
	return all;
}

static void take_step(ward_self *self)
{
	if (world.steps++ == 0)
		start_all(self);
	else if (world.steps < STEPS && !world.down && ward_random(self) % 30 == 0)
		kill_server(self);
	if (world.steps == STEPS)
		ward_net_sim_faults_end(ward_self_system(self));
	if (!all_are_done(self) || world.steps < 2)
		ward_after(self, STEP, STEP_MS, step);
}

static ward_result director_receive(ward_self *self, void *state, const ward_msg *msg)
{
	const struct start_client *who = ward_match(msg, start_client);
	const struct ward_terminated *gone = ward_match(msg, ward_terminated);

	(void)state;
	if (ward_match(msg, step))
		take_step(self);
	else if (ward_match(msg, listen_again))
		listen_at_back(self);
	else if (who != NULL)
		start(self, &world.customers[who->number]);
	for (uint32_t i = 0; gone != NULL && i < CLIENTS; i++)
		if (ward_ref_equal(gone->who, world.customers[i].ref) && !world.customers[i].done)
			start_later(self, &world.customers[i]);
	return WARD_DONE;
}

static const ward_behavior director = {.name = "director",
				       .child_strategy = &stopping,
				       .init = director_init,
				       .receive = director_receive};

/* ---- the runs ---------------------------------------------------------------------------- */

/* Of all runs in which a fault struck: how many had what. In memory that their processes share. */
struct tally {
	uint64_t salt; /* of the last run */
	uint64_t runs, plain, downs, sent_away, lost, not_connected, retries, connections;
	struct net_faults faults;
};

static void tally_up(struct tally *tally, const struct ward_net_sim_counts *counts, bool faulty)
{
	if (tally->salt == world.salt)
		return; /* made twice, to compare */
	tally->salt = world.salt;
	tally->connections += world.books_count;
	if (!faulty) {
		tally->plain++;
		return;
	}
	tally->runs++;
	count_faults(&tally->faults, counts);
	count_run(&tally->downs, world.downs);
	count_run(&tally->sent_away, sent_away);
	count_run(&tally->lost, world.lost);
	count_run(&tally->not_connected, world.not_connected);
	count_run(&tally->retries, world.retries);
}

static void check(const struct ward_net_sim_counts *counts, bool broken)
{
	for (uint32_t i = 0; i < CLIENTS; i++)
		ward_assert(world.customers[i].done);
	/* An end that the network made up is the only one that nobody can tell from a true one. */
	if (counts->half_closes == 0) {
		ward_assert_eq(world.early, 0);
		ward_assert(world.vain <= sent_away);
	}
	if (!broken)
		ward_assert_eq(world.vain + world.early + world.lost + world.not_connected, 0);
	ward_assert_eq(counts->wires, 0);
}

static void run(ward_kit *kit, void *arg)
{
	struct ward_net_sim_counts counts;
	bool broken, faulty;

	world = (struct world){.steps = 0};
	sent_away = 0;
	address = "sim:front";
	server = "sim:back";
	(void)ward_kit_spawn(kit, &director);
	ward_simulation_eventually_idle(kit, 60 * WARD_MINUTE);
	ward_assert(ward_net_sim_look(ward_kit_system(kit), &counts));
	broken = counts.stalls + counts.resets + counts.half_closes + counts.refusals +
			 counts.descriptors + world.downs >
		 0;
	faulty = broken || counts.cuts + counts.delays + counts.narrows > 0;
	check(&counts, broken);
	ward_simulation_note(kit, counts.bytes);
	ward_simulation_note(kit, counts.connects);
	tally_up(arg, &counts, faulty);
}

WARD_TEST(client_behind_a_proxy_gets_each_answer_once_or_no_end_in_order, "S142", "S143", "S145",
	  "S151", "S152", "S155", "S158")
{
	struct tally *tally = shared_by_runs(sizeof *tally);
	const uint64_t *all[] = {&tally->downs, &tally->sent_away, &tally->lost,
				 &tally->not_connected, &tally->retries};

	ward_simulate_check(&(ward_simulation_test){
		.name = "proxy", .seeds = 200, .check_every = 16, .run = run, .arg = tally});
	printf("# %" PRIu64 " seeds with a fault, %" PRIu64 " without; %" PRIu64 " connections\n",
	       tally->runs, tally->plain, tally->connections);
	check_faults(&tally->faults, tally->runs);
	printf("# server killed %" PRIu64 ", sent away by the breaker %" PRIu64 ", reset %" PRIu64
	       ", not connected %" PRIu64 ", tried again %" PRIu64 "\n",
	       tally->downs, tally->sent_away, tally->lost, tally->not_connected, tally->retries);
	for (size_t i = 0; i < sizeof all / sizeof all[0]; i++)
		ward_assert(*all[i] > 0 || tally->runs < 100);
}

WARD_TEST_MAIN
