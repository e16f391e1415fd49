"""One trial from start to verdict: start, agent, stop, collect, verify; shared by validate and rollout."""
