/* SPDX-License-Identifier: MIT
 *
 * toys.c - a shared object for `ward run`: lamps, which say what becomes of them, and a puppet,
 * which does what it reads on a descriptor.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <ward/config.h>
#include <ward/ward.h>

/* In the texts of failures, where it must not steer the terminal. */
#define RED "\033[31mred "

static const ward_failure_class jammed = {.name = "jammed", .parent = &ward_exception};
static const ward_failure_class broken = {.name = "broken", .parent = &ward_error};

struct toy_args {
	char label[16];
	bool dud;  /* does not start */
	bool slow; /* starts when there is a byte on standard input */
	int fd;    /* of the puppet; 0 is standard input */
	const ward_config_children *children;
};
WARD_MESSAGE(toy_args);

static void say(ward_self *self, const char *text)
{
	const struct toy_args *args = ward_args(self);
	printf("%s %u: %s\n", args->label, ward_incarnation(self), text);
	fflush(stdout);
}

/* ---- a lamp ------------------------------------------------------------------------------ */

static ward_result lamp_pre_start(ward_self *self, void *state)
{
	const struct toy_args *args = ward_args(self);
	(void)state;
	if (args->slow) {
		char byte;
		say(self, "slow");
		(void)!read(STDIN_FILENO, &byte, 1);
	}
	if (args->dud)
		return ward_failed(self, &jammed, RED "a dud");
	say(self, "on");
	if (ward_config_spawn_children(self, args->children) != WARD_OK)
		return ward_failed(self, &jammed, "%s", ward_err_detail());
	return WARD_DONE;
}

static ward_result lamp_receive(ward_self *self, void *state, const ward_msg *msg)
{
	(void)self;
	(void)state;
	(void)msg;
	return WARD_UNHANDLED;
}

static ward_result lamp_post_stop(ward_self *self, void *state)
{
	(void)state;
	say(self, "off");
	return WARD_DONE;
}

static const ward_behavior lamp = {
	.name = "lamp",
	.args = &ward_type_toy_args,
	.pre_start = lamp_pre_start,
	.receive = lamp_receive,
	.post_stop = lamp_post_stop,
};

/* ---- the puppet -------------------------------------------------------------------------- */

/* One line, without its end; false: there are no more. */
static bool read_line(int fd, char *line, size_t max)
{
	size_t length = 0;
	while (length + 1 < max && read(fd, &line[length], 1) == 1) {
		if (line[length] == '\n') {
			line[length] = '\0';
			return true;
		}
		length++;
	}
	return false;
}

__attribute__((noreturn)) static void hang(void)
{
	for (;;)
		pause();
}

/* Prints without end. */
__attribute__((noreturn)) static void flood(void)
{
	fputs("flooding\n", stderr);
	for (;;)
		puts("a line that nobody reads, and another one, and another one");
}

/* Leaves no room for a byte more, and one that is not written yet. */
__attribute__((noreturn)) static void choke(void)
{
	int flags = fcntl(STDOUT_FILENO, F_GETFL);

	fcntl(STDOUT_FILENO, F_SETFL, flags | O_NONBLOCK);
	while (write(STDOUT_FILENO, "a", 1) == 1)
		;
	fcntl(STDOUT_FILENO, F_SETFL, flags);
	putchar('b');
	fputs("choked\n", stderr);
	hang();
}

static ward_result watch(ward_self *self)
{
	const struct toy_args *args = ward_args(self);
	if (ward_try_fd_watch(self, args->fd, WARD_FD_READ) != WARD_OK)
		return ward_failed(self, &broken, "%s", ward_err_detail());
	return WARD_DONE;
}

static ward_result puppet_pre_start(ward_self *self, void *state)
{
	(void)state;
	say(self, "here");
	return watch(self);
}

static ward_result puppet_receive(ward_self *self, void *state, const ward_msg *msg)
{
	const struct toy_args *args = ward_args(self);
	char line[80];
	(void)state;
	if (!ward_match(msg, ward_fd_ready))
		return WARD_UNHANDLED;
	if (!read_line(args->fd, line, sizeof(line)))
		return WARD_DONE;
	say(self, line);
	if (strcmp(line, "jam") == 0)
		return ward_failed(self, &jammed, RED "told to");
	if (strcmp(line, "break") == 0)
		return ward_failed(self, &broken, RED "told to");
	if (strcmp(line, "hang") == 0)
		hang();
	if (strcmp(line, "flood") == 0)
		flood();
	if (strcmp(line, "choke") == 0)
		choke();
	if (strcmp(line, "stop") == 0)
		ward_stop_self(self);
	return watch(self);
}

static const ward_behavior puppet = {
	.name = "puppet",
	.args = &ward_type_toy_args,
	.pre_start = puppet_pre_start,
	.receive = puppet_receive,
};

/* ---- hanging ----------------------------------------------------------------------------- */

/* Where the environment says so; from there nothing comes back. */
static void hang_at(const char *place)
{
	const char *wanted = getenv("TOYS_HANG");

	if (!wanted || strcmp(wanted, place) != 0)
		return;
	fprintf(stderr, "toys hang at the %s\n", place);
	hang();
}

__attribute__((constructor)) static void load(void)
{
	hang_at("load");
}

static ward_err start(ward_system *system)
{
	(void)system;
	hang_at("start");
	return WARD_OK;
}

/* ---- the module -------------------------------------------------------------------------- */

static const struct toy_args defaults = {.label = "toy"};

static const ward_config_field fields[] = {
	{"label", WARD_CONFIG_TEXT, WARD_CONFIG_AT(struct toy_args, label)},
	{"dud", WARD_CONFIG_BOOL, WARD_CONFIG_AT(struct toy_args, dud)},
	{"slow", WARD_CONFIG_BOOL, WARD_CONFIG_AT(struct toy_args, slow)},
	{"fd", WARD_CONFIG_INT, WARD_CONFIG_AT(struct toy_args, fd), .max = 9},
	{"children", WARD_CONFIG_CHILDREN, WARD_CONFIG_AT(struct toy_args, children)},
	{.key = NULL},
};

static const ward_config_behavior behaviors[] = {
	{.name = "lamp", .behavior = &lamp, .fields = fields, .defaults = &defaults},
	{.name = "puppet", .behavior = &puppet, .fields = fields, .defaults = &defaults},
	{.name = NULL},
};

static const ward_failure_class *const classes[] = {&jammed, &broken, NULL};

WARD_API extern const ward_config_module ward_module;
WARD_API const ward_config_module ward_module = {
	.version = WARD_CONFIG_VERSION,
	.name = "toys",
	.behaviors = behaviors,
	.failure_classes = classes,
	.start = start,
};
