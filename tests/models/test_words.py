"""A question is read once, for its vector and for its words; terms point where words of their meaning do."""

from __future__ import annotations

import numpy as np
import pytest

from langgraph_memory.errors import EmbeddingError
from langgraph_memory.models import BundledEmbedder
from langgraph_memory.models import words as words_module
from langgraph_memory.models.minilm import VOCABULARY
from langgraph_memory.models.ports import WordReader
from langgraph_memory.models.weights import ModelFile
from langgraph_memory.models.words import WordTable
from langgraph_memory.text.tokenise import index_terms


def nearness(embedder: BundledEmbedder, question: str, word: str, other: str) -> float:
    read, table = embedder.question_words(question), embedder.term_directions()
    assert read is not None
    place = read.words.index(word)
    return float(read.directions[place] @ table.directions[table.rows(index_terms(other))[0]])


def test_words_point_to_words_of_their_meaning(bundled: BundledEmbedder) -> None:
    question = "Which doctor did my sister see in the hospital?"
    assert nearness(bundled, question, "doctor", "physician") > 0.6
    assert nearness(bundled, question, "doctor", "physician") > nearness(bundled, question, "doctor", "banana") + 0.3


def test_a_word_has_the_meaning_of_its_sentence(bundled: BundledEmbedder) -> None:
    river, money = "We had a picnic on the bank of the river", "Did the bank approve the loan?"
    assert nearness(bundled, river, "bank", "riverside") > nearness(bundled, money, "bank", "riverside")
    assert nearness(bundled, money, "bank", "mortgage") > nearness(bundled, river, "bank", "mortgage")


def test_a_word_of_several_pieces_stands_once_for_each(bundled: BundledEmbedder) -> None:
    read = bundled.question_words("Who plays the tambourine?")
    assert read is not None
    assert read.words.count("tambourine") > 1 and len(read.words) == len(read.directions)
    np.testing.assert_allclose(np.linalg.norm(read.directions, axis=1), 1, atol=1e-5)


@pytest.mark.parametrize("text", ["", "🎉", "我女儿在学什么？", "Où est-ce que ma fille étudie le violon ?"])
def test_what_is_not_english_is_not_read_word_by_word(bundled: BundledEmbedder, text: str) -> None:
    assert bundled.question_words(text) is None
    assert bundled.embed_query(text).shape == (384,)


def test_the_vector_is_that_of_a_document(bundled: BundledEmbedder) -> None:
    for text in ("Where does Alice live?", "What is C++?", "x" * 5_000):
        np.testing.assert_allclose(bundled.embed_query(text), bundled.embed_documents([text])[0], atol=1e-5)


def test_the_table_knows_the_terms_of_the_index() -> None:
    pieces = VOCABULARY.locate().read_text(encoding="utf-8").split("\n")
    words = [piece for piece in pieces if piece.isascii() and piece.isalpha() and len(piece) > 1]
    terms = [terms[0] for word in words if len(terms := index_terms(word)) == 1]
    table = WordTable()
    assert (table.rows(terms) < len(table.directions) - 1).all()
    assert table.rows(["zzyzx"])[0] == len(table.directions) - 1
    assert not table.directions[-1].any()


def test_a_changed_table_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    other = ModelFile("langgraph-memory-plugin", "", "minilm_terms.npz", "0" * 64)
    monkeypatch.setattr(words_module, "TABLE", other)
    with pytest.raises(EmbeddingError, match="not the expected one"):
        BundledEmbedder().term_directions()


def test_the_bundled_embedder_reads_words(bundled: BundledEmbedder) -> None:
    assert isinstance(bundled, WordReader)
