#> How does the program write its backups? Its README says so; then the folder, what the log says of each run's end, and from every record what it builds on, whether it finished and what it deletes.
cd /srv/backup/atlas; cat README.md; ls -v
grep -v queued backup.log
for f in $(ls -v gen-*.json); do jq -c '[.generation, .kind, .parent, .finished, (.files | length), .deleted]' $f; done
#> One record whole down to its first files, the members of its archive as they are stored, and those of all archives that would land outside: with -P, for without it tar changes what it shows. A damaged archive may complain here, which is looked at next.
f=$(ls -v gen-*.json | head -n 1); jq '.files |= (to_entries[:2] | from_entries)' $f
tar -tPzf ${f%.json}.tar.gz | head -n 6
for a in $(ls -v gen-*.tar.gz); do tar -tPzf $a 2>&1 | grep -E '^/|(^|/)\.\.(/|$)|^(tar|gzip): ' | sed "s/^/$a: /"; done; cd /workspace
#> Verify one generation after the other with what its record says: finished, archive sum, the sums of its files, then its parent. Unpacked copies go to a scratch folder without names that lead outside, so that nothing can land there.
B=/srv/backup/atlas; W=/tmp/w; mkdir -p $W; : > $W/bad
numbers=$(ls $B/gen-*.json | sed 's/.*gen-\([0-9]*\).json/\1/' | sort -n)
field() { jq -r "$2" "$B/gen-$1.json"; }
for n in $numbers; do
  a=$B/gen-$n.tar.gz; p=$(field $n .parent); why=
  if [ "$(field $n .finished)" = null ]; then why=incomplete
  elif [ "$(sha256sum < $a | cut -d' ' -f1)" != "$(field $n .archive_sha256)" ]; then why=checksum
  else
    mkdir -p $W/$n
    tar -tPzf $a | grep -vE '^/|(^|/)\.\.(/|$)' > $W/$n.names
    tar -xzf $a -C $W/$n -T $W/$n.names
    field $n '.files | to_entries[] | .value.sha256 + "  " + .key' | grep -vE '^[0-9a-f]+  (/|(.*/)?\.\.(/|$))' > $W/$n.sums
    (cd $W/$n && sha256sum --quiet -c $W/$n.sums > /dev/null 2>&1) || why=content
    [ -z "$why" ] && grep -q "^$p " $W/bad && why=parent
  fi
  [ -n "$why" ] && echo "$n $why" >> $W/bad
  echo "$n ${why:-sound}"
done
good=$(for n in $numbers; do grep -q "^$n " $W/bad || echo $n; done | tail -n 1)
chain=$good; p=$(field $good .parent)
while [ "$p" != null ]; do chain="$p $chain"; p=$(field $p .parent); done
echo "restore $good from $chain"
#> Build the tree on disk: for each generation of the chain first what it deletes, then its files, with a stamp of where each file is from, so that of names alike the later stays. Names that lead outside were not unpacked at all.
mkdir -p $W/tree; : > $W/stamps
for n in $chain; do
  field $n '.deleted[]' | while IFS= read -r gone; do rm -rf "$W/tree/$gone"; done
  cp -r $W/$n/. $W/tree/
  sed "s/^/$n\t/" $W/$n.names >> $W/stamps
done
cd $W/tree
find . -type f | sed 's,^\./,,' | sort > $W/names
awk -F'\t' 'NR == FNR {g[$2] = $1; next} {print tolower($1) "\t" g[$1] "\t" $1}' $W/stamps $W/names | sort -t"$(printf '\t')" -k1,1 -k2,2n |
  awk -F'\t' '$1 == last {print name} {last = $1; name = $3}' | LC_ALL=C sort > $W/dropped
while IFS= read -r name; do rm "$name"; done < $W/dropped
wc -l < $W/names; cat $W/dropped
#> Pack it, files only and named from the top of the share without `./`, and write the report; the refused names are listed straight from the archives of the chain, with -P so that tar shows them as they are stored.
find . -type f -printf '%P\n' | LC_ALL=C sort > $W/packed
tar -czf /workspace/restored.tar.gz --verbatim-files-from -T $W/packed
for n in $chain; do tar -tPzf $B/gen-$n.tar.gz | grep -E '^/|(^|/)\.\.(/|$)'; done | LC_ALL=C sort > $W/refused
jq -n --argjson g "$good" --arg c "$chain" --rawfile bad $W/bad --rawfile r $W/refused --rawfile d $W/dropped \
  --argjson f "$(find . -type f | wc -l)" --argjson b "$(find . -type f -printf '%s\n' | awk '{s += $1} END {print s}')" \
  'def lines: split("\n") | map(select(. != "")); {generation: $g, chain: ($c | split(" ") | map(tonumber)),
   unusable: ($bad | lines | map(split(" ") | {key: .[0], value: .[1]}) | from_entries), refused: ($r | lines), case_dropped: ($d | lines), files: $f, bytes: $b}' > /workspace/restore.json
cat /workspace/restore.json
#> Look into the tar as the new share will: its names, none alike but for case, none leading outside, and each file's sum against the record of the last generation of the chain that has it. Only what differs is printed, then how many agree.
tar -tzf /workspace/restored.tar.gz | head -n 40
tar -tzf /workspace/restored.tar.gz | tr A-Z a-z | sort | uniq -d | wc -l
mkdir -p $W/again; tar -xzf /workspace/restored.tar.gz -C $W/again
for n in $chain; do field $n '.files | to_entries[] | .key + "\t" + .value.sha256'; done | awk -F'\t' '{s[$1] = $2} END {for (k in s) print k "\t" s[k]}' > $W/want
(cd $W/again; find . -type f -printf '%P\n' | while IFS= read -r f; do
  grep -qxF "$f$(printf '\t')$(sha256sum < "$f" | cut -d' ' -f1)" $W/want && echo agrees || echo "differs: $f"; done) | sort | uniq -c
