from tests.openapi.test_live import site  # noqa: F401 - a fixture
