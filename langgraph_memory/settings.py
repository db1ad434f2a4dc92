"""The numbers a user may change, each with its unit and reason."""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel, ConfigDict, Field


class Settings(BaseModel):
    """How one `Memory` behaves. The defaults suit a laptop and a chat agent."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    limit: int = Field(default=10, ge=1, description="Hits per recall.")
    budget: int = Field(default=1024, ge=0, description="Tokens that the recalled block may take in a prompt.")
    context_lines: int = Field(
        default=1, ge=0, description="Lines shown before and after each hit, where the budget allows."
    )
    cache_mb: int = Field(
        default=512,
        ge=1,
        description="Memory in MiB for searching scopes exactly; larger scopes go through the vector index. "
        "A line takes about 2.2 kB with the bundled embedder, so this holds about 240,000 lines.",
    )
    embed_at_recall: int = Field(
        default=128,
        ge=0,
        description="Lines not yet embedded that a recall embeds itself (about 0.5 s with the bundled embedder); "
        "beyond that, the oldest are found by their words only and the answer says so.",
    )
    track_recalls: bool = Field(
        default=True,
        description="Count what recalls find: it renews the recency of a memory and tells what proves useful. Only a "
        "hash of the question is kept.",
    )
    idle_seconds: float = Field(
        default=2.0, gt=0, description="How often the background worker looks for work that other processes left."
    )
    background: bool = Field(
        default=True, description="Embed and index in a background thread; off means only in flush() and at recall."
    )
    candidates: int = Field(
        default=100,
        ge=10,
        description="The best lines of each channel alone that a question is scored on in full, with up to eight "
        "lines around each.",
    )
    rerank_lines: int = Field(
        default=30, ge=2, description="The best lines of a recall that a reranker is shown, where the memory has one."
    )
    rerank_seconds: float = Field(
        default=0.5,
        gt=0,
        description="How long a reranker should take: it is shown as many lines as the pace of its latest calls "
        "allows, at least 5. The first call is shown `rerank_lines`, and no call is cut short.",
    )
    distil: Literal["background", "inline", "manual"] = Field(
        default="background",
        description="With a chat model and a background thread, conversations are distilled once they are quiet; "
        "`inline` distils in record() itself, which then takes as long as the model; `manual` leaves it to remember().",
    )
    quiet_seconds: float = Field(
        default=30.0,
        ge=0,
        description="How long a conversation must be silent before it is distilled in the background: a turn is "
        "understood better with what follows it, and fewer, larger calls cost less.",
    )
    max_calls: int = Field(
        default=20, ge=0, description="Chat model calls that one remember(), manage() or consolidate() may make."
    )
    recall_calls: int = Field(
        default=2,
        ge=0,
        description='Chat model calls that one recall(depth="deep") may make: one takes a long question apart, one '
        "says what else to search for. Other recalls make none.",
    )
    batch_turns: int = Field(default=20, ge=1, description="Messages that one extraction reads.")
    batch_tokens: int = Field(
        default=4_000, ge=100, description="Estimated tokens that one extraction reads; a longer message is cut."
    )
    most_proposals: int = Field(
        default=200,
        ge=1,
        description="Memories and documents that one answer of the model may propose; the rest is refused. Twenty "
        "messages seldom hold forty facts, so more is a model that has run wild.",
    )
    close_seconds: float = Field(
        default=5.0,
        ge=0,
        description="How long close() waits for background distilling in hand. What a slower model answers is dropped, "
        "and those messages are read after the next open.",
    )
    lock_seconds: float = Field(
        default=15.0,
        gt=0,
        le=3_600,
        description="How long a call waits for an SQLite file that another program keeps locked. Transactions of ours "
        "take about a millisecond, a bulk import's a second, so longer means that somebody holds it open on purpose.",
    )
    context_turns: int = Field(
        default=10, ge=0, description="Earlier messages that extraction sees for context (mem0 shows as many)."
    )
    known_limit: int = Field(default=10, ge=0, description="Known memories that extraction is shown (mem0: 10).")
    rivals: int = Field(
        default=5, ge=1, description="Nearest memories that a proposal is compared with before it is written."
    )
    similar_from: float = Field(
        default=0.85,
        ge=0,
        le=1,
        description="Cosine from which consolidation looks at two memories together (CrewAI 1.15 uses the same).",
    )
    store_fields: tuple[str, ...] = Field(
        default=("$",),
        description="What of a value put into `memory.store` is indexed where the put does not say: paths such as "
        "`text` or `messages[*].content`; `$` is the whole value.",
    )
    store_ttl_minutes: float | None = Field(
        default=None, ge=0, description="Time to live of what is put into `memory.store` without one; None is forever."
    )
    store_refresh_on_read: bool = Field(
        default=True, description="Whether a read that does not say gives an item its whole time to live again."
    )
    store_sweep_minutes: float = Field(
        default=5.0, gt=0, description="How often the sweeper of `memory.store` deletes what has expired, once started."
    )
