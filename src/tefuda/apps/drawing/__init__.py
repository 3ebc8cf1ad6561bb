"""Trees and tables as pictures: SVG, TikZ, HTML, LaTeX and text, without other packages."""
