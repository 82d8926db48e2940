/* SPDX-License-Identifier: MIT
 *
 * network.c - the actor of a network: it moves what is due, and says what went wrong.
 */
#include "net/sim/network.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <ward/simulation.h>
#include <ward/ward.h>

#include "common/reserved.h"
#include "net/sim/point.h"
#include "net/sim/wire.h"

enum { CERTAIN = 1000, LATE_MS = 20, STALLED_MS = 10000, DUE = 1 };

const ward_type ward_type_ward_net_sim_options = {
	.name = "ward_net_sim_options",
	.size = sizeof(struct ward_net_sim_options),
	.flags = WARD_TYPE_FLAT,
};
static const ward_type type_due = {
	.name = "ward.network_due",
	.flags = WARD_TYPE_FLAT | WARD_TYPE_QUIET,
};

static __thread struct wardi_network *networks;

struct wardi_network *wardi_network_of(const ward_system *system)
{
	struct wardi_network *network = networks;

	while (network != NULL && network->system != system)
		network = network->next;
	return network;
}

/* ---- for its parts ----------------------------------------------------------------------- */

int64_t wardi_network_now_ns(const struct wardi_network *network)
{
	return ward_simulation_now_ns(network->system);
}

bool wardi_network_strikes(struct wardi_network *network, uint32_t chance, uint64_t *counter)
{
	bool strikes = wardi_dice_strike(&network->dice, chance);

	*counter += strikes;
	return strikes;
}

static int64_t up_to_ns(struct wardi_network *network, int64_t most_ms, int64_t otherwise_ms)
{
	uint64_t most = (uint64_t)(most_ms != 0 ? most_ms : otherwise_ms);

	return (int64_t)wardi_dice_throw(&network->dice, most) * WARD_NS_PER_MS;
}

int64_t wardi_network_late_ns(struct wardi_network *network, uint64_t wire)
{
	const struct ward_net_sim_options *options = network->options;

	if (wardi_network_strikes(network, options->stall, &network->counts.stalls)) {
		wardi_network_tell(network, "stalled", wire);
		return up_to_ns(network, options->stall_ms, STALLED_MS);
	}
	if (wardi_network_strikes(network, options->delay, &network->counts.delays))
		return up_to_ns(network, options->delay_ms, LATE_MS);
	return 0;
}

void wardi_network_tell(struct wardi_network *network, const char *what, uint64_t wire)
{
	if (network->told_count < WARDI_TOLD)
		network->told[network->told_count] = (struct wardi_told){what, wire};
	network->told_count++;
	wardi_bell_set(&network->bell, true);
}

/* ---- the actor --------------------------------------------------------------------------- */

struct actor {
	struct wardi_network *network;
};

/* Runs after the descriptor of the bell was closed: nothing here may ring it. */
static void end(void *arg) WARD_NOEXCEPT
{
	struct wardi_network *network = arg, **at = &networks;

	network->bell.fd = -1;
	wardi_points_end(network);
	wardi_wires_end(network);
	while (*at != network)
		at = &(*at)->next;
	*at = network->next;
	free(network);
}

static bool is_right(const struct ward_net_sim_options *options)
{
	const uint32_t chances[] = {options->cut,        options->delay,      options->stall,
				    options->reset,      options->narrow,     options->refuse,
				    options->half_close, options->descriptors};

	for (size_t i = 0; i < sizeof chances / sizeof chances[0]; i++)
		if (chances[i] > CERTAIN)
			return false;
	return options->delay_ms >= 0 && options->stall_ms >= 0 &&
	       WARDI_RESERVED_ZERO(options->reserved);
}

static ward_result start(ward_self *self, void *state, const void *args)
{
	struct wardi_network *network;

	if (ward_simulation_self(ward_self_system(self), NULL) == NULL)
		return ward_failed(self, &ward_misuse,
				   "ward_net_sim: the system is not simulated: listen and connect "
				   "at other addresses than sim:");
	if (wardi_network_of(ward_self_system(self)) != NULL)
		return ward_failed(self, &ward_misuse, "ward_net_sim: the system has one already");
	if (!is_right(args))
		return ward_failed(self, &ward_misuse,
				   "ward_net_sim: a chance is more than 1000, a time negative, or "
				   "a reserved word not zero");
	network = calloc(1, sizeof *network);
	if (network == NULL)
		return ward_failed(self, &ward_out_of_memory, "ward_net_sim: no memory");
	network->system = ward_self_system(self);
	network->options = args;
	network->dice.state = ward_random(self);
	network->bell.fd = -1;
	network->next = networks;
	networks = network;
	ward_defer(self, end, network);
	if (!wardi_bell_make(&network->bell))
		return ward_failed_errno(self, "ward_net_sim: eventfd");
	ward_adopt_fd(self, network->bell.fd);
	ward_fd_watch(self, network->bell.fd, WARD_FD_READ);
	((struct actor *)state)->network = network;
	return WARD_DONE;
}

static void report(ward_self *self, struct wardi_network *network)
{
	uint32_t count = network->told_count < WARDI_TOLD ? network->told_count : WARDI_TOLD;

	for (uint32_t i = 0; i < count; i++)
		ward_note(self, WARD_LEVEL_INFO, "wire %" PRIu64 ": %s", network->told[i].wire,
			  network->told[i].what);
	if (network->told_count > count)
		ward_note(self, WARD_LEVEL_INFO, "and %u other faults",
			  network->told_count - count);
	network->told_count = 0;
}

/* To the millisecond in which it is due, or the next one. */
static void sleep_until(ward_self *self, int64_t due_ns)
{
	int64_t left_ns = due_ns - ward_now_ns(self);
	ward_timer timer = {.key = DUE, .exact = true};

	if (due_ns == INT64_MAX) {
		ward_timer_cancel(self, DUE);
		return;
	}
	timer.after_ms = left_ns <= 0 ? 0 : (left_ns - 1) / WARD_NS_PER_MS + 1;
	ward_timer_start(self, &timer, &type_due, NULL, 0);
}

static ward_result receive(ward_self *self, void *state, const ward_msg *msg)
{
	struct wardi_network *network = ((struct actor *)state)->network;
	int64_t due_ns;

	if (ward_match(msg, ward_fd_ready) == NULL && ward_msg_body(msg, &type_due) == NULL)
		return WARD_UNHANDLED;
	wardi_bell_set(&network->bell, false);
	due_ns = wardi_wires_move(network);
	report(self, network);
	wardi_bell_set(&network->bell, false);
	sleep_until(self, due_ns);
	ward_fd_watch(self, network->bell.fd, WARD_FD_READ);
	return WARD_DONE;
}

const ward_behavior ward_net_sim = {
	.name = "network",
	.state_size = sizeof(struct actor),
	.args = &ward_type_ward_net_sim_options,
	.init = start,
	.receive = receive,
};

/* ---- from outside ------------------------------------------------------------------------ */

bool ward_net_sim_look(const ward_system *system, struct ward_net_sim_counts *ret_counts)
{
	const struct wardi_network *network = wardi_network_of(system);

	memset(ret_counts, 0, sizeof *ret_counts);
	if (network != NULL)
		*ret_counts = network->counts;
	return network != NULL;
}

void ward_net_sim_faults_end(ward_system *system)
{
	struct wardi_network *network = wardi_network_of(system);

	if (network != NULL)
		network->dice.none = true;
}
