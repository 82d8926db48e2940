/* SPDX-License-Identifier: MIT
 *
 * lamp.c - actors inside the main loop of GLib, on its thread.
 *
 *	cc examples/33-glib/lamp.c $(pkg-config --cflags --libs ward glib-2.0) -o lamp
 *
 * A lamp blinks by a timer of ward. Its bulb breaks at the third time; the lamp is restarted and
 * goes on. A program with windows does the same: its actors run on the thread of its widgets.
 */
#include <glib-unix.h>
#include <stdio.h>

#include <ward/loop.h>
#include <ward/ward.h>

enum { BLINK_MS = 5, BLINKS = 5, BLINK = 1 };

WARD_SIGNAL(blink);

/* ---- an actor ---------------------------------------------------------------------------- */

static int blinks; /* of the program: the actor may use it, there is one thread */

static ward_result lamp_start(ward_self *self, void *state)
{
	(void)state;
	ward_every(self, BLINK, BLINK_MS, blink);
	return WARD_DONE;
}

static ward_result lamp_receive(ward_self *self, void *state, const ward_msg *msg)
{
	bool *lit = state;

	if (ward_match(msg, blink) == NULL)
		return WARD_UNHANDLED;
	if (++blinks == 3)
		return ward_failed(self, &ward_exception, "the bulb is broken");
	*lit = !*lit;
	printf("%s\n", *lit ? "on" : "off");
	if (blinks == BLINKS)
		ward_system_shutdown(ward_self_system(self), NULL);
	return WARD_DONE;
}

static const ward_behavior lamp = {.name = "lamp",
				   .state_size = sizeof(bool),
				   .pre_start = lamp_start,
				   .receive = lamp_receive};

/* ---- the loop ---------------------------------------------------------------------------- */

struct program {
	GMainLoop *loop;
	ward_system *system;
};

static gboolean run_actors(gint fd, GIOCondition condition, gpointer arg)
{
	struct program *program = arg;

	(void)fd;
	(void)condition;
	if (ward_system_poll(program->system, 0) == WARD_OK)
		return G_SOURCE_CONTINUE;
	g_main_loop_quit(program->loop); /* all actors have ended */
	return G_SOURCE_REMOVE;
}

int main(void)
{
	ward_options options = {.driven = true, .log = ward_log_stderr};
	struct program program = {.loop = g_main_loop_new(NULL, FALSE)};
	ward_ref ref;

	if (ward_system_create(&options, &program.system) ||
	    ward_system_spawn(program.system, WARD_PROPS(&lamp), &ref)) {
		fprintf(stderr, "lamp: %s\n", ward_err_detail());
		return 2;
	}
	g_unix_fd_add(ward_system_fd(program.system), G_IO_IN, run_actors, &program);
	g_main_loop_run(program.loop);
	g_main_loop_unref(program.loop);
	return ward_system_destroy(program.system, WARD_MINUTE) == WARD_OK ? 0 : 1;
}
