#> Read the note first, see which keys there are and how a public half looks, and what is revoked if there is a list. Then the inbox: how each file begins says more about its format than its suffix, and ^M would be a Windows line end.
cat /workspace/CUTOVER.md
ls /etc/pki/hsm; head -n 2 "$(ls /etc/pki/hsm/*.pub | head -n 1)"
if [ -f /etc/pki/revoked.csv ]; then cat /etc/pki/revoked.csv; fi
for f in /var/spool/pki/inbox/*; do printf '%s: ' "${f##*/}"; head -c 29 "$f" | head -n 1 | cat -v; [ -s "$f" ] && echo; done | grep .
#> Go by the content, then: PKCS#7, PEM or plain DER, and make every certificate a PEM file of its own. The moment of the move comes from the note, with its offset from UTC if it has one. Print it in UTC, and one certificate with the fields that count.
W=/tmp/w; mkdir -p $W/all $W/ca $W/leaf /workspace/bundles; cd $W
for f in /var/spool/pki/inbox/*; do
  if grep -q 'BEGIN PKCS7' "$f"; then openssl pkcs7 -in "$f" -print_certs
  elif grep -q 'BEGIN CERTIFICATE' "$f"; then tr -d '\r' < "$f"
  else openssl x509 -inform DER -in "$f"; fi
done | awk '/BEGIN CERTIFICATE/ {n++; on = 1} on {print > sprintf("all/%03d.pem", n)} /END CERTIFICATE/ {on = 0}'
line=$(sed -n 's/^Moment of the move: \([^ ]*\) \([^ ]*\) (UTC\([^)]*\)).*/\1 \2 \3/p' /workspace/CUTOVER.md)
set -- $line; T=$(date -d "$1 $2 ${3:-+00:00}" +%s)
date -u -d @$T; ls all | wc -l
openssl x509 -in all/001.pem -noout -subject -issuer -serial -dates -ext subjectAltName,basicConstraints
#> Drop what is out of date at the move, and what is on a list of revocations, if there is one: by issuer and number, which may be written in hex or in decimal. Sort the rest into authorities and sites' certificates, these named by end and fingerprint, and see what is left.
tail -n +2 /etc/pki/revoked.csv 2>/dev/null | tr -d '":' | while IFS=, read -r issuer serial day; do
  s=${serial#0x}
  printf '%s/%s\n' "$issuer" "$(printf '%s' "$s" | tr a-f A-F)"
  case $s in *[a-fA-F]*) ;; *) printf '%s/%s\n' "$issuer" "$(echo "obase=16; $s" | BC_LINE_LENGTH=0 bc)";; esac
done > revoked
for c in all/*.pem; do
  openssl x509 -in $c -noout -dates -serial -issuer -nameopt sep_multiline,utf8 -fingerprint -sha256 -ext basicConstraints > t
  b=$(date -d "$(sed -n 's/^notBefore=//p' t)" +%s); e=$(date -d "$(sed -n 's/^notAfter=//p' t)" +%s)
  { [ "$b" -gt "$T" ] || [ "$e" -lt "$T" ]; } && continue
  grep -qxF "$(sed -n 's/^ *CN=//p' t | head -n 1)/$(sed -n 's/^serial=//p' t)" revoked && continue
  print=$(sed -n 's/.*Fingerprint=//p' t | tr -d : | tr A-F a-f)
  if grep -q CA:TRUE t; then cp $c ca/$print.pem; else cp $c leaf/$e-$print.pem; fi
done
cat ca/*.pem > ca.pem
cat revoked
for c in ca/*.pem leaf/*.pem; do printf '%.24s... %s\n' "$c" "$(openssl x509 -in $c -noout -subject)"; done
#> For each site try the longest validity first: the key must be the site's, and openssl checks the names and the path to the root as of the move. Then follow the signatures up to the root, since their order is the order in the file.
: > made; : > none
grep -E '^\| [a-z]+ \| [^ ]+, ' /workspace/CUTOVER.md | tr -d '|,' | while read -r site n1 n2 label; do
  key=$(openssl pkey -pubin -in /etc/pki/hsm/$label.pub -pubout)
  ok=
  for c in $(ls -r leaf); do
    [ "$(openssl x509 -in leaf/$c -noout -pubkey)" = "$key" ] || continue
    openssl verify -attime $T -trusted /etc/pki/trust/quay-root.pem -untrusted ca.pem -verify_hostname $n1 leaf/$c > /dev/null 2>&1 || continue
    openssl x509 -in leaf/$c -noout -checkhost $n2 | grep -q 'does match' || continue
    ok=$c; break
  done
  if [ -z "$ok" ]; then echo $site >> none; continue; fi
  cp leaf/$ok now.pem; cp leaf/$ok /workspace/bundles/$site.pem
  while ! openssl verify -partial_chain -no_check_time -trusted /etc/pki/trust/quay-root.pem now.pem > /dev/null 2>&1; do
    for c in ca/*.pem; do
      openssl verify -partial_chain -no_check_time -trusted $c now.pem > /dev/null 2>&1 || continue
      openssl verify -attime $T -trusted /etc/pki/trust/quay-root.pem -untrusted ca.pem $c > /dev/null 2>&1 || continue
      openssl verify -partial_chain -no_check_time -trusted /etc/pki/trust/quay-root.pem $c > /dev/null 2>&1 || continue
      cat $c >> /workspace/bundles/$site.pem; cp $c next.pem; break
    done
    cp next.pem now.pem
  done
  e=${ok%%-*}; p=${ok#*-}
  printf '%s\t%s\t%s\n' $site ${p%.pem} "$(date -u -d @$e +%FT%TZ)" >> made
done
jq -n --rawfile m made --rawfile n none '{bundles: ($m | split("\n") | map(select(. != "") | split("\t") | {key: .[0], value: {leaf: .[1], not_after: .[2]}}) | from_entries), unserved: ($n | split("\n") | map(select(. != "")) | sort)}' > /workspace/summary.json
cat /workspace/summary.json
#> Read the files back as a client gets them: the first certificate has to verify as of the move with nothing but the rest of its file and our root, and each block's issuer has to be the subject of the next, the last one's the root.
for f in /workspace/bundles/*.pem; do
  openssl verify -attime $T -trusted /etc/pki/trust/quay-root.pem -untrusted "$f" "$f"
  openssl crl2pkcs7 -nocrl -certfile "$f" | openssl pkcs7 -print_certs -noout | grep .
done
