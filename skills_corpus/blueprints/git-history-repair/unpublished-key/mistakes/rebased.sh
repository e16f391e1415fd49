# Slip: history is replayed with git rebase, which flattens merges, replaces committer and dates, and forgets tags
# Fails at: easy, medium, hard
# Source: SKILL.md:71
#> See the rules and the private commits.
cd /workspace/portal
cat SECURITY.md
git rev-list --reverse --topo-order main --not --remotes > /tmp/old
key=$(git log -p main --not --remotes | grep -oE 'pk_live_[A-Za-z0-9]+' | sort -u)
for k in $key; do echo "s|$k|REDACTED|g"; done > /tmp/scrub.sed
#> Replay every commit and amend the key away.
export GIT_EDITOR=true
git rebase -q -X theirs origin/main --exec 'git ls-files -z | xargs -0 sed -i -f /tmp/scrub.sed; git commit -q -a --amend --no-edit --allow-empty'
git rev-list --reverse --topo-order main --not --remotes > /tmp/new
#> Throw the old objects away and write the report.
git reflog expire --expire=now --expire-unreachable=now --all
git gc --quiet --prune=now
paste -d' ' /tmp/old /tmp/new | awk 'NF == 2 && $1 != $2' | jq -R -n '{commits: ([inputs | split(" ") | {(.[0]): .[1]}] | add), rotate: []}' > /workspace/report.json
