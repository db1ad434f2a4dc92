from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from langgraph_memory.scope import Scope

segments = st.text(
    st.characters(exclude_categories=("Cs",), exclude_characters="\0") | st.sampled_from("/%.0aA é👩‍👩‍👧"),
    min_size=1,
    max_size=12,
).filter(str.strip)
scopes = st.lists(segments | st.just("langgraph"), min_size=1, max_size=4).map(lambda parts: Scope(tuple(parts)))


@given(scopes)
def test_a_path_says_exactly_which_scope_it_is(scope: Scope) -> None:
    assert Scope.from_path(scope.path) == scope
    assert scope.path.endswith("/")
    assert scope.path.count("/") == len(scope.segments)


@given(scopes)
def test_a_namespace_says_exactly_which_scope_it_is(scope: Scope) -> None:
    labels = scope.namespace()
    assert Scope.from_namespace(labels) == scope
    assert labels[0] != "langgraph"
    assert not any("." in label or not label for label in labels)


@given(scopes, scopes)
def test_different_scopes_have_different_paths(one: Scope, other: Scope) -> None:
    assert (one.path == other.path) == (one == other)
    assert (one.namespace() == other.namespace()) == (one == other)


@given(scopes, scopes | st.none(), st.lists(segments, max_size=2))
def test_a_scope_contains_what_begins_with_its_path(one: Scope, other: Scope | None, more: list[str]) -> None:
    inner = other or Scope((*one.segments, *more))
    assert one.contains(inner) == inner.path.startswith(one.path)
    assert one.contains(inner) == (one in inner.ancestors())
    # The range that the database reads holds exactly these.
    assert one.contains(inner) == (one.path.encode() <= inner.path.encode() < one.path[:-1].encode() + b"0")


@given(scopes)
def test_a_scope_made_of_its_segments_is_itself(scope: Scope) -> None:
    stripped = Scope.of(scope.segments)
    assert Scope.of(stripped) == Scope.of(list(stripped.segments)) == stripped
