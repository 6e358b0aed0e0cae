#!/bin/sh
# Dump the PostgreSQL database that PGHOST, PGUSER, PGPASSWORD and PGDATABASE name into a folder, which
# is the only argument. There is one dump a day, and seven stay. If today's can't be made or read, this
# deletes nothing, and fails.
set -eu
export LC_ALL=C
umask 077
mkdir -p "$1"
cd "$1"
made=kiosk-$(date -u +%Y-%m-%d).dump
if [ -e "$made" ]; then exit 0; fi
pg_dump --format=custom --file=.part
# Read all of it.
pg_restore --file=/dev/null .part
mv .part "$made"

# Today's dump stays. Dumps that a wrong clock dated later are deleted first.
dumps=$(ls -r | grep '^kiosk-[0-9-]*\.dump$')
{
    echo "$dumps" | awk -v made="$made" '$0 < made'
    echo "$dumps" | awk -v made="$made" '$0 > made'
} | tail -n +7 | xargs -r rm --
