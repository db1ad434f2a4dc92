"""Measures how well recall finds what a data set names as evidence.

    from langgraph_memory.evaluation import evaluate, load

    result = evaluate("questions.jsonl", recipes=["hybrid", "lexical"])
    print(result.runs[0].overall.scores["R@10"])

`load` reads LoCoMo, LongMemEval and REALTALK as released, and our own format (see `evaluation/own.py`), which can be
written by hand. `langgraph-memory evaluate` is the same on the command line.
"""

from langgraph_memory.evaluation.datasets import Conversation, DataSet, LeftOut, Question, Turn
from langgraph_memory.evaluation.loaders import FORMATS, load
from langgraph_memory.evaluation.results import Evaluation, Run
from langgraph_memory.evaluation.run import aevaluate, evaluate

__all__ = [
    "FORMATS",
    "Conversation",
    "DataSet",
    "Evaluation",
    "LeftOut",
    "Question",
    "Run",
    "Turn",
    "aevaluate",
    "evaluate",
    "load",
]
