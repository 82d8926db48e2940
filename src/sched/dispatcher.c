/* SPDX-License-Identifier: MIT
 *
 * dispatcher.c - sets of threads with queues: the default one, pools, pinned ones.
 *
 * Makes them, finds them by name, ends and frees them. The loops of their threads are in park.c
 * (the default dispatcher) and blocking.c (the others). In a simulation they are names without
 * threads.
 */
#include "sched/dispatcher.h"

#include <sched.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "sched/blocking.h"
#include "sched/state.h"
#include "sched/worker.h"

#define BLOCKING "ward.blocking"
#define PINNED "ward.pinned"
#define RESERVED "ward."

enum {
	BLOCKING_THREADS = 16,
	NAME_LENGTH_MAX = 64,
	WORKERS_MAX = 1024,
	POOL_THREADS_MAX = 4096,
	PATIENCE_NS = 50 * 1000 /* about the time to wake a processor that sleeps */
};

static size_t size_of(const char *name)
{
	return sizeof(struct wardi_dispatcher) + strlen(name) + 1;
}

struct wardi_dispatcher *wardi_dispatcher_default(struct wardi_sched *sched)
{
	return wardi_container_of(sched->dispatchers.next, struct wardi_dispatcher, link);
}

void wardi_dispatcher_injected(struct wardi_dispatcher *dispatcher)
{
	atomic_store_explicit(&dispatcher->injected, (uint32_t)dispatcher->inject.count,
			      memory_order_relaxed);
}

/* Makes an adaptive mutex, which spins before it sleeps: a worker that has seen `injected` comes
 * while the injecting thread still has the mutex. */
static void init_mutex(struct wardi_mutex *mu)
{
	pthread_mutexattr_t attr;

	pthread_mutexattr_init(&attr);
	pthread_mutexattr_settype(&attr, PTHREAD_MUTEX_ADAPTIVE_NP);
	wardi_mutex_init_as(mu, WARDI_LOCK_DISPATCHER, &attr);
	pthread_mutexattr_destroy(&attr);
}

/* Makes a dispatcher without threads. NULL: no memory. */
static struct wardi_dispatcher *create(struct wardi_sched *sched, enum wardi_dispatcher_kind kind,
				       const char *name, uint32_t threads_max)
{
	struct wardi_dispatcher *dispatcher = wardi_alloc_zeroed(sched->alloc, size_of(name));

	if (dispatcher == NULL)
		return NULL;
	dispatcher->sched = sched;
	dispatcher->kind = kind;
	dispatcher->threads_max = threads_max;
	strcpy(dispatcher->name, name);
	init_mutex(&dispatcher->mu);
	pthread_cond_init(&dispatcher->crew.wake, NULL);
	return dispatcher;
}

void wardi_dispatcher_destroy(struct wardi_dispatcher *dispatcher)
{
	struct wardi_sched *sched = dispatcher->sched;

	/* Pinned dispatchers need the lock, and it does no harm to the others. It also makes sure
	 * that the thread that released the dispatcher has dropped its mu. */
	wardi_mutex_lock(&sched->opening_mu);
	if (wardi_list_linked(&dispatcher->link))
		wardi_list_remove(&dispatcher->link);
	wardi_mutex_unlock(&sched->opening_mu);
	for (uint32_t i = 0; dispatcher->threads != NULL && i < dispatcher->workers; i++)
		wardi_thread_destroy(dispatcher->threads[i]);
	wardi_free(sched->alloc, dispatcher->threads,
		   dispatcher->workers * sizeof(struct wardi_thread *));
	pthread_cond_destroy(&dispatcher->crew.wake);
	wardi_mutex_destroy(&dispatcher->mu);
	wardi_free(sched->alloc, dispatcher, size_of(dispatcher->name));
}

/* Finds a dispatcher by name; NULL: there is none. */
static struct wardi_dispatcher *find(struct wardi_sched *sched, const char *name)
{
	struct wardi_list *head = &sched->dispatchers;

	for (struct wardi_list *link = head->next; link != head; link = link->next) {
		struct wardi_dispatcher *dispatcher =
			wardi_container_of(link, struct wardi_dispatcher, link);
		if (strcmp(dispatcher->name, name) == 0)
			return dispatcher;
	}
	return NULL;
}

static ward_err add(struct wardi_sched *sched, enum wardi_dispatcher_kind kind, const char *name,
		    uint32_t threads_max)
{
	struct wardi_dispatcher *dispatcher = create(sched, kind, name, threads_max);

	if (dispatcher == NULL)
		return wardi_error(WARD_ENOMEM, "no memory for dispatcher \"%s\"", name);
	wardi_list_append(&sched->dispatchers, &dispatcher->link);
	return WARD_OK;
}

/* ---- dispatchers of the system ----------------------------------------------------------- */

/* Returns how many processors this process may use. */
static uint32_t processors(void)
{
	cpu_set_t set;

	if (sched_getaffinity(0, sizeof(set), &set) == 0)
		return (uint32_t)CPU_COUNT(&set);
	/* More processors than the set can name. */
	long online = sysconf(_SC_NPROCESSORS_ONLN);
	return online > 0 ? (uint32_t)online : 1;
}

static ward_err add_default(struct wardi_sched *sched, const struct wardi_sched_options *options)
{
	uint32_t workers = options->workers;

	if (workers > WORKERS_MAX)
		return wardi_error(WARD_EINVAL, "at most %d workers, not %u", WORKERS_MAX, workers);
	if (workers == 0)
		workers = sched->processors < WORKERS_MAX ? sched->processors : WORKERS_MAX;
	ward_err err = add(sched, WARDI_DISPATCHER_DEFAULT, "", 0);
	if (err != WARD_OK || sched->simulated)
		return err;

	struct wardi_dispatcher *dispatcher = wardi_dispatcher_default(sched);
	dispatcher->workers = workers;
	wardi_park_init(dispatcher);
	dispatcher->threads =
		wardi_alloc_zeroed(sched->alloc, workers * sizeof(struct wardi_thread *));
	if (dispatcher->threads == NULL)
		return wardi_error(WARD_ENOMEM, "no memory for %u workers", workers);
	for (uint32_t i = 0; i < workers; i++) {
		dispatcher->threads[i] = wardi_thread_create(dispatcher, sched->name);
		if (dispatcher->threads[i] == NULL)
			return wardi_error(WARD_ENOMEM, "no memory for %u workers", workers);
		/* They are the first threads, so that a victim is found by its index. */
		wardi_assert(dispatcher->threads[i]->worker.index == i);
	}
	return WARD_OK;
}

static ward_err add_pool(struct wardi_sched *sched, const char *name, uint32_t threads_max)
{
	if (name[0] == '\0' || strlen(name) > NAME_LENGTH_MAX)
		return wardi_error(WARD_EINVAL,
				   "the name of a dispatcher has 1 to %d bytes: \"%s\"",
				   NAME_LENGTH_MAX, name);
	if (strncmp(name, RESERVED, strlen(RESERVED)) == 0)
		return wardi_error(WARD_EEXIST,
				   "dispatcher \"%s\": names in \"" RESERVED "\" are the library's",
				   name);
	if (find(sched, name) != NULL)
		return wardi_error(WARD_EEXIST, "two dispatchers have the name \"%s\"", name);
	if (threads_max < 1 || threads_max > POOL_THREADS_MAX)
		return wardi_error(WARD_EINVAL, "dispatcher \"%s\": 1 to %d threads, not %u", name,
				   POOL_THREADS_MAX, threads_max);
	return add(sched, WARDI_DISPATCHER_POOL, name, threads_max);
}

ward_err wardi_dispatchers_init(struct wardi_sched *sched,
				const struct wardi_sched_options *options)
{
	uint32_t blocking = options->blocking > 0 ? options->blocking : BLOCKING_THREADS;
	ward_err err;

	sched->processors = processors();
	sched->patience_ns = sched->processors > 1 && !sched->simulated ? PATIENCE_NS : 0;
	err = add_default(sched, options);

	if (err == WARD_OK && blocking > POOL_THREADS_MAX)
		err = wardi_error(WARD_EINVAL, "at most %d blocking threads, not %u",
				  POOL_THREADS_MAX, blocking);
	if (err == WARD_OK)
		err = add(sched, WARDI_DISPATCHER_POOL, BLOCKING, blocking);
	for (const struct wardi_pool_options *pool = options->pools;
	     err == WARD_OK && pool != NULL && pool->name != NULL; pool++)
		err = add_pool(sched, pool->name, pool->threads);
	return err;
}

void wardi_dispatchers_close(struct wardi_sched *sched)
{
	struct wardi_list *head = &sched->dispatchers;

	wardi_park_close(wardi_dispatcher_default(sched));
	for (struct wardi_list *link = head->next->next; link != head; link = link->next)
		wardi_blocking_close(wardi_container_of(link, struct wardi_dispatcher, link));

	/* Pinned dispatchers that were not released. */
	wardi_mutex_lock(&sched->opening_mu);
	head = &sched->pinned;
	for (struct wardi_list *link = head->next; link != head; link = link->next)
		wardi_blocking_close(wardi_container_of(link, struct wardi_dispatcher, link));
	wardi_mutex_unlock(&sched->opening_mu);
}

static uint32_t busy_in(struct wardi_list *head, struct wardi_list *first)
{
	uint32_t busy = 0;

	for (struct wardi_list *link = first; link != head; link = link->next)
		busy += wardi_blocking_busy(
			wardi_container_of(link, struct wardi_dispatcher, link));
	return busy;
}

uint32_t wardi_dispatchers_busy(struct wardi_sched *sched)
{
	struct wardi_list *pools = &sched->dispatchers;
	uint32_t busy = wardi_park_busy(wardi_dispatcher_default(sched)) +
			busy_in(pools, pools->next->next);

	wardi_mutex_lock(&sched->opening_mu);
	busy += busy_in(&sched->pinned, sched->pinned.next);
	wardi_mutex_unlock(&sched->opening_mu);
	return busy;
}

void wardi_dispatchers_finish(struct wardi_sched *sched)
{
	wardi_assert(wardi_list_empty(&sched->pinned));
	while (!wardi_list_empty(&sched->dispatchers))
		wardi_dispatcher_destroy(wardi_dispatcher_default(sched));
}

/* ---- for the actors ---------------------------------------------------------------------- */

static ward_err acquire_pinned(struct wardi_sched *sched, struct wardi_dispatcher **ret_dispatcher)
{
	struct wardi_dispatcher *dispatcher = create(sched, WARDI_DISPATCHER_PINNED, PINNED, 1);

	if (dispatcher == NULL)
		return wardi_error(WARD_ENOMEM, "no memory for a pinned dispatcher");
	if (!sched->simulated) {
		ward_err err = wardi_blocking_open(dispatcher);
		if (err != WARD_OK) {
			wardi_dispatcher_destroy(dispatcher);
			return err;
		}
		wardi_mutex_lock(&sched->opening_mu);
		wardi_list_append(&sched->pinned, &dispatcher->link);
		wardi_mutex_unlock(&sched->opening_mu);
	}
	*ret_dispatcher = dispatcher;
	return WARD_OK;
}

ward_err wardi_dispatcher_acquire(struct wardi_sched *sched, const char *name,
				  struct wardi_dispatcher **ret_dispatcher)
{
	if (name != NULL && strcmp(name, PINNED) == 0)
		return acquire_pinned(sched, ret_dispatcher);

	struct wardi_dispatcher *dispatcher =
		name == NULL ? wardi_dispatcher_default(sched) : find(sched, name);
	if (dispatcher == NULL || (name != NULL && name[0] == '\0'))
		return wardi_error(WARD_ENOENT,
				   "no dispatcher \"%s\": name it in the system's options", name);
	if (dispatcher->kind == WARDI_DISPATCHER_POOL && !sched->simulated) {
		ward_err err = wardi_blocking_open(dispatcher);
		if (err != WARD_OK)
			return err;
	}
	*ret_dispatcher = dispatcher;
	return WARD_OK;
}

void wardi_dispatcher_release(struct wardi_dispatcher *dispatcher)
{
	struct wardi_sched *sched = dispatcher->sched;

	if (dispatcher->kind != WARDI_DISPATCHER_PINNED)
		return;
	if (sched->simulated) {
		wardi_dispatcher_destroy(dispatcher);
		return;
	}
	/* Under opening_mu: the thread may end at once, and be freed with its dispatcher. */
	wardi_mutex_lock(&sched->opening_mu);
	wardi_blocking_close(dispatcher);
	wardi_mutex_unlock(&sched->opening_mu);
}

bool wardi_dispatcher_blocks(const struct wardi_dispatcher *dispatcher)
{
	return dispatcher->kind != WARDI_DISPATCHER_DEFAULT;
}
