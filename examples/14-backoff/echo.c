/* SPDX-License-Identifier: MIT
 *
 * echo.c - an actor that repeats what it gets, and that can be ended in three ways.
 */
#include <stdarg.h>
#include <stdio.h>

#include "echo.h"

const ward_failure_class my_exception = {.name = "my_exception", .parent = &ward_exception};
const ward_failure_class other_exception = {.name = "other_exception", .parent = &ward_exception};

void print_at(int64_t now_ns, const char *text, ...)
{
	va_list args;

	printf("# %6.1f s: ", (double)now_ns / 1e9);
	va_start(args, text);
	vprintf(text, args);
	va_end(args);
	printf("\n");
}

static ward_result echo_start(ward_self *self, void *state)
{
	(void)state;
	print_at(ward_now_ns(self), "echo starts");
	return WARD_DONE;
}

static ward_result echo_receive(ward_self *self, void *state, const ward_msg *msg)
{
	const struct say *say = ward_match(msg, say);
	const struct fall_down *fall = ward_match(msg, fall_down);

	(void)state;
	if (say != NULL) {
		print_at(ward_now_ns(self), "echo says \"%s\"", say->text);
		ward_tell(self, ward_parent(self), ward_backoff_reset);
		return WARD_DONE;
	}
	if (fall == NULL)
		return WARD_UNHANDLED;
	if (fall->how == FAIL)
		return ward_failed(self, &my_exception, "fell down");
	if (fall->how == FAIL_BADLY)
		return ward_failed(self, &other_exception, "fell apart");
	return ward_stop_self(self);
}

const ward_behavior echo = {.name = "echo", .pre_start = echo_start, .receive = echo_receive};

void bring_down(ward_kit *kit, ward_ref supervisor, enum fall how, int64_t wait_ms)
{
	ward_kit_tell(kit, supervisor, fall_down, .how = how);
	ward_kit_advance(kit, wait_ms);
}

void talk(ward_kit *kit, ward_ref supervisor, const char *text)
{
	struct say say;

	snprintf(say.text, sizeof say.text, "%s", text);
	ward_system_send(ward_kit_system(kit), supervisor, WARD_COPY(say, &say));
	ward_kit_run(kit);
}
