# Slip: everything is quoted, but the loop still runs over the words of ls
# Fails at: easy, medium, hard
# Source: SKILL.md:32
#> Read the script and its contract.
cd /workspace
cat bin/archive-inbox.sh
find docs -type f -print -exec cat {} \; 2>/dev/null
#> Quote every expansion; the loop itself can stay.
old=bin/archive-inbox.sh
grep -E "^(PART|LEDGER|MARK|FAIL|USAGE)=" "$old" > /tmp/settings
read -r moved waits broken < <(grep -oE '[a-z]+=\$' "$old" | grep -vE '^(f|name|sum)=' | tr -d '=$' | tail -n 3 | xargs)
late=no
if [ -f docs/decisions.md ]; then
  late=yes
  fail=$(awk '/^## /{ok = /, accepted/} ok' docs/decisions.md | grep -oE 'exit code is [0-9]+' | tail -n 1 | grep -oE '[0-9]+')
  busy=$(grep -oE 'ends at once with [0-9]+' docs/decisions.md | grep -oE '[0-9]+')
  sed -i "s/^FAIL=.*/FAIL=$fail/" /tmp/settings
  echo "BUSY=$busy" >> /tmp/settings
fi
{
cat <<'SH'
#!/bin/bash
# Moves finished uploads from INBOX to ARCHIVE: archive-inbox.sh INBOX ARCHIVE

SH
cat /tmp/settings
cat <<'SH'

say() { printf 'archive-inbox: %s\n' "$*" >&2; }

if [ $# -ne 2 ] || [ ! -d "$1" ]; then
  say "usage: archive-inbox.sh INBOX ARCHIVE"
  exit "$USAGE"
fi
inbox=$1 archive=$2
case $inbox in /*) ;; *) inbox=./$inbox ;; esac
case $archive in /*) ;; *) archive=./$archive ;; esac
mkdir -p -- "$archive" || exit "$FAIL"
SH
[ "$late" = no ] || cat <<'SH'
exec 9>>"$archive/.lock" || exit "$FAIL"
flock -n 9 || { say "another run is at work"; exit "$BUSY"; }
SH
cat <<'SH'

moved=0 waiting=0 failed=0
for name in $(ls -A "$inbox"); do
  file=$inbox/$name
  [ -f "$file" ] || continue
  case $name in *"$PART") waiting=$((waiting + 1)); continue ;; esac
  if ! sum=$(sha256sum < "$file"); then
    say "cannot read $name"
    failed=$((failed + 1))
    continue
  fi
SH
[ "$late" = no ] || cat <<'SH'
  if [ -f "$archive/$name" ] && [ ! -L "$archive/$name" ] && cmp -s -- "$file" "$archive/$name"; then
    if rm -f -- "$file"; then moved=$((moved + 1)); else failed=$((failed + 1)); say "cannot remove $name"; fi
    continue
  fi
SH
cat <<'SH'
  target=$name n=2
  while [ -e "$archive/$target" ] || [ -L "$archive/$target" ]; do
    target=$name$MARK$n n=$((n + 1))
  done
  if mv -n -T -- "$file" "$archive/$target" && [ ! -e "$file" ]; then
    printf '%s %s\0' "${sum%% *}" "$target" >> "$archive/$LEDGER"
    moved=$((moved + 1))
  else
    say "cannot move $name"
    failed=$((failed + 1))
  fi
done

SH
echo "printf '$moved=%d $waits=%d $broken=%d\\n' \"\$moved\" \"\$waiting\" \"\$failed\""
echo '[ "$failed" -eq 0 ] || exit "$FAIL"'
} > /tmp/archive-inbox.sh
#> Put it in place.
cat /tmp/archive-inbox.sh > /workspace/bin/archive-inbox.sh
bash -n /workspace/bin/archive-inbox.sh
