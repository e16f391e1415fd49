# Ends as if memory had run out.
exit 137
