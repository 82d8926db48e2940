/* SPDX-License-Identifier: MIT
 *
 * print.c - a library with threads of its own as a supervised child.
 *
 *	cd examples/24-bridge && cc *.c $(pkg-config --cflags --libs ward) -o bridge
 *
 * When the press jams, a new press prints the page that was stuck. Prints pages, starts and ends.
 */
#include <stdio.h>
#include <ward/bridge.h>
#include <ward/ward.h>

#include "press.h"

struct page {
	int number;
};
WARD_MESSAGE(page);
static const ward_failure_class jam = {.name = "jam", .parent = &ward_exception};
static const ward_failure_class no_press = {.name = "no_press", .parent = &ward_error};
enum { PAGES = 4, STUCK = 3 };

struct shed {
	struct press *press;
	ward_bridge *bridge;
	ward_system *system;
	ward_ref printer; /* gets a message for each page */
};

/* Both are called by the thread of the press. */
static void printed(void *arg, int page)
{
	struct shed *me = arg;

	printf("  page %d\n", page);
	ward_system_tell(me->system, me->printer, page, .number = page);
}

static void jammed(void *arg, int page)
{
	ward_bridge_died(((struct shed *)arg)->bridge, &jam, "page %d is stuck", page);
}

static ward_result shed_init(ward_self *self, void *state, const void *args, ward_bridge *bridge)
{
	struct shed *me = state;

	(void)args;
	me->bridge = bridge;
	me->system = ward_self_system(self);
	me->printer = ward_parent(self);
	me->press = press_open(&(struct press_user){printed, jammed, me},
			       ward_incarnation(self) == 1 ? STUCK : 0);
	if (me->press == NULL)
		return ward_failed(self, &no_press, "no thread for a press");
	printf("press %u starts\n", ward_incarnation(self));
	return WARD_DONE;
}

static ward_result shed_terminate(ward_self *self, void *state, const ward_exit_reason *why,
				  bool dead)
{
	struct shed *me = state;
	int left = press_close(me->press);
	char text[128];

	ward_exit_format(why, text, sizeof text);
	printf("press %u stops: %s\n", ward_incarnation(self), text);
	if (dead) /* for the next press */
		ward_tell(self, ward_self_ref(self), page, .number = left);
	return WARD_DONE;
}

static ward_result shed_receive(ward_self *self, void *state, const ward_msg *msg)
{
	const struct page *page = ward_match(msg, page);

	(void)self;
	if (page != NULL)
		press_print(((struct shed *)state)->press, page->number);
	return page != NULL ? WARD_DONE : WARD_UNHANDLED;
}

static const ward_subsystem shed = {.name = "shed",
				    .state_size = sizeof(struct shed),
				    .init = shed_init,
				    .terminate = shed_terminate,
				    .receive = shed_receive};

static ward_result printer_start(ward_self *self, void *state)
{
	ward_ref *printer = state;

	*printer = ward_spawn(self, &ward_bridge_behavior,
			      .args = WARD_ARGS(ward_bridged, .subsystem = &shed));
	ward_tell(self, *printer, page, .number = 1);
	return WARD_DONE;
}

static ward_result printer_receive(ward_self *self, void *state, const ward_msg *msg)
{
	const struct page *page = ward_match(msg, page);

	if (page == NULL)
		return WARD_UNHANDLED;
	if (page->number == PAGES)
		return ward_stop_self(self);
	ward_tell(self, *(ward_ref *)state, page, .number = page->number + 1);
	return WARD_DONE;
}

static const ward_behavior printer = {.name = "printer",
				      .state_size = sizeof(ward_ref),
				      .receive = printer_receive,
				      .pre_start = printer_start};

int main(void)
{
	return ward_run(WARD_PROPS(&printer), &(ward_options){.name = "print"});
}
