"""The documentation site: pages collected from docs/ and the package, built by Zensical."""
