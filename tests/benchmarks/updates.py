"""Measures whether a statement that updates an earlier one meets it when it is written.

    python tests/benchmarks/updates.py longmemeval_pool.json [--save]

Each question on updated knowledge names a turn that says the old and one that says the new. What users said is stored
as memories; the new statement then looks for memories as writing does. Asked is how often the old one is among the
ten that the model is shown, and how often a threshold on the cosine of the two would have caught it.
"""

from __future__ import annotations

import argparse
import json
import statistics
import tempfile
from pathlib import Path
from typing import Any

from results import save

from langgraph_memory import Memory
from langgraph_memory.retrieval.recipe import RECIPES
from langgraph_memory.settings import Settings

SHOWN = 10
THRESHOLDS = (0.95, 0.85, 0.7)


def pairs(data: dict[str, Any]) -> tuple[dict[str, dict[str, Any]], list[tuple[str, str]]]:
    """Return what users said by id, and which of it was updated by which."""
    said = {
        turn["id"]: turn
        for conversation in data["conversations"]
        for turn in conversation["turns"]
        if turn["speaker"] == "user"
    }
    found = []
    for conversation in data["conversations"]:
        for question in conversation["questions"]:
            known = sorted((said[id]["date"], id) for id in question["evidence"] if id in said)
            if question["category"] == "knowledge-update" and len({said[id]["session"] for _, id in known}) > 1:
                found.append((known[0][1], known[-1][1]))
    return said, found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=Path)
    parser.add_argument("--save", action="store_true", help="write the numbers to results.json")
    arguments = parser.parse_args()
    said, updated = pairs(json.loads(arguments.data.read_text(encoding="utf-8")))
    with tempfile.TemporaryDirectory() as folder, Memory(folder, settings=Settings(background=False)) as memory:
        ids = {id: memory.add(turn["text"], scope="bench").ids[0] for id, turn in said.items()}
        memory.flush()
        vector = memory._parts.embedder.embed_documents
        cosines = [float(old @ new) for old, new in (vector([said[a]["text"], said[b]["text"]]) for a, b in updated)]
        shares: dict[str, float] = {}
        for name in ("hybrid", "dense", "lexical"):
            ranks = []
            for old, new in updated:
                answer = memory.recall(said[new]["text"], scope="bench", limit=SHOWN + 1, recipe=RECIPES[name])
                others = [hit.id for hit in answer.hits if hit.id != ids[new]]
                ranks.append(ids[old] in others[:SHOWN])
            shares[f"old statement among the {SHOWN} shown, {name}"] = statistics.fmean(ranks)
    shares |= {
        f"cosine of old and new at least {least}": statistics.fmean(c >= least for c in cosines) for least in THRESHOLDS
    }
    shares["median cosine of old and new"] = statistics.median(cosines)
    print(f"{len(updated)} statements that update another, among {len(said):,}")
    for what, share in shares.items():
        print(f"{what:<50}{share:>8.3f}")
    if arguments.save:
        save("updates", {"n": len(updated), **{what: round(share, 4) for what, share in shares.items()}})


if __name__ == "__main__":
    main()
