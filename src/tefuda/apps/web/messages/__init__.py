"""Messages of the web page: values of the library as JSON."""
