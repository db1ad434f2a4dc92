"""Indexing a line is cheap; the bounds are ten times what a slow machine measured, so that only a blunder fails."""

from __future__ import annotations

import timeit

import pytest

from langgraph_memory.text.tokenise import index_terms

ENGLISH = (
    "Yesterday I went to the adoption agency with Caroline and we talked for hours "
    "about how the process works and what it would cost"
)
CHINESE = "我昨天和李明一起去了杭州西湖边的一家餐馆吃饭，我们聊了很久关于他的新工作和在北京"


@pytest.mark.parametrize(("text", "microseconds"), [(ENGLISH, 400), (CHINESE, 800)], ids=["english", "chinese"])
def test_index_terms_is_fast(text: str, microseconds: float) -> None:
    index_terms(text)
    assert min(timeit.repeat(lambda: index_terms(text), number=200, repeat=3)) / 200 * 1e6 < microseconds
