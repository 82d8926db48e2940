/* SPDX-License-Identifier: MIT
 *
 * sampler.c - a timer that repeats, and work at the end.
 *
 *	cc examples/ten/sampler.c $(pkg-config --cflags --libs ward) -o sampler
 *
 * Prints a sample every 20 ms until SIGTERM, then how many samples there were.
 */
#include <stdio.h>

#include <ward/ward.h>

enum { SAMPLE = 1 };
WARD_SIGNAL(sample);

struct sampler {
	int samples;
};

static ward_result sampler_start(ward_self *self, void *state)
{
	(void)state;
	ward_every(self, SAMPLE, 20, sample);
	return WARD_DONE;
}

static ward_result sampler_receive(ward_self *self, void *state, const ward_msg *msg)
{
	struct sampler *me = state;

	(void)self;
	if (!ward_match(msg, sample))
		return WARD_UNHANDLED;
	printf("sample %d\n", ++me->samples);
	fflush(stdout);
	return WARD_DONE;
}

static ward_result sampler_stop(ward_self *self, void *state)
{
	struct sampler *me = state;

	(void)self;
	printf("flushed %d samples\n", me->samples);
	return WARD_DONE;
}

static const ward_behavior sampler = {.name = "sampler",
				      .state_size = sizeof(struct sampler),
				      .pre_start = sampler_start,
				      .receive = sampler_receive,
				      .post_stop = sampler_stop};

int main(void)
{
	return ward_main(&sampler);
}
