/**
 * Platforms that take over from one another under load. `RESTARTS=30` makes it a long test.
 */
import assert from "node:assert/strict";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { startProgram } from "../../scripts/_program.ts";
import { Deadlines, Http1Connection, type WireAnswer } from "../../src/runtime/mod.ts";
import { type Sandbox, TOKEN, withSandbox } from "../helpers/sandbox.ts";

const RESTARTS = Number(Deno.env.get("RESTARTS") ?? 3);

/** A client's time between two requests: the programs that start need the processors as well. */
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

/** A request that clients send again and again, and what they must get. */
interface Load {
  readonly method: string;
  readonly host: string;
  readonly target: string;
  readonly body?: string;
  readonly expected: RegExp;
}

const LOADS: readonly Load[] = [
  { method: "GET", host: "kiosk.localhost", target: "/", expected: /Hi/ },
  { method: "POST", host: "kiosk.localhost", target: "/api/x", body: "echo", expected: /^echo$/ },
  { method: "GET", host: "localhost", target: "/v1/projects", expected: /kiosk/ },
  {
    ...{ method: "PUT", host: "localhost", target: "/v1/projects/kiosk/variables/WHO" },
    ...{ body: '{"value":"Ada","category":"plain","scope":"all"}', expected: /WHO/ },
  },
];

async function textOf({ body }: WireAnswer): Promise<string> {
  return await new Response(body).text();
}

const encoder = new TextEncoder();

/** Sends a request over connections that are kept open, or each over a new one; retries nothing. */
class Client {
  readonly counts = { requests: 0, connections: 0 };
  readonly #times = {
    deadlines: new Deadlines(60_000),
    exchanges: new Deadlines(60_000),
    idleMs: Infinity,
    keepAliveMs: 60_000,
  };
  #kept: Http1Connection | undefined;

  constructor(
    private readonly port: number,
    private readonly load: Load,
    private readonly keepsAlive: boolean,
  ) {}

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
    return new Http1Connection(await Deno.connect({ port: this.port }), this.#times);
  }

  async send(): Promise<void> {
    const { method, host, target, body, expected } = this.load;
    const connection = await this.#connection();
    this.#kept = undefined;
    const bytes = body === undefined ? null : encoder.encode(body);
    const answer = await connection.exchange({
      ...{ method, target, body: bytes === null ? null : new Blob([bytes]).stream() },
      headers: [
        ["host", `${host}:${this.port}`],
        ["authorization", `Bearer ${TOKEN}`],
        ...(bytes === null ? [] : [
          ["content-type", "application/json"],
          ["content-length", `${bytes.byteLength}`],
        ] as [string, string][]),
      ],
      ...(bytes === null ? {} : { length: bytes.byteLength }),
    }, {
      done: (reusable) => {
        if (reusable && this.keepsAlive) this.#kept = connection;
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

async function deployKiosk(box: Sandbox): Promise<void> {
  for (const [path, text] of Object.entries(FILES)) {
    await Deno.mkdir(join(box.site, path, ".."), { recursive: true });
    await Deno.writeTextFile(join(box.site, path), text);
  }
  await box.json(["init", "--create"]);
  await box.json(["deploy", "--prod"]);
}

/** Starts a platform that takes over from the one that runs; returns when that has ended. */
async function replace(box: Sandbox, args: readonly string[]): Promise<void> {
  const before = box.platform!;
  const platform = await startProgram({
    dataDir: box.dataDir,
    args: ["--replace", ...args],
    env: { ...box.env },
  });
  box.platform = platform;
  assert.equal(platform.port, before.port);
  assert.equal(await before.ended, 0, before.errors());
}

const CASES: readonly (readonly [restarts: number, args: readonly string[]])[] = [
  [RESTARTS, []],
  [Math.ceil(RESTARTS / 3), ["--edge-threads", "2"]],
];

for (const [restarts, args] of CASES) {
  const name = `platforms that take over from one another drop no request ${args.join(" ")}`;
  Deno.test(name.trim(), async () => {
    await withSandbox(async (box) => {
      await box.start(args);
      await deployKiosk(box);
      const stop = new AbortController();
      const clients = LOADS.flatMap((load) =>
        [true, false].map((keepsAlive) => new Client(box.platform!.port, load, keepsAlive))
      );
      const running = Promise.all(clients.map((client) => client.runUntil(stop.signal)));
      const restarting = async () => {
        for (let count = 0; count < restarts; count++) await replace(box, args);
      };
      await Promise.race([restarting(), running]).catch((error) => {
        throw new Error(`${error.message}\n${box.platform!.errors()}`, { cause: error });
      });
      stop.abort();
      await running;
      for (const { counts } of clients) assert.ok(counts.requests > 0 && counts.connections > 1);
      const { code } = await box.tool(["serve", "--port", "0", "--data-dir", box.dataDir]);
      assert.equal(code, 1, "expected a refusal without --replace");
      assert.equal(await box.platform!.stop(), 0, box.platform!.errors());
    });
  });
}

Deno.test("a platform goes on where the one that is to replace it does not start", async () => {
  await withSandbox(async (box) => {
    await box.start();
    const { port, pid, errors } = box.platform!;
    await deployKiosk(box);
    using taken = Deno.listen({ hostname: "127.0.0.1", port: 0 });
    const text = join(box.site, "index.html");
    const inMissing = join(box.site, "missing", "file");
    const failing: readonly (readonly [args: readonly string[], reason: RegExp])[] = [
      [["--geoip", text], /Cannot use the address database/],
      [["--tls-cert", inMissing, "--tls-key", inMissing], /missing/],
      [["--tls-cert", text, "--tls-key", text], /index\.html/],
      [["--port", `${taken.addr.port}`], /Use another port: .* is taken/],
      [["--smtp-url", "gopher://mail"], /smtp/],
    ];
    for (const [args, reason] of failing) {
      const all = ["serve", "--replace", "--port", `${port}`, "--data-dir", box.dataDir, ...args];
      const { code, stderr } = await box.tool(all);
      assert.ok(code > 0, args.join(" "));
      assert.match(stderr, reason, args.join(" "));
      const client = new Client(port, LOADS[0]!, false);
      await client.send();
      assert.equal(client.counts.requests, 1);
    }
    assert.equal(box.platform!.pid, pid, errors());
    await replace(box, []);
    assert.equal(await box.platform!.stop(), 0, box.platform!.errors());
  });
});
