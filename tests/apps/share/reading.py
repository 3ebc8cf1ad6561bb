"""The data inside a shared file."""

import base64
import gzip
import json
import re


def data_of(page):
    """Return the values of a page by address, which are stored by column."""
    groups = json.loads(gzip.decompress(base64.b64decode(re.search(r'id="data">([^<]*)<', page)[1])))
    return {
        address: dict(zip(names, values, strict=True)) if names else list(values)
        for addresses, names, *columns in groups
        for address, *values in zip(addresses, *columns, strict=True)
    }
