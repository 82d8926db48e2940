/* SPDX-License-Identifier: MIT
 *
 * child.c - the children of a script: what comes of their starts, and how they end.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "play.h"

/* ---- a child ----------------------------------------------------------------------------- */

WARD_MESSAGE_FLAT(child_args);
static const ward_failure_class error = {.name = "error", .parent = &ward_exception};
const ward_failure_class refused = {.name = "refused", .parent = &ward_exception};

static ward_result end_with(ward_self *self, const char *reason)
{
	ward_exit_reason why = {.kind = WARD_EXIT_OTHER};

	if (is(reason, "fail"))
		return ward_failed(self, &error, "as it was told");
	if (is(reason, "normal")) {
		ward_stop_self(self);
		return WARD_DONE;
	}
	if (strncmp(reason, "shutdown", 8) == 0)
		why.kind = WARD_EXIT_SHUTDOWN;
	snprintf(why.kind == WARD_EXIT_OTHER ? why.name : why.text, WARD_EXIT_NAME, "%s",
		 is(reason, "shutdown")     ? ""
		 : is(reason, "shutdown_x") ? "x"
					    : reason);
	ward_assert_ok(ward_try_exit_self(self, &why));
	return WARD_DONE;
}

static ward_result begin_life(ward_self *self, const struct child_args *args)
{
	if (play.lives_count == LIVES_MAX)
		ward_test_fail(__FILE__, __LINE__, "too many lives");
	if (args->conduct == 'u')
		ward_unlink(self, ward_parent(self));
	else if (args->conduct != 'p')
		ward_trap_exit(self, true);
	ward_assert_ok(ward_try_link(self, play.top));
	play.lives[play.lives_count++] =
		(struct life){ward_self_ref(self), args->label, args->conduct, true};
	note("+ %c", args->label);
	return WARD_DONE;
}

static ward_result child_init(ward_self *self, void *state, const void *arg)
{
	const struct child_args *args = arg;
	int number = play.starts[(int)args->label]++, last = (int)strlen(args->starts) - 1;
	char outcome = args->starts[number < last ? number : last];

	(void)state;
	if (outcome == 'o')
		return begin_life(self, args);
	note("! %c %s", args->label, outcome == 'i' ? "ignored" : "failed");
	if (outcome == 'i')
		return ward_otp_ignore(self);
	if (outcome == 'x')
		ward_fail(self, &refused, "by a jump");
	if (outcome != 'e')
		ward_tell(self, play.top, meanwhile, .what = outcome, .label = args->label);
	return ward_failed(self, &refused, "by return");
}

static ward_result child_receive(ward_self *self, void *state, const ward_msg *msg)
{
	const struct child_args *args = ward_args(self);
	const struct ward_exited *gone = ward_match(msg, ward_exited);
	const struct leave *leave = ward_match(msg, leave);

	(void)state;
	if (leave != NULL)
		return end_with(self, leave->reason);
	if (gone == NULL)
		return WARD_UNHANDLED;
	if (!ward_ref_equal(gone->who, ward_parent(self)) || args->conduct == 's')
		return WARD_DONE;
	return end_with(self, args->conduct == 'l' ? "odd" : "shutdown");
}

static const ward_behavior child = {
	.name = "child",
	.args = &ward_type_child_args,
	.init = child_init,
	.receive = child_receive,
};

/* ---- specifications ---------------------------------------------------------------------- */

static ward_otp_restart restart_of(const char *word)
{
	return is(word, "permanent")   ? WARD_OTP_PERMANENT
	       : is(word, "transient") ? WARD_OTP_TRANSIENT
				       : WARD_OTP_TEMPORARY;
}

static int64_t shutdown_of(const char *word)
{
	return is(word, "brutal")     ? WARD_OTP_BRUTAL
	       : is(word, "infinity") ? WARD_OTP_INFINITY
				      : strtoll(word, NULL, 10);
}

static ward_otp_type type_of(const char *word)
{
	return is(word, "worker") ? WARD_OTP_WORKER : WARD_OTP_SUPERVISOR;
}

static struct child_args args_of(char *const *words)
{
	struct child_args args = {.label = words[0][0], .conduct = words[1][0]};

	snprintf(args.starts, sizeof args.starts, "%s", words[2]);
	return args;
}

void spec_read(struct spec *spec, char *const *words)
{
	snprintf(spec->id, sizeof spec->id, "%s", words[0]);
	spec->args = args_of((char *[]){words[0], words[4], words[6]});
	spec->spec = (ward_otp_child_spec){
		.id = spec->id,
		.props = {.behavior = &child, .args = {WARD_COPY(child_args, &spec->args)}},
		.restart = restart_of(words[1]),
		.significant = is(words[2], "1"),
		.shutdown_ms = shutdown_of(words[3]),
		.type = type_of(words[5]),
	};
}

void spec_read_template(struct spec *spec, char *const *words)
{
	*spec = (struct spec){.id = "t", .args = {.label = '?', .starts = "o"}};
	spec->spec = (ward_otp_child_spec){
		.id = spec->id,
		.props = {.behavior = &child, .args = {WARD_COPY(child_args, &spec->args)}},
		.restart = restart_of(words[0]),
		.shutdown_ms = shutdown_of(words[1]),
		.type = type_of(words[2]),
	};
}

void spec_read_simple(struct spec *spec, char *const *words)
{
	spec->args = args_of(words);
	spec->spec = (ward_otp_child_spec){
		.props = {.behavior = &child, .args = {WARD_COPY(child_args, &spec->args)}}};
}
