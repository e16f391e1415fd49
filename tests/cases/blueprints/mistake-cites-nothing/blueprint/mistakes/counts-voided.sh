# Slip: voided receipts are counted
# Fails at: easy, medium, hard
# Source: SKILL.md:99
#> Add up the second column.
awk -F, 'NR > 1 { n++; sum += $2; if (!first) first = $1; last = $1 }
  END { printf "{\"total_cents\": %d, \"receipts\": %d, \"first\": %d, \"last\": %d}\n", sum, n, first, last }' till.csv > total.json
