import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { create, fromBinary, type MessageInitShape, toJson } from "@bufbuild/protobuf";
import { type RequestContext, RequestContextSchema } from "../../../src-main/gen/agent/v1/context_pb.ts";
import { ExecServerMessageSchema } from "../../../src-main/gen/agent/v1/exec_pb.ts";
import type { ContextMessage, Message } from "../../../src-main/llm/types.ts";
import {
  contextMessages,
  contextQuestion,
  dateIn,
  readContext,
  workspaceOf,
} from "../../../src-main/transport/dialect/context.ts";
import { userSays } from "../../support/play.ts";
import { answer, fileOf, noAnswer } from "../../support/tool-call.ts";

type Init = MessageInitShape<typeof RequestContextSchema>;
const contextOf = (init: Init): RequestContext => create(RequestContextSchema, init);

const env = {
  osVersion: "linux 6.18",
  shell: "bash",
  workspacePaths: ["/home/me/code", "/home/me/lib"],
  terminalsFolder: "/home/me/.cursor/terminals",
};
const rule = (fullPath: string, content: string) =>
  ({ fullPath, content, type: { type: { case: "global", value: {} } } }) as const;

const say = (init: Init | null, history: readonly Message[] = [], today = "2026-01-02") =>
  contextMessages(init && contextOf(init), today, history, (text) => text.replaceAll("sesame", "[gone]"));
const texts = (messages: readonly ContextMessage[]) => messages.map((message) => message.text);

describe("the client's machine is told", () => {
  test("as one message for each kind of thing, and none for what there is not", () => {
    assert.deepEqual(
      texts(
        say({
          env,
          rules: [rule("/r/AGENTS.md", "# Be brief.\n")],
          agentSkills: [{ fullPath: "/s/SKILL.md", description: "How to deploy" }],
          gitRepos: [{ path: "/home/me/code", status: "## main\n M x.ts\n", branchName: "main" }],
        }),
      ),
      [
        "<environment>\nSystem: linux 6.18\nShell: bash\nWorkspace: /home/me/code, /home/me/lib\nTerminals of the user, as text files: /home/me/.cursor/terminals\nDate: 2026-01-02\n</environment>",
        "<rules>\n/r/AGENTS.md:\n# Be brief.\n</rules>",
        "<skills>\n/s/SKILL.md: How to deploy; read it when this applies.\n</skills>",
        "<git>\n/home/me/code (branch main)\n## main\n M x.ts\n</git>",
      ],
    );
    assert.deepEqual(texts(say({})), ["<environment>\nDate: 2026-01-02\n</environment>"]);
  });

  test("with what MCP servers say of themselves, but not what the client says of its program's tools", () => {
    const mcpInstructions = [
      { serverName: "tiny", instructions: " Be kind. " },
      { serverName: "mute", instructions: " " },
      {
        serverIdentifier: "custom-user-tools",
        serverName: "custom-user-tools",
        instructions: "Look them up.",
      },
    ];
    assert.equal(texts(say({ mcpInstructions }))[1], "<mcp>\ntiny: Be kind.\n</mcp>");
  });

  test("without our secrets, and a section that holds one is not said again for that", () => {
    const first: Init = { env, rules: [rule("/a", "open sesame")] };
    const said = say(first);
    assert.match(said[1]?.text ?? "", /open \[gone\]/);
    assert.deepEqual(say(first, [...said, userSays("hi")]), []);
  });

  test("once, and a kind again only when it changed", () => {
    const first: Init = { env, rules: [rule("/a", "one")], gitRepos: [{ path: "/g", status: "## main" }] };
    const history: Message[] = [...say(first), userSays("hi")];
    assert.deepEqual(say(first, history), []);
    const changed = say({ ...first, gitRepos: [{ path: "/g", status: "## main\n M x" }] }, history);
    assert.deepEqual(texts(changed), ["<git>\n/g\n## main\n M x\n</git>"]);
    history.push(...changed);
    assert.deepEqual(texts(say(first, history)), ["<git>\n/g\n## main\n</git>"], "the newest one counts");
    assert.match(
      texts(say(first, [...history, ...say(first, history)], "2026-01-03")).join(),
      /^<environment>.*Date: 2026-01-03/s,
    );
  });

  test("in an order of their own: the client's changes from time to time", () => {
    const names = ["/b", "/a", "/c"];
    const init = (all: readonly string[]): Init => ({
      rules: all.map((name) => rule(name, "hold on")),
      nonFileRules: all.map((name) => rule(name, "hold on")),
      agentSkills: all.map((name) => ({ fullPath: `/skills${name}`, description: "how to" })),
      mcpInstructions: all.map((serverName) => ({ serverName, instructions: "be kind" })),
      gitRepos: all.map((path) => ({ path, status: "## main" })),
    });
    assert.deepEqual(say(init(names), say(init(names.toReversed()))), []);
    assert.equal(texts(say(init(names)))[3], "<mcp>\n/a: be kind\n\n/b: be kind\n\n/c: be kind\n</mcp>");
  });

  test("when a kind is gone, and that only once", () => {
    const history: Message[] = [
      ...say({ env, rules: [rule("/a", "one")], gitRepos: [{ path: "/g", status: "x" }] }),
    ];
    const gone = say({ env, gitRepos: [{ path: "/g", status: "x" }] }, history);
    assert.deepEqual(texts(gone), ["<rules>\nNone any more.\n</rules>"]);
    assert.deepEqual(say({ env, gitRepos: [{ path: "/g", status: "x" }] }, [...history, ...gone]), []);
  });

  test("but no repository is gone because the client did not look again", () => {
    const history = say({ env, gitRepos: [{ path: "/g", status: "x" }], gitRepoInfoComplete: true });
    assert.deepEqual(say({ env, gitRepoInfoComplete: false }, history), []);
    assert.deepEqual(texts(say({ env, gitRepoInfoComplete: true }, history)), [
      "<git>\nNone any more.\n</git>",
    ]);
    const other = say({ env, gitRepos: [{ path: "/h", status: "y" }], gitRepoInfoComplete: false }, history);
    assert.deepEqual(texts(other), ["<git>\n/h\ny\n</git>"]);
  });

  test("and nothing is gone because the client could not answer", () => {
    const history = say({ env, rules: [rule("/a", "one")] });
    assert.deepEqual(say(null, history), []);
    assert.deepEqual(say(null, history, "2026-01-03"), []);
    assert.deepEqual(texts(say(null)), ["<environment>\nDate: 2026-01-02\n</environment>"]);
  });

  test("and what the user or a tool says is not taken for it", () => {
    const said = texts(say({ env }))[0] ?? "";
    const result = { role: "tool", toolCallId: "t", toolName: "Read", text: said, isError: false } as const;
    assert.equal(say({ env }, [userSays(said), result]).length, 1);
  });
});

describe("a rule", () => {
  const rulesOf = (init: Init) => texts(say(init)).find((text) => text.startsWith("<rules>")) ?? "";

  test("that always holds is given whole, others by path", () => {
    assert.equal(
      rulesOf({
        rules: [
          rule("/always", " Say please. \n"),
          {
            fullPath: "/ts",
            content: "Use tabs.",
            type: { type: { case: "fileGlobbed", value: { globs: ["*.ts", "*.tsx"] } } },
          },
          {
            fullPath: "/deploy",
            content: "make",
            type: { type: { case: "agentFetched", value: { description: "How to deploy" } } },
          },
          { fullPath: "/manual", content: "?", type: { type: { case: "manuallyAttached", value: {} } } },
          { fullPath: "/untyped", content: "Also." },
        ],
        nonFileRules: [rule("user", "Answer in verse.")],
      }),
      [
        "<rules>\n/always:\nSay please.",
        "/deploy: How to deploy; read it when this applies.",
        "/ts: for files like *.ts, *.tsx; read it before you change one.",
        "/untyped:\nAlso.",
        "user:\nAnswer in verse.\n</rules>",
      ].join("\n\n"),
    );
  });

  test("that is a skill is told as a skill only", () => {
    const skill = {
      fullPath: "/s/SKILL.md",
      content: "x",
      type: { type: { case: "agentFetched", value: { description: "d" } } },
    } as const;
    const messages = texts(
      say({ rules: [skill], agentSkills: [{ fullPath: "/s/SKILL.md", description: "d" }] }),
    );
    assert.deepEqual(messages.slice(1), ["<skills>\n/s/SKILL.md: d; read it when this applies.\n</skills>"]);
    const hidden = { fullPath: "/s/SKILL.md", description: "d", disableModelInvocation: true };
    assert.equal(say({ rules: [skill], agentSkills: [hidden] }).length, 1);
  });

  test("of any length is cut, and a git status too", () => {
    assert.match(
      rulesOf({ rules: [rule("/a", "x".repeat(30_000))] }),
      /x \[10000 characters left out\]\n<\/rules>$/,
    );
    const git = texts(say({ gitRepos: [{ path: "/g", status: "y".repeat(5_000) }] }))[1] ?? "";
    assert.match(git, /y \[1000 characters left out\]\n<\/git>$/);
  });
});

describe("the client's answer", () => {
  test("to the question gives the context", () => {
    assert.deepEqual(toJson(ExecServerMessageSchema, fromBinary(ExecServerMessageSchema, contextQuestion)), {
      requestContextArgs: {},
    });
    const reply = answer({
      case: "requestContextResult",
      value: { result: { case: "success", value: { requestContext: { env } } } },
    });
    assert.deepEqual(workspaceOf(readContext(reply)?.env), {
      paths: ["/home/me/code", "/home/me/lib"],
      os: "linux 6.18",
      shell: "bash",
      terminalsFolder: "/home/me/.cursor/terminals",
    });
  });

  test("may be none", () => {
    for (const reply of [
      noAnswer("10 s are over"),
      fileOf("x"),
      answer({ case: "requestContextResult", value: {} }),
      answer({ case: "requestContextResult", value: { result: { case: "error", value: { error: "x" } } } }),
      answer({ case: "requestContextResult", value: { result: { case: "rejected", value: {} } } }),
      answer({ case: "requestContextResult", value: { result: { case: "success", value: {} } } }),
    ])
      assert.equal(readContext(reply), null);
    assert.deepEqual(workspaceOf(undefined), { paths: [], os: "unknown", shell: "", terminalsFolder: "" });
  });
});

describe("the user's date", () => {
  const evening = Date.UTC(2026, 0, 1, 23, 30);

  test("is that of their time zone", () => {
    assert.equal(dateIn("UTC", evening), "2026-01-01");
    assert.equal(dateIn("Asia/Shanghai", evening), "2026-01-02");
    assert.equal(dateIn("America/Los_Angeles", evening), "2026-01-01");
  });

  test("is UTC's where their zone is none", () => {
    for (const zone of ["Mars/Olympus", "../../etc", "\0", "x".repeat(10_000)])
      assert.equal(dateIn(zone, evening), "2026-01-01");
  });

  test("has a date in any case", () => {
    for (const zone of [undefined, ""]) assert.match(dateIn(zone, evening), /^2026-01-0[12]$/);
  });
});
