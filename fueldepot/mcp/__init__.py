"""The Model Context Protocol at `/mcp`: tools over the functions of the API.

Streamable HTTP without sessions: requests are independent, and every response is one JSON object. Types and versions of
the protocol come from the official package `mcp-types`; its server needs an event loop, so the few necessary methods
are implemented here. https://modelcontextprotocol.io/specification
"""
