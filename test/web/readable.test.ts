/** HTML to text: what is kept, what is left out, and how long it may take. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import fc from "fast-check";
import { toReadable } from "../../src-main/web/readable.ts";
import { cpuMs } from "../support/cpu.ts";

const base = new URL("https://example.com/docs/page");
const textOf = (html: string): string => toReadable(html, base, 100_000).text;

describe("readable", () => {
  test("a page: title, headings, paragraphs, white space", () => {
    const html = `<!DOCTYPE html><html><head><title> A\n page </title><style>p{}</style></head>
      <body><h1>Hello &amp; <em>welcome</em></h1><p>One
      two.</p><p>Three<br>four <b>five</b>.</p><h3> Sub </h3>end</body></html>`;
    assert.deepEqual(toReadable(html, base, 1_000), {
      title: "A page",
      text: "# Hello & welcome\n\nOne two.\n\nThree\nfour five.\n\n### Sub\n\nend",
    });
  });

  test("what is no content is left out: scripts, styles, navigation, footers, comments, pictures in letters", () => {
    const html = `<nav><ul><li>Home</li></ul></nav><script>if (a < b) "</nav>"</script><p>kept</p><!-- <p>no</p> -->
      <svg><title>no</title><text>no</text></svg><noscript>no</noscript><select><option>no</select><footer>no</footer>`;
    assert.deepEqual(toReadable(html, base, 1_000), { title: "", text: "kept" });
  });

  test("a navigation inside a navigation ends with the outer one", () => {
    assert.equal(textOf("<nav>a<nav>b</nav>c</nav>d"), "d");
  });

  test("content begins even where the navigation was never closed", () => {
    assert.equal(textOf("<nav><a href=x>no</a><main><p>yes</p></main>"), "yes");
  });

  test("links are kept, absolute, when they lead somewhere", () => {
    assert.equal(
      textOf(
        `<p>See <a href="/a?x=1&amp;y=2">the docs</a>, <a href='b'>b</a> and <a href=//other.example/c>c</a>.`,
      ),
      "See [the docs](https://example.com/a?x=1&y=2), [b](https://example.com/docs/b) and [c](https://other.example/c).",
    );
    assert.equal(
      textOf(
        `<a href="#top">top</a> <a href="javascript:alert(1)">js</a> <a name=x>plain</a> <a href="data:,x">data</a>`,
      ),
      "top js plain data",
    );
    assert.equal(textOf('<a href="/x_(y)">z</a>'), "[z](https://example.com/x_%28y%29)");
    assert.equal(textOf('<a href="/x"></a><a href="/y"> </a>end'), "end");
    assert.equal(textOf('<base href="/v2/"><a href="z">z</a>'), "[z](https://example.com/v2/z)");
  });

  test("a link around blocks becomes the link of the first", () => {
    assert.equal(
      textOf('<a href="/x"><h3>Card</h3><p>about</p></a>'),
      "### [Card](https://example.com/x)\n\nabout",
    );
  });

  test("lists, numbered and nested", () => {
    const html =
      "<p>a</p><ul><li>one<li><p>two</p><p>more</p><ol><li>x</li><li>y</li></ol></li></ul><p>b</p>";
    assert.equal(textOf(html), "a\n\n- one\n- two\n  more\n  1. x\n  2. y\n\nb");
  });

  test("an empty item or heading leaves no mark behind", () => {
    assert.equal(textOf("<ul><li></li><li>a</li></ul><h2></h2><p>b</p>"), "- a\n\nb");
  });

  test("code keeps its lines and needs no escaping", () => {
    assert.equal(
      textOf("<p>Run <code>npm  test</code>:</p><pre><code>a &lt; b;\n\n  c\n</code></pre>"),
      "Run `npm test`:\n\n```\na < b;\n\n  c\n```",
    );
    assert.equal(textOf("<pre>```\nx\n```</pre>"), "~~~~\n```\nx\n```\n~~~~");
    assert.equal(textOf("<pre>a<br>b"), "```\na\nb\n```");
  });

  test("tables are rows, empty cells included", () => {
    const html = `<table><thead><tr><th>Name</th><th>Use</th></tr></thead>
      <tr><td></td><td><p>b <code>c</code></p><p>d</p></td></tr><tr><td>e<td><ul><li>f</li></ul></table>end`;
    assert.equal(textOf(html), "| Name | Use\n| | b `c` d\n| e | f\n\nend");
  });

  test("a table that arranges a page keeps its paragraphs", () => {
    const long = "word ".repeat(60).trim();
    assert.equal(textOf(`<table><tr><td><p>${long}</p><p>next</p></td></tr></table>`), `| ${long}\n\nnext`);
  });

  test("quotations, and pictures by their description", () => {
    assert.equal(
      textOf('<p>a</p><blockquote><p>b</p><p>c</p></blockquote><img alt=" A cat " src=x><img src=y>'),
      "a\n\n> b\n>\n> c\n\n[image: A cat]",
    );
  });

  test("entities are decoded once, and unknown ones left", () => {
    assert.equal(
      textOf(
        "&lt;b&gt; &amp;lt; &#65;&#x1F600; &nbsp;&hellip; &unknown; &constructor; &#0; &#xD800; a &amp b",
      ),
      "<b> &lt; A😀 … &unknown; &constructor; \ufffd \ufffd a & b",
    );
  });

  test("tags end at their own bracket, whatever stands in quotes", () => {
    assert.equal(textOf('<a title="a > b" href="/x">y</a> 1 < 2 <3'), "[y](https://example.com/x) 1 < 2 <3");
    assert.equal(textOf(`<a data-x='href="/evil"' href="/good">y</a>`), "[y](https://example.com/good)");
    assert.equal(textOf("it's <b>5 o'clock</b>"), "it's 5 o'clock");
  });

  test("the text is cut at the limit while it is written", () => {
    const html = `${'<a href="a">x</a> '.repeat(100_000)}<title>not read any more</title>`;
    const { title, text } = toReadable(html, new URL(`https://example.com/${"p/".repeat(400)}`), 5_000);
    assert.ok(text.length > 4_000 && text.length <= 5_000);
    assert.equal(title, "");
  });

  test("any page ends, within its limit and without throwing", () => {
    const piece = fc.oneof(
      fc.constantFrom(
        "<",
        ">",
        '"',
        "'",
        "=",
        "/",
        "<!--",
        "-->",
        "&#",
        "&amp",
        "</",
        "<script>",
        "<pre>",
        "<a href=",
      ),
      fc.constantFrom(
        "<table><tr><td>",
        "<li>",
        "<ul>",
        "</ul>",
        "<blockquote>",
        "<nav>",
        "<title>",
        "<h2>",
        "</a>",
      ),
      fc.string(),
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 40 }), fc.nat(200), (pieces, limit) => {
        assert.ok(toReadable(pieces.join(""), base, limit).text.length <= limit);
      }),
      { numRuns: 500 },
    );
  });

  test("the time is linear in the page, however it is broken", () => {
    const broken = [
      "<",
      "<a href=a>x</a>",
      "<div ",
      '<a "="',
      "<blockquote>x",
      "<!--",
      "<script></",
      "&#",
      "&a",
      "<td>x",
      "<ul><li>x",
      "</",
      '="',
      "<pre>`",
    ];
    for (const piece of broken) {
      const cost = (length: number) => {
        const html = piece.repeat(length / piece.length);
        return cpuMs(() => toReadable(html, base, 1e9));
      };
      cost(20_000);
      const [once, tenfold] = [cost(40_000), cost(400_000)];
      assert.ok(tenfold < 40 * once + 200, `${piece}: ${once} ms, then ${tenfold} ms`);
    }
  });
});
