/* SPDX-License-Identifier: MIT
 *
 * hello.c - an actor that greets, fails, and is restarted by its parent.
 *
 *	cc examples/01-hello/hello.c $(pkg-config --cflags --libs ward) -o hello
 *
 * Prints two greetings. The greeting between them fails: that is a line on standard error.
 */
#include <stdio.h>
#include <ward/ward.h>

struct greet {
	char whom[32];
};
WARD_MESSAGE(greet);

static ward_result greeter_receive(ward_self *self, void *state, const ward_msg *msg)
{
	const struct greet *g = ward_match(msg, greet);
	int *count = state; /* zeroed at the start, and again after each failure */
	if (!g)
		return WARD_UNHANDLED;
	if (g->whom[0] == '\0')
		return ward_failed(self, &ward_exception, "nobody to greet, after %d", *count);
	printf("hello %s (%d)\n", g->whom, ++*count);
	return WARD_DONE;
}
static const ward_behavior greeter = {
	.name = "greeter", .state_size = sizeof(int), .receive = greeter_receive};

static ward_result host_start(ward_self *self, void *state)
{
	ward_ref who = ward_spawn(self, &greeter);
	(void)state;
	ward_watch(self, who);
	ward_tell(self, who, greet, "world");
	ward_tell(self, who, greet, ""); /* fails; the messages behind it are kept */
	ward_tell(self, who, greet, "after all");
	ward_tell(self, who, ward_poison_pill);
	return WARD_DONE;
}
static const ward_behavior host = {
	.name = "host", .pre_start = host_start, .receive = ward_stop_with_children};

int main(void)
{
	return ward_main(&host);
}
