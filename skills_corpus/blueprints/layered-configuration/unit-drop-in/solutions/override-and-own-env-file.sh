#> An earlier attempt (70-chg4711.conf), if there is one, goes. Then the drop-ins in the order in which systemd reads them: of each name the highest folder, sorted by name. The last setting decides, for the variable an environment file that is loaded; that goes on record.
cd /etc/systemd/system/ledger-sync.service.d
rm -f 70-chg4711.conf
order=$(for d in /usr/lib /usr/local/lib /etc; do ls -d $d/systemd/system/ledger-sync.service.d/*.conf; done |
  awk -F/ '{last[$NF] = $0} END {for (n in last) print n, last[n]}' | LC_ALL=C sort | cut -d' ' -f2)
all="/usr/lib/systemd/system/ledger-sync.service $order"
winner() { grep -H "^$1=" $all | tail -n 1; }
mem=$(winner MemoryMax); tasks=$(winner TasksMax)
batch=$(grep -HoE 'LEDGER_BATCH=[0-9]+' $all | tail -n 1)
loaded=$(grep -h '^EnvironmentFile=' $all | tail -n 1 | sed 's/^EnvironmentFile=-\?//')
[ -n "$loaded" ] && batch=$(grep -H '^LEDGER_BATCH=' "$loaded")
for f in "$mem" "$tasks" "$batch"; do printf '%s\t%s\n' "${f%%:*}" "${f##*=}"; done > /tmp/won
jq -Rn '[inputs | split("\t") | {file: .[0], value: .[1]}] | {MemoryMax: .[0], TasksMax: .[1], LEDGER_BATCH: .[2]}' < /tmp/won > /workspace/before.json
#> Wanted values, the number of workers from the board if it amended the request; relative values are taken from what was in force. The new command is made from the last one.
t=/workspace/CHG-4711.md
cell() { sed -n "s/^| .*\`$1\` | \(.*\) |\$/\1/p" $t; }
w=$(cell --workers); b=$(sed -n 's/.*change board:.*`--workers` \([0-9]*\).*/\1/p' $t); w=${b:-$w}
m=$(cell MemoryMax); [ "${m#twice}" != "$m" ] && { m=${mem##*=}; m=$(( ${m%M} * 2 * 1024 ))K; }
s=$(cell LEDGER_BATCH); [ "${s#half}" != "$s" ] && s=$(( ${batch##*=} / 2 ))
start=$(for f in $all; do sed -e ':a' -e '/\\$/{N;ba' -e '}' -e 's/\\\n *//g' "$f"; done | grep '^ExecStart=/' | tail -n 1)
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
