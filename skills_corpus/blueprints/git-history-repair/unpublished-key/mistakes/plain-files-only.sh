# Slip: only the plain key in files is replaced, not the one in a commit message nor its base64 form in a manifest
# Fails at: hard
# Source: SKILL.md:56
#> Read the rules and find the keys.
cd /workspace/portal
cat SECURITY.md
git log -p -m --remotes | grep -oE 'pk_live_[A-Za-z0-9]+' | sort -u > /tmp/pushed
git log -p -m --branches --tags --not --remotes | grep -oE 'pk_live_[A-Za-z0-9]+' | sort -u | comm -23 - /tmp/pushed > /tmp/remove
git log -p -m --remotes | grep -oE "[A-Z_]+=pk_live_" | cut -d= -f1 | sort -u > /tmp/rotate
sed 's,.*,s|&|REDACTED|g,' /tmp/remove > /tmp/scrub.sed
#> Rewrite the files of all private commits.
export FILTER_BRANCH_SQUELCH_WARNING=1
git filter-branch -d /tmp/rewrite --tree-filter 'find . -type f -exec sed -i -f /tmp/scrub.sed {} +' \
  --commit-filter 'new=$(git commit-tree "$@"); echo "$GIT_COMMIT $new" >> /tmp/map; echo "$new"' --tag-name-filter cat -- --branches --tags --not --remotes
#> Remove what is left of the old commits and write the report.
git for-each-ref --format='%(refname)' refs/original | while read -r ref; do git update-ref -d "$ref"; done
git reflog expire --expire=now --expire-unreachable=now --all
git gc --quiet --prune=now
awk '$1 != $2' /tmp/map | jq -R -n --rawfile rotate /tmp/rotate \
  '{commits: ([inputs | split(" ") | {(.[0]): .[1]}] | add), rotate: ($rotate | split("\n") | map(select(. != "")))}' > /workspace/report.json
