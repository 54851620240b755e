"""Units of the territorial register, places and postcodes, as public requests read them."""
