from __future__ import annotations

import base64
import contextlib
import hashlib
import re
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st
from selectolax.lexbor import LexborHTMLParser

from accelerator_portal.site.page_html import SecurityPolicyError, add_security_policy

HEAD = '<!doctype html><html><head><meta charset="utf-8">'


def page(frame: str = "", content: str = "") -> str:
    article = f"<article class='x'>{content}</article>"
    return f"{HEAD}{frame}<title>A page</title></head><body>{article}</body></html>"


def digest(text: str) -> str:
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"


def hashes(html: str) -> list[str]:
    return re.findall(r"'sha256-[^']+'", directives(html)["script-src"])


def directives(html: str) -> dict[str, str]:
    metas = LexborHTMLParser(html).css("head > meta[http-equiv=Content-Security-Policy]")
    assert len(metas) == 1
    policy = metas[0].attributes["content"]
    assert policy is not None
    return dict(directive.split(" ", 1) for directive in policy.split("; "))


def test_a_page_without_inline_scripts_allows_the_sites_own_files_only() -> None:
    assert directives(add_security_policy(page('<script src="a.js"></script>'))) == {
        "default-src": "'self'",
        "script-src": "'self'",
        "style-src": "'self' 'unsafe-inline'",
        "img-src": "'self' data:",
        "connect-src": "'self'",
        "worker-src": "'self'",
        "base-uri": "'none'",
        "form-action": "'self'",
        "object-src": "'none'",
    }


def test_nothing_but_the_policy_is_added() -> None:
    html = page("<script>let a = 1</script>")
    with_policy = add_security_policy(html)
    assert re.sub(r'<meta http-equiv="Content-Security-Policy"[^>]*>', "", with_policy) == html


def test_the_policy_follows_the_encoding_and_precedes_everything_else() -> None:
    assert add_security_policy(page("<script>x</script>")).startswith(f"{HEAD}<meta http-equiv=")


@pytest.mark.parametrize(
    "head", ["<head>", "<HEAD>", '<head data-x="a > b">', "<head\n>", "<head><title>a</title>"]
)
def test_without_an_encoding_the_policy_comes_first(head: str) -> None:
    html = add_security_policy(f"<html>{head}</head><body></body></html>")
    tag_end = html.index("<meta")
    assert re.fullmatch(r"<html><head[^<]*>", html[:tag_end], re.IGNORECASE)


@pytest.mark.parametrize(
    "html",
    [
        "",
        "<p>a fragment</p>",
        "<html><header>not a head</header></html>",
        "<!-- <head> --><p>",
        "<title><head></title>",
        '<p title="<head>">',
    ],
)
def test_a_page_without_a_head_is_refused(html: str) -> None:
    with pytest.raises(SecurityPolicyError, match="no <head>"):
        add_security_policy(html)


@pytest.mark.parametrize(
    ("element", "text"),
    [
        ("<script>let a = 1</script>", "let a = 1"),
        ("<SCRIPT>let a = 1</ScRiPt >", "let a = 1"),
        ("<script\n  id='a' defer>\n b \n</script>", "\n b \n"),
        ("<script>a < b && c > d</script>", "a < b && c > d"),
        ("<script>'</scripts>' + '<p>'</script>", "'</scripts>' + '<p>'"),
        ("<script>// <!-- old habit\na()\n// --></script>", "// <!-- old habit\na()\n// -->"),
        ("<script>“ünïcode”</script>", "“ünïcode”"),
        ("<script>a\r\nb\rc</script>", "a\nb\nc"),
        ('<script type="">a()</script>', "a()"),
        ("<script type=module>a()</script>", "a()"),
        ("<script type=' Text/JavaScript '>a()</script>", "a()"),
        ('<script type="importmap">{}</script>', "{}"),
        ('<script data-src="x">a()</script>', "a()"),
        ('<script title="src=">a()</script>', "a()"),
        ("<script title='type=\"text/plain\"'>a()</script>", "a()"),
        ("<script type=module type=text/plain>a()</script>", "a()"),
    ],
)
def test_what_a_browser_would_run_is_named_by_its_hash(element: str, text: str) -> None:
    assert hashes(add_security_policy(page(element))) == [digest(text)]


@pytest.mark.parametrize(
    "element",
    [
        '<script type="application/json">{"a": 1}</script>',
        "<script type=application/ld+json>{}</script>",
        '<script type="text/plain">a()</script>',
        "<script src=a.js>ignored()</script>",
        "<script src>ignored()</script>",
        "<script></script>",
        "<!-- <script>a()</script> -->",
        "<!-- > <script>a()</script> --!>",
        "<!doctype x '<script>a()</script>",
        '<meta name="description" content="<script>a()</script>">',
        "<meta content='\"<script>a()</script>'>",
        "<title><script>a()</script></title>",
        "<style>/* <script>a()</script> */</style>",
        "<noscript><!-- </noscript> --> <p title='<script>a()</script>'>",
        "&lt;script>a()&lt;/script>",
        "<scripture>a()</scripture>",
        "<svg><![CDATA[<script>a()</script>]]></svg>",
    ],
)
def test_what_a_browser_would_not_run_has_no_hash(element: str) -> None:
    assert hashes(add_security_policy(page(element))) == []


@pytest.mark.parametrize(
    "not_a_comment", ["<!-->", "<!--->", "<!-- -- -->", "<!---->", "<![CDATA[>"]
)
def test_a_script_after_a_short_comment_is_found(not_a_comment: str) -> None:
    html = add_security_policy(page(f"{not_a_comment}<script>a()</script>"))
    assert hashes(html) == [digest("a()")]


def test_a_script_that_stands_twice_is_named_once() -> None:
    html = add_security_policy(page("<script>a()</script><script>b()</script><script>a()</script>"))
    assert hashes(html) == [digest("a()"), digest("b()")]


@pytest.mark.parametrize(
    "content",
    [
        "<script>steal()</script>",
        "</article><script>steal()</script><article>",
        # The rest of the page becomes a comment, the theme's own </article> with it.
        "</article><script>steal()</script><!--",
        "<article></article><script>steal()</script>",
        "<table><tr><script type=module>steal()</script>",
        "<svg/onload=x><script>steal()</script>",
    ],
)
def test_content_with_a_script_is_refused_and_says_where(content: str) -> None:
    with pytest.raises(SecurityPolicyError, match=r"^line 3: .*'steal\(\)'.*site_src/scripts/"):
        add_security_policy(page(content="<p>one</p>\n\n" + content))


def test_content_cannot_repeat_a_script_of_the_theme() -> None:
    script = "<script>a()</script>"
    assert hashes(add_security_policy(page(script))) == [digest("a()")]
    with pytest.raises(SecurityPolicyError, match=r"^line 2: .*'a\(\)'"):
        add_security_policy(page(script, f"\n{script}"))


@pytest.mark.parametrize(
    "content",
    [
        # Browsers, which run scripts, end a <noscript> where a parser without them does not.
        "<noscript><p title='</noscript><script>steal()</script>'></noscript>",
        "<template><script>steal()</script></template>",
        "<template shadowrootmode=open><script>steal()</script></template>",
        "<iframe srcdoc='<script>steal()</script>'></iframe>",
    ],
)
def test_a_script_that_nobody_refuses_has_no_hash_either(content: str) -> None:
    html = page("<script>a()</script>", content)
    with contextlib.suppress(SecurityPolicyError):
        assert hashes(add_security_policy(html)) == [digest("a()")]


def test_a_script_in_a_picture_is_one() -> None:
    drawn = "<svg><script>a() <![CDATA[ && b<c ]]></script></svg>"
    assert hashes(add_security_policy(page(drawn))) == [digest("a()  && b<c ")]
    with pytest.raises(SecurityPolicyError, match="inline script"):
        add_security_policy(page(content=drawn))


def test_an_end_tag_with_attributes_is_one_tag() -> None:
    """To a browser the second script is the value of an attribute."""
    html = page("<script src=a.js></script a=b'c<script>a()</script>")
    assert hashes(add_security_policy(html)) == []


def test_content_may_hold_data() -> None:
    data = '<script type="application/json">{"a": "\\u003c!-- \\u003cscript>"}</script>'
    assert hashes(add_security_policy(page(content=data))) == []


@pytest.mark.parametrize("kind", ["", ' type="application/json"'])
def test_a_script_whose_end_is_not_where_it_seems_is_refused(kind: str) -> None:
    html = page(content=f"\n<script{kind}>'<!-- <script>'</script>")
    with pytest.raises(SecurityPolicyError, match=r"^line 2: .*u003c"):
        add_security_policy(html)


PIECES = st.sampled_from(
    [
        *("<script>a()</script>", "<script>b = '<p>'</script >", "<script src=x></script>"),
        *("<script type=module>", "<script type='text/x'>", "</script>", "</SCRIPT/x>", "</script"),
        *("<!--", "-->", "<!-->", "--!>", "<!", "<?x", "</>", "</3>", "<", ">", "/>", "<3"),
        *("<p ", "<p title='", '<a href="', "'", '"', "=", " a=b'c", "\n", "x", "</p>", "<br/>"),
        *("<style>", "</style>", "<textarea>", "</textarea>", "<title>", "</title>"),
    ]
)


@given(st.lists(PIECES, max_size=12).map("".join))
def test_no_more_is_allowed_than_a_real_parser_finds(soup: str) -> None:
    """Whatever the soup, a hash names a script that stands there for a browser, too."""
    html = f"<!doctype html><head><title>A</title></head><body><p>{soup}"
    try:
        found = set(hashes(add_security_policy(html)))
    except SecurityPolicyError:
        return  # only scripts that end elsewhere than one would think
    texts = (node.text() for node in LexborHTMLParser(html).css("script:not([src])"))
    assert found <= {digest(text) for text in texts}


@given(
    st.lists(
        st.sampled_from(["<p class='a>b'>", "</p>", "<!-- <script> -->", "text < more", "<br>"])
        | st.text("abc&;=\n", min_size=1).map("<script>{}</script>".format),
        max_size=12,
    ).map("".join)
)
def test_in_proper_markup_exactly_the_scripts_are_allowed(markup: str) -> None:
    html = f"<!doctype html><head><title>A</title></head><body>{markup}"
    expected = [digest(node.text()) for node in LexborHTMLParser(html).css("script")]
    assert hashes(add_security_policy(html)) == list(dict.fromkeys(expected))


@pytest.mark.parametrize(
    "unit",
    [
        "<p class='a' id=b>text</p>\n",
        "<",
        "<!--",
        "<p ",
        "<p a='",
        '<p a="b',
        "<script ",
        "</",
        "<!",
    ],
)
def test_time_grows_with_the_page_not_faster(unit: str) -> None:
    html = HEAD + unit * (200_000 // len(unit))
    start = time.process_time()
    with contextlib.suppress(SecurityPolicyError):
        add_security_policy(html)
    assert time.process_time() - start < 2
