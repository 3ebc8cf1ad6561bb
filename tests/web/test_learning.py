"""Chapters in both languages."""


def test_chapters_speak_japanese_where_they_can(visit):
    """The list marks English chapters; a Japanese one has its widget and pictures."""
    page = visit(language="ja").open("/learn")
    links = page.locator(".chapters a")
    assert links.count() == 13 and page.locator(".chapters a[lang=en]").count() == 10
    assert links.first.inner_text() == "リグレットマッチング" and page.locator(".chapters .quiet").count() == 10
    one = visit(language="ja")
    page = one.open("/learn/cfr-program")
    assert page.get_attribute("article", "lang") == "ja" and page.inner_text("h1") == "3. CFR のプログラム"
    assert page.locator(".widget").count() == 1
    page.wait_for_function("() => [...document.querySelectorAll('article img')].every(each => each.naturalWidth > 0)")
    before = one.number()
    page.click("a[rel=next]")
    one.shown(after=before)
    assert page.get_attribute("article", "lang") == "en"
    assert visit().open("/learn/cfr-program").inner_text("h1") == "3. CFR as a program"
