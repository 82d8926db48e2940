/* SPDX-License-Identifier: MIT
 *
 * network.c - carries frames between two ends: at once on threads, by the loop's clock in a
 * simulation.
 *
 * A frame that is lost takes with it all later ones of its life in that direction: a stream of
 * bytes loses its end, never a part in the middle. Ticks are lost as well, so the ends notice it.
 * Its bytes stay in the window, as nobody says that they have come.
 *
 * A line that waits has asked its keeper a question; the bell is the answer to it. So the bell
 * passes a closed mailbox, counts in none, and needs no descriptor. A shortage of a test spares
 * both.
 */
#include "testkit/loop/network.h"

#include <ward/testkit/check.h>

#include "testkit/check/shortage.h"
#include "testkit/loop/frame.h"
#include "testkit/simulate/driver.h"

WARD_SIGNAL(wardi_loop_bell);

/* ---- bells -------------------------------------------------------------------------------- */

static size_t in_flight_locked(const struct wardi_end *to)
{
	return to->transit.bytes + to->inbox.bytes + to->unread;
}

static bool is_worth_a_bell_locked(struct wardi_end *end)
{
	const struct wardi_end *peer = wardi_loop_peer(end);

	return end->inbox.first != NULL ||
	       (end->full && in_flight_locked(peer) <= end->loop->options.window_bytes / 2);
}

/* Notifies an actor that something has come, or that the wire is cut: no shortage prevents that. */
static void tell(const struct wardi_end *end, ward_ref to, const ward_type *type, const void *body,
		 size_t size)
{
	bool before = wardi_shortage_spare(true);

	ward_system_send(end->node->system, to, type, body, size);
	(void)wardi_shortage_spare(before);
}

/* Rings if the line waits and has something to do. */
static void ring_locked(struct wardi_end *end)
{
	ward_ref question = end->question;

	if (ward_ref_is_nobody(question) || !is_worth_a_bell_locked(end))
		return;
	end->question = ward_nobody();
	tell(end, question, &ward_type_wardi_loop_bell, NULL, 0);
}

void wardi_network_arm(struct wardi_end *end, ward_ref question)
{
	wardi_loop_lock(end->loop);
	end->question = question;
	if (end->loop->simulated)
		end->rung = true;
	else
		ring_locked(end);
	wardi_loop_unlock(end->loop);
}

/* ---- faults ------------------------------------------------------------------------------- */

static void lose_locked(struct wardi_end *end, struct wardi_frame *frame)
{
	if (frame->note.life > end->lost_life)
		end->lost_life = frame->note.life;
	if (frame->note.kind == WARDI_FRAME_CONTROL)
		end->unread += frame->bytes;
	end->loop->stats.lost++;
	wardi_frame_free(frame);
}

static void drop_all(struct wardi_end *end, struct wardi_queue *queue)
{
	struct wardi_frame *frame;

	while ((frame = wardi_queue_pop(queue)) != NULL)
		lose_locked(end, frame);
}

void wardi_network_cut_locked(struct wardi_end *to, int64_t until_ns)
{
	to->cut_until_ns = until_ns;
	drop_all(to, &to->transit);
}

static void break_locked(struct wardi_end *to)
{
	struct wardi_frame *frame = wardi_frame_make(WARDI_FRAME_BROKEN, to->lost_life);

	drop_all(to, &to->transit);
	drop_all(to, &to->inbox);
	/* All that the pair ever had. */
	to->lost_life = to->loop->lives;
	frame->note.life = to->lost_life;
	frame->due_ns = to->loop->now_ns;
	if (to->loop->simulated) {
		wardi_queue_push(&to->transit, frame);
		return;
	}
	if (!ward_ref_is_nobody(to->keeper))
		tell(to, to->keeper, &ward_type_wardi_loop_note, &frame->note, sizeof frame->note);
	wardi_frame_free(frame);
}

void wardi_network_reset_locked(struct wardi_pair *pair, int64_t until_ns)
{
	pair->ends[0].loop->stats.resets++;
	for (int i = 0; i < 2; i++) {
		pair->ends[i].cut_until_ns = until_ns;
		break_locked(&pair->ends[i]);
	}
}

void wardi_network_forget_locked(struct wardi_end *end)
{
	drop_all(end, &end->inbox);
	end->question = ward_nobody();
	end->full = end->rung = end->open = false;
}

/* Whether it sends nothing more, although its actors may still end in order. */
static bool has_crashed(const struct wardi_node *node)
{
	return node->crashing || node->system == NULL;
}

static void crash_locked(struct wardi_node *node, int64_t until_ns)
{
	const ward_loop_options *options = &node->loop->options;

	if (node->main || options->crashed == NULL || options->comes_back == NULL)
		return;
	node->crashing = true;
	node->back_ns = until_ns;
}

/* The fault that strikes at this frame, if any. */
static void strike_locked(struct wardi_end *from, const struct wardi_frame *frame)
{
	struct wardi_end *to = wardi_loop_peer(from);
	ward_loop *loop = from->loop;
	const struct wardi_plan_fault *fault = wardi_play_frame(
		from->node->name, to->node->name,
		wardi_chance_spread(frame->note.life << 32 ^ frame->note.number << 8 ^
				    (uint64_t)frame->note.kind << 4 ^ (uint64_t)from->first ^
				    (uint64_t)frame->out.kind << 60));

	if (fault == NULL)
		return;
	int64_t until_ns = loop->now_ns + fault->delay_ms * WARD_NS_PER_MS;
	switch (fault->kind) {
	case WARDI_PLAN_RESET:
		wardi_network_reset_locked(from->pair, until_ns);
		return;
	case WARDI_PLAN_CUT:
		wardi_network_cut_locked(from, until_ns);
		wardi_network_cut_locked(to, until_ns);
		loop->stats.cuts++;
		return;
	case WARDI_PLAN_CUT_ONE_WAY:
		wardi_network_cut_locked(to, until_ns);
		loop->stats.cuts++;
		return;
	case WARDI_PLAN_LATE:
		to->late_until_ns = until_ns;
		return;
	case WARDI_PLAN_CRASH:
		crash_locked(from->node, until_ns);
		return;
	default:
		return;
	}
}

/* ---- sending and receiving ---------------------------------------------------------------- */

static void arrive_locked(struct wardi_end *end, struct wardi_frame *frame)
{
	if (ward_ref_is_nobody(end->keeper)) {
		end->loop->stats.lost++;
		wardi_frame_free(frame);
		return;
	}
	if (frame->note.kind == WARDI_FRAME_CONTROL) {
		wardi_queue_push(&end->inbox, frame);
		ring_locked(end);
		return;
	}
	tell(end, end->keeper, &ward_type_wardi_loop_note, &frame->note, sizeof frame->note);
	wardi_frame_free(frame);
}

static bool is_lost_locked(const struct wardi_end *to, const struct wardi_frame *frame)
{
	return frame->note.life <= to->lost_life || to->loop->now_ns < to->cut_until_ns ||
	       to->node->system == NULL;
}

static int64_t due_locked(struct wardi_end *to)
{
	ward_loop *loop = to->loop;
	const ward_loop_options *options = &loop->options;
	int64_t due_ns = loop->now_ns + options->latency_ms * WARD_NS_PER_MS;

	if (options->jitter_ms > 0)
		due_ns += (int64_t)wardi_chance_below(
			&loop->chance, (uint64_t)(options->jitter_ms * WARD_NS_PER_MS) + 1);
	if (due_ns < to->late_until_ns)
		due_ns = to->late_until_ns;
	if (due_ns < to->last_due_ns) /* in order */
		due_ns = to->last_due_ns;
	to->last_due_ns = due_ns;
	return due_ns;
}

void wardi_network_send(struct wardi_end *end, struct wardi_frame *frame)
{
	struct wardi_end *to = wardi_loop_peer(end);
	ward_loop *loop = end->loop;

	wardi_loop_lock(loop);
	loop->stats.frames++;
	if (loop->simulated && !loop->spared && !has_crashed(end->node))
		strike_locked(end, frame);
	if (has_crashed(end->node)) {
		loop->stats.lost++;
		wardi_frame_free(frame);
	} else if (is_lost_locked(to, frame)) {
		lose_locked(to, frame);
	} else if (loop->simulated) {
		frame->due_ns = due_locked(to);
		wardi_queue_push(&to->transit, frame);
	} else {
		arrive_locked(to, frame);
	}
	if (in_flight_locked(to) > loop->stats.bytes_max)
		loop->stats.bytes_max = in_flight_locked(to);
	wardi_loop_unlock(loop);
}

void wardi_network_begin(struct wardi_end *end)
{
	wardi_loop_lock(end->loop);
	wardi_loop_peer(end)->unread = 0;
	wardi_loop_unlock(end->loop);
}

bool wardi_network_has_room(struct wardi_end *end)
{
	ward_loop *loop = end->loop;
	size_t max = loop->options.window_bytes;

	wardi_loop_lock(loop);
	size_t bytes = in_flight_locked(wardi_loop_peer(end));
	end->full = end->full ? bytes > max / 2 : bytes >= max;
	bool room = !end->full;
	wardi_loop_unlock(loop);
	return room;
}

struct wardi_frame *wardi_network_receive(struct wardi_end *end, uint64_t life)
{
	struct wardi_end *peer = wardi_loop_peer(end);
	struct wardi_frame *frame;

	wardi_loop_lock(end->loop);
	while ((frame = end->inbox.first) != NULL && frame->note.life < life)
		wardi_frame_free(wardi_queue_pop(&end->inbox));
	if (frame != NULL && frame->note.life == life)
		frame = wardi_queue_pop(&end->inbox);
	else
		frame = NULL;
	if (end->loop->simulated)
		peer->rung = peer->rung || peer->full;
	else if (peer->full)
		ring_locked(peer);
	wardi_loop_unlock(end->loop);
	return frame;
}

/* ---- by the loop's clock ------------------------------------------------------------------ */

static bool deliver_locked(struct wardi_end *end)
{
	bool any = end->rung;
	struct wardi_frame *frame;

	while ((frame = end->transit.first) != NULL && frame->due_ns <= end->loop->now_ns) {
		arrive_locked(end, wardi_queue_pop(&end->transit));
		any = true;
	}
	end->rung = false;
	ring_locked(end);
	return any;
}

bool wardi_network_deliver(ward_loop *loop)
{
	bool any = false;

	wardi_loop_lock(loop);
	for (struct wardi_pair *pair = loop->pairs; pair != NULL; pair = pair->next)
		for (int i = 0; i < 2; i++)
			any |= deliver_locked(&pair->ends[i]);
	wardi_loop_unlock(loop);
	return any;
}

bool wardi_network_is_due(ward_loop *loop)
{
	bool any = wardi_network_next_ns(loop) <= loop->now_ns;

	wardi_loop_lock(loop);
	for (struct wardi_pair *pair = loop->pairs; pair != NULL; pair = pair->next)
		any = any || pair->ends[0].rung || pair->ends[1].rung;
	wardi_loop_unlock(loop);
	return any;
}

int64_t wardi_network_next_ns(ward_loop *loop)
{
	int64_t next_ns = INT64_MAX;

	wardi_loop_lock(loop);
	for (struct wardi_pair *pair = loop->pairs; pair != NULL; pair = pair->next)
		for (int i = 0; i < 2; i++) {
			const struct wardi_frame *frame = pair->ends[i].transit.first;

			if (frame != NULL && frame->due_ns < next_ns)
				next_ns = frame->due_ns;
		}
	wardi_loop_unlock(loop);
	return next_ns;
}
