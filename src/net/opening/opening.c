/* SPDX-License-Identifier: MIT
 *
 * opening.c - tries to connect, and the pauses between them.
 */
#include "net/opening/opening.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <ward/ask.h>
#include <ward/extend.h>
#include <ward/ward.h>

#include "common/backoff_delay.h"
#include "net/opening/look_up.h"
#include "net/opening/race.h"
#include "net/opening/simulated.h"

enum { CONNECT_MS = 10 * 1000, MIN_BACKOFF_MS = 100, MAX_BACKOFF_MS = 10 * 1000 };

const ward_type wardi_type_opening_due = {
	.name = "ward.opening_due",
	.size = sizeof(struct wardi_opening_due),
	.flags = WARD_TYPE_QUIET | WARD_TYPE_NOT_INFLUENCING,
};

/* ---- options ----------------------------------------------------------------------------- */

static struct wardi_opening_how with_defaults(const struct wardi_opening_how *given)
{
	struct wardi_opening_how how = *given;

	if (how.connect_ms == 0)
		how.connect_ms = CONNECT_MS;
	if (how.min_backoff_ms == 0)
		how.min_backoff_ms = MIN_BACKOFF_MS;
	if (how.max_backoff_ms == 0)
		how.max_backoff_ms =
			how.min_backoff_ms > MAX_BACKOFF_MS ? how.min_backoff_ms : MAX_BACKOFF_MS;
	return how;
}

ward_err wardi_opening_check(const struct wardi_opening_how *given, const char *whom)
{
	struct wardi_opening_how how = with_defaults(given);

	if (how.connect_ms < 0 || how.min_backoff_ms < 0 || how.max_backoff_ms < 0)
		return ward_refused(WARD_EINVAL,
				    "%s: connect_ms %lld, min_backoff_ms %lld, max_backoff_ms "
				    "%lld: none may be negative",
				    whom, (long long)how.connect_ms, (long long)how.min_backoff_ms,
				    (long long)how.max_backoff_ms);
	if (how.max_backoff_ms < how.min_backoff_ms)
		return ward_refused(
			WARD_EINVAL, "%s: max_backoff_ms is %lld, less than min_backoff_ms, %lld",
			whom, (long long)how.max_backoff_ms, (long long)how.min_backoff_ms);
	/* Written so that it refuses a NaN, too. */
	if (!(how.random_factor >= 0 && how.random_factor <= 1))
		return ward_refused(WARD_EINVAL, "%s: random_factor is %g: it must be from 0 to 1",
				    whom, how.random_factor);
	return WARD_OK;
}

static const char *address_wrong(const struct wardi_address *address)
{
	switch (address->kind) {
	case WARDI_ADDRESS_TCP:
		return wardi_peer_of(&address->socket.any, address->size).port != 0
			       ? NULL
			       : "port 0 is to listen at: to connect it is 1 to 65535";
	case WARDI_ADDRESS_NAME:
	case WARDI_ADDRESS_UNIX:
	case WARDI_ADDRESS_SIM:
		return NULL;
	case WARDI_ADDRESS_ANY:
	case WARDI_ADDRESS_FD:
	case WARDI_ADDRESS_SYSTEMD:
	default:
		return "it is to listen at: connect to one as tcp:127.0.0.1:7000, "
		       "tcp:example.org:7000 or unix:/run/a.sock";
	}
}

static ward_err read_address(const char *text, struct wardi_address *ret_address)
{
	const char *wrong;
	ward_err err;

	if (text == NULL)
		return ward_refused(WARD_EINVAL, "no address to connect to");
	err = wardi_address_read(ret_address, text, strlen(text));
	if (err != WARD_OK)
		return err;
	wrong = address_wrong(ret_address);
	return wrong == NULL ? WARD_OK
			     : ward_refused(WARD_EINVAL, "address \"%.200s\": %s", text, wrong);
}

ward_err wardi_opening_check_address(const char *address)
{
	struct wardi_address read;

	return read_address(address, &read);
}

/* ---- times ------------------------------------------------------------------------------- */

/* The one timer of its own: the end of the pause, or that of the try. */
static ward_err set_timer(ward_self *self, struct wardi_opening *opening, int64_t after_ms)
{
	ward_timer timer = {
		.key = wardi_opening_key(opening), .after_ms = after_ms, .exact = after_ms == 0};
	struct wardi_opening_due due = {opening, false};

	return ward_try_timer_start(self, &timer, &wardi_type_opening_due, &due, sizeof due);
}

static void refused_timer(struct wardi_opening *opening)
{
	wardi_refuse(&opening->refusal, ENOMEM, "timer", NULL);
}

/* ---- tries ------------------------------------------------------------------------------- */

static enum wardi_opening_step give_up(ward_self *self, struct wardi_opening *opening)
{
	wardi_look_up_cancel(self, opening);
	opening->state = WARDI_OVER;
	return WARDI_STEP_OVER;
}

static enum wardi_opening_step pause_it(ward_self *self, struct wardi_opening *opening)
{
	const struct wardi_opening_how *how = &opening->how;

	if (how->tries_max != 0 && opening->tries >= how->tries_max)
		return give_up(self, opening);
	opening->state = WARDI_PAUSING;
	opening->pause_ms =
		wardi_backoff_delay_ms(opening->pauses, how->min_backoff_ms, how->max_backoff_ms,
				       how->random_factor, ward_random(self));
	if (opening->pauses < UINT32_MAX)
		opening->pauses++;
	if (set_timer(self, opening, opening->pause_ms) == WARD_OK)
		return WARDI_STEP_RETRY;
	refused_timer(opening);
	return give_up(self, opening);
}

static enum wardi_opening_step try_failed(ward_self *self, struct wardi_opening *opening)
{
	wardi_race_stop(self, opening);
	wardi_simulated_stop(self, opening);
	ward_timer_cancel(self, wardi_opening_key(opening));
	return pause_it(self, opening);
}

/* After something that may have ended the race. */
static enum wardi_opening_step look_at_race(ward_self *self, struct wardi_opening *opening)
{
	if (opening->state == WARDI_RACING)
		return WARDI_STEP_ON;
	if (opening->state != WARDI_OPEN)
		return try_failed(self, opening);
	ward_timer_cancel(self, wardi_opening_key(opening));
	return WARDI_STEP_OPEN;
}

static enum wardi_opening_step look_up(ward_self *self, struct wardi_opening *opening)
{
	opening->state = WARDI_LOOKING;
	if (opening->asked || wardi_look_up(self, opening) == WARD_OK)
		return WARDI_STEP_ON;
	wardi_refuse(&opening->refusal, 0, "look-up", "%s", ward_err_detail());
	return try_failed(self, opening);
}

static enum wardi_opening_step begin_try(ward_self *self, struct wardi_opening *opening)
{
	if (opening->tries < UINT32_MAX)
		opening->tries++;
	if (set_timer(self, opening, opening->how.connect_ms) != WARD_OK) {
		refused_timer(opening);
		return try_failed(self, opening);
	}
	if (opening->address.kind == WARDI_ADDRESS_NAME)
		return look_up(self, opening);
	if (opening->address.kind == WARDI_ADDRESS_SIM)
		wardi_simulated_begin(self, opening);
	else
		wardi_race_begin(self, opening);
	return look_at_race(self, opening);
}

static enum wardi_opening_step try_late(ward_self *self, struct wardi_opening *opening)
{
	long long ms = opening->how.connect_ms;

	if (opening->state == WARDI_LOOKING)
		wardi_refuse(&opening->refusal, ETIMEDOUT, "getaddrinfo",
			     "\"%.64s\" was not looked up within %lld.%03lld s",
			     opening->address.host, ms / WARD_SECOND, ms % WARD_SECOND);
	else
		wardi_refuse(&opening->refusal, ETIMEDOUT, "connect",
			     "no answer within %lld.%03lld s", ms / WARD_SECOND, ms % WARD_SECOND);
	return try_failed(self, opening);
}

/* ---- messages ---------------------------------------------------------------------------- */

static enum wardi_opening_step looked_up(ward_self *self, struct wardi_opening *opening,
					 const ward_msg *msg)
{
	const struct wardi_looked_up *found = ward_msg_body(msg, &wardi_type_looked_up);
	const struct ward_ask_failed *lost = ward_match(msg, ward_ask_failed);

	opening->asked = false;
	if (opening->state != WARDI_LOOKING) /* its try is over: the next one asks again */
		return WARDI_STEP_ON;
	if (found == NULL) {
		wardi_refuse(&opening->refusal, 0, "look-up", "%s", lost != NULL ? lost->text : "");
		return try_failed(self, opening);
	}
	if (!found->found) {
		opening->refusal = found->refusal;
		return try_failed(self, opening);
	}
	opening->race.names = found->names;
	wardi_race_begin(self, opening);
	return look_at_race(self, opening);
}

static enum wardi_opening_step time_passed(ward_self *self, struct wardi_opening *opening,
					   const struct wardi_opening_due *due)
{
	if (due->of_race) {
		wardi_race_next(self, opening);
		return look_at_race(self, opening);
	}
	return opening->state == WARDI_PAUSING ? begin_try(self, opening) : try_late(self, opening);
}

enum wardi_opening_step wardi_opening_take(ward_self *self, struct wardi_opening *opening,
					   const ward_msg *msg)
{
	const struct wardi_opening_due *due = ward_msg_body(msg, &wardi_type_opening_due);
	const struct ward_fd_ready *ready = ward_match(msg, ward_fd_ready);

	if (due != NULL && due->opening == opening)
		return time_passed(self, opening, due);
	if (ready != NULL && (wardi_race_ready(self, opening, ready->fd) ||
			      wardi_simulated_ready(self, opening, ready->fd)))
		return look_at_race(self, opening);
	if (opening->asked && ward_ask_tag(self) == wardi_opening_key(opening))
		return looked_up(self, opening, msg);
	return WARDI_STEP_OTHER;
}

/* ---- its life ---------------------------------------------------------------------------- */

ward_err wardi_opening_begin(ward_self *self, const char *address,
			     const struct wardi_opening_how *how,
			     struct wardi_opening **ret_opening)
{
	struct wardi_opening *opening;
	struct wardi_address read;
	ward_err err = read_address(address, &read);

	if (err != WARD_OK)
		return err;
	opening = calloc(1, sizeof *opening);
	if (opening == NULL)
		return ward_refused(WARD_ENOMEM, "no memory to connect to %.200s", address);
	opening->address = read;
	opening->how = with_defaults(how);
	opening->state = WARDI_PAUSING;
	opening->fd = -1;
	snprintf(opening->text, sizeof opening->text, "%s", address);
	err = set_timer(self, opening, 0);
	if (err != WARD_OK) {
		free(opening);
		return err;
	}
	*ret_opening = opening;
	return WARD_OK;
}

int wardi_opening_take_fd(struct wardi_opening *opening, struct wardi_peer *ret_peer)
{
	struct sockaddr_storage at = {0};
	socklen_t size = sizeof at;
	int fd = opening->fd;

	*ret_peer = (struct wardi_peer){0};
	if (getpeername(fd, (struct sockaddr *)&at, &size) == 0)
		*ret_peer = wardi_peer_of((struct sockaddr *)&at, size);
	opening->fd = -1;
	return fd;
}

struct wardi_end *wardi_opening_take_end(struct wardi_opening *opening)
{
	struct wardi_end *end = opening->end;

	opening->end = NULL;
	return end;
}

/* Closes a connection that nobody took. */
static void drop(struct wardi_opening *opening)
{
	if (opening->fd >= 0)
		close(opening->fd);
	opening->fd = -1;
	wardi_simulated_close(opening);
}

enum wardi_opening_step wardi_opening_again(ward_self *self, struct wardi_opening *opening)
{
	drop(opening);
	wardi_refuse(&opening->refusal, 0, "connect", "the connection has not lasted");
	return pause_it(self, opening);
}

void wardi_opening_lasts(struct wardi_opening *opening)
{
	opening->tries = opening->pauses = 0;
}

enum wardi_opening_step wardi_opening_hurry(ward_self *self, struct wardi_opening *opening)
{
	if (opening->state == WARDI_OVER)
		wardi_opening_lasts(opening);
	else if (opening->state != WARDI_PAUSING)
		return WARDI_STEP_ON;
	return begin_try(self, opening);
}

void wardi_opening_cancel(ward_self *self, struct wardi_opening *opening)
{
	wardi_look_up_cancel(self, opening);
	wardi_race_stop(self, opening);
	wardi_simulated_stop(self, opening);
	ward_timer_cancel(self, wardi_opening_key(opening));
	drop(opening);
	opening->state = WARDI_OVER;
}

void wardi_opening_free(struct wardi_opening *opening)
{
	if (opening == NULL)
		return;
	wardi_race_close(opening);
	drop(opening);
	free(opening);
}

const char *wardi_opening_why(const struct wardi_opening *opening, char ret_text[WARDI_OPENING_WHY])
{
	if (opening->tries > 1)
		snprintf(ret_text, WARDI_OPENING_WHY, "%s; %u tries", opening->refusal.text,
			 opening->tries);
	else
		snprintf(ret_text, WARDI_OPENING_WHY, "%s", opening->refusal.text);
	return ret_text;
}
