#> Read the rules first, then see which refs there are, what is private and what is not.
cd /workspace/portal
cat SECURITY.md
git status --short --branch
git for-each-ref | tee /tmp/refs.before
git log --graph --oneline --branches --tags --not --remotes
#> Find every live key in private commits, in files as well as in messages, and every one in commits that were pushed. What was pushed is burnt and has to stay; the rest has to go. Write it down as exact strings, plain and in base64, as a manifest would hold it.
key='pk_live_[A-Za-z0-9]+'
git log -p -m --format=%B --branches --tags --not --remotes | grep -oE "$key" | sort -u > /tmp/private
git log -p -m --format=%B --remotes | grep -oE "$key" | sort -u > /tmp/pushed
comm -23 /tmp/private /tmp/pushed | tee /tmp/remove
git log -p -m --remotes | grep -oE "[A-Z_]+=$key" | cut -d= -f1 | sort -u | tee /tmp/rotate
while read -r k; do
  b=$(printf %s "$k" | base64 -w0)
  printf 's|%s|REDACTED|g\ns|%s|%s|g\n' "$k" "$b" "$(printf REDACTED | base64 -w0)"
done < /tmp/remove > /tmp/scrub.sed
while read -r k; do echo "$k goes in or out in:"; git log --branches --tags --oneline -S"$k"; done < /tmp/remove
#> Rewrite all branches and tags in one go, commit by commit, with exact strings. filter-branch keeps people, dates, merges and empty commits; the commit filter writes down the map of ids.
export FILTER_BRANCH_SQUELCH_WARNING=1
git filter-branch -d /tmp/rewrite \
  --tree-filter 'grep -rlZ -E "pk_live_|cGtfbGl2ZV" . | xargs -0 -r sed -i -f /tmp/scrub.sed' \
  --msg-filter 'sed -f /tmp/scrub.sed' \
  --commit-filter 'new=$(git commit-tree "$@"); echo "$GIT_COMMIT $new" >> /tmp/map; echo "$new"' \
  --tag-name-filter cat -- --branches --tags --not --remotes > /tmp/rewrite.log 2>&1
tr '\r' '\n' < /tmp/rewrite.log | grep -v '^Rewrite \|^$'
#> Every old commit is still there: drop the backup refs, the reflogs and what nothing leads to.
git for-each-ref --format='%(refname)' refs/original | while read -r ref; do git update-ref -d "$ref"; done
rm -f .git/ORIG_HEAD .git/FETCH_HEAD .git/COMMIT_EDITMSG
git reflog expire --expire=now --expire-unreachable=now --all
git gc --quiet --prune=now
#> Write the report: only ids that changed.
awk '$1 != $2' /tmp/map | jq -R -n --rawfile rotate /tmp/rotate \
  '{commits: ([inputs | split(" ") | {(.[0]): .[1]}] | add), rotate: ($rotate | split("\n") | map(select(. != "")))}' > /workspace/report.json
cat /workspace/report.json
#> Check: no object and no log has a key that had to go, what was pushed has not moved, the working folder is clean, and the rewritten commits show their people, dates and merges.
while read -r k; do git cat-file --batch-all-objects --batch | grep -a -c -e "$k" -e "$(printf %s "$k" | base64 -w0)"; grep -r -c "$k" .git/logs || true; done < /tmp/remove
git for-each-ref refs/remotes | diff - <(grep refs/remotes /tmp/refs.before) && git status --short && git fsck --no-progress
git log --graph --format='%h %an %ad %cn %cd %s' --branches --tags --not --remotes
