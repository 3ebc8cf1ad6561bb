"""The distribution of the reproductions; its tests are a package, as those of tefuda are."""
