/* SPDX-License-Identifier: MIT
 *
 * main.c - a shutdown in phases: what was accepted is finished, and nothing is lost.
 *
 *	cd examples/12-shutdown && cc *.c $(pkg-config --cflags --libs ward) -o shop
 *
 * Runs a shop, and sends it the signal that it closes by. Prints the log of the shop: the open
 * orders are finished, then the till is locked, then the log is complete.
 */
#include "shop.h"

#include <signal.h>
#include <stdio.h>
#include <unistd.h>

static void lock_till(void *system)
{
	ward_system_tell(system, logger_ref, line, "the till is locked");
}

int main(void)
{
	struct accepted yes;
	ward_system *system;
	ward_ref at;
	sigset_t term;

	sigemptyset(&term);
	sigaddset(&term, SIGTERM);
	sigprocmask(SIG_BLOCK, &term, NULL); /* before there are threads */
	if (ward_system_create(&(ward_options){.name = "shop"}, &system) ||
	    ward_system_spawn_service(system, WARD_PROPS(&logger), &logger_ref) ||
	    ward_system_on_shutdown(system, "service-stop", "till", lock_till, system) ||
	    ward_system_spawn(system, WARD_PROPS(&signals), NULL) ||
	    ward_system_spawn(system, WARD_PROPS(&counter), &at) ||
	    ward_system_ask(system, at, WARD_SECOND, &yes, order) ||
	    ward_system_ask(system, at, WARD_SECOND, &yes, order)) {
		fprintf(stderr, "shop: %s\n", ward_err_detail());
		return 2;
	}
	kill(getpid(), SIGTERM);
	if (ward_system_wait(system, WARD_MINUTE) || ward_system_destroy(system, WARD_SECOND)) {
		fprintf(stderr, "shop: %s\n", ward_err_detail());
		return 3;
	}
	puts("closed");
	return 0;
}
