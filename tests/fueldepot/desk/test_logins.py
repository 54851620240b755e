"""Keys of the limits of logins."""

from fueldepot.desk.logins import name_key


def test_a_name_is_hashed_the_same_from_the_form_and_from_what_was_read_of_it(rf):
    typed = rf.post("/admin/login/", {"username": "ewa", "password": "x"})
    assert name_key(typed, None) == name_key(None, {"username": "ewa"}) == name_key(typed, {})
    assert name_key(typed, None) != name_key(rf.post("/admin/login/", {}), None)
    assert "ewa" not in name_key(typed, None)
