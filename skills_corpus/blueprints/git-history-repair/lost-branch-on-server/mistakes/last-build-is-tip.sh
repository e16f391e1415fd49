# Slip: the last commit that the build server saw is taken for the tip, though commits marked [skip ci] came after it
# Fails at: medium, hard
# Source: SKILL.md:38
#> See what is asked and what the build server knows.
cat /workspace/ticket.md
cat /workspace/ci-builds.log
export GIT_DIR=/srv/git/billing.git LC_ALL=C
branch=$(grep -o 'feature/[a-z-]*' /workspace/ticket.md | head -n 1)
#> The last lost commit that was built for this branch is what we want.
git fsck --no-reflogs --no-progress --unreachable | awk '$2 == "commit" {print $3}' > /tmp/lost
git fsck --no-reflogs --no-progress | awk '$2 == "commit" {print $3}' | sort > /tmp/dangling
for short in $(sed -n "s,.* branch=$branch commit=\([0-9a-f]*\) .*,\1,p" /workspace/ci-builds.log); do
  full=$(git rev-parse "$short^{commit}")
  grep -qx "$full" /tmp/lost && lost=$full
done
git rev-list --reverse "$lost" --not --all > /tmp/recovered
#> Put it on the branch, by a merge if the branch is in use.
if old=$(git rev-parse -q --verify "refs/heads/$branch"); then
  git worktree add -q --detach /tmp/join "$old"
  (unset GIT_DIR; cd /tmp/join; git -c user.name=a -c user.email=a@b.example merge -q -X ours -m 'Join' "$lost")
  git update-ref "refs/heads/$branch" "$(env -u GIT_DIR git -C /tmp/join rev-parse HEAD)" "$old"
  git worktree remove --force /tmp/join
else
  git update-ref "refs/heads/$branch" "$lost"
fi
jq -n --arg tip "$lost" --rawfile back /tmp/recovered --rawfile left /tmp/dangling \
  '{lost_tip: $tip, recovered: ($back | split("\n") | map(select(. != ""))), left_alone: ($left | split("\n") | map(select(. != "")) | sort)}' > /workspace/recovery.json
