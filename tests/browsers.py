"""The browser of the tests; the shell without windows, where it is installed, is three times as fast."""

import shutil

BROWSERS = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome")
BROWSER = next(filter(None, map(shutil.which, BROWSERS)), None)
INSTALL = "apt-get install --no-install-recommends chromium-headless-shell fonts-ipafont-gothic"
