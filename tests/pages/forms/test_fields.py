"""Fields of the public forms."""

import pytest
from django.forms import ValidationError

from pages.forms.fields import PhoneField


def test_too_many_telephones():
    numbers = [f"+48 60{number} 234 567" for number in range(9)]
    field = PhoneField(required=False)
    assert field.clean(", ".join(numbers[:5])).count(",") == 4
    with pytest.raises(ValidationError, match="Podaj najwyżej pięć numerów"):
        field.clean(", ".join(numbers))
