"""Makes pages that try to connect outside or to run a script, in ways that parsers read differently; by a seed.

Each is a random nest of elements that change how what follows is read (raw text, drawings, formulas, tables,
selections, templates), filled with what loads or runs something, partly written so that it only becomes markup when
the page is parsed, written and parsed again; then some characters are changed.
"""

# ruff: noqa: E501
from __future__ import annotations

import random
import re
from dataclasses import dataclass
from html import escape

_ELEMENTS = (
    "a abbr address applet area article audio b base basefont big blockquote body br button canvas caption center "
    "col colgroup dd desc details dialog div dl dt em embed fieldset figure font footer foreignObject form frame "
    "frameset g h1 head hr html i iframe image img input keygen label legend li link listing main malignmark map mark "
    "marquee math menu meta metadata mfrac mglyph mi mn mo ms mtext nav nobr noembed noframes noscript object ol optgroup "
    "option p param picture plaintext pre q rb rp rt rtc ruby s script section select selectedcontent semantics slot "
    "small source span strike strong style sub summary sup svg table tbody td template text textarea tfoot th thead title "
    "tr track tt u ul var video wbr xmp annotation-xml annotation use switch symbol defs maction portal fencedframe model"
).split()
_RAW = "style script xmp iframe noembed noframes noscript plaintext textarea title".split()
_NESTS = (
    "<svg>", "<math>", "<svg><foreignObject>", "<svg><desc>", "<svg><title>", "<svg><style>", "<svg><iframe>",
    "<svg><noframes>", "<svg><xmp>", "<svg><noembed>", "<svg><plaintext>", "<svg><noscript>", "<svg><textarea>",
    "<svg><script>", "<svg><template>", "<svg><select>", "<svg><a>", "<svg><image>", "<svg><p>", "<svg></p>",
    "<svg></br>", "<svg><font color=x>", "<svg><font>", "<math><mtext>", "<math><mi>", "<math><annotation-xml>",
    "<math><mtext><mglyph>", "<math><mtext><table><mglyph>", "<math><annotation-xml encoding=text/html>",
    "<math><annotation-xml encoding='application/xhtml+xml'>", "<math><annotation-xml><svg>", "<math><style>",
    "<math><iframe>", "<math><xmp>", "<math><noframes>", "<math><noembed>", "<math><malignmark>", "<math><semantics>",
    "<form><math><mtext></form><form><mglyph>", "<form><div></form><form>", "<table>", "<table><tr><td>",
    "<table><caption>", "<table><colgroup>", "<table><select>", "<select>", "<select><option>", "<select><template>",
    "<template>", "<template shadowrootmode=open>", "<noscript>", "<p><table>", "<p><button><p>", "<a><table><a>",
    "<b><p></b>", "<b><i><p></b>", "<frameset>", "<frameset><frame>", "<noframes>", "<head>", "<head><noscript>",
    "<body>", "<html>", "<!--", "<!--[if IE]>", "<!-->", "<!--->", "<![CDATA[", "<svg><![CDATA[", "<?xml-stylesheet href=A?>",
    "<!doctype html>", "<!doctype x [<!entity e SYSTEM 'A'>]>", "<pre>\n", "<textarea>\n", "<listing>\n\n", "<object>",
    "<applet>", "<ruby><rt>", "<dl><dt>", "<button>", "<details>", "<video>", "<picture>", "<svg><switch>",
    "<svg><symbol>", "<svg><pattern>", "<svg><a><svg>", "<div><svg><title><style>", "<h1><h2>", "<nobr><nobr>",
)  # fmt: skip
_ENDS = (
    "-->", "--!>", "->", "]]>", "?>", "</>", "</ >", "</p>", "</br>", "</svg>", "</math>", "</form>", "</table>",
    "</select>", "</template>", "</noscript>", "</body>", "</html>", "</head>", "</title>", "</style>", "</textarea>",
    "</xmp>", "</iframe>", "</noframes>", "</noembed>", "</foreignObject>", "</script>", "</a>", "</b>", "</td>",
    "</frameset>", "</mglyph>", "</mtext>", "</annotation-xml>", "</plaintext>", "</desc>", "</object>", "</button>",
)  # fmt: skip
_LOADS = (
    "<img src='A'>", "<img src=A onerror=RUN>", "<img srcset='A 1x, A 2x'>", "<img src=x lowsrc=A dynsrc=A longdesc=A>",
    "<image src=A href=A xlink:href=A>", "<picture><source srcset='A'><img></picture>", "<input type=image src=A>",
    "<iframe src='A'></iframe>", "<iframe src=\"A\">", "<iframe srcdoc=\"QUOTED\"></iframe>", "<frame src=A>",
    "<embed src=A>", "<object data=A></object>", "<object data=A type=text/html>", "<object data=A type=image/png>",
    "<object classid=A codebase=A archive=A>", "<applet code=A codebase=A archive=A>", "<video src=A poster=A autoplay>",
    "<audio src=A autoplay>", "<video><source src=A><track default src=A kind=captions></video>", "<bgsound src=A>",
    "<body background=A>", "<table background=A><tr background=A><td background=A>", "<link rel=stylesheet href=A>",
    "<link rel='stylesheet preconnect' href=A>", "<link rel=preconnect href=A>", "<link rel=dns-prefetch href=A>",
    "<link rel=prefetch href=A>", "<link rel=preload as=image href=A>", "<link rel=preload as=image imagesrcset=A>",
    "<link rel=modulepreload href=A>", "<link rel=icon href=A>", "<link rel=manifest href=A>", "<link rel=prerender href=A>",
    "<link rel=expect href=A>", "<link rel='alternate stylesheet' title=x href=A>", "<meta http-equiv=refresh content='0;url=A'>",
    "<meta http-equiv=refresh content='0;A'>", "<meta http-equiv=link content='<A>;rel=preload;as=image'>",
    "<meta http-equiv=content-security-policy content='img-src none;report-uri A'>", "<meta name=viewport http-equiv=refresh content='0;url=A'>",
    "<base href=A>", "<base target=_top href=A>", "<a href=A ping=A attributionsrc=A>x</a>", "<a href='javascript:RUN'>x</a>",
    "<area href=A ping=A>", "<map name=m><area href=A></map><img usemap='A#m'>", "<form action=A><input formaction=A autofocus onfocus=RUN></form>",
    "<button formaction=A>x</button>", "<script>RUN</script>", "<script src=A></script>", "<script type=module>RUN</script>",
    "<script type=speculationrules>{\"prefetch\":[{\"source\":\"list\",\"urls\":[\"A\"]}]}</script>",
    "<script type=importmap>{}</script>", "<style>CSS</style>", "<p style='CSSVALUE'>x</p>", "<p style=\"background:url(A)\">x",
    "<svg><image href=A xlink:href=A /></svg>", "<svg><use href='A#x'/></svg>", "<svg><use xlink:href='A#x' href='A#y'/></svg>",
    "<svg><feImage href=A /><filter id=f><feImage xlink:href=A /></filter><rect filter=url(#f) width=9 height=9 /></svg>",
    "<svg><rect fill='url(A#x)' stroke=\"url('A#y')\" filter=url(A) mask=url(A) clip-path=url(A) cursor=url(A) width=9 height=9 /></svg>",
    "<svg><line marker-start=url(A) marker-mid=url(A) marker-end=url(A) /></svg>", "<svg><a href=A xlink:href=A><text y=9>x</text></a></svg>",
    "<svg><a xlink:href='javascript:RUN' href='javascript:RUN'><text y=9>x</text></a></svg>",
    "<svg><image><animate attributeName=href values='A' begin=0s dur=1s fill=freeze /></image></svg>",
    "<svg><image><set attributeName=xlink:href to=A /></image></svg>", "<svg><image><set attributeName=' HREF ' to=A /></image></svg>",
    "<svg><a><animate attributeName=href to='javascript:RUN' /></a></svg>", "<svg><rect width=9 height=9><set attributeName=fill to='url(A#x)' /></rect></svg>",
    "<svg><rect width=9 height=9><animate attributeName=mask values='url(A);url(A)' dur=1s /></rect></svg>",
    "<svg><set attributeName=onload to=RUN /></svg>", "<svg onload=RUN>", "<svg><script href=A xlink:href=A>RUN</script></svg>",
    "<svg><script>RUN</script></svg>", "<svg><style>CSS</style></svg>", "<svg><style>&lt;img src=A onerror=RUN&gt;</style></svg>",
    "<svg><linearGradient href=A id=g /><pattern href=A /><textPath href=A /><mpath href=A /><tref xlink:href=A /></svg>",
    "<svg><font-face-uri xlink:href=A /><color-profile xlink:href=A /><cursor xlink:href=A /><discard onbegin=RUN /></svg>",
    "<math href=A><mi href=A xlink:href=A>x</mi></math>", "<math altimg=A definitionURL=A><mglyph src=A /></math>",
    "<math><maction actiontype=statusline xlink:href='javascript:RUN'>x</maction></math>", "<portal src=A></portal>",
    "<fencedframe src=A></fencedframe>", "<model src=A></model>", "<html manifest=A>", "<html xmlns:x=A profile=A>",
    "<q cite=A>x</q>", "<ins cite=A>", "<isindex action=A prompt=x>", "<keygen onfocus=RUN autofocus>", "<details open ontoggle=RUN>",
    "<marquee onstart=RUN>x</marquee>", "<video onloadstart=RUN src=x>", "<body onload=RUN onpageshow=RUN>", "<frameset onload=RUN>",
    "<input autofocus onfocus=RUN>", "<div tabindex=0 autofocus onfocus=RUN>x", "<style onload=RUN>a{}</style>",
    "<div data-src=A data-srcset=A><img data-src=A data-srcset='A 2x' src=data:,></div>", "<img data-original=A>",
    "<xml src=A>", "<layer src=A></layer>", "<ilayer src=A>", "<x-y src=A href=A background=A style='CSSVALUE'>",
    "<link rel=stylesheet href='data:text/css,@import \"A\"'>", "<iframe src='data:text/html,<img src=A>'></iframe>",
    "<img src='data:image/svg+xml,<svg xmlns=\"http://www.w3.org/2000/svg\"><image href=\"A\"/></svg>'>", "<a href='data:text/html,<script>RUN</script>'>x</a>",
    "<p id='--><img src=A onerror=RUN>'>", "<p title='</style><img src=A onerror=RUN>'>", "<p title='</title><img src=A onerror=RUN>'>",
    "<p title='</noscript><img src=A onerror=RUN>'>", "<p title='</textarea><iframe src=A>'>", "<p title='</xmp></iframe></noframes></noembed><iframe src=A>'>",
    "<p title='--!><img src=A onerror=RUN>'>", "<p title=']]><img src=A onerror=RUN>'>", "<p title=`<img src=A onerror=RUN>`>",
    "&lt;img src=A onerror=RUN&gt;", "&lt;iframe src=A&gt;", "&lt;/style>&lt;iframe src=A>", "&lt;!--", "--&gt;", "&lt;/noscript&gt;&lt;img src=A onerror=RUN&gt;",
    "&lt;script&gt;RUN&lt;/script&gt;", "&amp;lt;img src=A onerror=RUN&amp;gt;", "\\3cimg src=A onerror=RUN\\3e",
)  # fmt: skip
_CSS = (
    "@import 'A';", "@import url(A);", "@import url('A') screen;", "@\\69mport \"A\";", "@import/**/'A'layer(x);", "a{background:url(A)}",
    "body{background:url( 'A' )}", "body{background:u\\72l(A)}", "body{background:\\75\\72\\6c(A)}", "body{background:URL(\"A\"", "body{background:url(A",
    "body{background:image-set('A' 1x)}", "body{background:-webkit-image-set(\"A\" 1x)}", "body{background:image\\2dset('A' 1x)}",
    "body{background:image-set(url(A) type('image/png') 1x,'A' 2x)}", "body{background:src('A')}", "body{background:image('A')}",
    "body{background:-webkit-cross-fade(url(A),url('A'),50%)}", "body{--x:url(A);background:var(--x)}", "body{--x:'A';background:image-set(var(--x) 1x)}",
    "body{background:image-set(if(media(print):'x';else:'A') 1x)}", "@font-face{font-family:f;src:url(A)}body{font-family:f}",
    "@font-face{font-family:f;src:local(x),url('A')format('woff')}body{font:1px f}", "li{list-style:url(A)}body{cursor:url(A),auto}", "body{border-image:url(A) 1}",
    "body{mask:url(A);-webkit-mask-image:url(A);clip-path:url(A#x);filter:url(A#f)}", "body::before{content:url(A)}", "body::before{content:image-set('A' 1x)}",
    "body{shape-outside:url(A);offset-path:url(A#x)}", "/*", "*/", "/* ' */ body{background:url(A)} /* ' */", "a{content:\"url('\"}body{background:url(A)}b{content:\"')\"}",
    "a{content:'\\'}body{background:url(A)}", "a{content:'\n}body{background:url(A)}", "<!--", "-->", "<!-- body{background:url(A)} -->", "@namespace x url(A);",
    "@document url(A){a{b:c}}", "@charset \"A\";", "a[href='A']{color:red}", "</style><img src=A onerror=RUN>", "</STYLE ><iframe src=A>", "&lt;img src=A onerror=RUN&gt;",
    "<img src=A onerror=RUN>", "a{b:c;behavior:url(A);-moz-binding:url(A)}", "@property --x{syntax:'<string>';inherits:true;initial-value:'A'}body{background:image-set(var(--x) 1x)}",
    "@keyframes k{from{background:url(A)}}body{animation:k 1s}", "@supports(background:url(A)){body{background:url(A)}}", "u{}@media print,screen{body{background:url(A)}}",
    "@import 'A' supports(display:block) screen;", "body{background:url(\\A)}", "body{background:url(A\\)}", "\0", "\f", "\\", "body{background:url(  A\n)}", "{}", "}", "(", "[", ";",
    "@view-transition{navigation:auto}", "body{background:url('A'x)}", "body{background:url(A'x)}a{b:url(A)}", "@container style(--x:'A'){a{b:c}}",
)  # fmt: skip
_NOISE = ("\0", "\r", "\n", "\t", "\f", " ", "/", ">", "<", "'", '"', "`", "=", "&", ";", "-", "!", "--", "\ufffd", "\u2028", "&#0;", "&#13;", "&NewLine;",
          "&Tab;", "&colon;", "&lt", "&gt", "&quot;", "&#x3c;", "]]>", "<!", "</", "<a", "\xa0", "\ud83d\ude00")  # fmt: skip

_PLACE = re.compile(r"(?<![A-Za-z])A(?![A-Za-z])")


@dataclass
class HostilePages:
    """Makes one page after the other. outside: addresses that must not be heard of; run: a script's text."""

    seed: int
    outside: tuple[str, ...]
    run: str = "top.ran=1"

    def __post_init__(self) -> None:
        self._random = random.Random(self.seed)

    def page(self) -> str:
        """Return the next page."""
        choose = self._random
        parts = [choose.choice(("", "<!doctype html>", "<!DOCTYPE html PUBLIC '-//W3C//DTD HTML 3.2//EN'>"))]
        for _part in range(choose.randint(1, 9)):
            parts.append(self._part())
        page = "".join(parts)
        for _change in range(choose.choice((0, 0, 1, 1, 2, 5))):
            page = self._changed(page)
        return page

    def _part(self) -> str:
        choose = self._random
        kind = choose.random()
        if kind < 0.30:
            return choose.choice(_NESTS).replace("A", self._address())
        if kind < 0.42:
            return choose.choice(_ENDS)
        if kind < 0.80:
            return self._load()
        if kind < 0.86:
            tag = choose.choice(_RAW)
            return f"<{tag}>{self._load()}{choose.choice((f'</{tag}>', '', f'</{tag} x>'))}"
        if kind < 0.94:
            attribute = choose.choice(("", " id=x", " title='" + escape(self._load()) + "'", " class=a"))
            return (
                choose.choice(("<", "<", "</"))
                + choose.choice(_ELEMENTS)
                + attribute
                + choose.choice((">", ">", "/>", " "))
            )
        return choose.choice(("x", " words ", "&amp;", *_NOISE))

    def _load(self) -> str:
        choose = self._random
        load = choose.choice(_LOADS)
        if "CSSVALUE" in load:
            load = load.replace(
                "CSSVALUE", self._css().partition("{")[2].rpartition("}")[0].replace("'", '"')
            )
        if "CSS" in load:
            load = load.replace("CSS", " ".join(self._css() for _ in range(choose.randint(1, 4))))
        if "QUOTED" in load:
            load = load.replace("QUOTED", escape(choose.choice(_LOADS).replace("QUOTED", "x")))
        return self._filled(load)

    def _css(self) -> str:
        return self._filled(self._random.choice(_CSS))

    def _filled(self, text: str) -> str:
        text = _PLACE.sub(lambda _match: self._address(), text)
        return text.replace("RUN", self.run)

    def _address(self) -> str:
        choose = self._random
        address = choose.choice(self.outside) + f"/{choose.randrange(1_000_000)}"
        form = choose.random()
        if form < 0.6:
            return address
        rest = address.partition("//")[2]
        return choose.choice(
            (
                f"//{rest}",
                f"\\\\{rest}",
                f"/\\{rest}",
                f"ht\ttp://{rest}",
                f"HTTP://{rest}",
                f"http:\\\\{rest}",
                f" http://{rest} ",
                f"&#104;ttp://{rest}",
                f"http&colon;//{rest}",
                f"\\68ttp://{rest}",
                f"http:/\n/{rest}",
                f"\x01http://{rest}",
                f"https://{rest}",
                f"ws://{rest}",
                f"javascript:{self.run}",
                f"java\nscript:{self.run}",
                f"data:text/html,<script>{self.run}</script>",
                f"data:text/html,<img src={address}>",
                f"blob:{address}",
                f"view-source:{address}",
                f"http://x@{rest}",
                f"{address}#a",
                f"{address},{address} 2x",
            )  # fmt: skip
        )

    def _changed(self, page: str) -> str:
        choose = self._random
        at = choose.randrange(len(page) + 1)
        kind = choose.random()
        if kind < 0.5:
            return page[:at] + choose.choice(_NOISE) + page[at:]
        end = min(len(page), at + choose.randint(1, 12))
        if kind < 0.75:
            return page[:at] + page[end:]
        other = choose.randrange(len(page) + 1)
        return page[:other] + page[at:end] + page[other:]
