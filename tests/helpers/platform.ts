/**
 * Starts a real platform on a random port with an empty data directory, and makes the API calls
 * that tests need.
 *
 * @module
 */
import { makeTestFolder } from "../../src/lib/_test_folder.ts";
import { Buffer } from "node:buffer";
import { createHash } from "node:crypto";
import { freeBuildUid } from "./build_users.ts";
import { checkAnswer } from "./contract.ts";
import type { PlatformOptions, RunningPlatform } from "../../src/serve/mod.ts";
import { exchange } from "../../src/lib/_exchange.ts";
import { hear } from "../../scripts/_process.ts";
import { type Command, programCommand } from "../../scripts/_program.ts";
import { type ProgramOptions, startProcess } from "./platform_process.ts";

export const TOKEN = "integration-test-token-0123456789";

export interface Answer {
  readonly status: number;
  readonly headers: Record<string, string | string[] | undefined>;
  readonly body: Buffer;
  readonly text: string;
}

export interface TestPlatform extends RunningPlatform {
  readonly dataDir: string;
  /** Messages that the platform has logged. */
  readonly logged: string[];
  /** Calls the API with the owner's key. */
  api(method: string, path: string, options?: ApiOptions): Promise<ApiAnswer>;
  /** Requests a path on a host through the edge. */
  get(host: string, path: string, headers?: Record<string, string>): Promise<Answer>;
}

export interface ApiOptions {
  readonly json?: unknown;
  readonly body?: BodyInit;
  readonly headers?: Record<string, string>;
  /** `null` sends no credentials. */
  readonly token?: string | null;
  /** The client that makes the connections. */
  readonly client?: Deno.HttpClient;
}

export interface ApiAnswer {
  readonly status: number;
  readonly headers: Headers;
  // deno-lint-ignore no-explicit-any -- tests inspect any response
  readonly json: any;
}

/** A server with the API: a platform, or a load balancer in front of its nodes. */
export type ApiCaller = Pick<TestPlatform, "api">;

/** Sends a request unchanged. Neither the path nor the host is normalized. */
export async function rawRequest(
  port: number,
  options: {
    /** The IP address of the server; by default, 127.0.0.1. */
    address?: string;
    method?: string;
    host: string;
    path: string;
    headers?: Record<string, string>;
    body?: string;
  },
): Promise<Answer> {
  const { host, headers, ...rest } = options;
  const answer = await exchange({ ...rest, port, headers: { host, ...headers } });
  const body = Buffer.from(answer.body);
  return { ...answer, body, text: body.toString("utf8") };
}

/** Parses a response. A response that is not JSON comes from a proxy in front of the platform. */
function parse(text: string, status: number) {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new Error(`Status ${status}, but not JSON: ${text.slice(0, 200)}`, { cause });
  }
}

/** Calls the API of the platform at a URL, by default with the owner's key. */
export async function callApi(
  url: string,
  method: string,
  path: string,
  options: ApiOptions,
): Promise<ApiAnswer> {
  const token = options.token === undefined ? TOKEN : options.token;
  const response = await fetch(new URL(path, url), {
    method,
    headers: {
      ...(token === null ? {} : { authorization: `Bearer ${token}` }),
      ...(options.json === undefined ? {} : { "content-type": "application/json" }),
      ...options.headers,
    },
    body: options.json === undefined ? options.body ?? null : JSON.stringify(options.json),
    ...(options.client === undefined ? {} : { client: options.client }),
  });
  const text = await response.text();
  const json = text === "" ? undefined : parse(text, response.status);
  checkAnswer({ method, path }, { status: response.status, headers: response.headers, json });
  return { status: response.status, headers: response.headers, json };
}

/**
 * Returns the options for a test platform. Apart from the test's own options, they contain only
 * ports, names, the key, and exclusive build users. `same_defaults_test.ts` checks that.
 */
export function withTestOptions<
  T extends Pick<Partial<PlatformOptions>, "builds"> & { readonly dataDir: string },
>(options: T) {
  return {
    host: "127.0.0.1",
    port: 0,
    baseDomain: "localhost",
    trustProxy: [],
    bootstrapToken: TOKEN,
    postgresPort: 0,
    env: Deno.env.toObject(),
    ...options,
    builds: { firstUid: freeBuildUid(), ...options.builds },
  };
}

/** Starts `svc serve` on a data directory, and passes the options as flags and variables. */
export function start(
  dataDir: string,
  options: Partial<ProgramOptions> = {},
): Promise<TestPlatform> {
  return startCommand(programCommand(), { ...options, dataDir });
}

/**
 * Starts a platform with a different program. `lines` matches lines that the program adds to the
 * log.
 */
export async function startCommand(
  command: Command,
  { lines, ...options }: Partial<ProgramOptions> & {
    readonly dataDir: string;
    readonly lines?: RegExp;
  },
): Promise<TestPlatform> {
  const logged: string[] = [];
  const given = withTestOptions(options);
  const running = await startProcess(given, { command, logged, ...(lines && { lines }) });
  return testPlatform(running, { dataDir: options.dataDir, logged });
}

/** Not a literal import, which Deno would follow to load the whole platform for each test file. */
const SERVE = import.meta.resolve("../../src/serve/mod.ts");

/**
 * Starts a platform in the test's own process. Use this only for tests that set the platform's
 * clock or replace parts for which there is no flag. These tests must say why.
 */
export async function startInProcess(
  dataDir: string,
  options: Partial<PlatformOptions> = {},
): Promise<TestPlatform> {
  const logged: string[] = [];
  // Loaded on demand, because most test files start the program and do not need the whole platform.
  const { startPlatform }: typeof import("../../src/serve/mod.ts") = await import(SERVE);
  const running = await startPlatform({
    // The default depends on the number of processors.
    ...withTestOptions({ edges: 0, ...options, dataDir }),
    version: "0.0.0-test",
    log: (line) => logged.push(`${line.level} ${line.message}`),
  });
  return testPlatform(running, { dataDir, logged });
}

function testPlatform<T extends RunningPlatform>(
  platform: T,
  { dataDir, logged }: Pick<TestPlatform, "dataDir" | "logged">,
): T & TestPlatform {
  return {
    ...platform,
    dataDir,
    logged,
    api: (method, path, apiOptions = {}) =>
      callApi(`http://127.0.0.1:${platform.port}`, method, path, apiOptions),
    get: (host, path, headers = {}) => rawRequest(platform.port, { host, path, headers }),
  };
}

/** Returns the ID of the platform's process: this process or the program's process. */
export const processOf = (platform: RunningPlatform): number =>
  "pid" in platform && typeof platform.pid === "number" ? platform.pid : Deno.pid;

/** Encrypts the secrets in a data directory with a new key. Returns the number of secrets. */
export async function rekey(dataDir: string): Promise<number> {
  const { stdout } = await hear([...programCommand(), "rekey", "--json", "--data-dir", dataDir]);
  const { error, resealed } = JSON.parse(stdout);
  if (error !== undefined) throw new Error(error);
  return resealed;
}

/** Returns a stopped clock, so that delays on a busy machine do not count. */
export function stillClock(): () => number {
  const at = Date.now();
  return () => at;
}

/** Runs a test on a new platform, and removes the platform afterwards. */
export const withPlatform = (
  run: (platform: TestPlatform) => Promise<void>,
  options: Partial<ProgramOptions> = {},
): Promise<void> => withStarted((dataDir) => start(dataDir, options), run);

/** Like {@link withPlatform}, but in the test's own process: see {@link startInProcess}. */
export const withPlatformInProcess = (
  run: (platform: TestPlatform) => Promise<void>,
  options: Partial<PlatformOptions>,
): Promise<void> => withStarted((dataDir) => startInProcess(dataDir, options), run);

async function withStarted(
  open: (dataDir: string) => Promise<TestPlatform>,
  run: (platform: TestPlatform) => Promise<void>,
): Promise<void> {
  const dataDir = await makeTestFolder("svc-test-");
  const platform = await open(dataDir);
  try {
    await run(platform);
  } finally {
    await platform.shutdown();
    await Deno.remove(dataDir, { recursive: true });
  }
}

export const sha256 = (content: string | Uint8Array) =>
  createHash("sha256").update(content).digest("hex");

export const STATIC_MANIFEST = {
  version: 1,
  layers: [{ name: "static", target: "STATIC", directory: "." }],
  routes: [{ pattern: "^/.*$", layer: "static" }],
};

export type Files = Readonly<Record<string, string | Uint8Array<ArrayBuffer>>>;

export const fileList = (files: Files) =>
  Object.entries(files).map(([path, content]) => ({
    path,
    sha256: sha256(content),
    size: Buffer.byteLength(content),
  }));

/** Creates a deployment without uploading anything. */
export const create = (platform: ApiCaller, project: string, options: {
  files: Files;
  prod?: boolean;
  /** One of the project's own environments. If it is not set, `prod` selects the environment. */
  environment?: string;
  branch?: string;
  rules?: unknown;
  manifest?: unknown;
  message?: string;
  author?: string;
}) =>
  platform.api("POST", `/v1/projects/${project}/deployments`, {
    json: {
      environment: options.environment ?? (options.prod ?? true ? "production" : "preview"),
      manifest: options.manifest ?? STATIC_MANIFEST,
      files: fileList(options.files),
      ...(options.branch === undefined ? {} : { branch: options.branch }),
      ...(options.rules === undefined ? {} : { rules: options.rules }),
      ...(options.message === undefined ? {} : { message: options.message }),
      ...(options.author === undefined ? {} : { author: options.author }),
    },
  });

/** Uploads files as one batch. */
export function upload(platform: ApiCaller, files: Files): Promise<ApiAnswer> {
  const form = new FormData();
  for (const content of new Set(Object.values(files))) {
    form.set(sha256(content), new Blob([content]), "blob");
  }
  return platform.api("POST", "/v1/blobs", { body: form });
}

/** Deploys files and returns the deployment. */
export async function deploy(
  platform: ApiCaller,
  project: string,
  options: Parameters<typeof create>[2],
) {
  const created = await create(platform, project, options);
  if (created.status !== 201) throw new Error(JSON.stringify(created.json));
  const missing = new Set(created.json.missing);
  const needed = Object.entries(options.files).filter(([, text]) => missing.has(sha256(text)));
  if (needed.length > 0) await upload(platform, Object.fromEntries(needed));
  const path = `/v1/deployments/${created.json.deployment.id}/activate`;
  const activated = await platform.api("POST", path);
  if (activated.status !== 200) throw new Error(JSON.stringify(activated.json));
  return activated.json;
}

/** Creates a project and returns it. */
export async function createProject(platform: ApiCaller, name: string) {
  const answer = await platform.api("POST", "/v1/projects", { json: { name } });
  if (answer.status !== 201) throw new Error(JSON.stringify(answer.json));
  return answer.json;
}
