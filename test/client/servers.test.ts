/** What others serve, through Cursor's real client: MCP servers, tools of the user's own program, web pages. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { html, redirect, startWebServer } from "../support/web-server.ts";
import { newFolder } from "./cursor.ts";
import { notebook } from "./notebook.ts";
import { failure, perform, shown, success } from "./perform.ts";
import { redPixel } from "./pixel.ts";
import { calls, imagesIn } from "./script.ts";
import { openStage } from "./stage.ts";

test("what others serve, in Cursor's client", { concurrency: 4 }, async (t) => {
  const { cursor, serving, scene } = await openStage(t);
  const elsewhere = await startWebServer(t, (_, response) => html(response, "<p>Over there.</p>"));
  const web = await startWebServer(t, ({ path }, response) => {
    if (path === "/moved") return redirect(response, "/page");
    if (path === "/away") return redirect(response, `${elsewhere.origin}/`);
    if (path === "/own") return redirect(response, serving.window);
    if (path === "/none") return void response.writeHead(404).end();
    html(response, "<title>Here</title><h1>Big</h1><p>Some <b>words</b>.</p><script>no()</script>");
  });
  const scenes = [
    scene("tools of an MCP server are functions: words, errors and images come back", async () => {
      const cwd = newFolder("workspace");
      const agent = await cursor.agent({ cwd, mcpServers: { notebook: notebook({ cwd }) } });
      const values = { words: "é", count: 3, deep: [{ ratio: 0.5, none: null }] };
      const { results, tools, kept, asked } = await perform(agent, [
        calls("notebook-note", { words: "milk" }),
        calls("notebook-recall", values),
        calls("notebook-refuse", {}),
        calls("notebook-picture", {}),
      ]);
      assert.equal(agent.text("notes"), "milk\n");
      assert.deepEqual(results, ["noted: milk", JSON.stringify(values), "out of order", "(image)"]);
      assert.deepEqual(imagesIn(asked.at(-1)), [redImage]);
      assert.deepEqual(
        asked[0]?.tools.filter((name) => name.startsWith("notebook")),
        ["notebook-note", "notebook-picture", "notebook-recall", "notebook-refuse"],
      );
      const target = { providerIdentifier: "notebook" };
      assert.deepEqual(tools.slice(0, 3), [
        shown("mcp", { ...target, toolName: "note", args: { words: "milk" } }, said("noted: milk")),
        shown("mcp", { ...target, toolName: "recall", args: values }, said(JSON.stringify(values))),
        shown("mcp", { ...target, toolName: "refuse", args: {} }, said("out of order", true)),
      ]);
      const image = { data: redPixel, mimeType: "image/png" };
      assert.partialDeepStrictEqual(kept[3]?.result, { success: { content: [{ image }] } });
    }),

    scene("tools of the user's own program are functions too, and run in it", async () => {
      const heard: unknown[] = [];
      const agent = await cursor.agent({
        customTools: {
          double: {
            description: "Doubles n.",
            inputSchema: { type: "object", properties: { n: { type: "number" } }, required: ["n"] },
            execute: (args) => {
              heard.push(args);
              return String(Number(args.n) * 2);
            },
          },
          draw: { execute: () => ({ content: [{ type: "image", data: redPixel, mimeType: "image/png" }] }) },
          fail: { execute: () => ({ content: [{ type: "text", text: "not today" }], isError: true }) },
          explode: { execute: () => Promise.reject(new Error("boom")) },
          facts: { execute: () => ({ all: [1, 2] }) },
        },
      });
      const own = (tool: string, args = {}) => calls(`custom-user-tools-${tool}`, args);
      const { results, tools, asked } = await perform(agent, [
        own("double", { n: 21 }),
        own("draw"),
        own("fail"),
        own("explode"),
        own("facts"),
      ]);
      assert.deepEqual(heard, [{ n: 21 }]);
      assert.deepEqual(results, ["42", "(image)", "not today", "boom", '{"all":[1,2]}']);
      assert.deepEqual(imagesIn(asked.at(-1)), [redImage]);
      const target = { providerIdentifier: "custom-user-tools" };
      assert.deepEqual(
        [tools[0], tools[2], tools[3]],
        [
          shown("mcp", { ...target, toolName: "double", args: { n: 21 } }, said("42")),
          shown("mcp", { ...target, toolName: "fail", args: {} }, said("not today", true)),
          shown("mcp", { ...target, toolName: "explode", args: {} }, failure({ message: "boom" })),
        ],
      );
    }),

    scene("resources of MCP servers are listed and read", async () => {
      const agent = await cursor.agent({ mcpServers: { notebook: notebook(), second: notebook() } });
      const { results, tools, kept, asked } = await perform(agent, [
        calls("ListMcpResources", {}),
        calls("ListMcpResources", { server: "second" }),
        calls("FetchMcpResource", { server: "notebook", uri: "notes://today" }),
        calls("FetchMcpResource", { server: "notebook", uri: "notes://sketch" }),
        calls("FetchMcpResource", { server: "notebook", uri: "notes://none" }),
        calls("FetchMcpResource", { server: "nobody", uri: "notes://today" }),
      ]);
      const listed = (server: string) =>
        `${server} notes://today (today, text/plain)\n${server} notes://sketch (sketch, image/png)`;
      assert.deepEqual(results.slice(0, 4), [
        `${listed("notebook")}\n${listed("second")}`,
        listed("second"),
        "buy milk",
        "(image notes://sketch, image/png, 69 bytes)",
      ]);
      assert.match(results[4] ?? "", /^notes:\/\/none could not be read: .*nothing there/);
      assert.match(results[5] ?? "", /^notes:\/\/today could not be read: .*"nobody" not found/);
      assert.deepEqual(imagesIn(asked.at(-1)), [redImage]);
      assert.deepEqual(tools, []);
      const read = { kind: "readMcpResourceToolCall", args: { server: "notebook", uri: "notes://today" } };
      assert.partialDeepStrictEqual(kept[2], { ...read, result: { success: { text: "buy milk" } } });
      assert.deepEqual(
        kept.map(({ result }) => Object.keys(result)[0]),
        ["success", "success", "success", "success", "error", "error"],
      );
    }),

    scene("more than forty tools are listed by GetMcpTools and called by CallMcpTool", async () => {
      const cwd = newFolder("workspace");
      const agent = await cursor.agent({ cwd, mcpServers: { notebook: notebook({ cwd, more: 37 }) } });
      const { results, tools, kept, asked } = await perform(agent, [
        calls("GetMcpTools", {}),
        calls("GetMcpTools", { tool_name: "spare_7" }),
        calls("CallMcpTool", { server: "notebook", tool_name: "note", arguments: { words: "eggs" } }),
        calls("CallMcpTool", { serverName: "notebook", toolName: "spare_7", args: { count: 2 } }),
        calls("CallMcpTool", { server: "notebook", tool_name: "spare_99" }),
      ]);
      assert.deepEqual(asked[0]?.tools.slice(-4), [
        ...["GetMcpTools", "CallMcpTool"],
        ...["ListMcpResources", "FetchMcpResource"],
      ]);
      assert.equal(agent.text("notes"), "eggs\n");
      const [all = "", one = "", noted, spare, unknown = ""] = results;
      assert.match(all, /^notebook:\n- note: Notes words down\.\n/);
      assert.equal(all.split("\n").length, 42);
      assert.match(one, /^notebook \/ spare_7: Spare part 7\.\narguments: \{"type":"object".*"words"/);
      assert.deepEqual([noted, spare], ["noted: eggs", '7: {"count":2}']);
      assert.match(unknown, /^The server notebook has no tool spare_99 .*It has: note, picture, recall, /);
      const target = { providerIdentifier: "notebook" };
      assert.deepEqual(tools, [
        shown("mcp", { ...target, toolName: "note", args: { words: "eggs" } }, said("noted: eggs")),
        shown("mcp", { ...target, toolName: "spare_7", args: { count: 2 } }, said('7: {"count":2}')),
        shown("mcp", { ...target, toolName: "spare_99", args: {} }, failure({ message: unknown })),
      ]);
      assert.partialDeepStrictEqual(kept[1], { kind: "getMcpToolsToolCall", args: { toolName: "spare_7" } });
    }),

    scene("WebFetch brings a page as text wherever it moves to, but never Ownkey's own", async () => {
      const agent = await cursor.agent();
      const fetches = (url: string) => calls("WebFetch", { url });
      const { results, tools, kept } = await perform(agent, [
        fetches(`${web.origin}/page`),
        fetches(`${web.origin}/moved`),
        fetches(`${web.origin}/away`),
        fetches(`${web.origin}/own`),
        fetches(serving.window),
        fetches("ftp://127.0.0.1/"),
        fetches(`${web.origin}/none`),
      ]);
      const here = `Title: Here\nAddress: ${web.origin}/page\n\n# Big\n\nSome words.`;
      const closed = `Port ${serving.port} of this machine is Ownkey's own and closed to tools.`;
      assert.deepEqual(results, [
        here,
        here,
        `Address: ${elsewhere.origin}/\n\nOver there.`,
        closed,
        closed,
        "ftp://127.0.0.1/ is no web address: begin it with https:// or http://.",
        `${web.origin}/none answered 404.`,
      ]);
      assert.deepEqual(tools, []);
      const success = { url: `${web.origin}/page`, markdown: "# Big\n\nSome words." };
      assert.deepEqual(kept[1]?.result, { success });
      assert.deepEqual(kept[3]?.result, { error: { url: `${web.origin}/own`, error: closed } });
    }),

    scene("WebSearch sends nothing while no provider is chosen, and says where to choose one", async () => {
      const agent = await cursor.agent();
      const { results, tools, kept } = await perform(agent, [calls("WebSearch", { query: "ownkey" })]);
      const [reason = ""] = results;
      assert.match(
        reason,
        /^Web search is not set up, nothing was searched\. .*Brave, Tavily, Exa or SearXNG/,
      );
      assert.deepEqual(tools, []);
      assert.partialDeepStrictEqual(kept, [
        { kind: "webSearchToolCall", args: { searchTerm: "ownkey" }, result: { error: { error: reason } } },
      ]);
    }),
  ];
  await Promise.all(scenes);
});

/** What a card of an MCP tool shows. */
const said = (text: string, isError = false) => success({ content: [{ text: { text } }], isError });

const redImage = `data:image/png;base64,${redPixel}`;
