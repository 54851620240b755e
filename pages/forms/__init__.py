"""The web forms by which owners and readers change the catalog, with an editor in between."""
