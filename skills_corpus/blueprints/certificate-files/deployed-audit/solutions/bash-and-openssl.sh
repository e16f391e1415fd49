#> Read what the audit asks for, then what the server is told to load: the enabled sites, one of them whole, what sites include if they do, and the directives that name certificates and keys. A line with # in front is no longer in force.
cat /workspace/AUDIT.md
cd /etc/nginx; ls *; cat "$(ls sites-enabled/*.conf | head -n 1)"
grep -n 'include\|ssl_certificate' -r sites-enabled snippets 2>/dev/null | cut -c 1-130 | head -n 40
#> Now the certificate files: how each begins and how many certificates it holds (0 would be a file that is not PEM), a public half of a key, and one certificate in full to know the fields that the rules are about.
for f in /etc/pki/tls/*; do printf '%s %s: ' "$f" "$(grep -ac 'BEGIN CERTIFICATE' "$f")"; head -c 27 "$f" | head -n 1 | cat -v; echo; done
ls /etc/pki/hsm; cat "$(ls /etc/pki/hsm/*.pub | head -n 1)"
openssl x509 -in "$(grep -l 'BEGIN CERTIFICATE' /etc/pki/tls/* | head -n 1)" -noout -subject -issuer -dates -ext subjectAltName,basicConstraints
#> First the moment and the days for renewal out of AUDIT.md, as seconds so that times compare as numbers whatever the offset, and small helpers around openssl: fingerprint, dates, and whether one certificate's key signed another.
W=/tmp/w; mkdir -p $W; cd $W; : > found; : > ends
line=$(sed -n 's/^Reference moment: \([^ ]*\) \([^ ]*\) (UTC\([^)]*\)).*/\1 \2 \3/p' /workspace/AUDIT.md)
set -- $line; T=$(date -d "$1 $2 ${3:-+00:00}" +%s)
D=$(grep -oE 'within [0-9]+ days' /workspace/AUDIT.md | grep -oE '[0-9]+')
root=/etc/pki/trust/quay-root.pem
echo "moment $(date -u -d @$T +%FT%TZ), renewal within $D days"
fp() { openssl x509 -in "$1" -noout -fingerprint -sha256 | sed 's/.*=//; s/://g' | tr A-F a-f; }
at() { date -d "$(openssl x509 -in "$1" -noout "$2" | cut -d= -f2)" +%s; }
signs() { openssl verify -partial_chain -no_check_time -trusted "$1" "$2" > /dev/null 2>&1; }
find() { printf '%s\t%s\t%s\n' "$s" "$1" "$2" >> found; }
#> Each enabled site with what it includes, comments left out: split the file it loads into single certificates, since openssl x509 reads only the first, and judge dates, names, key and chain. A link of the chain is a signature that verifies, dates aside.
for conf in /etc/nginx/sites-enabled/*.conf; do
  s=$(basename "$conf" .conf)
  inc=$(sed -n 's/^ *include \(.*\);/\1/p' "$conf")
  text=$(cat "$conf" $inc | grep -v '^ *#')
  file=$(printf '%s\n' "$text" | sed -n 's/^ *ssl_certificate \(.*\);/\1/p')
  label=$(printf '%s\n' "$text" | sed -n 's/.*object=\([^;]*\);.*/\1/p')
  rm -f c-*.pem
  if ! grep -q 'BEGIN CERTIFICATE' "$file"; then
    find not_pem "$file"
    openssl x509 -inform DER -in "$file" -out c-1.pem
    printf '%s\t%s\n' "$s" "$(date -u -d @"$(at c-1.pem -enddate)" +%FT%TZ)" >> ends
    continue
  fi
  awk '/BEGIN CERTIFICATE/ {n++} {print > ("c-" n ".pem")}' "$file"
  leaf=
  for c in c-*.pem; do
    b=$(at $c -startdate); e=$(at $c -enddate)
    [ "$e" -lt "$T" ] && find expired "$(fp $c)"
    [ "$b" -gt "$T" ] && find not_yet_valid "$(fp $c)"
    if ! openssl x509 -in $c -noout -ext basicConstraints | grep -q CA:TRUE; then
      leaf=$c
      printf '%s\t%s\n' "$s" "$(date -u -d @"$e" +%FT%TZ)" >> ends
      [ "$b" -le "$T" ] && [ "$e" -ge "$T" ] && [ "$e" -le $((T + D * 86400)) ] && find renewal_due "$(fp $c)"
    fi
  done
  for n in $(printf '%s\n' "$text" | sed -n 's/^ *server_name \(.*\);/\1/p'); do
    openssl x509 -in $leaf -noout -checkhost "$n" | grep -q 'does match' || find name_not_covered "$n"
  done
  [ "$(openssl x509 -in $leaf -noout -pubkey)" = "$(openssl pkey -pubin -in /etc/pki/hsm/$label.pub -pubout)" ] || find wrong_key "$(fp $leaf)"
  middle=
  for c in c-*.pem; do [ $c != $leaf ] && signs $c $leaf && signs $root $c && middle=$c; done
  if [ -z "$middle" ]; then find chain_broken "$(fp $leaf)"
  elif [ "$leaf $middle" != "c-1.pem c-2.pem" ]; then find chain_order "$(fp $leaf)"; fi
done
#> Turn the two lists, findings and ends of validity, into the report and read it.
jq -n --rawfile f found --rawfile e ends 'def rows: split("\n") | map(select(. != "") | split("\t"));
  {findings: ($f | rows | map({site: .[0], problem: .[1], evidence: .[2]})), leaf_expiry: ($e | rows | map({key: .[0], value: .[1]}) | from_entries)}' > /workspace/report.json
jq -r '.findings[] | [.site, .problem, .evidence] | @tsv' /workspace/report.json
jq '.leaf_expiry' /workspace/report.json
#> The report has to be complete: each enabled site must be in leaf_expiry (no difference to print here), each name of a problem must be one that AUDIT.md defines, and the sites without any finding are worth a look.
diff <(jq -r '.leaf_expiry | keys[]' /workspace/report.json) <(basename -s .conf /etc/nginx/sites-enabled/*.conf | sort) && echo "all enabled sites"
for p in $(jq -r '.findings[].problem' /workspace/report.json | sort -u); do grep -c "^| .$p. |" /workspace/AUDIT.md | sed "s/^/$p: /"; done
jq -c '(.leaf_expiry | keys) - ([.findings[].site] | unique)' /workspace/report.json
