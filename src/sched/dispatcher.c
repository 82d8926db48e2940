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
#include "sched/os_thread.h"
#include "sched/state.h"
#include "sched/worker.h"

enum {
	BLOCKING_THREADS = 16,
	ROWS_MAX = 64,
	SHARE_MAX = 256,        /* of injected runnables, for a worker */
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
	atomic_store_explicit(&dispatcher->park.injected, (uint32_t)dispatcher->inject.count,
			      memory_order_relaxed);
}

/* How many workers run something, or did so when they last looked for more; 0: none runs
 * anything. */
static uint32_t busy_workers(struct wardi_dispatcher *dispatcher)
{
	wardi_mutex_lock(&dispatcher->mu);
	uint32_t busy = wardi_dispatcher_busy(dispatcher);
	wardi_mutex_unlock(&dispatcher->mu);
	return busy;
}

struct wardi_runnable *wardi_dispatcher_take_injected(struct wardi_thread *thread)
{
	struct wardi_dispatcher *dispatcher = thread->worker.dispatcher;
	size_t share = dispatcher->inject.count / dispatcher->workers;
	struct wardi_runnable *first = wardi_fifo_take(&dispatcher->inject);
	struct wardi_fifo others = {0};

	if (first == NULL)
		return NULL;
	for (size_t i = 1; i < share && i < SHARE_MAX; i++)
		wardi_fifo_append(&others, wardi_fifo_take(&dispatcher->inject));
	wardi_dispatcher_injected(dispatcher);
	wardi_runqueue_push_all(&thread->queue, &others);
	return first;
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
				       const char *name,
				       const struct wardi_dispatcher_settings *settings)
{
	struct wardi_dispatcher *dispatcher = wardi_alloc_zeroed(sched->alloc, size_of(name));

	if (dispatcher == NULL)
		return NULL;
	dispatcher->sched = sched;
	dispatcher->kind = kind;
	dispatcher->settings = *settings;
	strcpy(dispatcher->name, name);
	init_mutex(&dispatcher->mu);
	wardi_list_init(&dispatcher->crew.asleep);
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
		    const struct wardi_dispatcher_settings *settings)
{
	struct wardi_dispatcher *dispatcher = create(sched, kind, name, settings);

	if (dispatcher == NULL)
		return wardi_error(WARD_ENOMEM, "no memory for dispatcher \"%s\"", name);
	wardi_list_append(&sched->dispatchers, &dispatcher->link);
	sched->starts_apart |= wardi_thread_settings_inherited(&settings->thread);
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

/* Notes which dispatcher the noted text is about. */
static ward_err wrong(ward_err err, const char *name)
{
	return wardi_error(err, "dispatcher \"%s\": %s", name, ward_err_detail());
}

/* Reads the row of a dispatcher of the library, or its defaults. */
static ward_err read_own(const ward_dispatcher *rows, const char *name,
			 struct wardi_dispatcher_settings *ret_settings)
{
	const ward_dispatcher none = {.name = name};

	while (rows != NULL && rows->name != NULL && strcmp(rows->name, name) != 0)
		rows++;
	if (rows == NULL || rows->name == NULL)
		rows = &none;
	ward_err err = wardi_dispatcher_row_read(rows, ret_settings);
	return err == WARD_OK ? WARD_OK : wrong(err, name);
}

/* Sets how many threads it has: as the row says, or the option, or else the usual number. */
static ward_err set_threads(struct wardi_dispatcher_settings *settings, const char *name,
			    const char *option, uint32_t threads, uint32_t usual)
{
	if (threads != 0 && settings->threads_max != 0 && threads != settings->threads_max)
		return wardi_error(WARD_EINVAL,
				   "dispatcher \"%s\": has %u threads, but options.%s is %u: set "
				   "one of them",
				   name, settings->threads_max, option, threads);
	if (settings->threads_max == 0)
		settings->threads_max = threads != 0 ? threads : usual;
	if (settings->threads_min > settings->threads_max)
		return wardi_error(WARD_EINVAL,
				   "dispatcher \"%s\": the minimum of %u threads is above the "
				   "maximum of %u",
				   name, settings->threads_min, settings->threads_max);
	return WARD_OK;
}

static ward_err add_workers(struct wardi_sched *sched)
{
	struct wardi_dispatcher *dispatcher = wardi_dispatcher_default(sched);
	uint32_t workers = dispatcher->settings.threads_max;

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

/* The one worker of a driven scheduler is a thread of the program. */
static ward_err check_driven(const struct wardi_dispatcher_settings *settings)
{
	if (settings->threads_max <= 1 && settings->thread.stack_bytes == 0 &&
	    !wardi_thread_settings_inherited(&settings->thread))
		return WARD_OK;
	return wardi_error(
		WARD_EINVAL,
		"dispatcher \"" WARD_WORKERS "\": options.driven makes the program's "
		"thread the one worker: it has its own processors, scheduling and stack");
}

static ward_err add_default(struct wardi_sched *sched, const struct wardi_sched_options *options)
{
	struct wardi_dispatcher_settings settings;
	ward_err err = read_own(options->dispatchers, WARD_WORKERS, &settings);

	if (err == WARD_OK && options->driven)
		err = check_driven(&settings);
	if (err != WARD_OK)
		return err;
	if (options->driven && settings.deadline_ns == 0) {
		settings.deadline_ns = WARDI_POLL_NS; /* a turn lasts no longer than a poll */
		settings.paced = true;
	}
	if (options->workers > WARDI_WORKERS_MAX)
		return wardi_error(WARD_EINVAL, "at most %d workers, not %u", WARDI_WORKERS_MAX,
				   options->workers);
	uint32_t usual = settings.thread.has_cpus ? (uint32_t)CPU_COUNT(&settings.thread.cpus)
						  : sched->processors;
	err = set_threads(&settings, WARD_WORKERS, "workers", options->workers,
			  usual < WARDI_WORKERS_MAX ? usual : WARDI_WORKERS_MAX);
	if (err == WARD_OK)
		err = add(sched, WARDI_DISPATCHER_DEFAULT, WARD_WORKERS, &settings);
	return err != WARD_OK || sched->simulated ? err : add_workers(sched);
}

static ward_err add_blocking(struct wardi_sched *sched, const struct wardi_sched_options *options)
{
	struct wardi_dispatcher_settings settings;
	ward_err err = read_own(options->dispatchers, WARD_BLOCKING, &settings);

	if (err == WARD_OK && options->blocking > WARDI_POOL_THREADS_MAX)
		err = wardi_error(WARD_EINVAL, "at most %d blocking threads, not %u",
				  WARDI_POOL_THREADS_MAX, options->blocking);
	if (err == WARD_OK)
		err = set_threads(&settings, WARD_BLOCKING, "blocking", options->blocking,
				  BLOCKING_THREADS);
	return err != WARD_OK ? err : add(sched, WARDI_DISPATCHER_POOL, WARD_BLOCKING, &settings);
}

/* Pinned dispatchers are made with their actors. */
static ward_err read_pinned(struct wardi_sched *sched, const ward_dispatcher *rows)
{
	ward_err err = read_own(rows, WARD_PINNED, &sched->pinned_settings);

	sched->pinned_settings.threads_max = 1;
	sched->starts_apart |= wardi_thread_settings_inherited(&sched->pinned_settings.thread);
	return err;
}

static ward_err add_pool(struct wardi_sched *sched, const ward_dispatcher *row)
{
	struct wardi_dispatcher_settings settings;
	ward_err err = wardi_dispatcher_row_read(row, &settings);

	if (err != WARD_OK)
		return wrong(err, row->name);
	return add(sched, WARDI_DISPATCHER_POOL, row->name, &settings);
}

static bool is_own(const char *name)
{
	return wardi_dispatcher_kind_of(name) != WARDI_DISPATCHER_POOL ||
	       strcmp(name, WARD_BLOCKING) == 0;
}

static ward_err check_rows(const ward_dispatcher *rows)
{
	size_t count = 0;

	while (rows != NULL && rows[count].name != NULL)
		if (count++ == ROWS_MAX)
			return wardi_error(WARD_EINVAL, "options.dispatchers has more than %d rows",
					   ROWS_MAX);
	for (size_t i = 0; i < count; i++)
		for (size_t j = 0; j < i; j++)
			if (strcmp(rows[i].name, rows[j].name) == 0)
				return wardi_error(WARD_EEXIST,
						   "two dispatchers have the name \"%s\"",
						   rows[i].name);
	return WARD_OK;
}

ward_err wardi_dispatchers_init(struct wardi_sched *sched,
				const struct wardi_sched_options *options)
{
	const ward_dispatcher *row = options->dispatchers;
	ward_err err;

	sched->processors = processors();
	sched->patience_ns = sched->processors > 1 && !sched->simulated ? PATIENCE_NS : 0;
	err = check_rows(row);
	if (err == WARD_OK)
		err = add_default(sched, options);
	if (err == WARD_OK)
		err = add_blocking(sched, options);
	if (err == WARD_OK)
		err = read_pinned(sched, row);
	for (; err == WARD_OK && row != NULL && row->name != NULL; row++)
		if (!is_own(row->name))
			err = add_pool(sched, row);
	return err;
}

static ward_err try(const struct wardi_thread_settings *settings, const char *name)
{
	if (settings->stack_bytes == 0 && !wardi_thread_settings_inherited(settings))
		return WARD_OK;
	ward_err err = wardi_os_thread_try(settings);
	return err == WARD_OK ? WARD_OK : wrong(err, name);
}

ward_err wardi_dispatchers_try(struct wardi_sched *sched)
{
	struct wardi_list *head = &sched->dispatchers;
	ward_err err = try(&sched->pinned_settings.thread, WARD_PINNED);

	for (struct wardi_list *link = head->next; err == WARD_OK && link != head;
	     link = link->next) {
		const struct wardi_dispatcher *dispatcher =
			wardi_container_of(link, struct wardi_dispatcher, link);

		err = try(&dispatcher->settings.thread, dispatcher->name);
	}
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
	uint32_t busy =
		busy_workers(wardi_dispatcher_default(sched)) + busy_in(pools, pools->next->next);

	wardi_mutex_lock(&sched->opening_mu);
	busy += busy_in(&sched->pinned, sched->pinned.next);
	wardi_mutex_unlock(&sched->opening_mu);
	return busy;
}

static void fill_info(struct wardi_dispatcher *dispatcher, ward_dispatcher_info *info)
{
	*info = (ward_dispatcher_info){.name = dispatcher->name,
				       .threads_max = dispatcher->settings.threads_max};
	if (dispatcher->sched->simulated)
		return;
	if (dispatcher->kind != WARDI_DISPATCHER_DEFAULT) {
		wardi_blocking_info(dispatcher, info);
		return;
	}
	info->threads = dispatcher->workers;
	info->threads_started = dispatcher->workers;
	info->threads_busy = busy_workers(dispatcher);
}

static void fill_pinned(struct wardi_sched *sched, ward_dispatcher_info *info)
{
	struct wardi_list *head = &sched->pinned;

	*info = (ward_dispatcher_info){.name = WARD_PINNED};
	wardi_mutex_lock(&sched->opening_mu);
	for (struct wardi_list *link = head->next; link != head; link = link->next)
		info->threads++;
	info->threads_max = info->threads;
	info->threads_busy = busy_in(head, head->next);
	info->threads_started = sched->pinned_started;
	wardi_mutex_unlock(&sched->opening_mu);
}

size_t wardi_dispatchers_each(struct wardi_sched *sched,
			      void (*each)(void *arg, const ward_dispatcher_info *info), void *arg)
{
	struct wardi_list *head = &sched->dispatchers;
	ward_dispatcher_info info;
	size_t count = 0;

	for (struct wardi_list *link = head->next; link != head; link = link->next, count++) {
		fill_info(wardi_container_of(link, struct wardi_dispatcher, link), &info);
		each(arg, &info);
	}
	fill_pinned(sched, &info);
	each(arg, &info);
	return count + 1;
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
	struct wardi_dispatcher *dispatcher =
		create(sched, WARDI_DISPATCHER_PINNED, WARD_PINNED, &sched->pinned_settings);

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
		sched->pinned_started++;
		wardi_mutex_unlock(&sched->opening_mu);
	}
	*ret_dispatcher = dispatcher;
	return WARD_OK;
}

ward_err wardi_dispatcher_acquire(struct wardi_sched *sched, const char *name,
				  struct wardi_dispatcher **ret_dispatcher)
{
	if (name != NULL && strcmp(name, WARD_PINNED) == 0)
		return acquire_pinned(sched, ret_dispatcher);

	struct wardi_dispatcher *dispatcher =
		name == NULL ? wardi_dispatcher_default(sched) : find(sched, name);
	if (dispatcher == NULL)
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
