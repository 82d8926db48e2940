/* SPDX-License-Identifier: MIT
 *
 * hello.c - an actor that greets, fails, and is restarted by its parent.
 */
#include <stdio.h>
#include <ward/ward.h>

struct greet {
	char whom[32];
};
WARD_MESSAGE(greet);

static const ward_failure_class bad_name = {.name = "bad_name", .parent = &ward_exception};

/* The state of a greeter: zeroed at the start, and again after each failure. */
struct greeter {
	int count;
};

static ward_result greeter_receive(ward_self *self, void *state, const ward_msg *msg)
{
	struct greeter *me = state;
	const struct greet *g;

	if ((g = ward_match(msg, greet))) {
		if (g->whom[0] == '\0')
			return ward_failed(self, &bad_name, "nobody to greet, after %d", me->count);
		printf("hello %s (%d)\n", g->whom, ++me->count);
		return WARD_DONE;
	}
	return WARD_UNHANDLED;
}

static const ward_behavior greeter = {
	.name = "greeter",
	.state_size = sizeof(struct greeter),
	.receive = greeter_receive,
};

/* The parent starts a greeter, and stops when the greeter is gone. */
static ward_result host_start(ward_self *self, void *state)
{
	ward_ref who;

	(void)state;
	who = ward_spawn(self, &greeter, .name = "greeter");
	ward_watch(self, who);
	ward_tell(self, who, greet, "world");
	ward_tell(self, who, greet, "again");
	ward_tell(self, who, greet, ""); /* fails; what waits behind it is not lost */
	ward_tell(self, who, greet, "after all");
	ward_tell(self, who, ward_poison_pill);
	return WARD_DONE;
}

static const ward_behavior host = {
	.name = "host",
	.receive = ward_stop_with_children,
	.pre_start = host_start,
};

/* The library prints nothing by itself. */
static void print_event(void *arg, const ward_event *event)
{
	char text[512];

	(void)arg;
	ward_event_text(event, text, sizeof text);
	fprintf(stderr, "%s\n", text);
}

int main(void)
{
	int status = ward_run(WARD_PROPS(&host, .name = "host"),
			      &(ward_options){.name = "hello", .log = print_event});

	if (status == 2)
		fprintf(stderr, "hello: %s\n", ward_err_detail());
	return status;
}
