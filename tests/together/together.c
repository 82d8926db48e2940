/* SPDX-License-Identifier: MIT
 *
 * together.c - a program that has each of the libraries whole: they link, and each of them works.
 */
#include <ward/akka_zero.h>
#include <ward/net.h>
#include <ward/otp.h>
#include <ward/testkit.h>
#include <ward/ward.h>
#ifndef NO_CONFIG
#include <ward/config.h>
#endif
#ifndef NO_TLS
#include <ward/tls.h>
#endif

static ward_result idle_receive(ward_self *self, void *state, const ward_msg *msg)
{
	(void)self, (void)state, (void)msg;
	return WARD_UNHANDLED;
}
static const ward_behavior idle = {.name = "idle", .receive = idle_receive};

WARD_TEST(supervisor_of_otp_starts_a_child)
{
	static const ward_otp_child_spec children[] = {
		{.id = "child", .props = {.behavior = &idle}}, {0}};
	static const ward_otp_supervisor table = {.name = "otp", .children = children};
	ward_kit *kit = ward_kit_start(NULL);
	ward_ref top, child;

	ward_assert_ok(ward_otp_start(ward_kit_system(kit), &table, WARD_SECOND, &top));
	ward_assert_ok(
		ward_system_resolve(ward_kit_system(kit), "/user/otp/child", WARD_SECOND, &child));
	ward_assert_ok(ward_otp_stop(ward_kit_system(kit), top, WARD_SECOND));
	ward_kit_finish(kit);
}

WARD_TEST(supervisor_of_akka_zero_starts_a_component)
{
	static const ward_zero_component components[] = {{.props = {.behavior = &idle}}, {0}};
	static const ward_zero_factory table = {.name = "zero", .components = components};
	ward_kit *kit = ward_kit_start(NULL);
	ward_ref top, child;

	ward_assert_ok(ward_zero_start(ward_kit_system(kit), &table, WARD_SECOND, &top));
	ward_assert_ok(ward_zero_actor(ward_kit_system(kit), top, &idle, WARD_SECOND, &child));
	ward_kit_finish(kit);
}

static const ward_behavior served = {
	.name = "served", .receive = idle_receive, .args = &ward_type_ward_connection};

WARD_TEST(listener_listens)
{
	struct ward_listener at = {.address = "tcp:127.0.0.1:0", .child = {.behavior = &served}};
	ward_kit *kit = ward_kit_start(NULL);
	ward_ref listener =
		ward_kit_spawn(kit, &ward_listen, .args = {WARD_COPY(ward_listener, &at)});
	struct ward_listener_state now = {0};

	ward_assert_ok(ward_system_ask(ward_kit_system(kit), listener, WARD_SECOND, &now,
				       ward_listener_look));
	ward_assert_part(now.address, "tcp:127.0.0.1:");
	ward_kit_finish(kit);
}

WARD_TEST(strategy_for_what_decides_by_itself_is_refused)
{
	static const ward_behavior *const decide[] = {
		&ward_backoff_on_stop, &ward_backoff_on_failure, &ward_otp_behavior,
		&ward_zero_supervisor, &ward_zero_orphanage,     &ward_objects_supervisor,
	};
	ward_kit *kit = ward_kit_start(NULL);

	for (size_t i = 0; i < sizeof decide / sizeof decide[0]; i++) {
		const ward_props *props =
			WARD_PROPS(decide[i], .child_strategy = &ward_stopping_strategy);

		ward_assert_err(ward_system_spawn(ward_kit_system(kit), props, NULL), WARD_EINVAL);
		ward_assert_part(ward_err_detail(), decide[i]->name);
		ward_assert_part(ward_err_detail(), "decides by itself about its children");
	}
	ward_kit_finish(kit);
}

#define LAMP(TELL, ASK) ASK(lamp, watts, int32_t)
WARD_OBJECT(lamp, LAMP);

struct lamp {
	int32_t watts;
};

static ward_result lamp_do_watts(ward_self *self, struct lamp *me, int32_t *ret_answer)
{
	(void)self;
	*ret_answer = me->watts + 60;
	return WARD_DONE;
}
WARD_OBJECT_CLASS(lamp, LAMP);

WARD_TEST(active_object_answers)
{
	static const ward_component components[] = {{.object_class = &lamp_class}, {0}};
	ward_kit *kit = ward_kit_start(NULL);
	ward_objects *objects;
	lamp_ref lamp;
	int32_t watts;

	ward_assert_ok(ward_objects_configure(NULL, components, &objects));
	ward_assert_ok(ward_objects_supervise(objects, ward_kit_system(kit), WARD_SECOND));
	ward_assert_ok(lamp_instance(objects, NULL, &lamp));
	ward_assert_ok(lamp_watts(lamp, &watts));
	ward_assert_eq(watts, 60);
	ward_objects_release(objects);
	ward_kit_finish(kit);
}

#ifndef NO_CONFIG
WARD_TEST(file_that_is_not_there_is_refused)
{
	static const ward_config_module *const modules[] = {NULL};
	ward_config *config;

	ward_assert_err(ward_config_load("/nowhere/ward.conf", modules, NULL, &config),
			WARD_ENOENT);
}
#endif

#ifndef NO_TLS
WARD_TEST(server_without_a_certificate_is_refused)
{
	static const ward_tls_options nothing;
	char text[WARD_FILTERED_TEXT] = "";

	ward_assert(ward_tls_server.open(&nothing, text) == NULL);
	ward_assert_str(text, "a server without a certificate");
}
#endif

WARD_TEST_MAIN
