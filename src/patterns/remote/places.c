/* SPDX-License-Identifier: MIT
 *
 * places.c - where the guests of a node are.
 *
 * Threads: any, under a lock of its own, under which nothing is called.
 */
#include "patterns/remote/places.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include <ward/association.h>
#include <ward/extend.h>
#include <ward/system.h>

struct place {
	struct place *next;
	ward_system *system;
	ward_ref guests;
};

static pthread_mutex_t mu = PTHREAD_MUTEX_INITIALIZER;
static struct place *places; /* under mu */

static struct place **find(const ward_system *system)
{
	struct place **at = &places;

	while (*at != NULL && (*at)->system != system)
		at = &(*at)->next;
	return at;
}

ward_err wardi_remote_guests_set(ward_system *system, ward_ref guests)
{
	struct place *spare = malloc(sizeof *spare), **at, *gone = spare;

	if (spare == NULL)
		return ward_refused(WARD_ENOMEM, "no memory to note where the guests are");
	*spare = (struct place){.system = system, .guests = guests};
	pthread_mutex_lock(&mu);
	at = find(system);
	if (ward_ref_is_nobody(guests) && *at != NULL) {
		struct place *old = *at;

		*at = old->next;
		spare->next = old; /* both go */
	} else if (*at != NULL) {
		(*at)->guests = guests;
	} else if (!ward_ref_is_nobody(guests)) {
		*at = spare;
		gone = NULL;
	}
	pthread_mutex_unlock(&mu);
	if (gone != NULL)
		free(gone->next);
	free(gone);
	return WARD_OK;
}

static bool is_own_name(ward_system *system, ward_ref guests, const char *node)
{
	char path[512];
	size_t length = strlen(node);

	ward_system_path(system, guests, path, sizeof path);
	return strncmp(path, node, length) == 0 && path[length] == '/';
}

static ward_err far_guests(const ward_system *system, const char *node, ward_ref *ret_guests,
			   int64_t *ret_grace_ms)
{
	int64_t lost_after_ms;

	if (!ward_node_guests(system, node, ret_guests, &lost_after_ms))
		return ward_refused(WARD_EUNREACHED, "it is not connected, or takes no guests");
	/* The guests notice the loss within a time that is measured from their last frame. */
	*ret_grace_ms = lost_after_ms > WARD_FOREVER / 2
				? WARD_FOREVER / (2 * WARD_NS_PER_MS)
				: lost_after_ms + lost_after_ms / 4 + WARDI_REMOTE_MARGIN_MS;
	return WARD_OK;
}

ward_err ward_remote_guests(ward_system *system, const char *node, ward_ref *ret_guests,
			    int64_t *ret_grace_ms)
{
	ward_ref guests = ward_nobody();
	bool is_own = node == NULL || node[0] == '\0';
	const struct place *place;

	pthread_mutex_lock(&mu);
	place = *find(system);
	if (place != NULL)
		guests = place->guests;
	pthread_mutex_unlock(&mu);
	if (!is_own && (place == NULL || !is_own_name(system, guests, node)))
		return far_guests(system, node, ret_guests, ret_grace_ms);
	if (ward_ref_is_nobody(guests) || !ward_system_is_alive(system, guests))
		return ward_refused(WARD_EUNREACHED, "there are no guests: ward_guests_start() was "
						     "not called, or they have ended");
	*ret_guests = guests;
	*ret_grace_ms = WARDI_REMOTE_MARGIN_MS;
	return WARD_OK;
}
