#!/bin/sh
# A package is removed: a running Ownkey is asked to end, by which it puts Cursor's settings back. Updates leave it be.
case "$1" in
  remove | purge | 0) ;;
  *) exit 0 ;;
esac
for exe in /proc/[0-9]*/exe; do
  [ "$(readlink "$exe" 2>/dev/null)" = "/opt/Ownkey/ownkey" ] || continue
  pid=${exe#/proc/}
  pid=${pid%/exe}
  # The program itself and its guard; their helpers (--type=...) end with them.
  tr '\0' '\n' <"/proc/$pid/cmdline" 2>/dev/null | grep -q -e '^--type=' -e '^--guard$' || kill -TERM "$pid" 2>/dev/null
done
exit 0
