"""The only code that talks to a language model: client, recorder and replayer, budgets, prices, ledger."""
