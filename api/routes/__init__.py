"""The routes of the HTTP face, a module a subject; each is thin: it asks the service and writes the answer."""
