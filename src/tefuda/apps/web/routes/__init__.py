"""Routes of the web page by page; a route is a function of the workspace and a call."""
