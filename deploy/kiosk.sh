#!/bin/sh
# The command `kiosk` beside deploy/kiosk.service: as its user, with its settings, in its folder.
exec systemd-run --quiet --collect --wait --pipe --uid=kiosk --property=DynamicUser=yes \
    --property=StateDirectory=kiosk --property=StateDirectoryMode=0700 --property=UMask=0077 \
    --property=EnvironmentFile=/etc/kiosk/kiosk.env --setenv=BACKUP_DIR=/var/lib/kiosk/backups \
    --working-directory=/var/lib/kiosk \
    /opt/kiosk/current/bin/kiosk "$@"
