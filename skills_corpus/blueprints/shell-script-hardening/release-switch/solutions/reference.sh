#> Read the runbook, values and reports if there are any beside it, the names of the samples, and what there may be under the script's name already, before writing a line.
cd /workspace
cat RUNBOOK.md
cat deploy.conf 2>/dev/null
for report in incidents/*.md; do [ -f "$report" ] && cat "$report"; done
ls -R sample
if [ -f bin/deploy.sh ]; then cat bin/deploy.sh; fi
#> Collect the values: from deploy.conf where there is one, else from the runbook's own words. Should reports have agreed actions, they override the runbook: another code for a failed check, and the release that was live before is spared.
mkdir -p bin
if [ -f deploy.conf ]; then
  grep -E '^[A-Z_]+=' deploy.conf > /tmp/values
else
  word() { grep -E "$1" RUNBOOK.md | grep -oE "$2" | head -n 1 | grep -oE '`[^`]+`' | tail -n 1 | tr -d '`'; }
  {
    echo "RELEASES=$(sed -n 's,^7\. The release lies in `ROOT/\([^/`]*\)/ID`.*,\1,p' RUNBOOK.md)"
    echo "LIVE=$(sed -n 's,^ *`ROOT/\([^/`]*\)` is a symbolic link.*,\1,p' RUNBOOK.md)"
    echo "HISTORY=$(sed -n 's,^8\. .*`ROOT/\([^/`]*\)`.*,\1,p' RUNBOOK.md)"
    echo "CHECK=$(word '^5\.' "own .[^\`]+.")"
    echo "KEEP=$(word '^9\.' 'the .[0-9]+. releases|the .[0-9]+. that')"
    echo "E_USAGE=$(word '^1\.' 'exit code .[0-9]+.')"
    echo "E_BUSY=$(word '^2\.' 'exit code .[0-9]+.')"
    echo "E_EXISTS=$(word '^3\.' 'exit code .[0-9]+.')"
    echo "E_BROKEN=$(word '^4\.' 'exit code .[0-9]+.')"
    echo "E_CHECK=$(word 'is missing or cannot be executed' 'exit code .[0-9]+.')"
  } > /tmp/values
fi
agreed=$(cat incidents/*.md 2>/dev/null | sed -n 's/^- Action, agreed: a release that fails its check.* ends with \([0-9]*\);.*/\1/p')
[ -z "$agreed" ] || sed -i "s/^E_CHECK=.*/E_CHECK=$agreed/" /tmp/values
spare=no
[ -d incidents ] && spare=yes
echo "SPARE_PREVIOUS=$spare" >> /tmp/values
cat /tmp/values
#> Write the script: arguments, lock, then everything in a hidden folder beside the releases that a trap removes; only a rename and a switched link make it live.
{
cat <<'SH'
#!/bin/bash
# Puts a release live: deploy.sh ARCHIVE ROOT (see RUNBOOK.md)

SH
cat /tmp/values
cat <<'SH'

say() { printf 'deploy: %s\n' "$*" >&2; }

if [ $# -ne 2 ] || [ ! -f "$1" ] || [ ! -d "$2" ] || [[ $1 != *.tar.gz ]]; then
  say "usage: deploy.sh ID.tar.gz ROOT"
  exit "$E_USAGE"
fi
archive=$1 root=$2
case $archive in /*) ;; *) archive=./$archive ;; esac
case $root in /*) ;; *) root=./$root ;; esac
id=${archive##*/}
id=${id%.tar.gz}

exec 9>>"$root/.lock" || exit "$E_BUSY"
flock -n 9 || { say "another run is at work"; exit "$E_BUSY"; }

if [ -f "$root/$HISTORY" ] && grep -qFx -e "$id" -- "$root/$HISTORY"; then
  say "$id was deployed before"
  exit "$E_EXISTS"
fi

incoming='' link=''
cleanup() {
  [ -z "$incoming" ] || rm -rf -- "$incoming"
  [ -z "$link" ] || rm -f -- "$link"
}
trap cleanup EXIT
trap 'exit 130' INT
trap 'exit 143' TERM

incoming=$(mktemp -d "$root/.incoming.XXXXXX") || exit "$E_BROKEN"
if ! gzip -dc < "$archive" > "$incoming/tar" || ! mkdir -- "$incoming/new" || ! tar -x --no-same-owner -C "$incoming/new" < "$incoming/tar"; then
  say "$archive is damaged"
  exit "$E_BROKEN"
fi

if ! ( cd -- "$incoming/new" && [ -f "$CHECK" ] && [ -x "$CHECK" ] && RELEASE=$id exec "./$CHECK" ) >&2 9>&-; then
  say "$id failed its check"
  exit "$E_CHECK"
fi

previous=$(readlink -- "$root/$LIVE")
chmod 755 -- "$incoming/new"
mkdir -p -- "$root/$RELEASES"
if [ -e "$root/$RELEASES/$id" ]; then
  say "$id: removing the rest of a dead run"
  rm -rf -- "${root:?}/$RELEASES/${id:?}"
fi
mv -T -- "$incoming/new" "$root/$RELEASES/$id" || exit "$E_BROKEN"
link=$root/.$LIVE.$$
ln -s -- "$RELEASES/$id" "$link" && mv -T -- "$link" "$root/$LIVE" || exit "$E_BROKEN"
printf '%s\n' "$id" >> "$root/$HISTORY"

tac -- "$root/$HISTORY" | awk '!seen[$0]++' | tail -n "+$((KEEP + 1))" | while IFS= read -r old; do
  [ "$SPARE_PREVIOUS" = yes ] && [ "$RELEASES/$old" = "$previous" ] && continue
  [ -z "$old" ] || rm -rf -- "${root:?}/$RELEASES/$old"
done
printf 'deployed %s\n' "$id"
SH
} > bin/deploy.sh
shellcheck bin/deploy.sh || bash -n bin/deploy.sh
#> Try it in a scratch root with a blank in its name: every sample, one of them under an odd name too, an id for the second time, and a run while the lock is taken. Then look at the codes and at what is left behind.
rm -rf /tmp/try && mkdir -p '/tmp/try/my root' && cd /tmp/try
set -- /workspace/sample/*.tar.gz
bash /workspace/bin/deploy.sh "$1" 'my root'; echo "code $?"
cp "$1" $'odd [x] 10:30 $y.tar.gz' && bash /workspace/bin/deploy.sh $'odd [x] 10:30 $y.tar.gz' 'my root'; echo "code $?"
bash /workspace/bin/deploy.sh "$2" 'my root'; echo "code $?"
bash /workspace/bin/deploy.sh "$3" 'my root'; echo "code $?"
bash /workspace/bin/deploy.sh "$1" 'my root'; echo "code $?"
flock 'my root/.lock' bash /workspace/bin/deploy.sh "$3" 'my root'; echo "code $?"
find . | sort; find . -type l -printf '%p -> %l\n'
