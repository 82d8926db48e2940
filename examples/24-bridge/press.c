/* SPDX-License-Identifier: MIT
 *
 * press.c - the printing press: a loop that waits for a page.
 */
#include "press.h"

#include <pthread.h>
#include <stdlib.h>

struct press {
	struct press_user user;
	int jams_at;
	pthread_t thread;
	pthread_mutex_t mu;
	pthread_cond_t wake;
	int page; /* 0: none is in it */
	bool stop;
};

static void *loop(void *arg)
{
	struct press *press = arg;
	bool jammed = false;

	pthread_mutex_lock(&press->mu);
	while (!press->stop && !jammed) {
		int page = press->page;

		if (page == 0) {
			pthread_cond_wait(&press->wake, &press->mu);
		} else if (page == press->jams_at) {
			press->user.jammed(press->user.arg, page);
			jammed = true;
		} else {
			press->page = 0;
			press->user.printed(press->user.arg, page);
		}
	}
	pthread_mutex_unlock(&press->mu);
	return NULL;
}

struct press *press_open(const struct press_user *user, int jams_at)
{
	struct press *press = calloc(1, sizeof *press);

	if (press == NULL)
		return NULL;
	press->user = *user;
	press->jams_at = jams_at;
	pthread_mutex_init(&press->mu, NULL);
	pthread_cond_init(&press->wake, NULL);
	if (pthread_create(&press->thread, NULL, loop, press) == 0)
		return press;
	free(press);
	return NULL;
}

void press_print(struct press *press, int page)
{
	pthread_mutex_lock(&press->mu);
	press->page = page;
	pthread_cond_signal(&press->wake);
	pthread_mutex_unlock(&press->mu);
}

int press_close(struct press *press)
{
	int page;

	pthread_mutex_lock(&press->mu);
	press->stop = true;
	pthread_cond_signal(&press->wake);
	pthread_mutex_unlock(&press->mu);
	pthread_join(press->thread, NULL);
	page = press->page;
	pthread_mutex_destroy(&press->mu);
	pthread_cond_destroy(&press->wake);
	free(press);
	return page;
}
