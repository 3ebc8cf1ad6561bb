"""What people look at in a terminal: progress bars, tables and curves. Only the command line imports this."""
