import tracemalloc

from catalog.importers.parsers.files import open_source
from catalog.importers.parsers.xml_registers import RowReader
from tests.catalog.importers.parsers.helpers import assert_refused, write


def rows(path, content, columns=("A", "B")):
    with open_source(write(path / "a.xml", content), ()) as source:
        return list(RowReader(source, columns).read())


def test_rows_are_read_with_numbers_and_in_the_encoding_that_the_document_declares(tmp_path):
    found = rows(tmp_path, "<t><row><A> ł&amp;1 </A><B /></row><x>5</x><row><A>2</A><B>3</B></row></t>")
    assert found == [(1, {"A": "ł&1", "B": ""}), (2, {"A": "2", "B": "3"})]
    assert rows(tmp_path, b"\xef\xbb\xbf<t><row><A>1</A><B>2</B></row></t>") == [(1, {"A": "1", "B": "2"})]
    document = '<?xml version="1.0" encoding="windows-1250"?><t><row><A>żółć</A><B/></row></t>'
    assert rows(tmp_path, document.encode("cp1250")) == [(1, {"A": "żółć", "B": ""})]


ENTITIES = '<!DOCTYPE t [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;&a;">]>'


def test_defects(tmp_path):
    for document, message in (
        ('<?xml version="1.0" encoding="no-such-thing"?><t><row><A/><B/></row></t>', "not complete XML"),
        ('<?xml version="1.0" encoding="big5"?><t><row><A/><B/></row></t>', "not complete XML"),
        (f"{ENTITIES}<t><row><A>&b;</A><B/></row></t>", "DOCTYPE"),
        ('<!DOCTYPE t SYSTEM "http://example.org/t.dtd"><t><row><A/><B/></row></t>', "DOCTYPE"),
        ("<t><row><A>&b;</A><B/></row></t>", "not complete XML"),
        ("<t><row><A>1</A><B>2</B></row><row><A>", "not complete XML, is it cut off"),
        ("<t><row><A/><B/></row><row><A/></row></t>", r"a\.xml, row 2: lacks B; expected A, B"),
        ("<t><row><A>1</A><A>2</A><B/></row></t>", "row 1: has <A> twice"),
        ("<t><row><A>1<C/></A><B/></row></t>", "<C> does not belong inside a field"),
        ("<t><row><A/><row/></row></t>", "<row> does not belong"),
        (f"<t><row><A>{'x' * 10_001}</A><B/></row></t>", "<A> is longer than 10000"),
    ):
        assert_refused(message, rows, tmp_path, document)


def test_memory_does_not_grow_with_the_document(tmp_path):
    row = f"<row><A>{'a' * 200}</A><B>{'b' * 200}</B></row>"
    path = write(tmp_path / "a.xml", f"<t>{row * 10_000}</t>")
    with open_source(path, ()) as source:
        tracemalloc.start()
        count = sum(1 for _ in RowReader(source, ("A", "B")).read())
        _, peak = tracemalloc.get_traced_memory()
        tracemalloc.stop()
    assert count == 10_000
    assert peak < path.stat().st_size / 4
