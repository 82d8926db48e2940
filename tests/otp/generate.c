/* SPDX-License-Identifier: MIT
 *
 * generate.c - prints scripts for a supervisor and its children, drawn from seeds.
 *
 *	generate STRATEGY FIRST COUNT
 *
 * One script for each seed from FIRST on; README.md says what they mean. The same seed gives the
 * same script for ever, so that a difference is found again.
 */
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LABELS_MAX = 7, STARTS_MAX = 4, STEPS_MIN = 4, STEPS_MAX = 14 };

static uint64_t state;
static bool simple;
static uint64_t labels;  /* that this script has */
static bool significant; /* some may be */

static uint64_t draw(uint64_t below)
{
	uint64_t z = state += UINT64_C(0x9e3779b97f4a7c15);

	z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
	return (z ^ (z >> 31)) % below;
}

static bool in_100(uint64_t percent)
{
	return draw(100) < percent;
}

/* ---- children ---------------------------------------------------------------------------- */

static const char *label(void)
{
	static const char *const all[LABELS_MAX] = {"a", "b", "c", "d", "e", "f", "g"};

	return all[draw(labels)];
}

static void print_outcomes(void)
{
	static const char outcomes[] = "oooooeexTRDWii";
	uint64_t kinds = sizeof outcomes - (simple ? 3 : 1);

	for (uint64_t count = draw(STARTS_MAX) + 1; count > 0; count--)
		putchar(outcomes[draw(kinds)]);
}

/* What comes of each start; of all further ones the last, so that a retry comes to an end. A child
 * of simple_one_for_one is ignored always or never: in a restart, OTP keeps a row without a child
 * of it, of which it says nothing; ward does not. */
static void print_starts(uint64_t fails_percent)
{
	if (simple && in_100(5)) {
		putchar('i');
		return;
	}
	if (in_100(fails_percent)) {
		print_outcomes();
	} else if (in_100(40)) {
		putchar('o');
		print_outcomes();
	}
	putchar(simple || in_100(97) ? 'o' : 'i');
}

static const char *conduct(void)
{
	static const char *const conducts[] = {"plain", "plain", "plain", "traps",
					       "traps", "traps", "lame",  "unlinks"};

	return conducts[draw(sizeof conducts / sizeof conducts[0])];
}

static const char *restart(void)
{
	static const char *const restarts[] = {"permanent", "permanent", "transient", "temporary"};

	return restarts[draw(sizeof restarts / sizeof restarts[0])];
}

static const char *shutdown_of_quick(void)
{
	static const char *const shutdowns[] = {"5000", "5000", "infinity", "brutal"};

	return shutdowns[draw(sizeof shutdowns / sizeof shutdowns[0])];
}

/* Who never ends when told to has little time: it is spent in full, really. */
static void print_spec(const char *id, uint64_t fails_percent, uint64_t wrong_percent)
{
	bool stubborn = in_100(3);
	const char *again = restart();
	/* Now and then one that may not be: permanent, or where nobody is. */
	bool may = significant && strcmp(again, "permanent") != 0;
	bool is_significant = in_100(may ? 50 : wrong_percent);

	printf("%s %s %d %s %s %s ", id, again, is_significant,
	       stubborn ? (in_100(50) ? "5" : "brutal") : shutdown_of_quick(),
	       stubborn ? "stubborn" : conduct(), in_100(80) ? "worker" : "supervisor");
	print_starts(fails_percent);
	putchar('\n');
}

static void print_children(void)
{
	uint64_t count = draw(5) + 1;

	labels = count + draw(3);
	for (uint64_t i = 0; i < count; i++) {
		char id[2] = {(char)('a' + i), '\0'};

		printf("child ");
		print_spec(id, 5, 1);
	}
}

/* ---- steps ------------------------------------------------------------------------------- */

static void print_leave(void)
{
	static const char *const reasons[] = {"error",  "error",    "fail",      "fail",
					      "normal", "shutdown", "shutdown_x"};

	printf("leave %s %s\n", label(), reasons[draw(sizeof reasons / sizeof reasons[0])]);
}

static void print_start(void)
{
	const char *id = label();

	printf("call start ");
	if (simple) {
		printf("%s %s ", id, in_100(2) ? "traps" : conduct());
		print_starts(15);
		putchar('\n');
	} else {
		print_spec(id, 25, 4);
	}
}

/* A call that is answered at once. */
static void print_quick_call(void)
{
	uint64_t dice = draw(100);

	if (dice < 60)
		printf("call delete %s\n", label());
	else if (dice < 74)
		printf("call count\n");
	else if (dice < 88)
		printf("call which\n");
	else
		printf("call get %s\n", label());
}

static void print_call(void)
{
	uint64_t dice = draw(100);

	if (dice < (simple ? 60 : 25))
		print_start();
	else if (dice < 50 || (simple && dice < 75))
		printf("call terminate %s\n", label());
	else if (dice < 72)
		printf("call restart %s\n", label());
	else
		print_quick_call();
}

static void print_death(void)
{
	uint64_t dice = draw(100);

	if (dice < 78)
		print_leave();
	else if (dice < 92)
		printf("kill %s\n", label());
	else
		printf("signal %s\n", label());
}

/* What comes from different senders has no order. In ward the calls come first; but what waits for
 * a call to be done, which takes its time, is looked after in the order deaths, calls. */
static void print_hold(void)
{
	printf("hold\n");
	if (in_100(30)) {
		for (uint64_t i = draw(3) + 2; i > 0; i--)
			print_call();
	} else {
		for (uint64_t i = draw(3); i > 0; i--)
			print_quick_call();
		if (in_100(60))
			print_call();
		for (uint64_t i = draw(3) + 1; i > 0; i--)
			print_death();
	}
	printf("release\n");
}

static void print_steps(void)
{
	uint64_t count = STEPS_MIN + draw(STEPS_MAX - STEPS_MIN + 1);

	if (simple)
		for (uint64_t i = draw(4); i > 0; i--)
			print_start();
	while (count-- > 0) {
		uint64_t dice = draw(100);

		if (dice < 48)
			print_death();
		else if (dice < 85)
			print_call();
		else
			print_hold();
	}
	printf("stop\n");
}

static void print_script(const char *strategy, uint64_t seed)
{
	static const char *const autos[] = {"any_significant", "all_significant"};
	uint64_t intensity;

	state = seed;
	for (const char *c = strategy; *c != '\0'; c++)
		state = state * 31 + (unsigned char)*c;
	simple = strcmp(strategy, "simple_one_for_one") == 0;
	significant = !simple && in_100(35);
	intensity = in_100(60) ? 1000 : draw(4);
	printf("script %llu %s %llu 3600 %s\n", (unsigned long long)seed, strategy,
	       (unsigned long long)intensity, significant ? autos[draw(2)] : "never");
	labels = draw(4) + 3;
	if (simple)
		printf("template %s %s %s\n", restart(), shutdown_of_quick(),
		       in_100(80) ? "worker" : "supervisor");
	else
		print_children();
	printf("go\n");
	print_steps();
	printf("end\n");
}

int main(int argc, char **argv)
{
	uint64_t first, count;

	if (argc != 4) {
		fprintf(stderr, "usage: generate STRATEGY FIRST COUNT\n");
		return 2;
	}
	first = strtoull(argv[2], NULL, 10);
	count = strtoull(argv[3], NULL, 10);
	for (uint64_t seed = first; seed < first + count; seed++)
		print_script(argv[1], seed);
	return fflush(stdout) == 0 ? 0 : 1;
}
