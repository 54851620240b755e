import tracemalloc

import pytest

from catalog.importers.parsers.files import open_source
from catalog.importers.parsers.xml_rows import xml_rows
from catalog.importers.records import BadInput
from tests.catalog.importers.parsers.helpers import write


def rows(path, content, columns=("A", "B")):
    with open_source(write(path / "a.xml", content), ()) as source:
        return list(xml_rows(source, columns))


def test_rows_with_numbers(tmp_path):
    found = rows(tmp_path, "<t><row><A> ł&amp;1 </A><B /></row><x>5</x><row><A>2</A><B>3</B></row></t>")
    assert found == [(1, {"A": "ł&1", "B": ""}), (2, {"A": "2", "B": "3"})]


def test_byte_order_mark(tmp_path):
    assert rows(tmp_path, b"\xef\xbb\xbf<t><row><A>1</A><B>2</B></row></t>") == [(1, {"A": "1", "B": "2"})]


def test_other_encoding_that_the_document_declares(tmp_path):
    document = '<?xml version="1.0" encoding="windows-1250"?><t><row><A>żółć</A><B/></row></t>'
    assert rows(tmp_path, document.encode("cp1250")) == [(1, {"A": "żółć", "B": ""})]


@pytest.mark.parametrize("encoding", ["no-such-thing", "big5"])
def test_encoding_that_cannot_be_read(tmp_path, encoding):
    with pytest.raises(BadInput, match="not complete XML"):
        rows(tmp_path, f'<?xml version="1.0" encoding="{encoding}"?><t><row><A/><B/></row></t>')


def test_entity_expansion_is_refused(tmp_path):
    document = '<!DOCTYPE t [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;&a;">]><t><row><A>&b;</A><B/></row></t>'
    with pytest.raises(BadInput, match="DOCTYPE"):
        rows(tmp_path, document)


def test_document_type_without_entities_is_refused(tmp_path):
    with pytest.raises(BadInput, match="DOCTYPE"):
        rows(tmp_path, '<!DOCTYPE t SYSTEM "http://example.org/t.dtd"><t><row><A/><B/></row></t>')


def test_undefined_entity(tmp_path):
    with pytest.raises(BadInput, match="not complete XML"):
        rows(tmp_path, "<t><row><A>&b;</A><B/></row></t>")


def test_truncated_document(tmp_path):
    with pytest.raises(BadInput, match="not complete XML, is it cut off"):
        rows(tmp_path, "<t><row><A>1</A><B>2</B></row><row><A>")


def test_missing_field_is_named(tmp_path):
    with pytest.raises(BadInput, match=r"a\.xml, row 2: lacks B; expected A, B"):
        rows(tmp_path, "<t><row><A/><B/></row><row><A/></row></t>")


def test_field_twice(tmp_path):
    with pytest.raises(BadInput, match="row 1: has <A> twice"):
        rows(tmp_path, "<t><row><A>1</A><A>2</A><B/></row></t>")


def test_field_in_a_field(tmp_path):
    with pytest.raises(BadInput, match="<C> does not belong inside a field"):
        rows(tmp_path, "<t><row><A>1<C/></A><B/></row></t>")


def test_row_in_a_row(tmp_path):
    with pytest.raises(BadInput, match="<row> does not belong"):
        rows(tmp_path, "<t><row><A/><row/></row></t>")


def test_endless_field(tmp_path):
    with pytest.raises(BadInput, match="<A> is longer than 10000"):
        rows(tmp_path, f"<t><row><A>{'x' * 10_001}</A><B/></row></t>")


def test_memory_does_not_grow_with_the_document(tmp_path):
    row = f"<row><A>{'a' * 200}</A><B>{'b' * 200}</B></row>"
    path = write(tmp_path / "a.xml", f"<t>{row * 10_000}</t>")
    with open_source(path, ()) as source:
        tracemalloc.start()
        count = sum(1 for _ in xml_rows(source, ("A", "B")))
        _, peak = tracemalloc.get_traced_memory()
        tracemalloc.stop()
    assert count == 10_000
    assert peak < path.stat().st_size / 4
