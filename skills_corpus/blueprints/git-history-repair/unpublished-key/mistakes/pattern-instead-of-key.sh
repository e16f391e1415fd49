# Slip: everything that looks like a live key is replaced, also the key that was pushed and has to stay
# Fails at: hard
# Source: SKILL.md:68
#> Read the rules.
cd /workspace/portal
cat SECURITY.md
#> Replace each live key by its pattern, plain or as base64, in all branches and tags.
git log -p -m --format=%B --branches --tags | grep -oE 'pk_live_[A-Za-z0-9]+' | sort -u > /tmp/remove
while read -r k; do
  printf 's|pk_live_[A-Za-z0-9]\{8,\}|REDACTED|g\ns|%s|%s|g\n' "$(printf %s "$k" | base64 -w0)" "$(printf REDACTED | base64 -w0)"
done < /tmp/remove > /tmp/scrub.sed
export FILTER_BRANCH_SQUELCH_WARNING=1
git filter-branch -d /tmp/rewrite --tree-filter 'find . -type f -exec sed -i -f /tmp/scrub.sed {} +' --msg-filter 'sed -f /tmp/scrub.sed' \
  --commit-filter 'new=$(git commit-tree "$@"); echo "$GIT_COMMIT $new" >> /tmp/map; echo "$new"' --tag-name-filter cat -- --branches --tags
#> Remove what is left of the old commits and write the report.
git for-each-ref --format='%(refname)' refs/original | while read -r ref; do git update-ref -d "$ref"; done
git reflog expire --expire=now --expire-unreachable=now --all
git gc --quiet --prune=now
git log -p -m --remotes | grep -oE "[A-Z_]+=pk_live_" | cut -d= -f1 | sort -u > /tmp/rotate
awk '$1 != $2' /tmp/map | jq -R -n --rawfile rotate /tmp/rotate \
  '{commits: ([inputs | split(" ") | {(.[0]): .[1]}] | add), rotate: ($rotate | split("\n") | map(select(. != "")))}' > /workspace/report.json
