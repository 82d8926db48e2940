#!/bin/sh
# SPDX-License-Identifier: MIT
#
# demo.sh BUILD_DIR [--workers N] [FILE...] - ward-sink on real input, with every fault once.
#
# The input is what this machine has: dpkg.log and its rotated files, and, where these are short,
# dpkg's list of packages and their lists of files as plain text; or the files given, or standard
# input (-). SEED chooses the order of the faults. The work folder is removed afterwards, unless
# KEEP=1 or WORK names one.
set -eu

LINES_MIN=5000

usage()
{
	echo "usage: demo.sh BUILD_DIR [--workers N] [FILE...]" >&2
	exit 2
}

# Lines of the files, 0 for none.
lines_of()
{
	if [ $# -gt 0 ]; then cat -- "$@" | wc -l; else echo 0; fi
}

[ $# -gt 0 ] || usage
sink=$1/examples/sink/ward-sink
shift
workers=
if [ "${1-}" = --workers ]; then
	[ $# -gt 1 ] || usage
	workers=$2
	shift 2
fi
[ -x "$sink" ] || {
	echo "demo.sh: $sink is not there: run make demo, or see the README in examples/sink" >&2
	exit 2
}

if [ $# -eq 0 ]; then
	for file in /var/log/dpkg.log /var/log/dpkg.log.[0-9] /var/log/dpkg.log.[0-9][0-9]; do
		if [ -f "$file" ] && [ -r "$file" ]; then set -- "$@" "$file"; fi
	done
	if [ "$(lines_of "$@")" -lt $LINES_MIN ] && [ -r /var/lib/dpkg/status ]; then
		set -- "$@" /var/lib/dpkg/status
	fi
	# On a small system even these are short: then the packages' lists of files, as text.
	for file in /var/lib/dpkg/info/*.list; do
		[ "$(lines_of "$@")" -lt $LINES_MIN ] || break
		if [ -r "$file" ]; then set -- "$@" "$file"; fi
	done
	if [ $# -eq 0 ]; then
		echo "demo.sh: no dpkg.log here; give files: demo.sh BUILD_DIR FILE..." >&2
		exit 2
	fi
	echo "demo: $(lines_of "$@") lines in $# files, the first is $1"
fi

work=${WORK-}
if [ -z "$work" ]; then
	work=$(mktemp -d)
	if [ "${KEEP-}" = 1 ]; then
		echo "demo: the database stays in $work/db"
	else
		trap 'rm -rf "$work"' EXIT
	fi
fi
# Ctrl-C is the sink's to handle; we wait for it and remove the folder.
trap : INT TERM

"$sink" --db "$work/db/sink.db" --memory "$work/memory" --chaos "${SEED:-1}" \
	${workers:+--workers "$workers"} -- "$@"
