/**
 * Clients that send requests to a platform while it is being replaced.
 *
 * @module
 */
import assert from "node:assert/strict";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { Deadlines, Http1Connection, type WireAnswer } from "../../src/runtime/mod.ts";
import { type Sandbox, TOKEN } from "./sandbox.ts";

/** A client's delay between two requests, which leaves CPU time to programs that are starting. */
const PAUSE_MS = 10;

const FILES: Readonly<Record<string, string>> = {
  "svc.toml": '[project]\nname = "kiosk"\n',
  "index.html": "<h1>Hi</h1>",
  "functions/hello.js": "export default async (request) => new Response(await request.text());",
  "svc.rules.toml": `
schemaVersion = "EDGE_RULE_SET_V1"
[[rules]]
id = "api"
condition.path = { type = "prefix", value = "/api/" }
action = { type = "pipeline", steps = [{ handle = "hello" }] }
`,
};

/** A request that clients repeat, and the response that it must get. */
export interface Load {
  readonly method: string;
  readonly host: string;
  readonly target: string;
  readonly body?: string;
  readonly expected: RegExp;
}

export const LOADS: readonly Load[] = [
  { method: "GET", host: "kiosk.localhost", target: "/", expected: /Hi/ },
  { method: "POST", host: "kiosk.localhost", target: "/api/x", body: "echo", expected: /^echo$/ },
  { method: "GET", host: "localhost", target: "/v1/projects", expected: /kiosk/ },
  {
    method: "PUT",
    host: "localhost",
    target: "/v1/projects/kiosk/variables/WHO",
    body: '{"value":"Ada","category":"plain","scope":"all"}',
    expected: /WHO/,
  },
];

async function textOf({ body }: WireAnswer): Promise<string> {
  return await new Response(body).text();
}

const encoder = new TextEncoder();

/**
 * Sends requests, either all over one persistent connection or each over a new one. Never retries a
 * request.
 */
export class Client {
  readonly counts = { requests: 0, connections: 0 };
  readonly #times = {
    deadlines: new Deadlines(60_000),
    exchanges: new Deadlines(60_000),
    idleMs: Infinity,
    keepAliveMs: 60_000,
  };
  #kept: Http1Connection | undefined;

  readonly #port: number;
  readonly #load: Load;
  readonly #keepsAlive: boolean;

  constructor(port: number, load: Load, keepsAlive: boolean) {
    this.#port = port;
    this.#load = load;
    this.#keepsAlive = keepsAlive;
  }

  async runUntil(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      await this.send();
      await delay(PAUSE_MS);
    }
    this.#kept?.close();
    this.#times.deadlines.stop();
    this.#times.exchanges.stop();
  }

  async #connection(): Promise<Http1Connection> {
    const kept = this.#kept;
    if (kept !== undefined) return kept;
    this.counts.connections++;
    return new Http1Connection(await Deno.connect({ port: this.#port }), this.#times);
  }

  async send(): Promise<void> {
    const { method, host, target, body, expected } = this.#load;
    const connection = await this.#connection();
    this.#kept = undefined;
    const bytes = body === undefined ? null : encoder.encode(body);
    const answer = await connection.exchange({
      method,
      target,
      body: bytes === null ? null : new Blob([bytes]).stream(),
      headers: [
        ["host", `${host}:${this.#port}`],
        ["authorization", `Bearer ${TOKEN}`],
        ...(bytes === null ? [] : [
          ["content-type", "application/json"],
          ["content-length", `${bytes.byteLength}`],
        ] as [string, string][]),
      ],
      ...(bytes === null ? {} : { length: bytes.byteLength }),
    }, {
      done: (reusable) => {
        if (reusable && this.#keepsAlive) this.#kept = connection;
        else connection.close();
      },
    });
    const text = await textOf(answer);
    const said = `${method} ${host}${target}: ${answer.head.status} ${text}`;
    assert.ok(answer.head.status < 300, said);
    assert.match(text, expected, said);
    this.counts.requests++;
  }
}

/** Deploys the site that {@link LOADS} request. */
export async function deployKiosk(box: Sandbox): Promise<void> {
  for (const [path, text] of Object.entries(FILES)) {
    await Deno.mkdir(join(box.site, path, ".."), { recursive: true });
    await Deno.writeTextFile(join(box.site, path), text);
  }
  await box.json(["init", "--create"]);
  await box.json(["deploy", "--prod"]);
}

/** Sends all loads over persistent and new connections while `work` runs. No request may fail. */
export async function underLoad(
  box: Sandbox,
  work: () => Promise<void>,
): Promise<readonly Client[]> {
  const stop = new AbortController();
  const clients = LOADS.flatMap((load) =>
    [true, false].map((keepsAlive) => new Client(box.platform!.port, load, keepsAlive))
  );
  const running = Promise.all(clients.map((client) => client.runUntil(stop.signal)));
  try {
    await Promise.race([work(), running]).catch((error) => {
      throw new Error(`${error.message}\n${box.platform!.errors()}`, { cause: error });
    });
  } finally {
    stop.abort();
  }
  await running;
  for (const { counts } of clients) assert.ok(counts.requests > 0);
  return clients;
}
