"""The browser of the tests: the shell without windows where it is installed, which needs a third of Chromium's time."""

import shutil

BROWSERS = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome")
BROWSER = next(filter(None, map(shutil.which, BROWSERS)), None)
INSTALL = "apt-get install --no-install-recommends chromium-headless-shell fonts-ipafont-gothic"
