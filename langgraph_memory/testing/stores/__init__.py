"""A conformance suite for LangGraph stores: it tries what an application may rely on.

    from langgraph_memory.testing.stores import check_store

    report = await check_store(lambda options: MyStore(index=options.index, ttl=options.ttl))
    print(report)
    assert report.ok, report.failed

Each behaviour is one small check on a store of its own. The base capabilities are what every store owes its users;
extended ones are checked where the store has them. What is checked follows LangGraph's own documentation of
`BaseStore`; where LangGraph's stores differ from each other, it is what its SQLite or PostgreSQL store does.
"""

from langgraph_memory.testing.stores.report import Outcome, StoreReport
from langgraph_memory.testing.stores.run import StoreFactory, check_store
from langgraph_memory.testing.stores.suite import BASE, CHECKS, EXTENDED, Bench, Capability, Check, StoreOptions

__all__ = [
    "BASE",
    "CHECKS",
    "EXTENDED",
    "Bench",
    "Capability",
    "Check",
    "Outcome",
    "StoreFactory",
    "StoreOptions",
    "StoreReport",
    "check_store",
]
