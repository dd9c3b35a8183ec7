/**
 * An agent uses only the tools of `svc mcp` to create a site from an empty folder and roll it back.
 */
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import assert from "node:assert/strict";
import { join } from "node:path";
import { programCommand } from "../../scripts/_program.ts";
import { until } from "../../src/lib/_test_until.ts";
import { type JsonObject, type Sandbox, withSandbox } from "../helpers/sandbox.ts";

interface Suggested {
  readonly tool: string;
  readonly arguments: Record<string, unknown>;
}

interface Answered {
  readonly isError: boolean;
  readonly text: string;
  readonly data: JsonObject;
  readonly next: readonly Suggested[];
}

/** Starts an agent: a client that starts `svc mcp` in the site's folder. */
async function startAgent(box: Sandbox, flags: readonly string[] = []) {
  const [command, ...args] = programCommand();
  const client = new Client({ name: "scripted-agent", version: "1" });
  await client.connect(
    new StdioClientTransport({
      command,
      args: [...args, "mcp", ...flags],
      env: { ...box.env, SITE_SECRET: "s3cret-of-nobody" },
      cwd: box.site,
      stderr: "ignore",
    }),
  );
  const said: string[] = [];
  const call = async (tool: string, given: Record<string, unknown> = {}): Promise<Answered> => {
    const result = await client.callTool({ name: tool, arguments: given });
    said.push(JSON.stringify(result));
    const data = (result.structuredContent ?? {}) as JsonObject;
    const [{ text }] = result.content as [{ text: string }];
    const listed = [...text.matchAll(/^- ([a-z_]+) (\{.*?\}): /gm)];
    return {
      isError: result.isError === true,
      text,
      data,
      next: listed.map(([, name, json]) => ({ tool: name!, arguments: JSON.parse(json!) })),
    };
  };
  return {
    call,
    /** The results of all tool calls so far, as JSON. */
    said,
    /** Follows a result's suggestion to call `tool`. */
    follow({ next, text }: Answered, tool: string, more: Record<string, unknown> = {}) {
      const suggested = next.find((each) => each.tool === tool);
      assert.ok(suggested, `${tool} is not suggested: ${text}`);
      return call(tool, { ...suggested.arguments, ...more });
    },
    tools: async () =>
      (await client.listTools()).tools.map(({ name }: { readonly name: string }) => name),
    [Symbol.asyncDispose]: () => client.close(),
  };
}

const RULES = `schemaVersion = "EDGE_RULE_SET_V1"

[[rules]]
id = "greet"
condition = { path = { type = "exact", value = "/hello" } }
action = { type = "pipeline", steps = [{ handle = "greet" }] }
`;

Deno.test("an agent deploys, breaks, diagnoses and rolls back a site with tools", async () => {
  await withSandbox(async (box) => {
    await box.start();
    const write = (name: string, text: string) => Deno.writeTextFile(join(box.site, name), text);
    await using agent = await startAgent(box);

    const begin = await agent.call("status");
    assert.equal(begin.data.project, null);
    const created = await agent.follow(begin, "create_project", { name: "agents-site" });
    await write("index.html", "<h1>First</h1>");
    const first = await agent.follow(created, "deploy");
    assert.equal(first.data.status, "LIVE");
    assert.match((await box.page("agents-site.localhost", "/")).text, /First/);

    await write("svc.rules.toml", RULES.replace("exact", "exakt"));
    const refused = await agent.follow(created, "deploy");
    assert.ok(refused.isError);
    assert.match(refused.text, /\(rules_invalid\)\n- line 5, column \d+, rules\[0\]/);
    assert.match(
      (await agent.follow(refused, "explain_code")).text,
      /has errors, so nothing was published/,
    );
    await write("svc.rules.toml", RULES);
    await Deno.mkdir(join(box.site, "functions"));
    await write("functions/greet.ts", 'export default () => { throw new Error("Nobody home"); };');
    await write("index.html", "<h1>Second</h1>");
    assert.ok(!(await agent.follow(refused, "check_rules")).isError);
    const explained = await agent.call("explain_request", { url: "/hello" });
    assert.match(explained.text, /greet/);

    const second = await agent.follow(created, "deploy");
    assert.equal(second.data.status, "LIVE", second.text);
    assert.equal((await box.page("agents-site.localhost", "/hello")).status, 503);
    const logs = await until(
      () => agent.follow(second, "search_logs"),
      ({ next }) => next.some(({ tool }) => tool === "rollback"),
    );
    assert.match((await agent.follow(logs, "explain_failure")).text, /Nobody home/);
    const rolledBack = await agent.follow(logs, "rollback");
    assert.equal((rolledBack.data.deployment as JsonObject).id, first.data.id);
    assert.match((await box.page("agents-site.localhost", "/")).text, /First/);
    const end = await agent.follow(rolledBack, "status");
    assert.match(end.text, new RegExp(`${first.data.id} LIVE \\*`));

    const set = await agent.call("set_variable", { name: "KEY", fromEnvironment: "SITE_SECRET" });
    assert.ok(!set.isError, set.text);
    assert.match((await agent.call("list_variables")).text, /^KEY \(secret\)/);
    assert.doesNotMatch(agent.said.join(), /s3cret-of-nobody/);
  });
});

Deno.test("a read-only server for one project offers no writes and no other project", async () => {
  await withSandbox(async (box) => {
    await box.start();
    await Deno.writeTextFile(join(box.site, "index.html"), "<h1>Mine</h1>");
    await box.json(["init", "--create", "--name", "mine"]);
    await box.json(["deploy", "--prod"]);
    await box.json(["projects", "create", "--name", "theirs"]);
    await using agent = await startAgent(box, ["--read-only", "--project", "mine"]);
    const tools = await agent.tools();
    assert.ok(
      !tools.some((name: string) => ["deploy", "rollback", "list_projects"].includes(name)),
    );
    assert.match((await agent.call("status")).text, /^Project mine in workspace default/);
    assert.match(
      (await agent.call("search_logs", { project: "theirs" })).text,
      /limited to the project/,
    );
  });
});
