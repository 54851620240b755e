"""Drafts of the desk as an editor meets them: save, look at what would change, give a reason, approve."""


def approve(client, answer, reason="Zmiana uchwały.", decision="approve"):
    """The page of the draft that an answer leads to, after a decision about it."""
    assert answer.status_code == 302
    assert "/admin/catalog/draft/" in answer["Location"], answer["Location"]
    return client.post(answer["Location"], {"decision": decision, "reason": reason})
