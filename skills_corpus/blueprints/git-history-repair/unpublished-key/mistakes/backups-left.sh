# Slip: after the rewrite the backup refs, the reflog and the loose objects still have the key
# Fails at: easy, medium, hard
# Source: SKILL.md:80-82
#> Read the rules, find the keys of private commits that were not pushed.
cd /workspace/portal
cat SECURITY.md
key='pk_live_[A-Za-z0-9]+'
git log -p -m --format=%B --branches --tags --not --remotes | grep -oE "$key" | sort -u > /tmp/private
git log -p -m --format=%B --remotes | grep -oE "$key" | sort -u > /tmp/pushed
comm -23 /tmp/private /tmp/pushed > /tmp/remove
git log -p -m --remotes | grep -oE "[A-Z_]+=$key" | cut -d= -f1 | sort -u > /tmp/rotate
while read -r k; do
  printf 's|%s|REDACTED|g\ns|%s|%s|g\n' "$k" "$(printf %s "$k" | base64 -w0)" "$(printf REDACTED | base64 -w0)"
done < /tmp/remove > /tmp/scrub.sed
#> Rewrite.
export FILTER_BRANCH_SQUELCH_WARNING=1
git filter-branch -d /tmp/rewrite --tree-filter 'find . -type f -exec sed -i -f /tmp/scrub.sed {} +' --msg-filter 'sed -f /tmp/scrub.sed' \
  --commit-filter 'new=$(git commit-tree "$@"); echo "$GIT_COMMIT $new" >> /tmp/map; echo "$new"' \
  --tag-name-filter cat -- --branches --tags --not --remotes
#> The branches are clean now. Write the report.
awk '$1 != $2' /tmp/map | jq -R -n --rawfile rotate /tmp/rotate \
  '{commits: ([inputs | split(" ") | {(.[0]): .[1]}] | add), rotate: ($rotate | split("\n") | map(select(. != "")))}' > /workspace/report.json
git log -p --branches | grep -c -F -f /tmp/remove
