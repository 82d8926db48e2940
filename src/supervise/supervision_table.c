/* SPDX-License-Identifier: MIT
 *
 * supervision_table.c - the table that lower folders call.
 */
#include "cell/supervision_table.h"
#include "actor/represent.h"
#include "supervise/budget.h"
#include "supervise/decision.h"
#include "supervise/fail.h"
#include "supervise/restart.h"
#include "supervise/strategy.h"
#include "watch/association.h"
#include "watch/watch.h"

const struct wardi_supervision wardi_supervision = {
	.fail = wardi_fail,
	.child_failed = wardi_child_failed,
	.restart = wardi_restart,
	.resume = wardi_resume,
	.suspension_changed = wardi_represent_changed,
	.name_abroad = wardi_represent_name,
	.children_gone = wardi_restart_children_gone,
	.default_pre_restart = ward_default_pre_restart,
	.default_post_restart = ward_default_post_restart,
	.default_strategy = &ward_default_strategy,
	.check_strategy = wardi_strategy_check,
	.budget_take = wardi_budget_take,
	.budget_give = wardi_budget_give,
	.watch = wardi_watch,
	.watch_arrived = wardi_watch_arrived,
	.unwatch_arrived = wardi_unwatch_arrived,
	.notice_arrived = wardi_notice_arrived,
	.answer_dead = wardi_watch_answer_dead,
	.notice_here = wardi_notice_here,
	.notice_due = wardi_notice_due,
	.notice_dropped = wardi_notice_dropped,
	.unwatch_all = wardi_watch_end_all,
	.tell_watchers = wardi_watch_tell_all,
	.watch_asked = wardi_watch_asked,
	.unwatch_asked = wardi_unwatch_asked,
	.watch_asked_again = wardi_watch_asked_again,
	.watch_outside = wardi_watch_outside,
	.unwatch_outside = wardi_unwatch_outside,
	.association_over = wardi_association_over,
};
