/**
 * Runs the published Model Context Protocol conformance suite against `/mcp`. With `MCP_TESTS=all`,
 * runs both the suite and the inspector's command line against `svc mcp` and `/mcp`.
 */
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import assert from "node:assert/strict";
import { join } from "node:path";
import { hear } from "../../scripts/_process.ts";
import { programCommand } from "../../scripts/_program.ts";
import { ROOT } from "../../scripts/_source_files.ts";
import { bridgeToHttp, bridgeToStdio, type McpBridge } from "../helpers/mcp_bridge.ts";
import { buildsProjects } from "../helpers/node_program.ts";
import { type Sandbox, TOKEN, withSandbox } from "../helpers/sandbox.ts";

const SUITE = "npm:@modelcontextprotocol/conformance@0.1.16";
const INSPECTOR = "npm:@modelcontextprotocol/inspector@2.12.0";
/**
 * Scenarios for features that svc lacks. The suite fails if another scenario fails, or if one of
 * these passes.
 */
const BASELINE = join(ROOT, "fixtures", "mcp_conformance.yml");

/** Scenarios that must pass and contain at least one check. */
const SCENARIOS = [
  "dns-rebinding-protection",
  "ping",
  "resources-list",
  "server-initialize",
  "tools-call-error",
  "tools-list",
];

const isLong = Deno.env.get("MCP_TESTS") === "all";

/** Runs an npm program with Deno in a separate folder. */
function runPackage(box: Sandbox, specifier: string, args: readonly string[]) {
  const deno = Deno.execPath();
  const flags = ["run", "--quiet", "--allow-all", "--no-check", "--no-lock", "--no-config"];
  return hear([deno, ...flags, specifier, ...args], { cwd: box.folder, env: box.env });
}

function startStdio(box: Sandbox): StdioClientTransport {
  const [command, ...args] = programCommand();
  const { env, site: cwd } = box;
  return new StdioClientTransport({ command, args: [...args, "mcp"], env, cwd, stderr: "ignore" });
}

async function checkConformance(
  box: Sandbox,
  bridge: McpBridge,
  lacks: readonly string[] = [],
): Promise<void> {
  const baseline = join(box.folder, "baseline.yml");
  const rows = lacks.map((name) => `  - ${name}\n`);
  await Deno.writeTextFile(baseline, [await Deno.readTextFile(BASELINE), ...rows].join(""));
  const { code, stdout, stderr } = await runPackage(box, SUITE, [
    "server",
    "--url",
    bridge.url,
    "--expected-failures",
    baseline,
  ]);
  const summary = stdout.slice(stdout.indexOf("=== SUMMARY ==="));
  assert.equal(code, 0, `${summary}${stderr.slice(-2000)}`);
  for (const name of SCENARIOS) {
    assert.match(summary, new RegExp(`✓ ${name}: [1-9]\\d* passed, 0 failed`), summary);
  }
}

/** Returns the inspector's output for a method. */
async function inspect(box: Sandbox, target: readonly string[], args: readonly string[]) {
  const { code, stdout, stderr } = await runPackage(box, INSPECTOR, ["--cli", ...target, ...args]);
  assert.equal(code, 0, stderr.slice(-2000));
  return JSON.parse(stdout);
}

/**
 * Lists the tools, calls one and reads a resource. Schemas that are not portable count as failures.
 */
async function checkInspector(box: Sandbox, target: readonly string[]): Promise<void> {
  const { tools } = await inspect(box, target, ["--method", "tools/list", "--strict"]);
  assert.ok(tools.length >= 13, `${tools.length} tools`);
  const called = await inspect(box, target, [
    "--method",
    "tools/call",
    "--tool-name",
    "status",
    "--tool-arg",
    "project=seen",
  ]);
  assert.match(called.content[0].text, /^Project seen in workspace default/);
  const read = await inspect(box, target, ["--method", "resources/read", "--uri", "svc://docs/kv"]);
  assert.match(read.contents[0].text, /^# /);
}

const needsRegistry = { ignore: !buildsProjects };
const isForLong = { ignore: !buildsProjects || !isLong };

Deno.test("the conformance suite passes at /mcp", needsRegistry, async () => {
  await withSandbox(async (box) => {
    const { url } = await box.start();
    await using bridge = bridgeToHttp(`${url}/mcp`, TOKEN);
    // `/mcp` has no sessions, and therefore no session streams.
    await checkConformance(box, bridge, ["server-sse-multiple-streams"]);
  });
});

Deno.test("the conformance suite passes with svc mcp", isForLong, async () => {
  await withSandbox(async (box) => {
    await box.start();
    await using bridge = bridgeToStdio(() => startStdio(box));
    await checkConformance(box, bridge);
  });
});

Deno.test("the MCP inspector can use all features of both servers", isForLong, async () => {
  await withSandbox(async (box) => {
    const { url } = await box.start();
    await box.json(["projects", "create", "--name", "seen"]);
    const bearer = ["--header", `Authorization: Bearer ${TOKEN}`];
    await checkInspector(box, [`${url}/mcp`, ...bearer]);
    const [command, ...args] = programCommand();
    const env = { ...box.env, SVC_TOKEN: TOKEN, SVC_API_URL: url };
    const config = join(box.folder, "mcp.json");
    const servers = { svc: { type: "stdio", command, args: [...args, "mcp"], env } };
    await Deno.writeTextFile(config, JSON.stringify({ mcpServers: servers }));
    await checkInspector(box, ["--config", config, "--server", "svc"]);
  });
});
