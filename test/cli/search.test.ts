import assert from "node:assert/strict";
import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { startSearxng } from "../support/searxng.ts";
import { startWebServer } from "../support/web-server.ts";
import { createOwnkey, type Ownkey } from "./ownkey.ts";

const sentinel = "sk-sentinel-90b2";
const found = [
  { title: "One\u001b[31m\nline", url: "https://one.example/", content: "first" },
  { title: "Two", url: "https://two.example/", content: "second" },
];

describe("the commands about web search", () => {
  let ownkey: Ownkey;
  before(() => {
    ownkey = createOwnkey();
  });
  after(() => ownkey.remove());
  const run: Ownkey["run"] = (...words) => ownkey.run(...words);

  test("each has its own help", async () => {
    for (const name of ["show", "set", "test", "off"]) {
      const { code, stdout, stderr } = await run("search", name, "--help");
      assert.deepEqual([code, stderr], [0, ""]);
      assert.match(stdout, new RegExp(`^Usage: ownkey search ${name}\\b`));
      assert.match((await run("--help")).stdout, new RegExp(`^  search ${name} `, "m"));
    }
    assert.match((await run("search", "set", "--help")).stdout, /brave, tavily, exa .*\n.*searxng/);
  });

  test("wrong use is one sentence on stderr and 2, and no word of it is repeated", async () => {
    const wrong: readonly (readonly string[])[] = [
      ["search"],
      ["search", "show", sentinel],
      ["search", "off", sentinel],
      ["search", "test"],
      ["search", "test", ""],
      ["search", "set"],
      ["search", "set", sentinel],
      ["search", "set", "brave", sentinel],
      ["search", "set", "brave", `--key=${sentinel}`],
      ["search", "set", "brave", "--key-stdin"],
      ["search", "set", "brave", "--key-env", "OWNKEY_TEST_UNSET"],
      ["search", "set", "brave", "--key-env", "HOME", "--key-stdin"],
      ["search", "set", "brave", "--key-env", "HOME", "--address", `https://${sentinel}.example`],
      ["search", "set", "searxng"],
      ["search", "set", "searxng", "--key-env", "HOME", "--address", `https://${sentinel}.example`],
    ];
    for (const words of wrong) {
      const { code, stdout, stderr } = await run(...words);
      assert.deepEqual([code, stdout], [2, ""], words.join(" "));
      assert.match(stderr, /^[^\n]+\n$/, words.join(" "));
      assert.ok(!stderr.includes(sentinel), words.join(" "));
    }
  });

  test("what fails is one sentence on stderr and 1", async () => {
    const failing: readonly (readonly [words: readonly string[], sentence: RegExp])[] = [
      [["search", "test", "x"], /^No search provider is chosen\. Choose one: ownkey search set --help\n$/],
      [["search", "set", "tavily"], /^Tavily wants a key\. Give it: ownkey search set tavily --key-stdin\n$/],
      [["search", "set", "searxng", "--address", "http://10.0.0.7"], /plain http to another machine/],
      [["search", "set", "searxng", "--address", "http://127.0.0.1:7788"], /Ownkey's own/],
    ];
    for (const [words, sentence] of failing) {
      const { code, stdout, stderr } = await run(...words);
      assert.deepEqual([code, stdout], [1, ""], words.join(" "));
      assert.match(stderr, sentence);
    }
  });

  test("an instance of one's own is set, shown, asked and switched off", async (t) => {
    const server = await startSearxng(t, found);
    assert.deepEqual(await run("search", "show"), {
      code: 0,
      stdout: "",
      stderr: "No search provider is chosen. Choose one: ownkey search set --help\n",
    });
    assert.deepEqual(await run("search", "set", "searxng", "--address", `${server.origin}/`), {
      code: 0,
      stdout: "",
      stderr: "searxng searches the web now. Try it: ownkey search test QUERY\n",
    });
    assert.equal((await run("search", "show")).stdout, `provider  searxng\naddress   ${server.origin}\n`);
    assert.equal(
      (await run("search", "show", "--json")).stdout,
      `{"provider":"searxng","address":"${server.origin}","key":"none"}\n`,
    );
    assert.deepEqual(await run("search", "test", "own", "key?"), {
      code: 0,
      stdout: "One line\n  https://one.example/\nTwo\n  https://two.example/\n",
      stderr: "",
    });
    assert.deepEqual(
      server.asked.map(({ path }) => path),
      ["/search?q=own+key%3F&format=json"],
    );
    assert.equal((await run("search", "off")).stderr, "Web search is off.\n");
    assert.equal((await run("search", "test", "x")).code, 1);
    assert.equal(server.asked.length, 1);
  });

  test("a test that finds nothing, or meets a server that is no instance, ends with 1 and a sentence", async (t) => {
    const empty = await startSearxng(t, []);
    await run("search", "set", "searxng", "--address", empty.origin);
    assert.deepEqual(await run("search", "test", "x"), {
      code: 1,
      stdout: "",
      stderr: "The provider answered, but found nothing.\n",
    });
    const page = await startWebServer(t, (_asked, response) => void response.end("<html>"));
    await run("search", "set", "searxng", "--address", page.origin);
    assert.deepEqual(await run("search", "test", "x"), {
      code: 1,
      stdout: "",
      stderr: "SearXNG gave an answer that is not valid JSON.\n",
    });
    await run("search", "off");
  });

  test("a key comes by variable or input, goes with its provider, and shows nowhere", async (t) => {
    const env = { MY_KEY: sentinel };
    const given = await ownkey.start(["search", "set", "brave", "--key-env", "MY_KEY"], { env });
    assert.deepEqual([given.code, given.stdout], [0, ""]);
    const shown = await run("search", "show");
    assert.equal(shown.stdout, "provider  brave\nkey       set\n");
    assert.equal((await run("search", "set", "brave")).code, 0);
    const other = await run("search", "set", "exa");
    assert.deepEqual([other.code, other.stdout], [1, ""]);
    const input = `${sentinel}\n`;
    const again = await ownkey.start(["search", "set", "exa", "--key-stdin"], { input });
    assert.equal(again.code, 0);
    const json = await run("search", "show", "--json");
    assert.deepEqual(JSON.parse(json.stdout), { provider: "exa", address: null, key: "set" });
    for (const { stdout, stderr } of [given, shown, other, again, json])
      assert.ok(!`${stdout}${stderr}`.includes(sentinel));
    assertAbsent(ownkey.dataDir);

    const server = await startSearxng(t, found);
    await run("search", "set", "searxng", "--address", server.origin);
    assert.equal((await run("search", "set", "exa")).code, 1, "its key is gone");
    await run("search", "off");
  });

  test("the running program takes a choice at once, and its log holds no key", async (t) => {
    const server = await startSearxng(t, found);
    const serving = await ownkey.serve("--port", "0");
    const own = await run("search", "set", "searxng", "--address", serving.window);
    assert.deepEqual([own.code, /Ownkey's own/.test(own.stderr)], [1, true]);
    const keyed = await ownkey.start(["search", "set", "tavily", "--key-stdin"], { input: sentinel });
    assert.equal(keyed.code, 0);
    assert.equal((await run("search", "show")).stdout, "provider  tavily\nkey       set\n");
    await run("search", "set", "searxng", "--address", server.origin);
    const tested = await run("search", "test", "x");
    assert.deepEqual([tested.code, server.asked.length], [0, 1]);
    const { stdout, stderr } = await serving.stop();
    assert.ok(!`${stdout}${stderr}`.includes(sentinel));
    assertAbsent(ownkey.dataDir);
    await run("search", "off");
  });
});

function assertAbsent(folder: string): void {
  for (const name of readdirSync(folder, { recursive: true, encoding: "utf8" })) {
    const path = join(folder, name);
    assert.ok(!statSync(path).isFile() || !readFileSync(path).includes(sentinel), path);
  }
}
