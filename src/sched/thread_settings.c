/* SPDX-License-Identifier: MIT
 *
 * thread_settings.c - what the threads of a dispatcher are like: processors, scheduling, stack.
 *
 * Each thread sets its own processors, class and nice value before it runs anything; its stack is
 * an attribute of its creation (os_thread.c). So the thread itself can say what was refused, and
 * no call affects a thread that is already at work.
 *
 * The kernel silently drops processors that a thread may not use, as long as one is left. So the
 * set is read back.
 */
#include "sched/thread_settings.h"

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "base/error.h"
#include "base/text.h"

enum { NICE_MIN = -20, NICE_MAX = 19, PRIORITY_MAX = 99, LIST_TEXT = 80 };

struct class
{
	const char *name;
	int policy;
	bool has_priority, has_nice;
};

static const struct class classes[] = {
	[WARD_SCHEDULING_DEFAULT] = {"default", -1, false, true},
	[WARD_SCHEDULING_OTHER] = {"other", SCHED_OTHER, false, true},
	[WARD_SCHEDULING_BATCH] = {"batch", SCHED_BATCH, false, true},
	[WARD_SCHEDULING_IDLE] = {"idle", SCHED_IDLE, false, false},
	[WARD_SCHEDULING_FIFO] = {"fifo", SCHED_FIFO, true, false},
	[WARD_SCHEDULING_RR] = {"rr", SCHED_RR, true, false},
};
enum { CLASSES = sizeof classes / sizeof classes[0] };

/* ---- lists of processors ----------------------------------------------------------------- */

/* Reads a number of a processor, and moves behind it. False: there is none, or it is too large. */
static bool read_cpu(const char **at, int *ret_cpu)
{
	int cpu = 0;

	if (**at < '0' || **at > '9')
		return false;
	for (; **at >= '0' && **at <= '9'; ++*at) {
		cpu = cpu * 10 + (**at - '0');
		if (cpu >= CPU_SETSIZE)
			return false;
	}
	*ret_cpu = cpu;
	return true;
}

/* Reads "0-3,8". False: it is no such list. */
static bool read_cpus(const char *text, cpu_set_t *ret_cpus)
{
	CPU_ZERO(ret_cpus);
	for (;;) {
		int first, last;

		if (!read_cpu(&text, &first))
			return false;
		last = first;
		if (*text == '-') {
			text++;
			if (!read_cpu(&text, &last) || last < first)
				return false;
		}
		for (int cpu = first; cpu <= last; cpu++)
			CPU_SET(cpu, ret_cpus);
		if (*text == '\0')
			return true;
		if (*text++ != ',')
			return false;
	}
}

/* Writes a set as such a list, cut to fit. */
static void write_cpus(const cpu_set_t *cpus, char *text, size_t max)
{
	size_t length = 0;

	text[0] = '\0';
	for (int cpu = 0; cpu < CPU_SETSIZE && length + 1 < max; cpu++) {
		int first = cpu;

		if (!CPU_ISSET(cpu, cpus))
			continue;
		while (cpu + 1 < CPU_SETSIZE && CPU_ISSET(cpu + 1, cpus))
			cpu++;
		length += (size_t)snprintf(text + length, max - length,
					   cpu > first ? "%s%d-%d" : "%s%d", length > 0 ? "," : "",
					   first, cpu);
	}
}

/* ---- reading a row ----------------------------------------------------------------------- */

static ward_err check_scheduling(const ward_dispatcher *row)
{
	const struct class *class;

	if ((unsigned)row->scheduling >= CLASSES)
		return wardi_error(WARD_EINVAL,
				   "scheduling is %d: one of WARD_SCHEDULING_DEFAULT to "
				   "WARD_SCHEDULING_RR",
				   (int)row->scheduling);
	class = &classes[row->scheduling];
	if (row->priority != 0 && !class->has_priority)
		return wardi_error(WARD_EINVAL,
				   "priority %d has no effect on scheduling %s: it is for fifo and "
				   "rr",
				   row->priority, class->name);
	if (row->priority < 0 || row->priority > PRIORITY_MAX)
		return wardi_error(WARD_EINVAL, "priority is %d, must be from 1 to %d",
				   row->priority, PRIORITY_MAX);
	if (row->nice != 0 && !class->has_nice)
		return wardi_error(WARD_EINVAL,
				   "nice %d has no effect on scheduling %s: it is for other and "
				   "batch",
				   row->nice, class->name);
	if (row->nice < NICE_MIN || row->nice > NICE_MAX)
		return wardi_error(WARD_EINVAL, "nice is %d, must be from %d to %d", row->nice,
				   NICE_MIN, NICE_MAX);
	return WARD_OK;
}

ward_err wardi_thread_settings_read(const ward_dispatcher *row,
				    struct wardi_thread_settings *ret_settings)
{
	struct wardi_thread_settings settings = {
		.stack_bytes = row->stack_bytes,
		.scheduling = row->scheduling,
		.priority = row->priority,
		.nice = row->nice,
		.has_cpus = row->cpus != NULL,
	};
	ward_err err = check_scheduling(row);

	if (err != WARD_OK)
		return err;
	if (row->stack_bytes != 0 &&
	    (row->stack_bytes < WARDI_STACK_MIN || row->stack_bytes > SIZE_MAX / 2))
		return wardi_error(WARD_EINVAL, "the stack has %zu bytes, must be at least %d",
				   row->stack_bytes, WARDI_STACK_MIN);
	if (row->cpus != NULL && !read_cpus(row->cpus, &settings.cpus))
		return wardi_error(WARD_EINVAL,
				   "cpus is \"%.*s\", must be a list of processors from 0 to %d, "
				   "as \"0-3,8\"",
				   WARD_TEXT_FIT(row->cpus, 64), CPU_SETSIZE - 1);
	if (classes[row->scheduling].has_priority && row->priority == 0)
		settings.priority = 1;
	*ret_settings = settings;
	return WARD_OK;
}

bool wardi_thread_settings_inherited(const struct wardi_thread_settings *settings)
{
	return settings->has_cpus || settings->scheduling != WARD_SCHEDULING_DEFAULT ||
	       settings->nice != 0;
}

/* ---- on the thread ----------------------------------------------------------------------- */

/* Says which processor is missing, and which there are. The thread ends soon. */
static void say_no_cpus(const cpu_set_t *wanted, const cpu_set_t *got, char *text, size_t max)
{
	cpu_set_t all;
	char list[LIST_TEXT];
	int missing = 0;

	while (missing < CPU_SETSIZE - 1 &&
	       (!CPU_ISSET(missing, wanted) || CPU_ISSET(missing, got)))
		missing++;
	memset(&all, 0xff, sizeof all);
	(void)sched_setaffinity(0, sizeof all, &all);
	if (sched_getaffinity(0, sizeof all, &all) != 0)
		CPU_ZERO(&all);
	write_cpus(&all, list, sizeof list);
	snprintf(text, max, "there is no processor %d for this process: cpus can have %s", missing,
		 list);
}

static bool set_cpus(const struct wardi_thread_settings *settings, char *text, size_t max)
{
	cpu_set_t got;

	CPU_ZERO(&got);
	if (sched_setaffinity(0, sizeof settings->cpus, &settings->cpus) == 0) {
		if (sched_getaffinity(0, sizeof got, &got) != 0 || CPU_EQUAL(&got, &settings->cpus))
			return true;
	} else if (errno != EINVAL) {
		snprintf(text, max, "the processors are refused: %s", wardi_os_text(errno));
		return false;
	}
	say_no_cpus(&settings->cpus, &got, text, max);
	return false;
}

static bool set_class(const struct wardi_thread_settings *settings, char *text, size_t max)
{
	const struct class *class = &classes[settings->scheduling];
	const struct sched_param param = {.sched_priority = settings->priority};
	int error = pthread_setschedparam(pthread_self(), class->policy, &param);

	if (error == 0)
		return true;
	if (class->has_priority)
		snprintf(text, max,
			 "scheduling %s with priority %d is refused: %s; it needs CAP_SYS_NICE, or "
			 "RLIMIT_RTPRIO of at least %d",
			 class->name, settings->priority, wardi_os_text(error), settings->priority);
	else
		snprintf(text, max, "scheduling %s is refused: %s", class->name,
			 wardi_os_text(error));
	return false;
}

/* On Linux a nice value belongs to a thread. */
static bool set_nice(const struct wardi_thread_settings *settings, char *text, size_t max)
{
	if (setpriority(PRIO_PROCESS, 0, settings->nice) == 0)
		return true;
	snprintf(text, max,
		 "nice %d is refused: %s; it needs CAP_SYS_NICE, or RLIMIT_NICE of at least %d",
		 settings->nice, wardi_os_text(errno), 20 - settings->nice);
	return false;
}

bool wardi_thread_settings_apply(const struct wardi_thread_settings *settings,
				 char text[WARDI_SETTINGS_TEXT])
{
	if (settings->has_cpus && !set_cpus(settings, text, WARDI_SETTINGS_TEXT))
		return false;
	if (settings->scheduling != WARD_SCHEDULING_DEFAULT &&
	    !set_class(settings, text, WARDI_SETTINGS_TEXT))
		return false;
	return settings->nice == 0 || set_nice(settings, text, WARDI_SETTINGS_TEXT);
}
