#> What is wanted, what was written down since, and where are files for this unit? The checksums are to show afterwards that what is not ours was left alone.
cat /workspace/CHG-4711.md
if [ -f /workspace/journal.txt ]; then cat /workspace/journal.txt; fi
cat /usr/lib/systemd/system/ledger-sync.service
cd /etc/systemd/system/ledger-sync.service.d
ls -l /usr/lib/systemd/system/ledger-sync.service.d /usr/local/lib/systemd/system/ledger-sync.service.d .
find /usr/lib/systemd/system/ledger-sync.service* /usr/local/lib/systemd/system/ledger-sync.service.d . -type f ! -name 70-chg4711.conf -exec md5sum {} + > /tmp/sums
#> Read every drop-in, and the file of variables that a unit may or may not load. Names decide: one in a higher folder hides its namesake below, and only .conf counts.
tail -n +1 /usr/lib/systemd/system/ledger-sync.service.d/* /usr/local/lib/systemd/system/ledger-sync.service.d/* ./* /etc/default/ledger-sync
#> The layers in the order in which systemd reads them: of each name the highest folder, sorted by name. The last setting decides, for the variable an environment file that is loaded. That goes on record before anything is touched.
layers() {
  echo /usr/lib/systemd/system/ledger-sync.service
  for d in /usr/lib /usr/local/lib /etc; do ls -d $d/systemd/system/ledger-sync.service.d/*.conf; done |
    awk -F/ '{last[$NF] = $0} END {for (n in last) print n, last[n]}' | LC_ALL=C sort | cut -d' ' -f2
}
all=$(layers)
echo "$all"
winner() { grep -H "^$1=" $all | tail -n 1; }
mem=$(winner MemoryMax); tasks=$(winner TasksMax)
batch=$(grep -HoE 'LEDGER_BATCH=[0-9]+' $all | tail -n 1)
loaded=$(grep -h '^EnvironmentFile=' $all | tail -n 1 | sed 's/^EnvironmentFile=-\?//')
[ -n "$loaded" ] && batch=$(grep -H '^LEDGER_BATCH=' "$loaded")
for f in "$mem" "$tasks" "$batch"; do printf '%s\t%s\n' "${f%%:*}" "${f##*=}"; done > /tmp/won
jq -Rn '[inputs | split("\t") | {file: .[0], value: .[1]}] | {MemoryMax: .[0], TasksMax: .[1], LEDGER_BATCH: .[2]}' < /tmp/won > /workspace/before.json
cat /workspace/before.json
#> On record. An earlier attempt (70-chg4711.conf), if there is one, goes now. Then the wanted values, workers as the board amended them if it did, relative ones from what was in force. The new command is made from the last one that is left.
rm -f 70-chg4711.conf
all=$(layers)
t=/workspace/CHG-4711.md
cell() { sed -n "s/^| .*\`$1\` | \(.*\) |\$/\1/p" $t; }
w=$(cell --workers); b=$(sed -n 's/.*change board:.*`--workers` \([0-9]*\).*/\1/p' $t); w=${b:-$w}
m=$(cell MemoryMax); [ "${m#twice}" != "$m" ] && { m=${mem##*=}; m=$(( ${m%M} * 2 * 1024 ))K; }
s=$(cell LEDGER_BATCH); [ "${s#half}" != "$s" ] && s=$(( ${batch##*=} / 2 ))
start=$(for f in $all; do sed -e ':a' -e '/\\$/{N;ba' -e '}' -e 's/\\\n *//g' "$f"; done | grep '^ExecStart=/' | tail -n 1)
echo "workers $w, memory $m, batch $s, environment file ${loaded:-none}"
echo "$start"
#> One override.conf (letters sort behind digits). Where an environment file is loaded, a later one of our own has the last word.
{
  echo "[Service]"
  grep -h '^ExecStartPre=/' $all | grep -v warm-cache | sed '1i ExecStartPre='
  echo "MemoryMax=$m"
  echo "ExecStart="
  echo "$start" | sed "s/--workers [0-9]*/--workers=$w/"
  if [ -n "$loaded" ]; then
    echo "EnvironmentFile=/etc/systemd/system/ledger-sync.service.d/batch.env"
    echo "LEDGER_BATCH=$s" > batch.env
  else
    echo "Environment=\"LEDGER_BATCH=$s\""
  fi
} > override.conf
cat override.conf
if [ -f batch.env ]; then cat batch.env; fi
#> Check: all that is not ours as it was, override.conf last in the order, and the four settings decided there. Each list must be emptied before it is filled anew.
md5sum -c --quiet /tmp/sums && echo "the others are untouched"
all=$(layers)
echo "$all"
winner MemoryMax; winner TasksMax
grep -HE '^(Exec|EnvironmentFile=|Environment=.*LEDGER_BATCH)' $all | sed 's,^[^:]*/,,'
ls -l
