/* SPDX-License-Identifier: MIT
 *
 * starter.c - the thread that starts the others, where they must not inherit from the one that
 * needs them.
 *
 * A thread inherits processors, class and nice value from the thread that starts it. Pools and
 * pinned actors get their threads from any thread: one of class IDLE, or with a nice value, could
 * not even give a new thread the usual ones back, since that needs rights. So if any dispatcher has
 * such settings, all threads but the first workers are started by this one, which has inherited
 * from the thread that created the system. Other systems do without it.
 *
 * Threads: the order under mu. The caller waits until it is carried out.
 */
#include "sched/starter.h"

#include <stddef.h>

#include "sched/os_thread.h"
#include "sched/thread_settings.h"

/* On the stack of the caller. */
struct wardi_start_order {
	const struct wardi_thread_settings *settings;
	void *(*main)(void *arg);
	void *arg;
	pthread_t *id;
	int error;
	bool done;
};

void wardi_starter_init(struct wardi_starter *starter)
{
	*starter = (struct wardi_starter){0};
	wardi_mutex_init(&starter->mu, WARDI_LOCK_STARTER);
	pthread_cond_init(&starter->changed, NULL);
}

void wardi_starter_finish(struct wardi_starter *starter)
{
	pthread_cond_destroy(&starter->changed);
	wardi_mutex_destroy(&starter->mu);
}

/* Under mu. */
static void carry_out(struct wardi_starter *starter)
{
	struct wardi_start_order *order = starter->order;

	order->error = wardi_os_thread_start(order->settings, order->main, order->arg, order->id);
	order->done = true;
	starter->order = NULL;
	pthread_cond_broadcast(&starter->changed);
}

static void *starter_main(void *arg)
{
	struct wardi_starter *starter = arg;

	pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, NULL);
	pthread_setname_np(pthread_self(), "ward-starter");
	wardi_mutex_lock(&starter->mu);
	while (!starter->closing) {
		if (starter->order != NULL)
			carry_out(starter);
		else
			wardi_cond_wait(&starter->changed, &starter->mu);
	}
	wardi_mutex_unlock(&starter->mu);
	return NULL;
}

ward_err wardi_starter_begin(struct wardi_starter *starter)
{
	static const struct wardi_thread_settings none;
	int error = wardi_os_thread_start(&none, starter_main, starter, &starter->id);

	if (error != 0)
		return wardi_os_thread_refused(&none, error);
	starter->runs = true;
	return WARD_OK;
}

void wardi_starter_end(struct wardi_starter *starter)
{
	if (!starter->runs)
		return;
	wardi_mutex_lock(&starter->mu);
	starter->closing = true;
	pthread_cond_broadcast(&starter->changed);
	wardi_mutex_unlock(&starter->mu);
	pthread_join(starter->id, NULL);
	starter->runs = false;
}

int wardi_starter_start(struct wardi_starter *starter, const struct wardi_thread_settings *settings,
			void *(*main)(void *arg), void *arg, pthread_t *ret_id)
{
	struct wardi_start_order order = {
		.settings = settings, .main = main, .arg = arg, .id = ret_id};

	if (!starter->runs)
		return wardi_os_thread_start(settings, main, arg, ret_id);
	wardi_mutex_lock(&starter->mu);
	starter->order = &order;
	pthread_cond_broadcast(&starter->changed);
	while (!order.done)
		wardi_cond_wait(&starter->changed, &starter->mu);
	wardi_mutex_unlock(&starter->mu);
	return order.error;
}
