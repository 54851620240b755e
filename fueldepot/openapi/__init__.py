"""The published description of the API: made by `make openapi`, committed as `fueldepot/openapi.json`, served."""
