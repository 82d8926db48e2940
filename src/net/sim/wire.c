/* SPDX-License-Identifier: MIT
 *
 * wire.c - bytes under way, ends and resets of a connection.
 */
#include "net/sim/wire.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "net/sim/point.h"

enum { WINDOW = 64 * 1024, NARROW = 64 };

/* ---- it begins, and is gone -------------------------------------------------------------- */

static void unlink_wire(struct wardi_wire *wire)
{
	struct wardi_network *network = wire->network;

	if (network == NULL)
		return;
	if (wire->before != NULL)
		wire->before->next = wire->next;
	else
		network->wires = wire->next;
	if (wire->next != NULL)
		wire->next->before = wire->before;
	network->counts.wires--;
	wire->network = NULL;
}

static void free_wire(struct wardi_wire *wire)
{
	unlink_wire(wire);
	free(wire->lanes[0].bytes);
	free(wire->lanes[1].bytes);
	free(wire);
}

static uint32_t window_of(struct wardi_network *network)
{
	const struct ward_net_sim_options *options = network->options;

	if (wardi_network_strikes(network, options->narrow, &network->counts.narrows))
		return (uint32_t)wardi_dice_throw(&network->dice, NARROW);
	return options->window != 0 ? options->window : WINDOW;
}

static bool make_ends(struct wardi_wire *wire, uint32_t window)
{
	for (int i = 0; i < 2; i++) {
		wire->ends[i].wire = wire;
		wire->ends[i].bell.fd = -1;
		wire->lanes[i].window = window;
		wire->lanes[i].bytes = malloc(window);
		if (wire->lanes[i].bytes == NULL)
			return false;
	}
	return wardi_bell_make(&wire->ends[0].bell);
}

/* To a point that may not exist; end 0 has a bell, end 1 none yet. NULL: errno. */
static struct wardi_wire *make(struct wardi_network *network, const char *name)
{
	struct wardi_wire *wire = calloc(1, sizeof *wire + strlen(name) + 1);

	if (wire == NULL)
		return NULL;
	memcpy(wire->name, name, strlen(name) + 1);
	if (!make_ends(wire, window_of(network))) {
		int error = errno;

		free_wire(wire);
		errno = error;
		return NULL;
	}
	wire->network = network;
	wire->next = network->wires;
	if (wire->next != NULL)
		wire->next->before = wire;
	network->wires = wire;
	network->counts.wires++;
	wire->number = ++network->counts.connects;
	wire->connecting = true;
	wire->connect_ns =
		wardi_network_now_ns(network) + wardi_network_late_ns(network, wire->number);
	wardi_bell_set(&network->bell, true);
	return wire;
}

static bool lacks_descriptor(struct wardi_network *network)
{
	if (!wardi_network_strikes(network, network->options->descriptors,
				   &network->counts.descriptors))
		return false;
	wardi_network_tell(network, "not begun: no descriptor", network->counts.connects + 1);
	return true;
}

struct wardi_end *wardi_end_connect(ward_system *system, const char *name, bool lacks,
				    struct wardi_net_refusal *ret_refusal)
{
	struct wardi_network *network = wardi_network_of(system);
	struct wardi_wire *wire;

	if (network == NULL) {
		wardi_refuse(ret_refusal, ENETDOWN, "connect",
			     "the system has no ward_net_sim, which is the network of a "
			     "simulation");
		return NULL;
	}
	if (lacks && lacks_descriptor(network)) {
		wardi_refuse(ret_refusal, EMFILE, "socket", NULL);
		return NULL;
	}
	wire = make(network, name);
	if (wire != NULL)
		return &wire->ends[0];
	wardi_refuse(ret_refusal, errno, "socket", NULL);
	return NULL;
}

/* ---- what an end sees -------------------------------------------------------------------- */

static struct wardi_lane *out_of(const struct wardi_end *end)
{
	return &end->wire->lanes[end - end->wire->ends];
}

static struct wardi_lane *into(const struct wardi_end *end)
{
	return &end->wire->lanes[1 - (end - end->wire->ends)];
}

static uint32_t room_in(const struct wardi_lane *lane)
{
	return lane->count < WARDI_PIECES ? lane->window - (uint32_t)(lane->sent - lane->read) : 0;
}

uint32_t wardi_end_events(const struct wardi_end *end)
{
	const struct wardi_lane *in = into(end), *out = out_of(end);
	bool gone = end->wire->dead || end->error != 0;
	uint32_t events = 0;

	if (end->wire->connecting)
		return 0;
	if (gone || in->arrived > in->read || in->ended)
		events |= WARDI_READABLE;
	if (gone || out->broken || room_in(out) > 0)
		events |= WARDI_WRITABLE;
	if (gone || (in->ended && out->end != WARDI_LANE_OPEN))
		events |= WARDI_HUNG_UP;
	return events;
}

static void look(struct wardi_end *end)
{
	wardi_bell_set(&end->bell, (wardi_end_events(end) & end->wanted) != 0);
}

static void look_at_both(struct wardi_wire *wire)
{
	look(&wire->ends[0]);
	look(&wire->ends[1]);
}

void wardi_end_want(struct wardi_end *end, uint32_t events)
{
	end->wanted = events;
	look(end);
}

int wardi_end_error(struct wardi_end *end)
{
	int error = end->error;

	end->error = 0;
	return error;
}

/* Both ends see an error, each once; nothing more arrives. */
static void kill_wire(struct wardi_wire *wire, int error)
{
	wire->connecting = false;
	wire->dead = true;
	for (int i = 0; i < 2; i++) {
		wire->lanes[i].count = 0;
		wire->lanes[i].sent = wire->lanes[i].arrived;
		wire->ends[i].error = error;
	}
	look_at_both(wire);
}

/* A fault: what has arrived and was not read may be gone, too. */
static void break_wire(struct wardi_wire *wire)
{
	struct wardi_network *network = wire->network;

	network->counts.resets++;
	wardi_network_tell(network, "reset", wire->number);
	for (int i = 0; i < 2; i++)
		if (wardi_dice_throw(&network->dice, 2) == 1)
			wire->lanes[i].read = wire->lanes[i].arrived;
	kill_wire(wire, ECONNRESET);
}

/* ---- on its way -------------------------------------------------------------------------- */

/* False: the wire is dead. */
static bool arrive(struct wardi_wire *wire, struct wardi_lane *lane)
{
	const struct wardi_end *reader = &wire->ends[1 - (lane - wire->lanes)];
	struct wardi_piece_under_way piece = lane->pieces[lane->first];

	if (piece.resets) {
		lane->arrived +=
			wardi_dice_throw(&wire->network->dice, piece.to - lane->arrived) - 1;
		break_wire(wire);
		return false;
	}
	lane->first = (lane->first + 1) % WARDI_PIECES;
	lane->count--;
	lane->arrived = piece.to;
	if (!reader->closed)
		return true;
	kill_wire(wire, ECONNRESET); /* nobody is there to read it */
	return false;
}

static void arrive_end(struct wardi_wire *wire, struct wardi_lane *lane)
{
	if (lane->end == WARDI_LANE_RESETS) {
		kill_wire(wire, ECONNRESET);
		return;
	}
	lane->ended = true;
	if (lane->broken) {
		wire->network->counts.half_closes++;
		wardi_network_tell(wire->network, "half-closed", wire->number);
	}
}

/* Returns when something of it is due next. */
static int64_t move_lane(struct wardi_wire *wire, struct wardi_lane *lane, int64_t now_ns)
{
	while (lane->count > 0 && lane->pieces[lane->first].at_ns <= now_ns)
		if (!arrive(wire, lane))
			return INT64_MAX;
	if (lane->count > 0)
		return lane->pieces[lane->first].at_ns;
	if (lane->end == WARDI_LANE_OPEN || lane->ended)
		return INT64_MAX;
	if (lane->end_ns > now_ns)
		return lane->end_ns;
	arrive_end(wire, lane);
	return INT64_MAX;
}

static void arrive_connect(struct wardi_wire *wire)
{
	struct wardi_network *network = wire->network;

	wire->connecting = false;
	if (wardi_network_strikes(network, network->options->refuse, &network->counts.refusals))
		wardi_network_tell(network, "refused", wire->number);
	else if (wardi_point_reach(network, wire))
		return;
	wire->ends[1].closed = true;
	kill_wire(wire, ECONNREFUSED);
}

static int64_t move(struct wardi_wire *wire, int64_t now_ns)
{
	int64_t due_ns, other_ns;

	if (wire->connecting && wire->connect_ns > now_ns)
		return wire->connect_ns;
	if (wire->connecting)
		arrive_connect(wire);
	due_ns = wire->dead ? INT64_MAX : move_lane(wire, &wire->lanes[0], now_ns);
	other_ns = wire->dead ? INT64_MAX : move_lane(wire, &wire->lanes[1], now_ns);
	look_at_both(wire);
	return due_ns < other_ns ? due_ns : other_ns;
}

/* After something was put on a wire: moves what is due now, and has the network do the rest. */
static void set_moving(struct wardi_wire *wire)
{
	struct wardi_network *network = wire->network;

	if (move(wire, wardi_network_now_ns(network)) != INT64_MAX)
		wardi_bell_set(&network->bell, true);
}

int64_t wardi_wires_move(struct wardi_network *network)
{
	int64_t now_ns = wardi_network_now_ns(network), first_ns = INT64_MAX;

	for (struct wardi_wire *wire = network->wires; wire != NULL; wire = wire->next) {
		int64_t due_ns = move(wire, now_ns);

		if (due_ns < first_ns)
			first_ns = due_ns;
	}
	return first_ns;
}

void wardi_wires_end(struct wardi_network *network)
{
	while (network->wires != NULL) {
		struct wardi_wire *wire = network->wires;

		unlink_wire(wire);
		wire->ends[1].closed |= wire->connecting; /* it never gets there */
		kill_wire(wire, ECONNRESET);
	}
}

/* ---- what an end does -------------------------------------------------------------------- */

/* Copies between a ring and `count` pieces of memory, from `at` on; stops after `most`. */
static void copy(struct wardi_lane *lane, uint64_t at, const struct iovec *pieces, uint32_t most,
		 bool out)
{
	for (uint32_t done = 0; done < most; pieces++) {
		unsigned char *bytes = pieces->iov_base;

		for (size_t i = 0; i < pieces->iov_len && done < most; i++, done++) {
			unsigned char *place = &lane->bytes[(at + done) % lane->window];

			if (out)
				bytes[i] = *place;
			else
				*place = bytes[i];
		}
	}
}

static uint32_t sum(const struct iovec *pieces, int count, uint64_t most)
{
	uint64_t size = 0;

	for (int i = 0; i < count; i++)
		size += pieces[i].iov_len;
	return (uint32_t)(size < most ? size : most);
}

ssize_t wardi_end_receive(struct wardi_end *end, const struct iovec *pieces, int count)
{
	struct wardi_lane *in = into(end);
	uint32_t size = sum(pieces, count, in->arrived - in->read);

	if (size > 0) {
		copy(in, in->read, pieces, size, true);
		in->read += size;
		if (end->wire->network != NULL)
			end->wire->network->counts.bytes += size;
		look_at_both(end->wire);
		return size;
	}
	if (end->error != 0) {
		errno = wardi_end_error(end);
		return -1;
	}
	if (end->wire->dead || in->ended)
		return 0;
	errno = EAGAIN;
	return -1;
}

static void put(struct wardi_network *network, struct wardi_wire *wire, struct wardi_lane *out,
		uint32_t size)
{
	const struct ward_net_sim_options *options = network->options;
	int64_t at_ns =
		wardi_network_now_ns(network) + wardi_network_late_ns(network, wire->number);
	uint32_t place = (out->first + out->count++) % WARDI_PIECES;

	out->last_ns = at_ns > out->last_ns ? at_ns : out->last_ns;
	out->sent += size;
	out->pieces[place] = (struct wardi_piece_under_way){
		out->last_ns, out->sent, wardi_dice_strike(&network->dice, options->reset)};
	if (!wardi_dice_strike(&network->dice, options->half_close))
		return;
	out->broken = true;
	out->end = WARDI_LANE_ENDS;
	out->end_ns = out->last_ns;
}

/* 0: it can send; otherwise an errno. */
static int refusal(struct wardi_end *end)
{
	const struct wardi_lane *out = out_of(end);

	if (end->error == 0 && !end->wire->dead && out->broken)
		break_wire(end->wire);
	if (end->error != 0)
		return wardi_end_error(end);
	if (end->wire->dead || out->end != WARDI_LANE_OPEN)
		return EPIPE;
	return end->wire->connecting || room_in(out) == 0 ? EAGAIN : 0;
}

ssize_t wardi_end_send(struct wardi_end *end, const struct iovec *pieces, int count)
{
	struct wardi_wire *wire = end->wire;
	struct wardi_lane *out = out_of(end);
	struct wardi_network *network = wire->network;
	uint32_t size = sum(pieces, count, room_in(out));

	errno = refusal(end);
	if (errno != 0)
		return -1;
	if (size > 1 &&
	    wardi_network_strikes(network, network->options->cut, &network->counts.cuts))
		size = (uint32_t)wardi_dice_throw(&network->dice, size - 1);
	if (size > 0) {
		copy(out, out->sent, pieces, size, false);
		put(network, wire, out, size);
		set_moving(wire);
	}
	return size;
}

static void end_lane(struct wardi_wire *wire, struct wardi_lane *out, enum wardi_lane_end how)
{
	struct wardi_network *network = wire->network;
	int64_t at_ns =
		wardi_network_now_ns(network) + wardi_network_late_ns(network, wire->number);

	out->end = how;
	out->end_ns = at_ns > out->last_ns ? at_ns : out->last_ns;
	set_moving(wire);
}

void wardi_end_finish(struct wardi_end *end)
{
	if (!end->wire->dead && out_of(end)->end == WARDI_LANE_OPEN)
		end_lane(end->wire, out_of(end), WARDI_LANE_ENDS);
}

void wardi_end_close(struct wardi_end *end, bool reset)
{
	struct wardi_wire *wire = end->wire;
	struct wardi_lane *in = into(end), *out = out_of(end);
	bool unread = in->arrived > in->read;

	wardi_bell_close(&end->bell);
	end->closed = true;
	if (wire->connecting)
		wire->ends[1].closed = true; /* it never gets there */
	else if (!reset && !unread)
		wardi_end_finish(end);
	else if (!wire->dead && out->ended)
		kill_wire(wire, ECONNRESET);
	else if (!wire->dead)
		end_lane(wire, out, WARDI_LANE_RESETS);
	if (wire->ends[0].closed && wire->ends[1].closed)
		free_wire(wire);
}
