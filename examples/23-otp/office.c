/* SPDX-License-Identifier: MIT
 *
 * office.c - a supervision tree in the words of Erlang/OTP.
 *
 *	cc examples/23-otp/office.c $(pkg-config --cflags --libs ward-otp) -o office
 *
 * When the store fails the till is restarted, too; the errand is not. Prints starts and ends.
 */
#include <stdio.h>
#include <string.h>
#include <ward/otp.h>

static const ward_failure_class mice = {.name = "mice", .parent = &ward_exception};

struct title {
	char text[8];
};
WARD_MESSAGE_FLAT(title);
WARD_SIGNAL(fail);
static ward_result says(ward_self *self, const char *what)
{
	printf("%s %s\n", ((const struct title *)ward_args(self))->text, what);
	return WARD_DONE;
}

static ward_result begin(ward_self *self, void *state)
{
	(void)state;
	return says(self, "begins");
}

static ward_result receive(ward_self *self, void *state, const ward_msg *msg)
{
	(void)state;
	if (!ward_match(msg, fail))
		return WARD_UNHANDLED;
	return ward_failed(self, &mice, "they have eaten everything");
}

static ward_result end(ward_self *self, void *state)
{
	(void)state;
	return says(self, "ends");
}

static const ward_behavior worker = {.name = "worker",
				     .args = &ward_type_title,
				     .receive = receive,
				     .pre_start = begin,
				     .post_stop = end};

#define WORKER(text_) .props = {.behavior = &worker, .args = WARD_ARGS(title, text_)}

static void report(ward_self *self, const ward_otp_report *report)
{
	(void)self;
	printf("report: %s\n", report->text);
}

static const ward_otp_child_spec errand[] = {
	{.id = "errand", WORKER("errand"), .restart = WARD_OTP_TEMPORARY}, {0}};
static const ward_otp_supervisor errands = {.strategy = WARD_OTP_SIMPLE_ONE_FOR_ONE,
					    .children = errand};

static const ward_otp_child_spec children[] = {
	{.id = "store", WORKER("store")},
	{.id = "till", WORKER("till"), .shutdown_ms = 2 * WARD_SECOND},
	{.id = "errands", .supervisor = &errands},
	{0}};
static const ward_otp_supervisor office = {.name = "office",
					   .strategy = WARD_OTP_REST_FOR_ONE,
					   .intensity = 3,
					   .window_ms = 10 * WARD_SECOND,
					   .children = children,
					   .report = report};

/* Each restart starts another actor, so the current ref is asked for. */
static ward_ref child(ward_system *system, ward_ref supervisor, const char *id)
{
	struct ward_otp_children all;
	ward_ref who = ward_nobody();

	if (ward_system_ask(system, supervisor, WARD_SECOND, &all, ward_otp_which_children))
		return who;
	for (size_t i = 0; i < all.count; i++)
		if (strcmp(all.rows[i].id, id) == 0)
			who = all.rows[i].who;
	ward_otp_children_drop(&all);
	return who;
}

static ward_err work(ward_system *system, ward_ref top)
{
	static const ward_otp_child_spec one_more = {0};
	ward_ref store = child(system, top, "store");
	struct ward_otp_done done;
	ward_err err = ward_otp_start_child_wait(system, child(system, top, "errands"), WARD_SECOND,
						 &one_more, &done);

	ward_system_tell(system, store, fail);
	while (ward_ref_equal(child(system, top, "store"), store))
		; /* it has not failed yet */
	if (err || (err = ward_system_ask(system, top, WARD_SECOND, &done, ward_otp_delete_child,
					  .id = "till")))
		return err;
	printf("delete the till: %s\n", ward_otp_code_text(done.code));
	return ward_otp_stop(system, top, WARD_SECOND);
}

int main(void)
{
	ward_system *system;
	ward_ref top;

	if (ward_system_create(NULL, &system))
		return 2;
	if (ward_otp_start(system, &office, WARD_SECOND, &top) || work(system, top))
		printf("it went wrong: %s\n", ward_err_detail());
	return ward_system_destroy(system, 5 * WARD_SECOND);
}
