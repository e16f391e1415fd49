# Slip: the header is counted as a receipt
# Fails at: easy, medium, hard
# Source: the second rule
#> Everything that is not void.
awk -F, '$3 != "void" { n++; sum += $2; if (!first && $1 + 0) first = $1; last = $1 }
  END { printf "{\"total_cents\": %d, \"receipts\": %d, \"first\": %d, \"last\": %d}\n", sum, n, first, last }' till.csv > total.json
