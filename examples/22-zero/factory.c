/* SPDX-License-Identifier: MIT
 *
 * factory.c - a supervision tree as a table, in the words of Akka 0.x.
 *
 *	cc examples/22-zero/factory.c $(pkg-config --cflags --libs ward-akka-zero) -o factory
 *
 * When the till fails the ledger is restarted, too; the clerk is not. Prints their sums.
 */
#include <stdio.h>
#include <ward/akka_zero.h>

static const ward_failure_class paper_jam = {.name = "paper_jam", .parent = &ward_exception};

struct sale {
	int pieces; /* less than 0: there is no such sale */
};
WARD_MESSAGE_FLAT(sale);
struct total {
	int pieces;
};
WARD_MESSAGE_FLAT(total);
WARD_REPLY(sale, total);

static ward_result receive(ward_self *self, void *state, const ward_msg *msg)
{
	struct total *me = state; /* its count is its answer */
	const struct sale *sale;

	if (!(sale = ward_match(msg, sale)))
		return WARD_UNHANDLED;
	if (sale->pieces < 0)
		return ward_failed(self, &paper_jam, "jammed");
	me->pieces += sale->pieces;
	return ward_answer(self, msg, sale, me->pieces);
}

static ward_result pre_restart(ward_self *self, void *state, const ward_failure *why,
			       const ward_msg *msg)
{
	(void)self, (void)msg;
	printf("till: %s, %d pieces are forgotten\n", ward_failure_text(why),
	       ((struct total *)state)->pieces);
	return WARD_DONE;
}

static ward_result post_restart(ward_self *self, void *state, const ward_failure *why)
{
	(void)self, (void)state, (void)why;
	printf("till: here again\n");
	return WARD_DONE;
}

#define COUNTER .state_size = sizeof(struct total), .receive = receive
static const ward_behavior clerk = {.name = "clerk", COUNTER}, ledger = {.name = "ledger", COUNTER};
static const ward_behavior till = {
	.name = "till", COUNTER, .pre_restart = pre_restart, .post_restart = post_restart};

static const ward_zero_strategy all = WARD_ZERO_STRATEGY(WARD_ALL_FOR_ONE, 3, 1000, &paper_jam);
static const ward_zero_strategy one = WARD_ZERO_STRATEGY(WARD_ONE_FOR_ONE, 3, 1000, &paper_jam);

#define TABLE(...)                                                                                 \
	(const ward_zero_component[])                                                              \
	{                                                                                          \
		__VA_ARGS__,                                                                       \
		{                                                                                  \
			0                                                                          \
		}                                                                                  \
	}
static const ward_zero_factory books = {
	.strategy = &all,
	.components = TABLE({.props = {.behavior = &ledger}, .life = WARD_ZERO_PERMANENT},
			    {.props = {.behavior = &till}, .life = WARD_ZERO_PERMANENT}),
};
static const ward_zero_factory shop = {
	.strategy = &one,
	.components = TABLE({.nested = &books},
			    {.props = {.behavior = &clerk}, .life = WARD_ZERO_TEMPORARY}),
};
static const ward_zero_factory abroad = {
	.components = TABLE({.props = {.behavior = &clerk}, .remote = {"localhost", 9999}}),
};

static void sell_everywhere(ward_system *system, ward_ref supervisor)
{
	const ward_behavior *const types[] = {&till, &ledger, &clerk};
	struct total total;
	ward_ref who;

	for (int i = 0; i < 3; i++)
		if (ward_zero_actor(system, supervisor, types[i], WARD_SECOND, &who) == WARD_OK &&
		    ward_system_ask(system, who, WARD_SECOND, &total, sale, .pieces = 3) == WARD_OK)
			printf("%s: %d in all\n", types[i]->name, total.pieces);
}

static void open_shop(ward_system *system)
{
	ward_ref supervisor, who;

	if (ward_zero_start(system, &abroad, WARD_SECOND, &supervisor))
		printf("not started: %s\n", ward_err_detail());
	if (ward_zero_start(system, &shop, WARD_SECOND, &supervisor) ||
	    ward_zero_actor(system, supervisor, &till, WARD_SECOND, &who)) {
		printf("not started: %s\n", ward_err_detail());
		return;
	}
	sell_everywhere(system, supervisor);
	ward_system_tell(system, who, sale, .pieces = -1);
	sell_everywhere(system, supervisor);
	ward_system_stop(system, supervisor); /* and all that is linked with it */
}

int main(void)
{
	ward_system *system;

	if (ward_system_create(NULL, &system))
		return 2;
	open_shop(system);
	return ward_system_destroy(system, 5 * WARD_SECOND);
}
