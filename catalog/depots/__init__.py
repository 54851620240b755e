"""Published depots as public requests read them."""
