#> What does the release say, which entries has the changelog up to its schema, and in which schema is each file that it reads?
cat /var/log/tidegate/startup.log
cat /usr/share/doc/tidegate/CHANGELOG.md
cd /etc/tidegate
ls -l . sites.d
grep -n '^schema' tidegate.yaml sites.d/*.yaml
#> Now the files: the main one and one site whole, of the other sites the lines that the changelog speaks of, so that I see indentation, quotes and notes. And a copy of all, to compare with and to go back to.
cp -r /etc/tidegate /tmp/old
cat tidegate.yaml
cat "$(ls sites.d/*.yaml | head -n 1)"
grep -nE '^(site|profile|keepalive|limits|timeouts):|^ +(read|connect|hide|strip|insecure_skip_verify|verify):' $(ls sites.d/*.yaml | tail -n +2) /dev/null
#> Lines are regular enough for sed: one script for each step of the schema. A file gets those between its own schema and the wanted one, in their order, and comments stay. A site that lives on keepalive's old default gets it written out.
want=$(grep -oE 'reads schema [0-9]+' /var/log/tidegate/startup.log | tail -n 1 | grep -oE '[0-9]+')
nokeep=$(awk '/^profiles:/ {on = 1; next} /^[a-z]/ {on = 0} on && /^  [a-z]+:/ {p = $1; sub(":", "", p)} on && /^    keepalive:/ {print p}' tidegate.yaml)
cat > /tmp/5.sed <<'S'
s/^  addr: /  bind: /
s/^  verbose: true/  level: debug/
s/^  verbose: false/  level: info/
/^ *timeouts:/,/^ *[a-z]*:$/{
s/^( +(read|connect): [0-9]+)/\1000/
}
S
cat > /tmp/6.sed <<'S'
s/^  bind: "([0-9.]+):([0-9]+)"(.*)$/  port: \2\3\n  host: \1/
s/^  insecure_skip_verify: true/  verify: @no/
s/^  insecure_skip_verify: false/  verify: true/
s/@no/false/
s/^  hide: /  strip: /
S
cat > /tmp/7.sed <<'S'
s/^  strip: /  hide: /
S
for f in tidegate.yaml sites.d/*.yaml; do
  have=$(sed -n 's/^schema: //p' "$f")
  [ "$have" = "$want" ] && continue
  if [ "$f" != tidegate.yaml ] && [ "$have" -lt 6 ] && ! grep -q '^keepalive:' "$f"; then
    profile=$(sed -n 's/^profile: //p' "$f")
    printf '%s\n' "$nokeep" | grep -qx "${profile:-none}" || sed -i '/^site: /a keepalive: true' "$f"
  fi
  for s in $(seq $((have + 1)) "$want"); do sed -E -i -f "/tmp/$s.sed" "$f"; done
  [ "$want" -ge 7 ] && awk '/^  size_mb:/ {sub(/size_mb: [0-9]+/, "size_bytes: " $2 * 1048576)} {print}' "$f" > /tmp/f && cat /tmp/f > "$f"
  sed -i "s/^schema: .*/schema: $want/" "$f"
done
#> Compare with the copy: only lines that the changelog speaks of may differ, with their comments. And every file has to be YAML of the wanted schema still.
diff -rU0 /tmp/old /etc/tidegate | grep -v '^diff\|^---\|^@@'
for f in tidegate.yaml sites.d/*.yaml; do echo "$f: $(python3 -c 'import sys, yaml; d = yaml.safe_load(open(sys.argv[1])); print(d["schema"], d.get("keepalive"), d.get("timeouts"))' "$f")"; done
