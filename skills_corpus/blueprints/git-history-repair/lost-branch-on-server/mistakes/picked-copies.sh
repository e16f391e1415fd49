# Slip: the lost commits are cherry-picked, so they come back as copies with new ids
# Fails at: easy, medium, hard
# Source: SKILL.md:44
#> See what is asked and which commits are lost.
cat /workspace/ticket.md
export GIT_DIR=/srv/git/billing.git LC_ALL=C
branch=$(grep -o 'feature/[a-z-]*' /workspace/ticket.md | head -n 1)
subject=$(sed -n 's/^Last commit of .* on the branch: "\(.*\)"$/\1/p' /workspace/ticket.md)
git fsck --no-reflogs --no-progress --unreachable | awk '$2 == "commit" {print $3}' > /tmp/lost
git fsck --no-reflogs --no-progress | awk '$2 == "commit" {print $3}' | sort > /tmp/dangling
lost=$(git log --no-walk --format='%ct %H %s' $(cat /tmp/lost) | grep -F " $subject" | sort -n | tail -n 1 | cut -d' ' -f2)
git rev-list --reverse "$lost" --not --all > /tmp/recovered
#> Replay them in a worktree on top of what the branch has, or on top of main.
start=$(git rev-parse -q --verify "refs/heads/$branch" || git rev-parse main)
git worktree add -q --detach /tmp/join "$start"
(unset GIT_DIR; cd /tmp/join; git -c user.name=a -c user.email=a@b.example cherry-pick -X theirs $(cat /tmp/recovered))
git update-ref "refs/heads/$branch" "$(env -u GIT_DIR git -C /tmp/join rev-parse HEAD)"
git worktree remove --force /tmp/join
jq -n --arg tip "$lost" --rawfile back /tmp/recovered --rawfile left /tmp/dangling \
  '{lost_tip: $tip, recovered: ($back | split("\n") | map(select(. != ""))), left_alone: ($left | split("\n") | map(select(. != "" and . != $tip)) | sort)}' > /workspace/recovery.json
