/* SPDX-License-Identifier: MIT
 *
 * shop.c - a tree of actors that a file describes.
 *
 *	cd examples/25-config && cc *.c $(pkg-config --cflags --libs ward-config) -o config
 *
 * Prints all errors of wrong.conf, then the sales of shop.conf. Both are in the current folder.
 */
#include <stdio.h>
#include <ward/config.h>
#include <ward/ward.h>

struct line {
	char text[64];
};
WARD_MESSAGE_FLAT(line);
struct sale {
	int pieces; /* negative: there is no paper */
};
WARD_MESSAGE_FLAT(sale);
WARD_SIGNAL(sold);
WARD_REPLY(sale, sold);
static const ward_failure_class jammed = {.name = "jammed", .parent = &ward_exception};

/* ---- the behaviours ---------------------------------------------------------------------- */

static ward_result journal_receive(ward_self *self, void *state, const ward_msg *msg)
{
	const struct line *line = ward_match(msg, line);

	(void)self, (void)state;
	if (line == NULL)
		return WARD_UNHANDLED;
	puts(line->text);
	return WARD_DONE;
}
static const ward_behavior journal = {.name = "journal", .receive = journal_receive};

struct till {
	ward_ref journal;
	uint32_t price;
};
WARD_MESSAGE(till);

static ward_result till_receive(ward_self *self, void *state, const ward_msg *msg)
{
	const struct till *me = ward_args(self);
	const struct sale *sale = ward_match(msg, sale);
	struct line line;

	(void)state;
	if (sale == NULL)
		return WARD_UNHANDLED;
	if (sale->pieces < 0)
		return ward_failed(self, &jammed, "no paper");
	snprintf(line.text, sizeof line.text, "%d pieces for %u each", sale->pieces, me->price);
	ward_send(self, me->journal, WARD_COPY(line, &line));
	return ward_answer(self, msg, sale);
}
static const ward_behavior till = {
	.name = "till", .args = &ward_type_till, .receive = till_receive};

/* ---- their names ------------------------------------------------------------------------- */

static const ward_config_field till_fields[] = {
	{"journal", WARD_CONFIG_REF, WARD_CONFIG_AT(struct till, journal), .required = true},
	{"price", WARD_CONFIG_UINT, WARD_CONFIG_AT(struct till, price), .min = 1, .max = 100},
	{0},
};
static const ward_config_module shop = {
	.version = WARD_CONFIG_VERSION,
	.name = "shop",
	.behaviors =
		(const ward_config_behavior[]){
			{.name = "journal", .behavior = &journal},
			{.name = "till", .behavior = &till, .fields = till_fields},
			{0}},
	.failure_classes = (const ward_failure_class *const[]){&jammed, NULL},
};

/* ---- main -------------------------------------------------------------------------------- */

static void tell(void *arg, const ward_config_error *error)
{
	(void)arg;
	printf("line %u: %s: %s\n", error->line, error->key, error->text);
}

static void sell(ward_system *system, const char *path, int pieces)
{
	struct sold answer;
	ward_ref ref;

	if (ward_system_resolve(system, path, WARD_SECOND, &ref) == WARD_OK &&
	    ward_system_ask(system, ref, WARD_SECOND, &answer, sale, .pieces = pieces) != WARD_OK)
		printf("%s has sold nothing\n", path);
}

int main(void)
{
	static const ward_config_module *const modules[] = {&shop, NULL};
	const ward_config_listener listener = {tell, NULL};
	ward_config *config;
	ward_system *system;

	if (ward_config_load("wrong.conf", modules, &listener, &config) == WARD_OK ||
	    ward_config_load("shop.conf", modules, &listener, &config) != WARD_OK)
		return 1;
	if (ward_config_start(config, &system) != WARD_OK) {
		puts(ward_err_detail());
		return 1;
	}
	sell(system, "/user/tills/left", 2);
	sell(system, "/user/tills/right", -1); /* it is restarted */
	sell(system, "/user/tills/right", 1);
	if (ward_system_destroy(system, WARD_MINUTE) != WARD_OK)
		return 1;
	ward_config_close(config);
	return 0;
}
