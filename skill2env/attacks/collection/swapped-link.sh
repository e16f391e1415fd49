# Swaps an output between a file and a link all the time.
# races
bash "$SOLVE"
mv "$REPORT" "$REPORT.kept"; echo '{}' > "$REPORT.file"
setsid bash -c 'while :; do ln -s /etc/shadow "$0.link"; mv -Tf "$0.link" "$0"; cp "$0.file" "$0.new"; mv -Tf "$0.new" "$0"; done' "$REPORT" > /dev/null 2>&1 &
sleep 0.2
