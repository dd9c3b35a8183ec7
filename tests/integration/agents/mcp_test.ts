/** Tests agents at `/mcp`: the official client, a key for the workspace, and everyone else. */
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import assert from "node:assert/strict";
import { until } from "../../../src/lib/_test_until.ts";
import {
  createProject,
  deploy,
  type TestPlatform,
  TOKEN,
  withPlatform,
} from "../../helpers/platform.ts";

async function connect(platform: TestPlatform, options: {
  readonly token?: string;
  readonly query?: string;
} = {}) {
  const { token = TOKEN, query = "" } = options;
  const client = new Client({ name: "test", version: "1" });
  await client.connect(
    new StreamableHTTPClientTransport(new URL(`${platform.url}/mcp${query}`), {
      requestInit: { headers: { authorization: `Bearer ${token}` } },
    }),
  );
  const call = async (name: string, given: Record<string, unknown> = {}) => {
    const { content, isError } = await client.callTool({ name, arguments: given });
    const [{ text }] = content as [{ text: string }];
    return { text, isError: isError === true };
  };
  const tools = async () =>
    (await client.listTools()).tools.map(({ name }: { readonly name: string }) => name);
  const read = async (uri: string) => {
    const { contents } = await client.readResource({ uri });
    return (contents as [{ text: string }])[0].text;
  };
  return { call, tools, read, [Symbol.asyncDispose]: () => client.close() };
}

/** Sends one message as any program might. */
const post = (platform: TestPlatform, options: {
  readonly headers?: Record<string, string>;
  readonly query?: string;
  readonly body?: BodyInit;
} = {}) =>
  fetch(`${platform.url}/mcp${options.query ?? ""}`, {
    method: "POST",
    headers: {
      "content-type": "application/json",
      accept: "application/json, text/event-stream",
      ...options.headers,
    },
    body: options.body ?? JSON.stringify({ jsonrpc: "2.0", id: 1, method: "ping" }),
  });

const KEY = { authorization: `Bearer ${TOKEN}` };

Deno.test("an agent inspects a site, rolls it back and searches its logs over HTTP", async () => {
  await withPlatform(async (platform) => {
    await createProject(platform, "blog");
    await deploy(platform, "blog", { prod: true, files: { "index.html": "<h1>First</h1>" } });
    await deploy(platform, "blog", { prod: true, files: { "index.html": "<h1>Second</h1>" } });
    await using agent = await connect(platform);
    const tools = await agent.tools();
    for (const name of ["status", "rollback", "query_database", "search_logs"]) {
      assert.ok(tools.includes(name), name);
    }
    for (const name of ["deploy", "set_variable", "check_rules"]) assert.ok(!tools.includes(name));
    const { text: page } = await platform.get("localhost", "/docs/kv.md");
    assert.equal(await agent.read("svc://docs/kv"), page);
    assert.match((await agent.call("status")).text, /list_projects/);
    assert.match((await agent.call("list_projects")).text, /^blog http/);
    const status = await agent.call("status", { project: "blog" });
    assert.match(status.text, /^Project blog in workspace default\n.*\n.* LIVE \*/);
    const rolledBack = await agent.call("rollback", { project: "blog" });
    assert.match(rolledBack.text, /is live again/);
    assert.match(String((await platform.get("blog.localhost", "/")).body), /First/);
    assert.ok(!(await agent.call("search_logs", { project: "blog" })).isError);
    const missing = await agent.call("traffic", { project: "nothing" });
    assert.match(missing.text, /\(not_found\)/);
    const refused = await agent.call("query_database", { project: "blog", sql: "select 1" });
    assert.match(refused.text, /has no database/);
  });
});

Deno.test("an agent without a folder deploys files that it passes in the call", async () => {
  await withPlatform(async (platform) => {
    await using agent = await connect(platform);
    const created = await agent.call("create_project", { name: "paper" });
    assert.match(created.text, /- deploy_files \{"project":"paper","files":\[/);
    const begin = await agent.call("status", { project: "paper" });
    assert.match(begin.text, /- deploy_files /);
    assert.doesNotMatch(begin.text, /- deploy \{/, "there is no folder");
    const bytes = Uint8Array.of(0, 255, 128, 10);
    const files = [
      { path: "index.html", text: "<h1>Grüße</h1>" },
      { path: "copy/index.html", text: "<h1>Grüße</h1>" },
      { path: "data.bin", base64: bytes.toBase64() },
    ];
    const preview = await agent.call("deploy_files", { project: "paper", files });
    assert.match(preview.text, /^LIVE: http.*\nDeployment /);
    assert.equal(
      (await platform.get("paper.localhost", "/")).status,
      404,
      "the files are only in a preview",
    );
    const live = await agent.call("deploy_files", { project: "paper", files, production: true });
    assert.match(live.text, /- rollback /);
    for (const path of ["/", "/copy/"]) {
      assert.match(String((await platform.get("paper.localhost", path)).body), /Grüße/);
    }
    const data = await platform.get("paper.localhost", "/data.bin");
    assert.equal(data.headers["content-length"], "4");
    const errors = await agent.call("show_errors", { project: "paper" });
    assert.match(errors.text, /^No errors/);

    const refused: readonly (readonly [RegExp, object])[] = [
      [/appears twice/, { files: [files[0], files[0]] }],
      [/either text or base64/, { files: [{ path: "a" }] }],
      [/either text or base64/, { files: [{ path: "a", text: "", base64: "" }] }],
      [/contains settings or secrets/, { files: [{ path: ".env", text: "KEY=1" }] }],
      [/contains settings or secrets/, { files: [{ path: "sub/.env.local", text: "KEY=1" }] }],
      [/contains settings or secrets/, { files: [{ path: "svc.rules.toml", text: "" }] }],
      [/contains settings or secrets/, { files: [{ path: "_redirects", text: "/a /b" }] }],
      [/looks like a private SSH key/, { files: [{ path: "keys/id_rsa", text: "key" }] }],
      [/configures a host or a build/, { files: [{ path: "netlify.toml", text: "[build]" }] }],
      [/relative path/, { files: [{ path: "../up.html", text: "" }] }],
      [/relative path/, { files: [{ path: "/etc/x", text: "" }] }],
      [/files/, { files: [] }],
      [/files/, { files: Array.from({ length: 201 }, (_, i) => ({ path: `${i}`, text: "" })) }],
    ];
    for (const [expected, given] of refused) {
      const answer = await agent.call("deploy_files", { project: "paper", ...given });
      assert.ok(answer.isError);
      assert.match(answer.text, expected);
    }
    const { json } = await platform.api("GET", "/v1/projects/paper/deployments");
    assert.equal(json.items.length, 2, "refused calls create no deployment");
  });
});

Deno.test("a key's permissions and projects limit an agent as they limit API calls", async () => {
  await withPlatform(async (platform) => {
    const ids: string[] = [];
    for (const name of ["blog", "shop"]) {
      ids.push((await createProject(platform, name)).id);
      await deploy(platform, name, { prod: true, files: { "index.html": name } });
    }
    const keyOf = async (limits: object): Promise<string> =>
      (await platform.api("POST", "/v1/api-keys", { json: { name: "agent", ...limits } })).json.key;
    const reading = await keyOf({ permissions: ["read"], projects: ids.slice(0, 1) });
    await using reader = await connect(platform, { token: reading });
    assert.ok(!(await reader.tools()).includes("rollback"));
    assert.ok(
      (await reader.tools()).includes("describe_database"),
      "read includes a database's schema",
    );
    assert.ok(
      !(await reader.tools()).includes("query_database"),
      "read does not include access to rows",
    );
    const rows = await reader.call("query_database", { project: "blog", sql: "select 1" });
    assert.ok(rows.isError);
    const whole = await keyOf({ permissions: ["everything"] });
    await using analyst = await connect(platform, { token: whole, query: "?read-only=true" });
    assert.ok(
      (await analyst.tools()).includes("query_database"),
      "a key with all permissions can query in read-only mode",
    );
    assert.ok(!(await analyst.tools()).includes("rollback"));
    assert.match((await reader.call("status", { project: "blog" })).text, /^Project blog/);
    assert.ok((await reader.call("status", { project: "shop" })).isError);
    const previews = await keyOf({ permissions: ["read", "deploy-previews"] });
    await using deployer = await connect(platform, { token: previews });
    const refused = await deployer.call("rollback", { project: "blog" });
    assert.ok(refused.isError);
    assert.match(refused.text, /deploy-production/);
  });
});

Deno.test("the URL restricts an agent, and a viewer's key gets only tools that read", async () => {
  await withPlatform(async (platform) => {
    for (const name of ["blog", "shop"]) await createProject(platform, name);
    await deploy(platform, "blog", { prod: true, files: { "index.html": "x" } });
    await using agent = await connect(platform, { query: "?project=blog&read-only=true" });
    const tools = await agent.tools();
    assert.ok(!tools.includes("rollback") && !tools.includes("list_projects"));
    assert.match((await agent.call("status")).text, /^Project blog/);
    assert.match((await agent.call("status", { project: "shop" })).text, /limited to the project/);
    assert.ok((await agent.call("rollback")).isError);
    const { json } = await platform.api("POST", "/v1/api-keys", {
      json: { name: "look", role: "viewer" },
    });
    await using viewer = await connect(platform, { token: json.key });
    assert.ok(!(await viewer.tools()).includes("rollback"));
    assert.ok((await viewer.call("rollback", { project: "blog" })).isError);
    const wrong = await post(platform, { headers: KEY, query: "?projekt=blog" });
    assert.equal(wrong.status, 400, "a misspelled parameter is refused");
    await wrong.body?.cancel();
  });
});

Deno.test("/mcp reports where to get a missing token, and refuses other sites", async () => {
  await withPlatform(async (platform) => {
    const nobody = await post(platform);
    assert.equal(nobody.status, 401);
    const field = nobody.headers.get("www-authenticate") ?? "";
    const address = /^Bearer resource_metadata="([^"]+)"$/.exec(field)?.[1];
    assert.ok(address !== undefined, field);
    await nobody.body?.cancel();
    const metadata = await (await fetch(address)).json();
    assert.equal(metadata.resource, `${platform.url}/mcp`);
    assert.deepEqual(metadata.authorization_servers, [platform.url]);
    const rows: readonly [number, Parameters<typeof post>[1]][] = [
      [401, { headers: { authorization: "Bearer nonsense" } }],
      [401, { headers: { cookie: "svc_session=x" } }],
      [403, { headers: { ...KEY, origin: "https://evil.example" } }],
      [200, { headers: { ...KEY, origin: platform.url } }],
      [400, { headers: KEY, body: JSON.stringify(Array.from({ length: 11 }, () => ({}))) }],
      [400, { headers: KEY, body: "{" }],
      [406, { headers: { ...KEY, accept: "text/html" } }],
    ];
    for (const [status, options] of rows) {
      const answer = await post(platform, options);
      assert.equal(answer.status, status, JSON.stringify(options).slice(0, 100));
      await answer.body?.cancel();
    }
    const get = await fetch(`${platform.url}/mcp`, { headers: KEY });
    assert.equal(get.status, 405, "the platform does not open a stream");
    await get.body?.cancel();
  });
});

Deno.test("deployment logs are resources, limited to the project in the URL", async () => {
  await withPlatform(async (platform) => {
    for (const name of ["blog", "shop"]) await createProject(platform, name);
    const files = { "index.html": "<h1>Beds</h1>" };
    const { id } = await deploy(platform, "blog", { prod: true, files });
    const { id: other } = await deploy(platform, "shop", { prod: true, files });
    await platform.get("blog.localhost", "/beds-of-summer");
    await using agent = await connect(platform, { query: "?project=blog&read-only=true" });
    await until(async () =>
      (await agent.read(`svc://deployments/${id}/logs`)).includes("/beds-of")
    );
    assert.match(
      await agent.read(`svc://deployments/${id}/build-log`),
      /did not build this deployment/,
    );
    for (const log of ["logs", "build-log"]) {
      await assert.rejects(agent.read(`svc://deployments/${other}/${log}`), /does not exist/);
      await assert.rejects(
        agent.read(`svc://deployments/${crypto.randomUUID()}/${log}`),
        /does not exist/,
      );
    }
    await using free = await connect(platform);
    assert.match(
      await free.read(`svc://deployments/${other}/build-log`),
      /did not build this deployment/,
    );
  });
});
