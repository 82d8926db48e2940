/* SPDX-License-Identifier: MIT
 *
 * shop.c - a module for tests of files.
 */
#include "shop.h"

#include <errno.h>
#include <pthread.h>

#include <ward/bridge.h>
#include <ward/extend.h>

const ward_failure_class jammed = {.name = "jammed", .parent = &ward_exception};
const ward_failure_class torn = {.name = "torn", .parent = &jammed};

char shop_log[2048];
struct till_args shop_till;
ward_err shop_refuses;
bool shop_has_no_words;

static void say(const char *text)
{
	static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
	size_t length;

	pthread_mutex_lock(&lock);
	length = strlen(shop_log);
	snprintf(shop_log + length, sizeof shop_log - length, "%s%s", length > 0 ? " " : "", text);
	pthread_mutex_unlock(&lock);
}

const char *shop_seen(void)
{
	static char copy[sizeof shop_log];

	memcpy(copy, shop_log, sizeof copy);
	shop_log[0] = '\0';
	return copy;
}

/* "till+" */
static void say_name(ward_self *self, const char *what)
{
	char path[WARD_EVENT_PATH], text[80];

	(void)ward_system_path(ward_self_system(self), ward_self_ref(self), path, sizeof path);
	snprintf(text, sizeof text, "%.64s%s", strrchr(path, '/') + 1, what);
	say(text);
}

/* ---- behaviours -------------------------------------------------------------------------- */

static ward_result start(ward_self *self, void *state)
{
	(void)state;
	say_name(self, "+");
	return WARD_DONE;
}

static ward_result stop(ward_self *self, void *state)
{
	(void)state;
	say_name(self, "-");
	return WARD_DONE;
}

static ward_result receive(ward_self *self, void *state, const ward_msg *msg)
{
	const struct fail_with *fail = ward_match(msg, fail_with);
	const struct note *note = ward_match(msg, note);

	(void)state;
	if (fail != NULL)
		return ward_failed(self, fail->failure_class, "as it was\ntold");
	if (note == NULL)
		return WARD_UNHANDLED;
	say_name(self, "!");
	say(note->text);
	return WARD_DONE;
}

static ward_result till_init(ward_self *self, void *state, const void *args)
{
	(void)self, (void)state;
	shop_till = *(const struct till_args *)args; /* one at a time starts */
	return WARD_DONE;
}

/* It tells who it knows. */
static ward_result till_start(ward_self *self, void *state)
{
	const struct till_args *args = ward_args(self);

	if (!ward_ref_is_nobody(args->journal))
		ward_tell(self, args->journal, note, "hello");
	return start(self, state);
}

static ward_result house_start(ward_self *self, void *state)
{
	const struct house_args *args = ward_args(self);

	if (!args->forgets && ward_config_spawn_children(self, args->children) != WARD_OK)
		return ward_failed(self, &ward_exception, "%s", ward_err_detail());
	if (args->brief)
		ward_tell(self, ward_self_ref(self), ward_poison_pill);
	return start(self, state);
}

static ward_result broken_start(ward_self *self, void *state)
{
	(void)state;
	return ward_failed(self, &jammed, "no paper");
}

WARD_MESSAGE(till_args);
WARD_MESSAGE(house_args);

static const ward_behavior plain_behavior = {
	.name = "plain", .pre_start = start, .post_stop = stop, .receive = receive};
static const ward_behavior till_behavior = {.name = "till",
					    .args = &ward_type_till_args,
					    .init = till_init,
					    .pre_start = till_start,
					    .post_stop = stop,
					    .receive = receive};
static const ward_behavior house_behavior = {.name = "house",
					     .args = &ward_type_house_args,
					     .pre_start = house_start,
					     .post_stop = stop,
					     .receive = receive};
static const ward_behavior broken_behavior = {
	.name = "broken", .pre_start = broken_start, .receive = receive};

/* What a bridge has behind it, and says no more than it: all of it is constant. */
static ward_result press_init(ward_self *self, void *state, const void *args, ward_bridge *bridge)
{
	(void)state, (void)args, (void)bridge;
	say_name(self, "-on");
	return WARD_DONE;
}

static ward_result press_terminate(ward_self *self, void *state, const ward_exit_reason *reason,
				   bool dead)
{
	(void)state, (void)reason, (void)dead;
	say_name(self, "-off");
	return WARD_DONE;
}

static const ward_subsystem press = {
	.name = "press", .init = press_init, .terminate = press_terminate};
static const struct ward_bridged pressing = {.subsystem = &press};

/* ---- what files may say of them ---------------------------------------------------------- */

static const ward_config_name colours[] = {{"red", 1}, {"green", 2}, {"blue", 4}, {NULL, 0}};

#define NESTED(member)                                                                             \
	.offset = offsetof(struct till_args, nested.member) - offsetof(struct till_args, nested),  \
	.size = sizeof(((struct till_args *)0)->nested.member)
static const ward_config_field nested_fields[] = {
	{"deep", WARD_CONFIG_UINT, NESTED(deep), .required = true},
	{"text", WARD_CONFIG_STRING, NESTED(text)},
	{"back", WARD_CONFIG_REF, NESTED(back)},
	{0},
};

#define TILL(member) WARD_CONFIG_AT(struct till_args, member)
static const ward_config_field till_fields[] = {
	{"open", WARD_CONFIG_BOOL, TILL(open)},
	{"small", WARD_CONFIG_INT, TILL(small)},
	{"number", WARD_CONFIG_INT, TILL(number), .min = -5, .max = 5},
	{"port", WARD_CONFIG_UINT, TILL(port)},
	{"large", WARD_CONFIG_UINT, TILL(large)},
	{"factor", WARD_CONFIG_FLOAT, TILL(factor), .min = 0, .max = 1},
	{"drawer", WARD_CONFIG_STRING, TILL(drawer), .min = 1},
	{"label", WARD_CONFIG_TEXT, TILL(label)},
	{"papers", WARD_CONFIG_STRINGS, TILL(papers), .min = 1, .max = 3},
	{"wait", WARD_CONFIG_DURATION, TILL(wait_ms), .min = 10, .max = 5000},
	{"bytes", WARD_CONFIG_SIZE, TILL(bytes)},
	{"colour", WARD_CONFIG_ENUM, TILL(colour), .names = colours},
	{"colours", WARD_CONFIG_MASK, TILL(colours), .names = colours},
	{"journal", WARD_CONFIG_REF, TILL(journal)},
	{"other", WARD_CONFIG_REF, TILL(other)},
	{"strategy", WARD_CONFIG_STRATEGY, TILL(strategy)},
	{"nested", WARD_CONFIG_GROUP, TILL(nested), .fields = nested_fields},
	{0},
};
const struct till_args till_defaults = {.number = 3, .wait_ms = 100, .drawer = "top"};

static void check_till(void *args, ward_config_report *report)
{
	struct till_args *till = args;

	if (till->open && till->port == 0)
		ward_config_wrong(report, "port", "an open till needs one");
	if (till->small == 99)
		ward_config_wrong(report, NULL, "99 is a bad day");
	till->large++;
}

static const ward_config_field needy_fields[] = {
	{"number", WARD_CONFIG_INT, TILL(number), .required = true},
	{"wait", WARD_CONFIG_DURATION, TILL(wait_ms), .required = true},
	{0},
};

static const ward_config_field house_fields[] = {
	{"forgets", WARD_CONFIG_BOOL, WARD_CONFIG_AT(struct house_args, forgets)},
	{"brief", WARD_CONFIG_BOOL, WARD_CONFIG_AT(struct house_args, brief)},
	{NULL, WARD_CONFIG_CHILDREN, WARD_CONFIG_AT(struct house_args, children)},
	{0},
};

static const ward_config_behavior behaviors[] = {
	{.name = "plain", .behavior = &plain_behavior},
	{.name = "till",
	 .behavior = &till_behavior,
	 .fields = till_fields,
	 .defaults = &till_defaults,
	 .check = check_till},
	{.name = "needy", .behavior = &till_behavior, .fields = needy_fields},
	{.name = "house", .behavior = &house_behavior, .fields = house_fields},
	{.name = "broken", .behavior = &broken_behavior},
	{.name = "bare", .behavior = &till_behavior},
	{.name = "press", .behavior = &ward_bridge_behavior, .defaults = &pressing},
	{0},
};

static ward_directive decide_later(ward_self *self, ward_ref child, const ward_failure *failure)
{
	(void)self, (void)child, (void)failure;
	return WARD_LATER;
}

static int32_t priority(const ward_msg *msg)
{
	return ward_msg_size(msg) > 8 ? 1 : 0;
}

static uint64_t hash(const ward_msg *msg)
{
	return ward_msg_size(msg);
}

static const ward_strategy patient = {
	.rules = {{&jammed, WARD_RESUME}}, .otherwise = WARD_STOP, .restarts_max = 2};

static ward_err start_shop(ward_system *system)
{
	(void)system;
	say("shop-starts");
	return WARD_OK;
}

static void stop_shop(ward_system *system)
{
	(void)system;
	say("shop-stops");
}

static ward_err start_shed(ward_system *system)
{
	(void)system;
	if (shop_refuses != WARD_OK)
		return ward_refused(shop_refuses, "the shed is locked");
	errno = EMFILE;
	if (shop_has_no_words)
		return WARD_ESYS;
	say("shed-starts");
	return WARD_OK;
}

static void stop_shed(ward_system *system)
{
	(void)system;
	say("shed-stops");
}

const ward_config_module shop = {
	.version = WARD_CONFIG_VERSION,
	.name = "shop",
	.behaviors = behaviors,
	.failure_classes = (const ward_failure_class *const[]){&jammed, &torn, NULL},
	.strategies = (const ward_config_strategy[]){{"patient", &patient}, {NULL, NULL}},
	.deciders = (const ward_config_decider[]){{"later", decide_later}, {NULL, NULL}},
	.priorities = (const ward_config_priority[]){{"short-first", priority}, {NULL, NULL}},
	.hashes = (const ward_config_hash[]){{"length", hash}, {NULL, NULL}},
	.start = start_shop,
	.stop = stop_shop,
};
const ward_config_module shed = {
	.version = WARD_CONFIG_VERSION, .name = "shed", .start = start_shed, .stop = stop_shed};
const ward_config_module *const shops[] = {&shop, &shed, NULL};

/* ---- loading ----------------------------------------------------------------------------- */

static void tell(void *arg, const ward_config_error *error)
{
	struct told *told = arg;
	size_t length = strlen(told->text);

	snprintf(told->text + length, sizeof told->text - length, "%s%s", length > 0 ? "\n" : "",
		 error->full);
	told->count++;
}

ward_err shop_load(const char *text, struct told *told, ward_config **ret_config)
{
	const ward_config_listener listener = {tell, told};
	ward_config *config;
	ward_err err;

	told->text[0] = '\0';
	told->count = 0;
	err = ward_config_open_text("t", text, strlen(text), &listener, &config);
	if (err != WARD_OK)
		return err;
	err = ward_config_check(config, shops, &listener);
	if (err == WARD_OK)
		*ret_config = config;
	else
		ward_config_close(config);
	return err;
}

ward_config *shop_good(const char *text)
{
	ward_config *config = NULL;
	struct told told;
	ward_err err = shop_load(text, &told, &config);

	ward_assert_str(told.text, "");
	ward_assert_ok(err);
	return config;
}

void shop_wrong(const char *text, const char *wanted)
{
	ward_config *config = NULL;
	struct told told;
	ward_err err = shop_load(text, &told, &config);

	ward_assert_str(told.text, wanted);
	ward_assert_err(err, WARD_EINVAL);
}

ward_kit *shop_kit(ward_config *config)
{
	ward_kit_options options = {0};

	ward_assert_ok(ward_config_options(config, &options.system));
	options.system.name = NULL; /* the kit's, so that paths are known */
	shop_log[0] = '\0';
	shop_refuses = WARD_OK;
	shop_has_no_words = false;
	return ward_kit_start(&options);
}

ward_ref shop_at(ward_kit *kit, const char *path)
{
	ward_ref ref = ward_nobody();

	(void)!ward_system_resolve(ward_kit_system(kit), path, WARD_SECOND, &ref);
	return ref;
}
