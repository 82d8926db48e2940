/* SPDX-License-Identifier: MIT
 *
 * meter.c - actors inside the loop of libuv, on its thread.
 *
 *	cc examples/32-libuv/meter.c $(pkg-config --cflags --libs ward libuv) -o meter
 *
 * A timer of libuv takes samples and tells them to an actor. The fourth sample is bad: the actor
 * fails and is restarted, and counts from the beginning. The program has one thread, so the timer
 * and the actor could share data without a lock.
 */
#include <stdio.h>
#include <uv.h>

#include <ward/loop.h>
#include <ward/ward.h>

enum { SAMPLE_MS = 5, SAMPLES = 6 };

struct sample {
	int value;
};
WARD_MESSAGE(sample);

/* ---- an actor ---------------------------------------------------------------------------- */

struct meter {
	int count, sum;
};

static ward_result meter_receive(ward_self *self, void *state, const ward_msg *msg)
{
	const struct sample *sample = ward_match(msg, sample);
	struct meter *me = state;

	if (sample == NULL)
		return WARD_UNHANDLED;
	if (sample->value < 0)
		return ward_failed(self, &ward_exception, "sample %d", sample->value);
	me->count++;
	me->sum += sample->value;
	printf("%d samples, sum %d\n", me->count, me->sum);
	return WARD_DONE;
}

static const ward_behavior meter = {
	.name = "meter", .state_size = sizeof(struct meter), .receive = meter_receive};

/* ---- the loop ---------------------------------------------------------------------------- */

struct program {
	uv_poll_t actors; /* readable: the system has something to do */
	uv_timer_t timer;
	ward_system *system;
	ward_ref meter;
	int taken;
};

static void run_actors(uv_poll_t *handle, int status, int events)
{
	struct program *program = handle->data;

	(void)status;
	(void)events;
	if (ward_system_poll(program->system, 0) == WARD_OK)
		return;
	uv_close((uv_handle_t *)&program->actors, NULL); /* all actors have ended */
	uv_close((uv_handle_t *)&program->timer, NULL);
}

static void take_sample(uv_timer_t *handle)
{
	struct program *program = handle->data;
	int value = ++program->taken == 4 ? -1 : 10 * program->taken;

	if (program->taken <= SAMPLES) {
		ward_system_tell(program->system, program->meter, sample, value);
		return;
	}
	uv_timer_stop(handle);
	ward_system_shutdown(program->system, NULL);
}

int main(void)
{
	ward_options options = {.driven = true, .log = ward_log_stderr};
	struct program program = {.actors.data = &program, .timer.data = &program};
	uv_loop_t *loop = uv_default_loop();

	if (ward_system_create(&options, &program.system) ||
	    ward_system_spawn(program.system, WARD_PROPS(&meter), &program.meter)) {
		fprintf(stderr, "meter: %s\n", ward_err_detail());
		return 2;
	}
	uv_poll_init(loop, &program.actors, ward_system_fd(program.system));
	uv_poll_start(&program.actors, UV_READABLE, run_actors);
	uv_timer_init(loop, &program.timer);
	uv_timer_start(&program.timer, take_sample, SAMPLE_MS, SAMPLE_MS);
	uv_run(loop, UV_RUN_DEFAULT);
	uv_loop_close(loop);
	return ward_system_destroy(program.system, WARD_MINUTE) == WARD_OK ? 0 : 1;
}
