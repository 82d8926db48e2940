/* SPDX-License-Identifier: MIT
 *
 * tls.c - an echo server by lines with TLS, whose connections are idle: what one of them takes.
 */
#include <ward/tls.h>

#include "bench.h"
#include "lines.h"

static int run_tls(const struct bench_load *load)
{
	char certificate[512], key[512];
	ward_tls_files files = {.certificate = certificate, .key = key};
	const ward_tls_options secret = {.files = &files};
	const ward_stream_options by_line = {.framing = WARD_LINES,
					     .frame_max = 4096,
					     .idle_ms = WARD_MINUTE,
					     .filter = &ward_tls_server,
					     .filter_options = &secret};
	struct echo_run run = {.name = load->bench->name,
			       .connections = (int)load->n,
			       .workers = load->workers,
			       .tls = true};

	echo_beside("../tls/bench.pem", certificate, sizeof(certificate));
	echo_beside("../tls/bench.key", key, sizeof(key));
	lines_echo(&run, &by_line);
	ward_tls_unload(&files);
	return 0;
}

const struct bench tls_benches[] = {
	{"mem_tls", NULL, run_tls, 1000, 0, "bytes of a connection with TLS, of N that are idle"},
	{0},
};
