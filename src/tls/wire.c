/* SPDX-License-Identifier: MIT
 *
 * wire.c - where OpenSSL reads and writes: the memory of one step of a filter.
 *
 * Bytes go from what was received into records, and from records to what is sent, without a copy in
 * between, which a BIO of OpenSSL's own for memory would make, and keep the memory of.
 */
#include "tls/wire.h"

#include <pthread.h>
#include <string.h>

static BIO_METHOD *method;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static int read_wire(BIO *bio, char *into, int size)
{
	struct wardi_tls_wire *wire = BIO_get_data(bio);
	size_t count = size > 0 ? (size_t)size : 0;

	BIO_clear_retry_flags(bio);
	if (wire->left == 0) {
		BIO_set_retry_read(bio);
		return -1;
	}
	if (count > wire->left)
		count = wire->left;
	memcpy(into, wire->from, count);
	wire->from += count;
	wire->left -= count;
	return (int)count;
}

static int write_wire(BIO *bio, const char *from, int size)
{
	struct wardi_tls_wire *wire = BIO_get_data(bio);
	void *at = size > 0 ? ward_stream_bytes_room(wire->to, (size_t)size) : NULL;

	BIO_clear_retry_flags(bio);
	if (at == NULL) {
		wire->no_memory = true;
		return -1;
	}
	memcpy(at, from, (size_t)size);
	ward_stream_bytes_add(wire->to, (size_t)size);
	return size;
}

static long control(BIO *bio, int command, long number, void *arg)
{
	(void)bio, (void)number, (void)arg;
	return command == BIO_CTRL_FLUSH;
}

static void make_method(void)
{
	method = BIO_meth_new(BIO_TYPE_SOURCE_SINK, "ward");
	if (method == NULL)
		return;
	if (BIO_meth_set_read(method, read_wire) == 1 &&
	    BIO_meth_set_write(method, write_wire) == 1 && BIO_meth_set_ctrl(method, control) == 1)
		return;
	BIO_meth_free(method);
	method = NULL;
}

BIO *wardi_tls_wire_make(struct wardi_tls_wire *wire)
{
	BIO *bio;

	pthread_once(&once, make_method);
	bio = method != NULL ? BIO_new(method) : NULL;
	if (bio == NULL)
		return NULL;
	BIO_set_data(bio, wire);
	BIO_set_init(bio, 1);
	return bio;
}
