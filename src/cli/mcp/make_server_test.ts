import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { InMemoryTransport } from "@modelcontextprotocol/sdk/inMemory.js";
import assert from "node:assert/strict";
import { type Answer, chooseProject, ToolFailure } from "../../agents/tool.ts";
import { describeFailure } from "../../agents/describe_failure.ts";
import { makeServer } from "../../agents/make_server.ts";
import type { Client as ApiClient } from "../../client/client.ts";
import type { Endpoint } from "../../contract/endpoint.ts";
import type { Project } from "../../contract/projects.ts";
import { readLibrary } from "../../documents/read_library.ts";
import type { FolderSurroundings } from "./tool.ts";
import { TOOLS } from "./serve_stdio.ts";

interface Call {
  readonly words: readonly string[];
  readonly folder: string | undefined;
  readonly stdin: string | undefined;
}

const PROJECT = { id: "p1", name: "blog", url: "http://blog.localhost" } as Project;

/** Default responses of the endpoints, unless the test overrides them. */
const EMPTY: Answer = {
  items: [],
  nextCursor: null,
  lines: [],
  purged: 0,
  workspace: { slug: "default" },
  credential: {},
};

/**
 * Connects a client to the tools. The test defines the responses to command lines and API requests.
 */
async function connect(
  options: {
    readonly readOnly?: boolean;
    readonly project?: string;
    readonly answer?: (words: readonly string[]) => Answer;
    readonly api?: (endpoint: string, input: unknown) => Answer | undefined;
    /** Error code for requests without a project. */
    readonly noProject?: string;
  } = {},
) {
  const calls: Call[] = [];
  const requests: string[] = [];
  const api = {
    call: (endpoint: Endpoint, input: unknown) => {
      requests.push(`${endpoint.method} ${endpoint.path} ${JSON.stringify(input)}`);
      const answer = options.api?.(endpoint.path, input) ?? EMPTY;
      const id = endpoint.path.includes("rollback") ? { deployment: {}, rolledBack: {} } : {};
      return Promise.resolve({ ...id, ...answer });
    },
    fetchRaw: () => Promise.resolve(new Response("")),
  } as unknown as ApiClient;
  const around: FolderSurroundings = {
    project: options.project,
    now: () => 0,
    api: () => Promise.resolve(api),
    open(given) {
      const name = chooseProject(given, options.project);
      if (name === undefined && options.noProject !== undefined) {
        return Promise.reject(new ToolFailure({ error: "No", code: options.noProject }));
      }
      return Promise.resolve({ api, project: PROJECT });
    },
    usualDatabase: () => Promise.resolve(undefined),
    toFailure: (error) => error instanceof ToolFailure ? error : undefined,
    env: (name) => ({ STRIPE_KEY: "sk_live_1", SVC_TOKEN: "svc_1" })[name],
    readFile: (path) => Promise.resolve(`text of ${path}`),
    svc(words, { folder, stdin } = {}) {
      calls.push({ words, folder, stdin });
      const answer = options.answer?.(words) ?? {};
      return "error" in answer ? Promise.reject(new ToolFailure(answer)) : Promise.resolve(answer);
    },
  };
  const { readOnly = false } = options;
  const { server } = makeServer({ version: "1", tools: TOOLS, around, readOnly });
  const client = new Client({ name: "test", version: "1" });
  const [here, there] = InMemoryTransport.createLinkedPair();
  await Promise.all([server.connect(there), client.connect(here)]);
  return { client, calls, requests, [Symbol.asyncDispose]: () => client.close() };
}

/** A tool in the client's list. */
interface Listed {
  readonly name: string;
  readonly title?: string;
  readonly description?: string;
  readonly inputSchema: { readonly additionalProperties?: unknown };
  readonly outputSchema?: { readonly properties?: Readonly<Record<string, unknown>> };
  readonly annotations?: { readonly readOnlyHint?: boolean; readonly destructiveHint?: boolean };
}

const listTools = async (client: Client): Promise<readonly Listed[]> =>
  (await client.listTools()).tools;

type Content = readonly { readonly type: string; readonly text: string }[];
const textOf = ({ content }: { readonly content?: unknown }) => (content as Content)[0]!.text;

Deno.test("each tool has a title, schemas and annotations that match its behavior", async () => {
  await using agent = await connect();
  const tools = await listTools(agent.client);
  assert.equal(tools.length, TOOLS.length);
  for (const { name, title, description, inputSchema, outputSchema, annotations } of tools) {
    assert.match(name, /^[a-z]+(_[a-z]+)*$/);
    assert.ok(title !== undefined && description !== undefined, name);
    assert.equal(inputSchema.additionalProperties, false, name);
    assert.ok(outputSchema?.properties?.next !== undefined, name);
    assert.ok(!(annotations?.readOnlyHint === true && annotations.destructiveHint === true), name);
  }
  const hints = new Map(tools.map(({ name, annotations }) => [name, annotations]));
  assert.equal(hints.get("rollback")?.destructiveHint, true);
  assert.equal(hints.get("search_logs")?.readOnlyHint, true);
});

Deno.test("--read-only neither offers nor suggests anything that makes changes", async () => {
  await using agent = await connect({
    readOnly: true,
    api: (path) =>
      path.endsWith("/logs") ? { items: [{ type: "request", path: "/", status: 500 }] } : undefined,
  });
  const tools = await listTools(agent.client);
  assert.ok(tools.length > 8);
  assert.deepEqual(tools.filter(({ annotations }) => annotations?.readOnlyHint !== true), []);
  const found = await agent.client.callTool({ name: "search_logs", arguments: {} });
  assert.match(textOf(found), /explain_failure/);
  assert.doesNotMatch(textOf(found), /rollback/);
  const refused = await agent.client.callTool({ name: "rollback", arguments: {} });
  assert.equal(refused.isError, true);
});

Deno.test("--project confines every tool to that project", async () => {
  await using agent = await connect({
    project: "blog",
    api: (path) => path.endsWith("{deployment}") ? { projectId: "another" } : undefined,
  });
  const names = (await listTools(agent.client)).map(({ name }) => name);
  assert.ok(!names.includes("list_projects") && !names.includes("create_project"));
  await agent.client.callTool({ name: "deploy", arguments: {} });
  assert.deepEqual(agent.calls[0]?.words.slice(-1), ["--project-id=blog"]);
  const other = await agent.client.callTool({ name: "traffic", arguments: { project: "shop" } });
  assert.match(textOf(other), /limited to the project blog/);
  const foreign = await agent.client.callTool({ name: "promote", arguments: { deployment: "d2" } });
  assert.equal(foreign.isError, true);
  assert.match(textOf(foreign), /has no deployment d2/);
  assert.ok(!agent.requests.some((line) => line.startsWith("POST")), "nothing was promoted");
});

Deno.test("status reports an unlinked folder, but does not hide other failures", async () => {
  const failing = async (code: string) => {
    await using agent = await connect({ noProject: code });
    return await agent.client.callTool({ name: "status", arguments: {} });
  };
  assert.match(textOf(await failing("action_required")), /No project is set/);
  const unreachable = await failing("unreachable");
  assert.ok(unreachable.isError === true);
  assert.match(textOf(unreachable), /^No \(unreachable\)/);
});

Deno.test("a variable is set without being shown, from the server's environment or a file", async () => {
  await using agent = await connect({
    answer: () => ({ variable: { key: "KEY", value: "sk_live_1" } }),
  });
  const set = await agent.client.callTool({
    name: "set_variable",
    arguments: { name: "KEY", fromEnvironment: "STRIPE_KEY" },
  });
  assert.equal(agent.calls[0]?.stdin, "sk_live_1");
  assert.ok(!agent.calls[0]?.words.includes("sk_live_1"));
  assert.doesNotMatch(JSON.stringify(set), /sk_live_1/);
  const plain = await agent.client.callTool({
    name: "set_variable",
    arguments: { name: "KEY", fromEnvironment: "STRIPE_KEY", isSecret: false },
  });
  assert.doesNotMatch(JSON.stringify(plain), /sk_live_1/, "a plain value is not shown either");
  await agent.client.callTool({
    name: "set_variable",
    arguments: { name: "KEY", fromFile: "key.txt" },
  });
  assert.equal(agent.calls.at(-1)?.stdin, "text of key.txt");
  const own = await agent.client.callTool({
    name: "set_variable",
    arguments: { name: "KEY", fromEnvironment: "SVC_TOKEN" },
  });
  assert.match(textOf(own), /SVC_TOKEN belongs to svc.*\(forbidden\)/);
  const missing = await agent.client.callTool({
    name: "set_variable",
    arguments: { name: "KEY", fromEnvironment: "NOBODY" },
  });
  assert.match(textOf(missing), /environment has no variable NOBODY/);
});

Deno.test("input that violates the schema does not run a command", async () => {
  await using agent = await connect();
  for (
    const [name, given] of [
      ["search_logs", { limit: 1000 }],
      ["search_logs", { unknown: 1 }],
      ["query_database", {}],
      ["explain_request", { url: "x".repeat(5000) }],
    ] as const
  ) {
    const { isError } = await agent.client.callTool({ name, arguments: { ...given } });
    assert.equal(isError, true, name);
  }
  assert.deepEqual([...agent.calls, ...agent.requests], []);
});

Deno.test("values are passed as values, never as flags", async () => {
  await using agent = await connect();
  await agent.client.callTool({
    name: "explain_request",
    arguments: { url: "--rules=/etc/passwd" },
  });
  const { words } = agent.calls[0]!;
  assert.ok(words.indexOf("--") < words.indexOf("--rules=/etc/passwd"));
});

Deno.test("describeFailure() shows a limited number of problems with their position, and tools that help", () => {
  const diagnostics = Array.from({ length: 12 }, (_, index) => ({
    position: { line: index + 1, column: 2 },
    path: "rules[0].x",
    message: "Unknown key",
  }));
  const { text, next } = describeFailure(
    new ToolFailure({
      error: "Correct svc.rules.toml",
      code: "rules_invalid",
      diagnostics,
      next: ["svc rules check"],
    }),
  );
  assert.match(
    text,
    /^Correct svc\.rules\.toml \(rules_invalid\)\n- line 1, column 2, rules\[0\]\.x: Unknown key/,
  );
  assert.match(text, /- and 2 more\nA person could run:\n {2}svc rules check$/);
  assert.deepEqual(next.map(({ tool }) => tool), ["check_rules", "explain_code"]);
});

Deno.test("tools suggest calls that match the schema of the suggested tool", async () => {
  await using agent = await connect({ answer: () => ({ id: "d1" }) });
  const tools = await listTools(agent.client);
  const names = new Set(tools.map(({ name }) => name));
  const given: Readonly<Record<string, Record<string, unknown>>> = {
    explain_request: { url: "/" },
    promote: { deployment: "d1" },
    query_database: { sql: "select 1" },
    explain_code: { code: "usage" },
    set_variable: { name: "A", fromFile: "a" },
  };
  for (const { name } of tools) {
    const answer = await agent.client.callTool({ name, arguments: given[name] ?? {} });
    for (const line of textOf(answer).matchAll(/^- ([a-z_]+) \{/gm)) {
      assert.ok(names.has(line[1]!), `${name} suggests ${line[1]}`);
    }
  }
});

Deno.test("the documents are resources, each with a title and a one-line description", async () => {
  await using agent = await connect({ readOnly: true, project: "blog" });
  const { resources } = await agent.client.listResources();
  const { documents } = await readLibrary();
  assert.equal(resources.length, documents.size);
  for (const { uri, name, title, description, mimeType } of resources) {
    assert.ok(title && description, uri);
    assert.deepEqual([uri, mimeType], [`svc://docs/${name}`, "text/markdown"]);
    const { contents } = await agent.client.readResource({ uri });
    assert.deepEqual(contents, [{ uri, mimeType, text: documents.get(name)!.text }]);
  }
  for (const uri of ["svc://docs/nothing", "svc://docs/kv/x", "file:///etc/passwd"]) {
    await assert.rejects(agent.client.readResource({ uri }), /list the resources|not found/, uri);
  }
  assert.deepEqual([...agent.calls, ...agent.requests], []);
});

const D1 = "01997e7c-6a5b-7cc2-b7d0-2f8f6a1b9a11";

/** Returns the deployment D1 of a project, in the API's format. */
const deploymentOf = (projectId: string, lines: readonly unknown[] = []) => (path: string) =>
  path.endsWith("/build-log")
    ? { lines, isComplete: true }
    : path.endsWith("{deployment}")
    ? { id: D1, projectId }
    : path.endsWith("/logs")
    ? { items: [{ type: "request", path: "/beds", status: 200 }] }
    : undefined;

Deno.test("a deployment's logs are resources, also with --read-only", async () => {
  const line = {
    number: 1,
    time: "2026-11-21T10:00:00.000Z",
    level: "output",
    text: "made 3 pages",
  };
  await using agent = await connect({
    readOnly: true,
    api: deploymentOf("p1", [line, { ...line, number: 2, level: "error", text: "no index" }]),
  });
  const { resourceTemplates } = await agent.client.listResourceTemplates();
  assert.deepEqual(
    resourceTemplates.map(({ uriTemplate }: { readonly uriTemplate: string }) => uriTemplate),
    [
      "svc://docs/{name}",
      "svc://deployments/{deployment}/build-log",
      "svc://deployments/{deployment}/logs",
    ],
  );
  const read = async (uri: string) => (await agent.client.readResource({ uri })).contents[0];
  assert.deepEqual(await read(`svc://deployments/${D1}/build-log`), {
    uri: `svc://deployments/${D1}/build-log`,
    mimeType: "text/plain",
    text: `${line.time} made 3 pages\n${line.time} error: no index`,
  });
  assert.deepEqual(await read(`svc://deployments/${D1}/logs`), {
    uri: `svc://deployments/${D1}/logs`,
    mimeType: "application/x-ndjson",
    text: '{"type":"request","path":"/beds","status":200}',
  });
  assert.ok(agent.requests.every((request) => request.startsWith("GET ")));
  const before = agent.requests.length;
  await assert.rejects(read("svc://deployments/..%2Fprojects/logs"), /does not exist/);
  assert.equal(agent.requests.length, before, "an invalid ID is never requested");
});

Deno.test("--project confines the logs: logs of other projects appear not to exist", async () => {
  for (const name of ["build-log", "logs"]) {
    const uri = `svc://deployments/${D1}/${name}`;
    await using own = await connect({ project: "blog", api: deploymentOf(PROJECT.id) });
    assert.equal((await own.client.readResource({ uri })).contents.length, 1);
    await using other = await connect({ project: "blog", api: deploymentOf("another") });
    await assert.rejects(other.client.readResource({ uri }), /Deployment .+ does not exist/);
    assert.ok(!other.requests.some((line) => line.includes(`/${name} `)), "none of it is read");
  }
});

Deno.test("only the end of a long log is read, with the number of lines before it", async () => {
  const lines = Array.from({ length: 3000 }, (_, at) => ({
    number: at + 1,
    time: "2026-11-21T10:00:00.000Z",
    level: "output",
    text: `line ${at + 1} ${"x".repeat(50)}`,
  }));
  await using agent = await connect({ api: deploymentOf("p1", lines) });
  const uri = `svc://deployments/${D1}/build-log`;
  const { contents } = await agent.client.readResource({ uri });
  const { text } = contents[0] as { readonly text: string };
  assert.match(text, /^… \d+ earlier lines\n/);
  assert.ok(text.length < 66_000 && text.includes("line 3000 "));
});
