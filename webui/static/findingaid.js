// Enhancement only: every page works without it.

