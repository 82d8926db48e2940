/* SPDX-License-Identifier: MIT
 *
 * replies.c - notifies the asker when a question or an answer did not arrive.
 */
#include "actor/ask.h"
#include "cell/reply_ref.h"
#include "shutdown/task.h"

const struct wardi_replies wardi_replies = {
	.ask_unheard = wardi_ask_unheard,
	.task_answer = wardi_task_answer,
	.task_undelivered = wardi_task_undelivered,
};
