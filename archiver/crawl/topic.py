"""Is a page about the task? Used by the crawler to keep pages and to choose what to fetch next.

Two answers. `is_on_topic`: every word of the task stands in the keywords, or
every word in the title, or every word in the text. `relevance`: likeness, 0 to
1, to a profile that starts from the task and learns from pages that were
accepted (Rocchio: the mean of the accepted pages is added to the task; source:
Salton and Buckley, "Improving retrieval performance by relevance feedback", 1990).
"""

from __future__ import annotations

import json
import math
import unicodedata
from collections import Counter
from threading import Lock

from indexer.text.analysis import words_of
from indexer.text.languages import STOP_WORDS

ON_TOPIC = 0.12  # likeness from which a page is accepted in best order
_TASK_WEIGHT = 1.0  # Rocchio's alpha
_PAGES_WEIGHT = 0.5  # Rocchio's beta
_PROFILE_WORDS = 60
_PAGE_WORDS = 200
_STOP = frozenset(word for words in STOP_WORDS.values() for word in words)


def fold(text: str) -> list[str]:
    """Return the words of a text without accents, for people search Università as Universita."""
    return words_of(text.translate(_PLAIN))


class _Plain(dict[int, str]):
    """What each character is without its accents, found out when it is first met."""

    def __missing__(self, code: int) -> str:
        apart = unicodedata.normalize("NFKD", chr(code))
        plain = self[code] = "".join(letter for letter in apart if not unicodedata.combining(letter))
        return plain


_PLAIN = _Plain()


class Topic:
    """The task of a job and what was learned about it; safe from many threads.

    learned: what `state` gave in an earlier run.
    """

    def __init__(self, task: str, learned: str = "") -> None:
        self.words = list(dict.fromkeys(fold(task)))
        self._wanted = frozenset(self.words)
        self._lock = Lock()
        self._pages = 0
        self._sums: Counter[str] = Counter()
        self._seen: Counter[str] = Counter()
        self._documents = 0
        self._profile: dict[str, float] = {}
        if learned:
            state = json.loads(learned)
            self._pages, self._documents = state["pages"], state["documents"]
            self._sums.update(state["sums"])
            self._seen.update(state["seen"])
        self._refresh()

    def is_on_topic(self, keywords: str, title: str, text: str) -> bool:
        """Do all words of the task stand in one of keywords, title or text?"""
        return any(self._wanted.issubset(fold(part)) for part in (keywords, title, text) if part)

    def relevance(self, title: str, text: str) -> float:
        """Return the cosine between a page and the profile, 0 to 1; words of the title count three times."""
        return self._likeness(self._vector(title, text))

    def relevance_of_words(self, text: str) -> float:
        """Return how much of the task a few words hold (a link's text, an address), 0 to 1."""
        if not self._wanted:
            return 0.0
        return len(self._wanted.intersection(fold(text))) / len(self._wanted)

    def accept(self, title: str, text: str) -> None:
        """Learn from a page that is on topic."""
        vector = self._vector(title, text)
        with self._lock:
            self._pages += 1
            for word, weight in sorted(vector.items(), key=lambda p: -p[1])[:_PAGE_WORDS]:
                self._sums[word] += weight  # type: ignore[assignment]
            if len(self._sums) > 20 * _PROFILE_WORDS:
                self._sums = Counter(dict(self._sums.most_common(10 * _PROFILE_WORDS)))
            if self._pages <= 10 or self._pages % 10 == 0:
                self._refresh()

    def state(self) -> str:
        """Return what was learned, as JSON."""
        with self._lock:
            return json.dumps(
                {
                    "pages": self._pages,
                    "documents": self._documents,
                    "sums": dict(self._sums.most_common(1000)),
                    "seen": dict(self._seen.most_common(5000)),
                }
            )

    def _vector(self, title: str, text: str) -> dict[str, float]:
        """Return the page's words with their weights: (1 + log tf) * idf, length 1."""
        counts = Counter(fold(text[:50_000]))
        for word in fold(title):
            counts[word] += 2
        with self._lock:
            self._documents += 1
            self._seen.update(counts.keys())
            if len(self._seen) > 100_000:
                self._seen = Counter(dict(self._seen.most_common(50_000)))
            documents = self._documents
            vector = {
                word: (1 + math.log(count)) * math.log(1 + (documents + 1) / (self._seen[word] + 0.5))
                for word, count in counts.items()
                if word in self._wanted or word not in _STOP
            }
        length = math.sqrt(sum(w * w for w in vector.values()))
        return {word: weight / length for word, weight in vector.items()} if length else {}

    def _likeness(self, vector: dict[str, float]) -> float:
        profile = self._profile
        return max(0.0, min(1.0, sum(weight * vector.get(word, 0.0) for word, weight in profile.items())))

    def _refresh(self) -> None:
        profile = {word: _TASK_WEIGHT / math.sqrt(len(self.words)) for word in self.words}
        if self._pages:
            for word, weight in self._sums.most_common(_PROFILE_WORDS):
                profile[word] = profile.get(word, 0.0) + _PAGES_WEIGHT * weight / self._pages
        length = math.sqrt(sum(w * w for w in profile.values())) or 1.0
        self._profile = {word: weight / length for word, weight in profile.items()}
