#> Read the script and everything that says what it should do, before changing anything.
cd /workspace
cat bin/archive-inbox.sh
find docs -type f -print -exec cat {} \; 2>/dev/null
ls -lA sample/inbox sample/archive
#> Gather what has to stay as it is: the settings and the words of the last line. Where decisions were taken later, the newest accepted one about the exit code counts.
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
cat /tmp/settings; echo "$moved $waits $broken $late"
#> Write the script anew around a NUL-separated loop: arguments before the first change, sums from standard input, free names instead of overwriting, failures counted instead of fatal, and what accepted decisions add, if there are any. Write it to /tmp first, and lint it.
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
while IFS= read -r -d '' file; do
  name=${file##*/}
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
done < <(find "$inbox" -mindepth 1 -maxdepth 1 -type f -print0)

SH
echo "printf '$moved=%d $waits=%d $broken=%d\\n' \"\$moved\" \"\$waiting\" \"\$failed\""
echo '[ "$failed" -eq 0 ] || exit "$FAIL"'
} > /tmp/archive-inbox.sh
shellcheck /tmp/archive-inbox.sh || bash -n /tmp/archive-inbox.sh
#> See it work on hostile names, twice, on a taken name, without an inbox, and on a copy of the sample. If decisions ask for it, also on a file that is in the archive already with the same content, and while another run has the lock.
mkdir -p /tmp/try && cd /tmp/try && rm -rf in out && mkdir in out
touch -- 'in/two words' in/-rf 'in/[a]' $'in/line\nbreak' $'in/end\n' 'in/ lead' 'in/back\slash' in/.hidden 'in/50%s'
ln -s /etc/passwd in/link
echo other > 'out/two words'
bash /tmp/archive-inbox.sh in out; echo "code $?"
bash /tmp/archive-inbox.sh in out; echo "code $?"
bash /tmp/archive-inbox.sh nowhere out; echo "code $?"
if [ "$late" = yes ]; then
  cp 'out/two words' in/; bash /tmp/archive-inbox.sh in out; echo "code $?"
  touch in/later; flock out/.lock bash /tmp/archive-inbox.sh in out; echo "code $?"
fi
ls -lAb in out
xargs -0 printf '%q\n' < out/"$(sed -n "s/^LEDGER='\(.*\)'/\1/p" /tmp/settings)"
cp -r /workspace/sample /tmp/try/sample && bash /tmp/archive-inbox.sh sample/inbox sample/archive && find sample
#> That came out as it should. Look at the difference to the old script, and put the new one in place under the old name and mode.
diff /workspace/bin/archive-inbox.sh /tmp/archive-inbox.sh
cat /tmp/archive-inbox.sh > /workspace/bin/archive-inbox.sh
bash -n /workspace/bin/archive-inbox.sh && ls -l /workspace/bin
