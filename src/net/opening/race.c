/* SPDX-License-Identifier: MIT
 *
 * race.c - the addresses of one try, of which the first that connects wins.
 */
#include "net/opening/race.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include <ward/fd.h>
#include <ward/ward.h>

#include "net/address/connecting.h"

enum { HEAD_START_MS = 250 };

/* ---- refusals ---------------------------------------------------------------------------- */

/* This machine has no way to such an address, which says little about the peer. */
static bool is_no_way(const struct wardi_net_refusal *refusal)
{
	return refusal->error == ENETUNREACH || refusal->error == EAFNOSUPPORT ||
	       refusal->error == EADDRNOTAVAIL;
}

void wardi_race_refused(struct wardi_opening *opening, const struct wardi_net_refusal *refusal,
			const struct sockaddr *to, socklen_t size)
{
	struct wardi_net_refusal *noted = &opening->refusal;
	char at[WARD_ADDRESS_TEXT];

	if (noted->call != NULL && is_no_way(refusal))
		return;
	*noted = *refusal;
	if (to == NULL || opening->address.kind != WARDI_ADDRESS_NAME)
		return;
	wardi_address_text(to, size, at);
	snprintf(noted->text, sizeof noted->text, "%.60s: %.96s", at, refusal->text);
}

/* Of this library, and not of the peer. */
static void refused_here(struct wardi_opening *opening, ward_err err, const char *call)
{
	struct wardi_net_refusal refusal;

	wardi_refuse(&refusal, 0, call, "%s", ward_err_detail());
	refusal.error = err == WARD_ENOMEM ? ENOMEM : 0;
	wardi_race_refused(opening, &refusal, NULL, 0);
}

/* ---- the sockets ------------------------------------------------------------------------- */

static uint64_t key_of(const struct wardi_opening *opening)
{
	return wardi_opening_key(opening) + 1;
}

void wardi_race_close(struct wardi_opening *opening)
{
	while (opening->race.count > 0)
		close(opening->race.racers[--opening->race.count].fd);
}

void wardi_race_stop(ward_self *self, struct wardi_opening *opening)
{
	for (uint32_t i = 0; i < opening->race.count; i++)
		ward_fd_unwatch(self, opening->race.racers[i].fd);
	ward_timer_cancel(self, key_of(opening));
	wardi_race_close(opening);
}

/* The socket is no longer one of the race. */
static void won(ward_self *self, struct wardi_opening *opening, int fd)
{
	opening->fd = fd;
	opening->state = WARDI_OPEN;
	wardi_race_stop(self, opening);
}

static bool watch(ward_self *self, struct wardi_opening *opening, int fd)
{
	ward_err err = ward_try_fd_watch(self, fd, WARD_FD_WRITE | WARD_FD_KEPT);

	if (err == WARD_OK)
		return true;
	refused_here(opening, err, "watch");
	return false;
}

/* ---- the addresses ----------------------------------------------------------------------- */

static size_t addresses(const struct wardi_opening *opening)
{
	return opening->address.kind == WARDI_ADDRESS_NAME ? opening->race.names.count : 1;
}

static const struct sockaddr *address_at(const struct wardi_opening *opening, size_t at,
					 socklen_t *ret_size)
{
	const struct wardi_socket_address *found = &opening->race.names.list[at];

	if (opening->address.kind != WARDI_ADDRESS_NAME) {
		*ret_size = opening->address.size;
		return &opening->address.socket.any;
	}
	*ret_size = found->size;
	return &found->socket.any;
}

/* False: it is refused. */
static bool begin_one(ward_self *self, struct wardi_opening *opening)
{
	struct wardi_race *race = &opening->race;
	struct wardi_net_refusal refusal = {0};
	uint32_t at = (uint32_t)race->next++;
	socklen_t size;
	const struct sockaddr *to = address_at(opening, at, &size);
	bool connected;
	int fd = wardi_connect_begin(to, size, &connected, &refusal);

	if (fd >= 0 && connected && wardi_connect_end(fd, &refusal)) {
		won(self, opening, fd);
		return true;
	}
	if (fd < 0 || connected) {
		wardi_race_refused(opening, &refusal, to, size);
	} else if (watch(self, opening, fd)) {
		race->racers[race->count++] = (struct wardi_racer){fd, at};
		return true;
	}
	if (fd >= 0)
		close(fd);
	return false;
}

/* Without memory for the timer the next one has no disadvantage. */
static bool give_head_start(ward_self *self, struct wardi_opening *opening)
{
	ward_timer timer = {.key = key_of(opening), .after_ms = HEAD_START_MS};
	struct wardi_opening_due due = {opening, true};

	return ward_try_timer_start(self, &timer, &wardi_type_opening_due, &due, sizeof due) ==
	       WARD_OK;
}

void wardi_race_next(ward_self *self, struct wardi_opening *opening)
{
	struct wardi_race *race = &opening->race;

	ward_timer_cancel(self, key_of(opening));
	while (race->next < addresses(opening)) {
		if (!begin_one(self, opening))
			continue;
		if (opening->state == WARDI_OPEN)
			return;
		if (race->next < addresses(opening) && give_head_start(self, opening))
			return;
	}
	if (race->count == 0)
		opening->state = WARDI_PAUSING;
}

void wardi_race_begin(ward_self *self, struct wardi_opening *opening)
{
	opening->state = WARDI_RACING;
	opening->race.next = 0;
	opening->refusal.call = NULL;
	wardi_race_next(self, opening);
}

/* Takes the socket out of the race. False: it is not of it. */
static bool take_out(struct wardi_race *race, int fd, struct wardi_racer *ret_racer)
{
	for (uint32_t i = 0; i < race->count; i++) {
		if (race->racers[i].fd != fd)
			continue;
		*ret_racer = race->racers[i];
		race->racers[i] = race->racers[--race->count];
		return true;
	}
	return false;
}

bool wardi_race_ready(ward_self *self, struct wardi_opening *opening, int fd)
{
	struct wardi_net_refusal refusal;
	const struct sockaddr *to;
	struct wardi_racer racer;
	socklen_t size;

	if (!take_out(&opening->race, fd, &racer))
		return false;
	ward_fd_unwatch(self, fd);
	if (wardi_connect_end(fd, &refusal)) {
		won(self, opening, fd);
		return true;
	}
	close(fd);
	to = address_at(opening, racer.at, &size);
	wardi_race_refused(opening, &refusal, to, size);
	wardi_race_next(self, opening);
	return true;
}
