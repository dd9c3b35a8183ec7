/**
 * A running deployment of the functions in `fixtures/functions/project`.
 *
 * @module
 */
import assert from "node:assert/strict";
import { fileURLToPath } from "node:url";
import { FUNCTION_PROCESS_ARGUMENT } from "../../src/lib/process_arguments.ts";
import {
  bundleFunctions,
  createFunctionHost,
  type FunctionHost,
  type FunctionHostOptions,
  type FunctionLimits,
  type FunctionLogEntry,
  functionProcessCommand,
  type FunctionSource,
  type Invocation,
  type InvocationResult,
  type OutboundFetch,
  type ProcessPlaces,
} from "../../src/runtime/mod.ts";
import { COMPILED } from "../../scripts/_program.ts";

export const PROJECT = fileURLToPath(new URL("../../fixtures/functions/project", import.meta.url));

/** Starts a function process, with the compiled program if that is under test. */
export const spawnFunctions: FunctionHostOptions["spawn"] = (socketPath) =>
  COMPILED === undefined ? spawnSource(socketPath) : {
    command: COMPILED,
    args: [FUNCTION_PROCESS_ARGUMENT, socketPath],
    env: { NO_COLOR: "1" },
  };

const spawnSource = functionProcessCommand({ env: Deno.env.toObject() });

export interface Deployment extends AsyncDisposable {
  readonly host: FunctionHost;
  readonly log: FunctionLogEntry[];
  /** Warnings about a long CPU time, which a function's first call can cause on a busy machine. */
  readonly slow: FunctionLogEntry[];
}

const IS_SLOW = /^Function ".*" used \d+ ms of CPU time for one call/;

export async function projectFunctions(): Promise<readonly FunctionSource[]> {
  const bundled = await bundleFunctions(PROJECT, { cacheDir: "/nonexistent" });
  assert.ok(bundled.ok, JSON.stringify(bundled));
  return bundled.functions.map(({ name, source }) => ({
    name,
    source: new TextDecoder().decode(source),
  }));
}

export async function deployFunctions(
  options: {
    readonly functions?: readonly FunctionSource[];
    readonly limits?: Partial<FunctionLimits>;
    readonly outbound?: OutboundFetch;
    readonly kv?: OutboundFetch;
    readonly spawn?: FunctionHostOptions["spawn"];
    readonly places?: ProcessPlaces;
  } = {},
): Promise<Deployment> {
  const [log, slow]: [FunctionLogEntry[], FunctionLogEntry[]] = [[], []];
  const host = createFunctionHost({
    deploymentId: "dep-1",
    functions: options.functions ?? await projectFunctions(),
    env: { GREETING: "hello" },
    limits: { timeoutMs: 1000, graceMs: 100, ...options.limits },
    outbound: options.outbound ?? (() => Promise.reject(new Error("This test has no network"))),
    ...(options.kv === undefined ? {} : { kv: options.kv }),
    log: (entry) => (IS_SLOW.test(entry.message) ? slow : log).push(entry),
    ...(options.places === undefined ? {} : { places: options.places }),
    spawn: options.spawn ?? spawnFunctions,
  });
  return { host, log, slow, [Symbol.asyncDispose]: () => host.close() };
}

export function invocation(
  path: string,
  more: Partial<Invocation> & {
    readonly method?: string;
    readonly headers?: [string, string][];
    readonly body?: ReadableStream<Uint8Array> | null;
  } = {},
): Invocation {
  const { method, headers, body, ...rest } = more;
  return {
    function: "steps",
    mode: "handle",
    request: {
      method: method ?? "GET",
      url: `https://site.example${path}`,
      headers: headers ?? [],
      body: body ?? null,
    },
    context: { requestId: "req-1", ip: "203.0.113.9", deployment: { id: "dep-1" } },
    ...rest,
  };
}

export const bodyOf = (text: string): ReadableStream<Uint8Array> => new Response(text).body!;

/** Returns the body text of the response or request that a step returned. */
export async function bodyText(result: InvocationResult): Promise<string> {
  const body = result.type === "response"
    ? result.response.body
    : result.type === "request"
    ? result.request.body
    : null;
  return body === null ? "" : await new Response(body).text();
}
