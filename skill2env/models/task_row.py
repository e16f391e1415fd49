"""The row of an accepted task: everything that is needed to run it, and everything that was measured about it."""

from __future__ import annotations

from skill2env.models.base import Record
from skill2env.models.columns import JsonText, measured


class TaskRow(Record):
    """One accepted task."""

    task_id: str
    """`<skill>--<blueprint>--<level>-s<seed>`."""
    content_id: str
    """sha256 over sorted relative paths, modes and file hashes of the task directory."""
    skill: str
    """The skill that the task exercises; a skill never crosses a split."""
    blueprint: str
    """Name of the blueprint within the skill."""
    level: str
    """Difficulty level as its author declared it: `easy`, `medium` or `hard`."""
    seed: int
    """Seed of the world; another seed has another truth."""
    title: str
    """What the task is, in one line."""
    workflow: str
    """Which capability of the skill it exercises."""
    archetype: str
    """Kind of work; an open vocabulary."""
    verifier_pattern: str
    """How it is graded; an open vocabulary."""
    persona_who: str
    """The role of whoever asks."""
    persona_expertise: str
    """What they know of the trade: `novice`, `practitioner` or `expert`."""
    persona_tone: str
    """How the instruction is written: `problem_only`, `casual`, `formal` or `ticket`."""
    toolchain: str
    """Image family that the environment starts from."""
    knobs: JsonText
    """Every difficulty dial at its value for this level."""
    skill_refs: tuple[str, ...]
    """Lines of the skill that the task exercises, `FILE:FIRST-LAST`."""
    instruction: str
    """What the agent reads."""
    benchmark_overlap: float | None = None
    """Largest share of the instruction's 13-word sequences that one item of the benchmarks holds, 0 to 1, letter case and
    punctuation not counted; an instruction of fewer words is one sequence. Null where no benchmark was compared
    (`publish.benchmarks`)."""
    benchmark_item: str | None = None
    """That item, named from the last part of its benchmark's path on; null where no item shares a sequence, or no benchmark was
    compared."""
    benchmarks_sha256: str | None = None
    """Content id of all texts of benchmarks that the instruction was compared with; null where there were none."""
    outputs: tuple[str, ...]
    """The only paths that the verifier sees."""
    agent_sec: int
    """Wall seconds that an agent has."""
    verifier_sec: int
    """Wall seconds that the verifier has."""
    memory_mb: int
    """Memory of the agent's container in MB."""
    cpus: float
    """Cpus of the agent's container."""
    pids: int
    """Processes and threads in the agent's container."""
    files: bytes
    """The whole task directory as a compressed tar: all that is needed to write it back with the same `content_id`."""
    dockerfile: str
    """`environment/Dockerfile`: the image's recipe, self-contained but for the world in `files`."""
    tests: str
    """`tests/test_outputs.py`: the hidden checks and guards."""
    truth: JsonText
    """The planted facts that the tests compare with; never shown to an agent."""
    rubric: JsonText
    """The behavioural criteria: id, kind, text, source lines, weight, and the predicate or question that settles each."""
    solution: str
    """`solution/solve.sh`: the reference solution."""
    alternative_scripts: JsonText
    """Other correct solutions: name and text."""
    mistake_scripts: JsonText
    """Plausible wrong solutions: name, text, the slip, and the levels at which they must earn less than 1."""
    gate_tests_lint: bool | None = None
    """The tests do nothing unsafe, unsteady or empty. Every gate of an accepted task is true; null where it did not exist yet."""
    gate_stated: bool | None = None
    """Every literal that the tests demand is in the instruction or the world, or computed from them."""
    gate_deterministic: bool | None = None
    """World and truth came out the same again."""
    gate_builds: bool | None = None
    """The image builds within its limits."""
    gate_nop_fails: bool | None = None
    """Doing nothing earns nothing."""
    gate_oracle_passes: bool | None = None
    """The reference earns 1 in every run, in surroundings that must not matter."""
    gate_alternatives_pass: bool | None = None
    """Every alternative earns 1."""
    gate_mistakes_fail: bool | None = None
    """Every mistake declared for the level earns less than 1."""
    gate_ablations_fail: bool | None = None
    """No part of the reference that changes an output can be left out."""
    gate_mutants_fail: bool | None = None
    """Right outputs with one thing changed are refused, and those that mean the same are accepted."""
    gate_hardcode_fails: bool | None = None
    """The right outputs of another seed earn less than 1."""
    gate_shortcuts_fail: bool | None = None
    """Empty outputs, copied inputs and the skill's own examples earn no reward; `shortcut_partial_reward` has the partial one."""
    gate_headroom: bool | None = None
    """The limits are at least three times what the reference uses."""
    gate_rubric_holds: bool | None = None
    """The reference satisfies every criterion that has a predicate."""
    gate_attacks_fail: bool | None = None
    """No attack on the verifier that was tried earns the reward."""
    gate_no_leak: bool | None = None
    """The answer is nowhere that the agent can read."""
    gate_offline: bool | None = None
    """Everything ran without a network."""
    gate_figures: JsonText = "{}"
    """Every figure of every gate that does not vary, by gate and name."""
    gate_measures: JsonText = measured("{}")
    """Every figure of every gate in seconds or MB, by gate and name."""
    gate_messages: JsonText = measured("{}")
    """What each gate said, in one sentence."""
    lint_findings: int | None = None
    """Faults in the text of the tests."""
    literals: int | None = None
    """Literals that the tests demand of outputs: keys, paths, texts, numbers, columns, options."""
    unexplained: int | None = None
    """Of these: literals that neither the instruction nor the world explains."""
    nop_partial_reward: float | None = None
    """`partial_reward` of doing nothing."""
    oracle_runs: int | None = None
    """Executions of the reference."""
    oracle_passes: int | None = None
    """Executions of the reference that earned 1."""
    oracle_sec: float | None = measured(None)
    """Mean wall seconds of the reference's steps."""
    alternatives: int | None = None
    """Alternatives that were run."""
    alternatives_passed: int | None = None
    """Alternatives that earned 1."""
    mistakes: int | None = None
    """Mistakes declared for this level, all of them run."""
    mistakes_caught: int | None = None
    """Mistakes that earned less than 1."""
    drops: int | None = None
    """Parts of the reference (single steps, and suffixes) that change an output when they are left out."""
    drops_failed: int | None = None
    """Those of them without which less than 1 is earned."""
    dead_steps: int | None = None
    """Steps of the reference that change no output, such as a look at the world."""
    mutants: int | None = None
    """Automatic changes of the right outputs that were judged."""
    mutants_killed: int | None = None
    """Those of them that earned less than 1."""
    kill_rate: float | None = None
    """Share of the mutants that earned less than 1."""
    program_mutants: int | None = None
    """Automatic changes of delivered programs that were judged; null where no program is delivered."""
    program_kill_rate: float | None = None
    """Share of them that earned less than 1; some change nothing that can be seen, and which ones can't be decided."""
    equivalents: int | None = None
    """Right outputs that were written otherwise (key order, white space, a last newline) and judged."""
    equivalents_accepted: int | None = None
    """Those of them that earned 1."""
    other_seed_partial_reward: float | None = None
    """`partial_reward` of the right outputs of another seed; null where right outputs do not depend on it."""
    shortcuts: int | None = None
    """Ways round the work that were tried: empty outputs, copied inputs, the skill's own examples."""
    shortcuts_paid: int | None = None
    """Those of them that earned 1."""
    shortcut_partial_reward: float | None = None
    """The highest `partial_reward` of a shortcut."""
    peak_memory_mb: float | None = measured(None)
    """Most memory in MB that the reference's container used and could not give back, as sampled."""
    peak_processes: int | None = measured(None)
    """Most processes and threads that the reference's container had, as sampled."""
    oracle_disk_mb: float | None = measured(None)
    """MB that the reference added to its file system."""
    slowest_oracle_sec: float | None = measured(None)
    """Wall seconds of the reference's steps in its slowest run."""
    attacks_tried: int | None = None
    """Attacks on the verifier that were tried on this task."""
    attacks_succeeded: int | None = None
    """Attacks on the verifier that earned the reward."""
    predicates: int | None = None
    """Criteria that the trajectory alone settles."""
    leaks: int | None = None
    """Places where the answer could be read."""
    world_runs: int | None = None
    """Independent executions of `world.py`."""
    image_mb: float | None = measured(None)
    """Size of the image in MB, the toolchain included."""
    image_build_sec: float | None = measured(None)
    """Seconds that building the image took, with the toolchain's layers at hand."""
    checks: int | None = None
    """Tests that add reward; null where no trajectory was recorded."""
    guards: int | None = None
    """Tests that must hold and add none; null where no trajectory was recorded."""
    difficulty: float | None = None
    """Share of attempts by models without the skill (`bare`, or agents that ran elsewhere) that failed; null until there are
    any."""
    difficulty_low: float | None = None
    """Lower end of its 95% interval (Wilson)."""
    difficulty_high: float | None = None
    """Upper end of its 95% interval."""
    model_attempts: int = 0
    """Attempts by models under all conditions that have a verdict."""
    pass_rate_bare: float | None = None
    """Share of attempts by models without the skill that passed; null without any, as for the next three."""
    pass_rate_mounted: float | None = None
    """Share of attempts that passed where the skill's folder was mounted."""
    pass_rate_prompt: float | None = None
    """Share of attempts that passed where the skill's text was in the system message."""
    pass_rate_external: float | None = None
    """Share of attempts that passed by agents that ran elsewhere."""
    author_kind: str
    """Who wrote the blueprint: `person`, `agent` or `model`."""
    author_name: str
    """Name of the author."""
    author_date: str
    """When it was written, `YYYY-MM-DD`."""
    author_rounds: int | None
    """Times that a model author handed the blueprint in; null where no model wrote it."""
    author_reopened: int | None
    """Times that a model author had the frozen verifier opened again for a factual error; null where no model wrote it."""
    author_blind: str | None
    """What came of the last attempt at this level by a model that had the request alone: `passed`, or `solver_wrong` where a
    model that sees all has shown with quotes that the attempt was at fault, not the task; null where nobody tried."""
    author_blind_refused: int | None
    """Submissions before that were refused because such an attempt failed, and tests or request were to blame or nobody could
    show the contrary; null where nobody tried."""
    author_input_tokens: int | None
    """Tokens that a model author has read for the whole blueprint, planning's share included; null where no model wrote it."""
    author_output_tokens: int | None
    """Tokens that a model author has written for the whole blueprint; null where no model wrote it."""
    author_usd: float | None
    """US dollars that a model author has cost for the blueprint; null where no model wrote it or its price is unknown."""
    skill_origin: str
    """Repository or author that the skill comes from; empty where nothing is on record."""
    skill_commit: str
    """Commit of the origin; empty where there is none."""
    skill_path: str
    """Path of the skill's folder in the origin."""
    skill_licence: str
    """Licence as the skill's frontmatter states it."""
    licence: str
    """Licence under which the row may be used: the one on record for the skill, else the one that it states."""
    skill_tree_sha256: str
    """Content id of the skill's folder."""
    toolchain_sha256: str
    """sha256 of the toolchain's Dockerfile."""
    verifier_sha256: str
    """sha256 of the verifier's Dockerfile."""
    build_sec: float = measured()
    """Seconds spent in making the world."""
    validate_sec: float = measured()
    """Wall seconds of the validation."""
    container_sec: float = measured()
    """Of the validation: seconds spent in starting, collecting from and removing containers."""
    work_sec: float = measured()
    """Of the validation: seconds spent in solutions and tests themselves."""
    wall_sec: float | None = measured(None)
    """Wall seconds of all work on the task: building it, its gates and its attempts. Null here and in the next two where a stage
    did not count it; what a model author tried while it wrote is not in them."""
    cpu_sec: float | None = measured(None)
    """CPU seconds of the same, of the driver, and of containers as far as they could be read."""
    stored_bytes: int | None = measured(None)
    """Bytes that were kept in the store for the same."""
    costs: JsonText = measured("{}")
    """The same for each stage, and what its models have cost by purpose."""
    cost_usd: float | None = measured(0.0)
    """US dollars that models have cost for this task: its attempts and their judge, and an equal share of what its author cost
    for each accepted task of the blueprint. 0 where none was used, null where a price is unknown."""
    tokens: int = measured(0)
    """Tokens, read and written, for the same."""
