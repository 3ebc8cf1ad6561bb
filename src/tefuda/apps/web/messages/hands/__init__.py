"""Messages of hands: tables, the panels beside them, and sentences in all languages."""
