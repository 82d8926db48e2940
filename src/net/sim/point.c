/* SPDX-License-Identifier: MIT
 *
 * point.c - a name of a network at which a listener listens.
 */
#include "net/sim/point.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "net/sim/wire.h"

struct wardi_point {
	struct wardi_network *network; /* NULL: it has ended */
	struct wardi_point *next;
	struct wardi_bell bell; /* a wire waits */
	struct wardi_wire *first, *last;
	char name[];
};

static struct wardi_point *find(struct wardi_network *network, const char *name)
{
	struct wardi_point *point = network->points;

	while (point != NULL && strcmp(point->name, name) != 0)
		point = point->next;
	return point;
}

static struct wardi_point *make(struct wardi_network *network, const char *name)
{
	struct wardi_point *point = calloc(1, sizeof *point + strlen(name) + 1);

	if (point == NULL)
		return NULL;
	if (!wardi_bell_make(&point->bell)) {
		int error = errno;

		free(point);
		errno = error;
		return NULL;
	}
	memcpy(point->name, name, strlen(name) + 1);
	point->network = network;
	point->next = network->points;
	network->points = point;
	return point;
}

int wardi_point_listen(ward_system *system, const char *name, struct wardi_point **ret_point,
		       struct wardi_net_refusal *ret_refusal)
{
	struct wardi_network *network = wardi_network_of(system);

	if (network == NULL)
		return wardi_refuse(ret_refusal, ENETDOWN, "bind",
				    "the system has no ward_net_sim, which is the network of a "
				    "simulation");
	if (find(network, name) != NULL)
		return wardi_refuse(ret_refusal, EADDRINUSE, "bind",
				    "another listener has this name");
	*ret_point = make(network, name);
	if (*ret_point == NULL)
		return wardi_refuse(ret_refusal, errno, "eventfd", NULL);
	return (*ret_point)->bell.fd;
}

static struct wardi_wire *take_first(struct wardi_point *point)
{
	struct wardi_wire *wire = point->first;

	if (wire != NULL)
		point->first = wire->next_waiting;
	wardi_bell_set(&point->bell, point->first != NULL);
	return wire;
}

static void reset_waiting(struct wardi_point *point)
{
	struct wardi_wire *wire;

	while ((wire = take_first(point)) != NULL)
		wardi_end_close(&wire->ends[1], true);
}

void wardi_point_close(void *arg) WARD_NOEXCEPT
{
	struct wardi_point *point = arg, **at;

	reset_waiting(point);
	if (point->network != NULL) {
		at = &point->network->points;
		while (*at != point)
			at = &(*at)->next;
		*at = point->next;
	}
	wardi_bell_close(&point->bell);
	free(point);
}

void wardi_points_end(struct wardi_network *network)
{
	while (network->points != NULL) {
		struct wardi_point *point = network->points;

		network->points = point->next;
		reset_waiting(point);
		point->network = NULL;
	}
}

bool wardi_point_reach(struct wardi_network *network, struct wardi_wire *wire)
{
	struct wardi_point *point = find(network, wire->name);

	if (point == NULL)
		return false;
	if (point->first == NULL)
		point->first = wire;
	else
		point->last->next_waiting = wire;
	point->last = wire;
	wire->next_waiting = NULL;
	wardi_bell_set(&point->bell, true);
	return true;
}

static bool lacks_descriptor(struct wardi_network *network, const struct wardi_wire *wire)
{
	if (!wardi_network_strikes(network, network->options->descriptors,
				   &network->counts.descriptors))
		return false;
	wardi_network_tell(network, "not accepted: no descriptor", wire->number);
	return true;
}

int wardi_point_accept(struct wardi_point *point, struct wardi_end **ret_end)
{
	struct wardi_wire *wire = point->first;

	if (wire == NULL)
		return EAGAIN;
	if (point->network != NULL && lacks_descriptor(point->network, wire))
		return EMFILE;
	if (!wardi_bell_make(&wire->ends[1].bell))
		return errno;
	*ret_end = &wire->ends[1];
	(void)take_first(point);
	if (point->network != NULL)
		point->network->counts.accepts++;
	return 0;
}
