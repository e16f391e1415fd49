#> See what is asked, and which refs the server has now. The list of refs is the way back if anything goes wrong.
cat /workspace/ticket.md
ls /workspace
export GIT_DIR=/srv/git/billing.git LC_ALL=C
git for-each-ref | tee /tmp/refs.before
branch=$(grep -o 'feature/[a-z-]*' /workspace/ticket.md | head -n 1)
subject=$(sed -n 's/^Last commit of .* on the branch: "\(.*\)"$/\1/p' /workspace/ticket.md)
echo "branch: $branch, last subject: $subject"
#> A bare repository keeps no reflog by default, so the object store is the witness. List all commits that no ref reaches, and how they hang together.
git fsck --no-reflogs --unreachable --no-progress | awk '$2 == "commit" {print $3}' > /tmp/lost
git fsck --no-reflogs --no-progress | awk '$2 == "commit" {print $3}' | sort > /tmp/dangling
git log --graph --format='%h %an, authored %ad, committed %cd: %s' --date=iso $(cat /tmp/dangling) --not --all
#> Several commits can carry the wanted subject: a rebase leaves the older copy behind. If there is a log of the build server, it saw the real ones: the tip has to descend from the last lost commit that was built for this branch. Without a log the subject has to do.
for id in $(cat /tmp/lost); do
  case $(git log -1 --format=%s "$id") in "$subject"*) echo "$id" ;; esac
done > /tmp/candidates
cat /tmp/candidates
lost=$(head -n 1 /tmp/candidates)
if [ -f /workspace/ci-builds.log ]; then
  cat /workspace/ci-builds.log
  for short in $(sed -n "s,.* branch=$branch commit=\([0-9a-f]*\) .*,\1,p" /workspace/ci-builds.log); do
    full=$(git rev-parse "$short^{commit}")
    grep -qx "$full" /tmp/lost && built=$full
  done
  for id in $(cat /tmp/candidates); do git merge-base --is-ancestor "$built" "$id" && lost=$id; done
fi
echo "lost tip: $lost"
git rev-list --reverse "$lost" --not --all | tee /tmp/recovered
#> If the branch is gone, creating the ref is all. If it lives on with commits that others have, both lines have to be joined by a merge in a worktree outside, and a conflict is settled by what the ticket says counts.
if ! old=$(git rev-parse -q --verify "refs/heads/$branch"); then
  git update-ref "refs/heads/$branch" "$lost" ''
else
  git log --oneline --graph "$old" "$lost"
  git worktree add -q --detach /tmp/join "$old"
  (
    unset GIT_DIR
    cd /tmp/join
    export GIT_AUTHOR_NAME='Git admin' GIT_AUTHOR_EMAIL=git@billing.example GIT_COMMITTER_NAME='Git admin' GIT_COMMITTER_EMAIL=git@billing.example
    export GIT_AUTHOR_DATE='2026-03-20T09:00:00+0100' GIT_COMMITTER_DATE='2026-03-20T09:00:00+0100'
    git merge --no-ff -m "Bring back the lost commits of $branch" "$lost" && exit
    git diff
    for record in $(git ls-tree --name-only main docs/decisions/); do git show "main:$record" | tee "/tmp/$(basename "$record")"; done
    dropped=$(sed -n 's/^Supersedes: //p' $(grep -l '^Status: accepted' /tmp/0*.md))
    for record in $(grep -l '^Status: accepted' /tmp/0*.md); do
      case " $dropped " in *"$(basename "$record" | cut -c1-4)"*) ;; *) valid=$record ;; esac
    done
    setting=$(grep -o '[a-z_]* = [0-9]*' "$valid")
    file=$(git diff --name-only --diff-filter=U)
    awk -v s="$setting" '/^<<<<<<< /{skip = 1; print s} !skip {print} /^>>>>>>> /{skip = 0}' "$file" > /tmp/resolved
    cat /tmp/resolved > "$file"
    git add "$file"
    git commit -q -m "Bring back the lost commits of $branch"
  )
  git update-ref "refs/heads/$branch" "$(env -u GIT_DIR git -C /tmp/join rev-parse HEAD)" "$old"
  git worktree remove --force /tmp/join
fi
#> Write the report. What stays behind are the dangling commits that are not the one brought back.
grep -vx "$lost" /tmp/dangling > /tmp/left || true
jq -n --arg tip "$lost" --rawfile back /tmp/recovered --rawfile left /tmp/left \
  '{lost_tip: $tip, recovered: ($back | split("\n") | map(select(. != ""))), left_alone: ($left | split("\n") | map(select(. != "")) | sort)}' > /workspace/recovery.json
cat /workspace/recovery.json
#> Check: no other ref moved, nobody has to force, and the branch holds the lost line together with whatever it had before. What dangles afterwards should be the commits left alone, and at most a tree from a merge on the way.
git for-each-ref | diff /tmp/refs.before - || true
git log --oneline --graph -n 12 "refs/heads/$branch"
if [ -n "$old" ]; then git merge-base --is-ancestor "$old" "refs/heads/$branch" && echo "what $branch had before is still in it"; fi
git merge-base --is-ancestor "$lost" "refs/heads/$branch" && echo "the lost line is in $branch"
git fsck --no-progress
