"""What a process learns of its memory."""

import sys

import pytest

from archiver.memory import give_memory_back, memory_in_hand


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux tells")
def test_memory_in_hand_grows_and_shrinks_with_what_is_held():
    before = memory_in_hand()
    held = b"x" * (64 << 20)
    assert memory_in_hand() > before + (48 << 20)
    del held
    give_memory_back()
    assert memory_in_hand() < before + (16 << 20)


def test_where_nobody_tells_no_memory_is_in_hand(monkeypatch):
    def missing(*_given):
        raise FileNotFoundError

    monkeypatch.setattr("builtins.open", missing)
    assert memory_in_hand() == 0
