/**
 * A separate environment for one test: an empty home folder, a project folder, and a platform with
 * an empty data directory. All of them are removed afterwards.
 *
 * @module
 */
import assert from "node:assert/strict";
import { cp } from "node:fs/promises";
import { join } from "node:path";
import { fetchByHost, type HostAnswer, type HostRequest } from "../../scripts/_fetch_by_host.ts";
import {
  callTool,
  cleanEnvironment,
  type Platform,
  startProgram,
  type ToolResult,
} from "../../scripts/_program.ts";
import { assertAnswers } from "../../src/cli/_test_answers.ts";
import { freeBuildUid } from "./build_users.ts";
import { ROOT } from "../../scripts/_source_files.ts";

export interface Sandbox {
  /** The folder for everything in the sandbox, which is removed after the test. */
  readonly folder: string;
  readonly dataDir: string;
  /** The project's folder, where the CLI runs. */
  site: string;
  readonly env: Record<string, string>;
  /** The running platform; `undefined` before {@link Sandbox.start}. */
  platform: Platform | undefined;
  /**
   * Starts the platform on the data directory with its own build users, and makes the CLI use that
   * platform.
   */
  start(args?: readonly string[]): Promise<Platform>;
  /** Runs the CLI in the project's folder. */
  tool(args: readonly string[], env?: Readonly<Record<string, string>>): Promise<ToolResult>;
  /**
   * Runs a CLI command with `--json`, which must succeed. Returns the single object that the
   * command prints.
   */
  json(args: readonly string[]): Promise<JsonObject>;
  /** Requests a path at a hostname from the platform. */
  page(host: string, path: string, more?: Partial<HostRequest>): Promise<HostAnswer>;
}

export type JsonObject = Readonly<Record<string, unknown>>;

/** The key of every test's platform. */
export const TOKEN = "svc_e2e_0123456789abcdef0123456789abcdef";

/**
 * Matches the message for a failure of the platform itself. Only the platform's log contains the
 * reason.
 */
const INTERNAL = '"code":"internal"';

/** Parses text that must be exactly one JSON object on one line. */
export function oneObject(stdout: string): JsonObject {
  const lines = stdout.trimEnd().split("\n");
  assert.equal(lines.length, 1, `Expected one line on stdout: ${stdout}`);
  const value: unknown = JSON.parse(lines[0]!);
  assert.ok(typeof value === "object" && value !== null && !Array.isArray(value));
  return value as JsonObject;
}

/** Copies a site from `fixtures/sites` to a folder. */
export async function copySite(name: string, to: string): Promise<void> {
  await cp(join(ROOT, "fixtures", "sites", name), to, { recursive: true });
}

/** Returns the hostname in a URL, for requests to the site. */
/** Returns the URL of a file in a site, with the `[static]` defaults. */
export const urlOf = (file: string): string =>
  `/${file}`.replace(/\/index\.html$/, "/").replace(/\.html$/, "");

export function hostOf(url: unknown): string {
  return new URL(String(url)).hostname;
}

/** Calls the API with the platform's key. The call must succeed. Returns the response. */
export async function callApi(box: Sandbox, method: string, path: string, body?: unknown) {
  const response = await fetch(`${box.platform!.url}${path}`, {
    method,
    headers: { authorization: `Bearer ${TOKEN}`, "content-type": "application/json" },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const json = await response.json();
  assert.ok(response.ok, JSON.stringify(json));
  return json;
}

function createSandbox(folder: string): Sandbox {
  const env = cleanEnvironment(join(folder, "home"));
  const buildUid = String(freeBuildUid());
  const sandbox: Sandbox = {
    folder,
    dataDir: join(folder, "data"),
    site: join(folder, "site"),
    env,
    platform: undefined,
    async start(args = []) {
      const platform = await startProgram({
        dataDir: sandbox.dataDir,
        args: ["--build-uid", buildUid, ...args],
        env: { ...env, SVC_BOOTSTRAP_TOKEN: TOKEN },
      });
      sandbox.platform = platform;
      env.SVC_API_URL = platform.url;
      env.SVC_TOKEN = TOKEN;
      return platform;
    },
    tool: (args, more = {}) => callTool(args, { cwd: sandbox.site, env: { ...env, ...more } }),
    async json(args) {
      const { code, stdout, stderr } = await sandbox.tool([...args, "--json"]);
      assert.equal(
        code,
        0,
        `svc ${args.join(" ")} exited with ${code}: ${stdout}${stderr.slice(-2000)}` +
          (stdout.includes(INTERNAL) ? sandbox.platform?.errors().slice(-4000) : ""),
      );
      const answer = oneObject(stdout);
      assertAnswers(args, stdout);
      return answer;
    },
    page(host, path, more = {}) {
      const port = sandbox.platform?.port;
      if (port === undefined) throw new TypeError("Start the platform first");
      return fetchByHost({ port, host, path, ...more });
    },
  };
  return sandbox;
}

/** Runs a test in a sandbox. The test starts the platform if it needs one. */
export async function withSandbox(test: (sandbox: Sandbox) => Promise<void>): Promise<void> {
  const folder = await Deno.realPath(await Deno.makeTempDir({ prefix: "svc-e2e-" }));
  const sandbox = createSandbox(folder);
  await Deno.mkdir(join(folder, "home"));
  await Deno.mkdir(sandbox.site);
  try {
    await test(sandbox);
  } finally {
    await sandbox.platform?.kill();
    await Deno.remove(folder, { recursive: true });
  }
}
