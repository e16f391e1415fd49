# Slip: takes the dangling commit with the newest date for the lost tip
# Fails at: medium, hard
# Source: SKILL.md:35
#> See what is asked.
cat /workspace/ticket.md
export GIT_DIR=/srv/git/billing.git LC_ALL=C
branch=$(grep -o 'feature/[a-z-]*' /workspace/ticket.md | head -n 1)
#> The work was lost last week, so it must be the newest of the dangling commits. WIP commits are nobody's.
git fsck --no-reflogs --no-progress | awk '$2 == "commit" {print $3}' | sort > /tmp/dangling
lost=$(git log --no-walk --format='%ct %H %s' $(cat /tmp/dangling) | grep -v -i ' wip' | sort -n | tail -n 1 | cut -d' ' -f2)
git rev-list --reverse "$lost" --not --all > /tmp/recovered
#> Put it on the branch.
if git rev-parse -q --verify "refs/heads/$branch"; then
  old=$(git rev-parse "refs/heads/$branch")
  git worktree add -q --detach /tmp/join "$old"
  (unset GIT_DIR; cd /tmp/join; git -c user.name=a -c user.email=a@b.example merge -q -X theirs -m 'Join' "$lost")
  git update-ref "refs/heads/$branch" "$(env -u GIT_DIR git -C /tmp/join rev-parse HEAD)" "$old"
  git worktree remove --force /tmp/join
else
  git update-ref "refs/heads/$branch" "$lost"
fi
jq -n --arg tip "$lost" --rawfile back /tmp/recovered --rawfile left /tmp/dangling \
  '{lost_tip: $tip, recovered: ($back | split("\n") | map(select(. != ""))), left_alone: ($left | split("\n") | map(select(. != "" and . != $tip)) | sort)}' > /workspace/recovery.json
