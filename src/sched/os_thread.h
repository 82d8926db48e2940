/* SPDX-License-Identifier: MIT
 *
 * os_thread.h - a thread as the operating system makes it: its stack and its signal mask.
 */
#ifndef WARDI_OS_THREAD_H
#define WARDI_OS_THREAD_H

#include <pthread.h>

#include <ward/types.h>

struct wardi_thread_settings;

/* Starts a thread with the stack of these settings and all asynchronous signals blocked. Returns 0,
 * or an errno. */
int wardi_os_thread_start(const struct wardi_thread_settings *settings, void *(*main)(void *arg),
			  void *arg, pthread_t *ret_id);
/* Notes the text for that errno. */
ward_err wardi_os_thread_refused(const struct wardi_thread_settings *settings, int error);

/* Starts a thread with these settings, which ends at once. Error: WARD_ESYS. */
ward_err wardi_os_thread_try(const struct wardi_thread_settings *settings);

#endif
