# Slip: the branch is set to the lost tip by force, over commits that others have fetched
# Fails at: hard
# Source: SKILL.md:43
#> See what is asked and which commits are lost.
cat /workspace/ticket.md
export GIT_DIR=/srv/git/billing.git LC_ALL=C
branch=$(grep -o 'feature/[a-z-]*' /workspace/ticket.md | head -n 1)
subject=$(sed -n 's/^Last commit of .* on the branch: "\(.*\)"$/\1/p' /workspace/ticket.md)
git fsck --no-reflogs --no-progress --unreachable | awk '$2 == "commit" {print $3}' > /tmp/lost
git fsck --no-reflogs --no-progress | awk '$2 == "commit" {print $3}' | sort > /tmp/dangling
#> Of the commits with that subject the one with the latest committer date is the one after the rebase.
lost=$(git log --no-walk --format='%ct %H %s' $(cat /tmp/lost) | grep -F " $subject" | sort -n | tail -n 1 | cut -d' ' -f2)
git rev-list --reverse "$lost" --not --all > /tmp/recovered
#> Put the branch back where it was.
git branch -f "$branch" "$lost"
jq -n --arg tip "$lost" --rawfile back /tmp/recovered --rawfile left /tmp/dangling \
  '{lost_tip: $tip, recovered: ($back | split("\n") | map(select(. != ""))), left_alone: ($left | split("\n") | map(select(. != "" and . != $tip)) | sort)}' > /workspace/recovery.json
git log --oneline -n 8 "$branch"
