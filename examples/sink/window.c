/* SPDX-License-Identifier: MIT
 *
 * window.c - a ring of numbers; see window.h.
 */
#include "window.h"

_Static_assert((WINDOW_MAX & (WINDOW_MAX - 1)) == 0, "numbers map to the ring by a mask");

static struct flight *at(struct window *window, uint64_t number)
{
	return &window->ring[number & (WINDOW_MAX - 1)];
}

static bool holds(const struct window *window, uint64_t number)
{
	return number >= window->first && number < window->next;
}

uint32_t window_room(const struct window *window)
{
	return WINDOW_MAX - (uint32_t)(window->next - window->first);
}

uint64_t window_reserve(struct window *window, uint32_t count)
{
	uint64_t first = window->next;
	for (uint32_t i = 0; i < count; i++)
		*at(window, first + i) = (struct flight){.state = FLIGHT_RESERVED, .end = -1};
	window->next += count;
	return first;
}

bool window_send(struct window *window, uint64_t number, uint32_t source, uint32_t length,
		 int64_t end)
{
	if (!holds(window, number) || at(window, number)->state != FLIGHT_RESERVED)
		return false;
	*at(window, number) = (struct flight){FLIGHT_OUT, source, length, end};
	window->out++;
	window->bytes += length;
	return true;
}

void window_skip(struct window *window, uint64_t number, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++)
		if (holds(window, number + i) && at(window, number + i)->state == FLIGHT_RESERVED)
			at(window, number + i)->state = FLIGHT_SETTLED;
}

bool window_settle(struct window *window, uint64_t number)
{
	if (!window_is_out(window, number))
		return false;
	at(window, number)->state = FLIGHT_SETTLED;
	window->out--;
	window->bytes -= at(window, number)->length;
	return true;
}

bool window_advance(struct window *window, struct flight *ret_flight)
{
	if (window->first == window->next || at(window, window->first)->state != FLIGHT_SETTLED)
		return false;
	*ret_flight = *at(window, window->first++);
	return true;
}

bool window_is_out(const struct window *window, uint64_t number)
{
	return holds(window, number) && window->ring[number & (WINDOW_MAX - 1)].state == FLIGHT_OUT;
}

bool window_is_missing(const struct window *window, uint64_t number, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++)
		if (holds(window, number + i) &&
		    window->ring[(number + i) & (WINDOW_MAX - 1)].state == FLIGHT_RESERVED)
			return true;
	return false;
}

void window_forget(struct window *window)
{
	window->first = window->next;
	window->out = 0;
	window->bytes = 0;
}
