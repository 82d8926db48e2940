/* SPDX-License-Identifier: MIT
 *
 * start.c - starts the tree of a file from a thread outside: the whole tree, or nothing.
 *
 *	modules start -> services -> actors, each at the top spawned, and awaited with all below it
 *	                                |
 *	                                +-> one was refused, has failed, is late: those at the top
 *	                                    are stopped, the last one first; modules stop
 *
 * Modules stop when nothing of the tree is left: here, after a failed start, or when the whole
 * system is down.
 *
 * Threads: any; one thread at a time for each config.
 */
#include <stdio.h>
#include <string.h>

#include <ward/selection.h>
#include <ward/text.h>

#include "common/refusal.h"
#include "common/uncancelled.h"
#include "config/read/errors.h"
#include "config/read/unit.h"
#include "config/tree/run.h"
#include "config/tree/supervisor.h"

enum { WHY_MAX = 480 };

/* A start under way. */
struct start {
	struct wardi_config_run *run;
	ward_ref hearing;
	const struct wardi_config_node *failed;
	char why[WHY_MAX + 288]; /* with its place */
};

/* ---- modules ----------------------------------------------------------------------------- */

static void stop_modules(struct wardi_config_run *run)
{
	const ward_config_module **modules;

	/* After a failed start the config may be gone before the system is. */
	if (atomic_exchange_explicit(&run->modules_stopped, true, memory_order_acq_rel))
		return;
	modules = run->config->modules;
	for (size_t i = run->modules_started; i-- > 0;)
		if (modules[i]->stop != NULL)
			modules[i]->stop(run->system);
}

static ward_err start_modules(struct wardi_config_run *run)
{
	const ward_config_module **modules = run->config->modules;

	for (; modules[run->modules_started] != NULL; run->modules_started++) {
		const ward_config_module *module = modules[run->modules_started];
		struct wardi_refusal refusal;
		char why[sizeof refusal.text];
		bool noted;
		ward_err err;

		wardi_refusal_begin(&refusal);
		err = module->start != NULL ? module->start(run->system) : WARD_OK;
		if (err == WARD_OK) {
			wardi_refusal_none(&refusal);
			continue;
		}
		ward_text_format(why, sizeof why, "%s", wardi_refusal_text(&refusal, err, &noted));
		stop_modules(run);
		return ward_refused(err, "module \"%.*s\" does not start: %s",
				    WARD_TEXT_FIT(module->name, 64), why);
	}
	return WARD_OK;
}

static void system_is_down(void *arg)
{
	struct wardi_config_run *run = arg;

	stop_modules(run);
	wardi_config_run_release(run);
}

/* ---- why not ----------------------------------------------------------------------------- */

/* "shop.conf:12: actors.tills: what" */
static ward_err not_started(struct start *start, const struct wardi_config_node *node, ward_err err,
			    const char *what)
{
	const ward_config *config = start->run->config;
	char key[WARDI_CONFIG_KEY], why[WHY_MAX];
	const char *file;
	uint32_t line;

	ward_text_format(why, sizeof why, "%s", what); /* `what` may be the current detail */
	file = wardi_config_where(config, config_setting_source_line(node->setting), &line);
	wardi_config_key(node->setting, NULL, key, sizeof key);
	ward_text_format(start->why, sizeof start->why, "%.*s:%u: %.*s: %s",
			 WARD_TEXT_FIT(file, 150), line, WARD_TEXT_FIT(key, 100), why);
	return ward_refused(err, "%s", start->why);
}

/* Whether its parent, which had run, has ended by itself, and this actor with it. A parent that is
 * ending answers no question, and is gone then. */
static bool has_run(const struct wardi_config_run *run, const struct wardi_config_node *node)
{
	ward_ref ref;

	return node->parent->parent != NULL &&
	       ward_system_resolve(run->system, node->parent->path, run->config->start_timeout_ms,
				   &ref) == WARD_ENOENT;
}

/* Returns why an actor below a top actor has ended, as far as the listener knows. */
static ward_err has_ended(struct start *start, const struct wardi_config_node *node)
{
	struct wardi_config_run *run = start->run;
	struct wardi_config_heard heard;
	char why[WHY_MAX];

	if (ward_system_ask_send(run->system, start->hearing, run->config->start_timeout_ms,
				 &wardi_config_heard, &heard, &wardi_config_what, NULL,
				 0) != WARD_OK)
		return not_started(start, node, WARD_EDEAD, "ended during its start");
	if (heard.text[0] == '\0')
		return has_run(run, node)
			       ? WARD_OK
			       : not_started(start, node, WARD_EDEAD, "ended during its start");
	ward_text_format(why, sizeof why, "failed during its start: %s", heard.text);
	return not_started(start, node, WARD_EDEAD, why);
}

static ward_err is_not_running(struct start *start, const struct wardi_config_node *node,
			       ward_err err)
{
	char why[WHY_MAX], time[48];

	if (err == WARD_EDEAD || err == WARD_ENOENT)
		return has_ended(start, node);
	if (err != WARD_ETIMEDOUT)
		return not_started(start, node, err, ward_err_detail());
	wardi_config_duration_text(start->run->config->start_timeout_ms, time, sizeof time);
	ward_text_format(why, sizeof why, "did not start within %s", time);
	return not_started(start, node, err, why);
}

/* ---- waiting ----------------------------------------------------------------------------- */

static ward_err await_below(struct start *start, const struct wardi_config_node *node);

/* A supervisor has waited for its children itself. */
static ward_err await_one(struct start *start, const struct wardi_config_node *node, ward_ref ref)
{
	const struct wardi_config_run *run = start->run;
	bool asks = node->kind == NULL && node->front == WARDI_FRONT_NONE;
	int64_t timeout_ms = run->config->start_timeout_ms;
	struct ward_identity identity = {.found = true};
	ward_err err;

	if (asks)
		err = ward_system_ask_send(run->system, ref, timeout_ms, &wardi_config_running,
					   &identity, &wardi_config_ready, NULL, 0);
	else
		err = ward_system_ask(run->system, ref, timeout_ms, &identity, ward_identify,
				      .tag = 1);
	if (err == WARD_OK && !identity.found)
		err = WARD_EDEAD;
	if (err != WARD_OK)
		return is_not_running(start, node, err);
	return await_below(start, node);
}

/* Waits for actors that a behaviour of the program has started, and those below them; by path,
 * since another thread writes their refs. */
static ward_err await_below(struct start *start, const struct wardi_config_node *node)
{
	const struct wardi_config_run *run = start->run;
	ward_err err = WARD_OK;
	ward_ref ref;

	if (node->front != WARDI_FRONT_NONE)
		return WARD_OK;
	for (const struct wardi_config_node *at = node->first; at != NULL && err == WARD_OK;
	     at = at->next) {
		if (node->kind == NULL) {
			err = await_below(start, at);
			continue;
		}
		err = ward_system_resolve(run->system, at->path, run->config->start_timeout_ms,
					  &ref);
		err = err == WARD_OK ? await_one(start, at, ref) : is_not_running(start, at, err);
	}
	return err;
}

/* ---- all, or nothing --------------------------------------------------------------------- */

/* Waits until the listener is ready: it would miss an earlier failure. */
static ward_err listen_to(const struct start *start, const struct wardi_config_node *node)
{
	const struct wardi_config_run *run = start->run;
	struct wardi_config_hear hear = {""};
	struct wardi_config_heard heard;

	snprintf(hear.path, sizeof hear.path, "%s", node->path);
	return ward_system_ask_send(run->system, start->hearing, run->config->start_timeout_ms,
				    &wardi_config_heard, &heard, &wardi_config_hear, &hear,
				    sizeof hear);
}

static ward_err start_top(struct start *start, const struct wardi_config_node *node)
{
	struct wardi_config_run *run = start->run;
	ward_ref *ref = &run->refs[node->number];
	struct wardi_config_made made;
	ward_err err;

	err = listen_to(start, node);
	if (err != WARD_OK)
		return not_started(start, node, err, ward_err_detail());
	wardi_config_made(run, node, &made);
	if (node->parent == run->config->services)
		err = ward_system_spawn_service(run->system, &made.props, ref);
	else
		err = ward_system_spawn(run->system, &made.props, ref);
	if (err != WARD_OK)
		return not_started(start, node, err, ward_err_detail());
	return await_one(start, node, *ref);
}

static ward_err start_group(struct start *start, const struct wardi_config_node *top)
{
	ward_err err = WARD_OK;

	for (const struct wardi_config_node *node = top->first; node != NULL && err == WARD_OK;
	     node = node->next)
		err = start_top(start, node);
	return err;
}

/* Stops the actors, the last one first. After the first that does not end in time, waits for no
 * other: its cause may delay all. Returns whether all are gone. */
static bool stop_group(const struct start *start, const struct wardi_config_node *top, bool gone)
{
	const struct wardi_config_run *run = start->run;
	const struct wardi_config_node *end = NULL;
	int64_t timeout_ms = run->config->start_timeout_ms;

	while (end != top->first) {
		const struct wardi_config_node *node = top->first;
		ward_ref ref;

		while (node->next != end)
			node = node->next;
		end = node;
		ref = run->refs[node->number];
		if (ward_ref_is_nobody(ref))
			continue;
		ward_system_stop(run->system, ref);
		if (ward_system_wait_for(run->system, ref, gone ? timeout_ms : 0) != WARD_OK)
			gone = false;
	}
	return gone;
}

/* Ends the listener, so that no picture of the system has it. That it has ended is known to its
 * parent before it is to others, but freed only in a turn of the parent: a message to a child that
 * does not exist passes through that. */
static void end_listener(const struct start *start)
{
	const struct wardi_config_run *run = start->run;
	int64_t timeout_ms = run->config->start_timeout_ms;
	ward_ref nobody;

	ward_system_stop(run->system, start->hearing);
	if (ward_system_wait_for(run->system, start->hearing, timeout_ms) == WARD_OK)
		(void)!ward_system_resolve(run->system, "/system/ward-config-start", timeout_ms,
					   &nobody);
}

static ward_err start_tree(struct start *start)
{
	struct wardi_config_run *run = start->run;
	const ward_config *config = run->config;
	const ward_props hearing = {.behavior = &wardi_config_hearing};
	ward_err err;
	bool gone;

	err = ward_system_spawn_service(run->system, &hearing, &start->hearing);
	if (err != WARD_OK) {
		ward_text_format(start->why, sizeof start->why, "%s", ward_err_detail());
		stop_modules(run);
		return ward_refused(err, "%s", start->why);
	}
	err = start_group(start, config->services);
	if (err == WARD_OK)
		err = start_group(start, config->actors);
	end_listener(start);
	if (err == WARD_OK)
		return WARD_OK;
	gone = stop_group(start, config->actors, true);
	gone = stop_group(start, config->services, gone);
	if (!gone)
		return ward_refused(err, "%s; some actors have not stopped yet", start->why);
	stop_modules(run);
	return ward_refused(err, "%s", start->why);
}

ward_err ward_config_spawn(ward_config *config, ward_system *system)
{
	WARDI_UNCANCELLED;
	struct start start = {0};
	char why[WHY_MAX];
	ward_err err;

	if (!config->ready || system == NULL)
		return ward_refused(WARD_EINVAL, "%.*s: is not checked, or there is no system",
				    WARD_TEXT_FIT(config->path, 300));
	start.run = wardi_config_run_make(config, system);
	if (start.run == NULL)
		return ward_refused(WARD_ENOMEM, "%.*s: not enough memory to start it",
				    WARD_TEXT_FIT(config->path, 300));
	err = start_modules(start.run);
	if (err == WARD_OK) {
		atomic_fetch_add_explicit(&start.run->holders, 1, memory_order_relaxed);
		err = ward_system_on_terminate(system, system_is_down, start.run);
		if (err == WARD_OK) {
			err = start_tree(&start);
		} else {
			ward_text_format(why, sizeof why, "%s", ward_err_detail());
			stop_modules(start.run);
			wardi_config_run_release(start.run);
			err = ward_refused(err, "%s", why);
		}
	}
	wardi_config_run_release(start.run);
	return err;
}

ward_err ward_config_start(ward_config *config, ward_system **ret_system)
{
	WARDI_UNCANCELLED;

	ward_options options;
	ward_system *system;
	char why[WHY_MAX];
	ward_err err = ward_config_options(config, &options);

	if (err == WARD_OK)
		err = ward_system_create(&options, &system);
	if (err != WARD_OK)
		return err;
	err = ward_config_spawn(config, system);
	if (err == WARD_OK) {
		*ret_system = system;
		return WARD_OK;
	}
	ward_text_format(why, sizeof why, "%s", ward_err_detail());
	if (ward_system_destroy(system, config->start_timeout_ms) != WARD_OK)
		return ward_refused(err, "%s; the system did not stop: %s", why, ward_err_detail());
	return ward_refused(err, "%s", why);
}
