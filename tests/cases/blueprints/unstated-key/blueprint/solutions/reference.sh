#> See what the export looks like.
head -n 3 till.csv
#> Voided receipts stay in the export, so only paid ones count.
awk -F, '$3 == "paid" { n++; sum += $2; if (!first) first = $1; last = $1 }
  END { printf "{\"total_cents\": %d, \"kept_receipts\": %d, \"first\": %d, \"last\": %d}\n", sum, n, first, last }' till.csv > total.json
#> Compare with the number of lines.
wc -l till.csv
cat total.json
