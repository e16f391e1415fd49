# Slip: the filter reads and writes files as text, so files from Windows lose their line endings on the way
# Fails at: medium, hard
# Source: SKILL.md:72
#> Read the rules and find the keys.
cd /workspace/portal
cat SECURITY.md
git log -p -m --format=%B --remotes | grep -oE 'pk_live_[A-Za-z0-9]+' | sort -u > /tmp/pushed
git log -p -m --format=%B --branches --tags --not --remotes | grep -oE 'pk_live_[A-Za-z0-9]+' | sort -u | comm -23 - /tmp/pushed > /tmp/remove
git log -p -m --remotes | grep -oE "[A-Z_]+=pk_live_" | cut -d= -f1 | sort -u > /tmp/rotate
cat > /tmp/scrub.py <<'PY'
import base64, os, sys
keys = open("/tmp/remove").read().split()
def clean(text):
    for key in keys:
        text = text.replace(key, "REDACTED").replace(base64.b64encode(key.encode()).decode(), base64.b64encode(b"REDACTED").decode())
    return text
if sys.argv[1:]:
    for place, _, names in os.walk("."):
        for name in names:
            path = os.path.join(place, name)
            text = open(path).read()
            if clean(text) != text:
                open(path, "w").write(clean(text))
else:
    sys.stdout.write(clean(sys.stdin.read()))
PY
#> Rewrite.
export FILTER_BRANCH_SQUELCH_WARNING=1
git filter-branch -d /tmp/rewrite --tree-filter 'python3 /tmp/scrub.py files' --msg-filter 'python3 /tmp/scrub.py' \
  --commit-filter 'new=$(git commit-tree "$@"); echo "$GIT_COMMIT $new" >> /tmp/map; echo "$new"' --tag-name-filter cat -- --branches --tags --not --remotes
#> Remove what is left of the old commits and write the report.
git for-each-ref --format='%(refname)' refs/original | while read -r ref; do git update-ref -d "$ref"; done
git reflog expire --expire=now --expire-unreachable=now --all
git gc --quiet --prune=now
awk '$1 != $2' /tmp/map | jq -R -n --rawfile rotate /tmp/rotate \
  '{commits: ([inputs | split(" ") | {(.[0]): .[1]}] | add), rotate: ($rotate | split("\n") | map(select(. != "")))}' > /workspace/report.json
