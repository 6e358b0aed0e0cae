#!/usr/bin/env bash
# Run `make play` and `make test` on a new Debian with Python and make alone, and tell what they take.
# Fails where one installs a tenth more than the Makefile says. Needs root and debootstrap.
set -euo pipefail
cd "$(dirname "$0")/.."
root=$(mktemp -d) && chmod 755 "$root"
trap 'umount "$root/proc" "$root/dev/pts" || true; rm -rf --one-file-system "$root"' EXIT
debootstrap --variant=minbase --include=python3,python3-venv,make,ca-certificates,adduser \
    bookworm "$root" > /dev/null
# This machine's way to the network is the new one's.
cp /etc/resolv.conf "$root/etc/"
cp /etc/ssl/certs/ca-certificates.crt "$root/etc/ssl/certs/"
mount -t proc proc "$root/proc"
# A test has a terminal of its own.
mount -t devpts -o newinstance,ptmxmode=0666 devpts "$root/dev/pts"
chroot "$root" adduser --quiet --disabled-password --gecos "" somebody
home=$root/home/somebody

measure() {  # TARGET COMMAND: run it in sources of its own
    # What pip keeps would be a present to whoever comes second.
    rm -rf "$home/kiosk" "$home/.cache" && mkdir "$home/kiosk"
    git archive HEAD | tar --extract --directory "$home/kiosk"
    printf '%s\n' "cd kiosk" "export PIP_CERT=${PIP_CERT:-}" "$2" > "$home/do"
    chroot "$root" chown --recursive somebody /home/somebody
    SECONDS=0
    if ! chroot "$root" su --login somebody --command "bash -e do > told 2>&1"; then
        tail -n 20 "$home/told"
        exit 1
    fi
    seconds=$SECONDS
    megabytes=$(du --summarize --block-size=1M "$home/kiosk/.venv" | cut --fields 1)
    said=$(sed --quiet "s/^\$(VENV)\/.$1: COST := .* \([0-9]*\) MB)/\1/p" Makefile)
    printf 'make %-6s %4d s %4d MB, said to be %d MB\n' "$1" "$seconds" "$megabytes" "$said"
    ((megabytes * 10 <= said * 11))
}

# The playground runs until it is ended.
measure play "make play > opened &
until grep --quiet 'playground is open' opened; do kill -0 \$!; sleep 0.1; done
kill \$!"
measure test "make test"
