"""Captures by the digest of their payload, in SQL: which hold the same bytes, and what a revisit repeats.

The digest of a page is mostly that of its version, and then not kept once more: such a row of `capture_rows` has NULL
in its place (that of a revisit never has). So a digest is looked up in two places, each through an index of its end,
which tells apart whatever kind it is of and keeps the index small.
"""

from __future__ import annotations

PAYLOAD_END = "substr({}, -8)"
DIGEST_END = "substr({}, -4)"

IS_REVISIT = "{}.kind & 3 = 2"


def same_payload(row: str, payload: str) -> str:
    """Return the condition that the row itself has a digest, which is an SQL expression."""
    return (
        f"{PAYLOAD_END.format(f'{row}.payload')} = {PAYLOAD_END.format(payload)}"
        f" AND {row}.payload = {payload} AND {row}.payload <> ''"
    )


def same_digest(version: str, payload: str) -> str:
    """Return the condition that a version has a digest, which is an SQL expression."""
    return f"{DIGEST_END.format(f'{version}.digest')} = {DIGEST_END.format(payload)} AND {version}.digest = {payload}"


def holder_of(payload: str) -> str:
    """Return the statement for the id of the first capture that holds the bytes of a page with a digest.

    Whatever its address; a redirect or an error with the bytes of a page is no page. payload: an SQL expression.
    """
    own = (
        "SELECT o.url, o.version, o.id FROM capture_rows o INDEXED BY captures_by_payload"
        f" WHERE {same_payload('o', payload)} AND o.version IS NOT NULL AND NOT ({IS_REVISIT.format('o')})"
        " ORDER BY o.url, o.version, o.id LIMIT 1"
    )
    of_version = (
        "SELECT o.url, o.version, o.id FROM versions v JOIN capture_rows o ON o.version = v.id"
        f" WHERE {same_digest('v', payload)} AND o.payload IS NULL ORDER BY v.url, v.id, o.id LIMIT 1"
    )
    return (
        f"SELECT id FROM (SELECT * FROM ({own}) UNION ALL SELECT * FROM ({of_version}))"
        " ORDER BY url, version, id LIMIT 1"
    )


def versions_repeated(payload: str, url: str) -> str:
    """Return the statement for the versions that captures of an address with a digest show; both SQL expressions."""
    return (
        f"SELECT o.version FROM capture_rows o INDEXED BY captures_by_payload WHERE {same_payload('o', payload)}"
        f" AND o.url = {url} AND o.version IS NOT NULL"
        f" UNION SELECT v.id FROM versions v WHERE {same_digest('v', payload)} AND v.url = {url}"
        " AND EXISTS (SELECT 1 FROM capture_rows o WHERE o.version = v.id AND o.payload IS NULL)"
    )


# Of captures `c`: those whose payload has the digest ?1.
HAS_PAYLOAD = (
    f"c.id IN (SELECT o.id FROM capture_rows o WHERE {same_payload('o', '?1')}"
    f" UNION ALL SELECT o.id FROM versions v JOIN capture_rows o ON o.version = v.id"
    f" WHERE {same_digest('v', '?1')} AND o.payload IS NULL)"
)
