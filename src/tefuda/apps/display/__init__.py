"""Progress bars, reports and curves in a terminal, for the command line."""
