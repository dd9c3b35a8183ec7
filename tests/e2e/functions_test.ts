/**
 * Tests functions from the file to the response. The CLI bundles them. The platform runs them, and
 * stops them when it stops.
 */
import assert from "node:assert/strict";
import { join } from "node:path";
import { until } from "../../src/lib/_test_until.ts";
import { type Sandbox, withSandbox } from "../helpers/sandbox.ts";

const HOST = "kiosk.localhost";

const FILES: Readonly<Record<string, string>> = {
  "index.html": "<h1>Hi</h1>",
  "functions/hello.ts": `
import { greet } from "../lib/greet.ts";
interface Context { readonly env: Readonly<Record<string, string>>; readonly ip: string }
export default async (request: Request, { env, ip }: Context): Promise<Response> => {
  const url = new URL(request.url);
  if (url.searchParams.has("fail")) throw new RangeError("as asked");
  console.log("hello called", url.pathname);
  return Response.json({ text: greet(env.WHO ?? "nobody"), ip, body: await request.text() });
};`,
  "functions/stamp.js": `
export default async (_request, { response }) =>
  new Response((await response.text()).replace("Hi", "Hi there"), response);`,
  "functions/gate.ts": `
export default (request: Request) =>
  request.headers.get("authorization") === "Bearer open" ? undefined : new Response("Log in", { status: 401 });`,
  "functions/drips.ts": `
export default () => new Response(new ReadableStream({
  start(controller) { controller.enqueue(new TextEncoder().encode("begin")); },
}));`,
  "lib/greet.ts": "export const greet = (who: string): string => `Hello ${who}`;",
  "svc.rules.toml": `
schemaVersion = "EDGE_RULE_SET_V1"
[[rules]]
id = "api"
condition.path = { type = "prefix", value = "/api/" }
action = { type = "pipeline", steps = [{ handle = "hello" }] }
[[rules]]
id = "home"
condition.path = { type = "exact", value = "/" }
action = { type = "pipeline", steps = [{ handle = "origin" }, { use = "stamp", mode = "response" }] }
[[rules]]
id = "kept"
condition.path = { type = "prefix", value = "/api/kept" }
action = { type = "cache", ttlSeconds = 60 }
[[rules]]
id = "drips"
condition.path = { type = "exact", value = "/drips" }
action = { type = "pipeline", steps = [{ handle = "drips" }] }
[[rules]]
id = "closed"
condition.path = { type = "prefix", value = "/closed" }
action = { type = "pipeline", steps = [{ use = "gate", mode = "request", failure = "closed" }, { handle = "hello" }] }
`,
};

async function writeFiles(folder: string): Promise<void> {
  for (const [path, text] of Object.entries(FILES)) {
    await Deno.mkdir(join(folder, path, ".."), { recursive: true });
    await Deno.writeTextFile(join(folder, path), text);
  }
}

/** Returns the IDs of a process's direct children, read from `/proc`. */
function childrenOf(pid: number): number[] {
  return [...Deno.readDirSync("/proc")].flatMap(({ name }) => {
    try {
      const status = Deno.readTextFileSync(join("/proc", name, "status"));
      const parent = Number(/^PPid:\s+(\d+)$/m.exec(status)?.[1]);
      return parent === pid ? [Number(name)] : [];
    } catch {
      return [];
    }
  });
}

function isAlive(pid: number): boolean {
  try {
    return !/^State:\s+Z/m.test(Deno.readTextFileSync(`/proc/${pid}/status`));
  } catch {
    return false;
  }
}

const untilGone = (pids: readonly number[]) =>
  until(() => pids.filter(isAlive), (alive) => alive.length === 0);

/**
 * Returns all data that a connection receives in response to a GET request. Calls `meanwhile` once
 * the body has started.
 */
async function readWhole(port: number, path: string, meanwhile: () => void): Promise<string> {
  using conn = await Deno.connect({ hostname: "127.0.0.1", port });
  await conn.write(new TextEncoder().encode(`GET ${path} HTTP/1.1\r\nHost: ${HOST}\r\n\r\n`));
  const [decoder, buffer] = [new TextDecoder(), new Uint8Array(4096)];
  let [text, hasBegun] = ["", false];
  for (;;) {
    const count = await conn.read(buffer).catch(() => null);
    if (count === null) return text;
    text += decoder.decode(buffer.subarray(0, count));
    if (hasBegun || !text.includes("begin")) continue;
    hasBegun = true;
    meanwhile();
  }
}

async function post(box: Sandbox, path: string) {
  const port = box.platform?.port;
  const answer = await new Deno.Command("curl", {
    args: ["-s", "-d", "hey", "-H", `Host: ${HOST}`, `http://127.0.0.1:${port}${path}`],
  }).output();
  return JSON.parse(new TextDecoder().decode(answer.stdout));
}

Deno.test("functions are bundled, run, logged, listed and stopped", async (t) => {
  await withSandbox(async (box) => {
    await writeFiles(box.site);
    const platform = await box.start();
    await box.json(["init", "--create", "--name", "kiosk"]);
    await box.json(["env", "set", "WHO", "--value", "world", "--plain", "--all"]);
    await box.json(["deploy", "--prod"]);

    await t.step("a handle gets variables, URL and body, and responds", async () => {
      const wanted = { text: "Hello world", ip: "127.0.0.1", body: "hey" };
      assert.deepEqual(await post(box, "/api/x"), wanted);
    });

    await t.step(
      "a response step changes a file's response, and a gate refuses requests with no token",
      async () => {
        assert.equal((await box.page(HOST, "/")).text, "<h1>Hi there</h1>");
        assert.equal((await box.page(HOST, "/closed")).status, 401);
        const headers = { authorization: "Bearer open" };
        assert.equal((await box.page(HOST, "/closed", { headers })).status, 200);
      },
    );

    await t.step("the edge caches functions' responses, and the CLI purges them", async () => {
      const state = async () => (await box.page(HOST, "/api/kept")).headers["x-svc-cache"];
      assert.deepEqual([await state(), await state()], ["MISS", "HIT"]);
      assert.deepEqual(await box.json(["cache", "purge", "--path", "/api/kept"]), { purged: 1 });
      assert.equal(await state(), "MISS");
    });

    await t.step("sources and functions are not served as files", async () => {
      assert.equal((await box.page(HOST, "/functions/hello.ts")).status, 404);
    });

    await t.step(
      "console output and errors are in the logs, with the author's line numbers",
      async () => {
        assert.equal((await box.page(HOST, "/api/x?fail=1")).status, 503);
        let logs = "";
        for (let tries = 0; tries < 50 && !logs.includes("as asked\n    at"); tries++) {
          logs = (await box.tool(["logs"])).stdout;
        }
        assert.match(logs, /info hello: hello called \/api\/x/);
        assert.match(logs, /RangeError: as asked\n\s+at .*functions\/hello\.ts:6:43/);
      },
    );

    await t.step("svc functions list shows all functions", async () => {
      const { stdout } = await box.tool(["functions", "list"]);
      assert.deepEqual(stdout.trim().split("\n"), ["drips", "gate", "hello", "stamp"]);
    });

    await t.step("code that cannot be bundled is refused with its position", async () => {
      const file = join(box.site, "functions", "broken.ts");
      await Deno.writeTextFile(file, "import './not-there.ts';\nexport default () => {};\n");
      const told = await box.tool(["deploy", "--prod"]);
      assert.equal(told.code, 1);
      assert.match(told.stderr, /functions\/broken\.ts:1:/);
      await Deno.remove(file);
    });

    await t.step(
      "a function that is killed while it sends a body cuts off the response",
      async () => {
        const answer = await readWhole(platform.port, "/drips", () => {
          for (const pid of childrenOf(platform.pid)) Deno.kill(pid, "SIGKILL");
        });
        assert.match(answer, /^HTTP\/1\.1 200 OK\r\n[^]*begin\r\n$/, "the last chunk is missing");
        await until(async () => (await box.page(HOST, "/api/x")).status === 200);
      },
    );

    await t.step("no process outlives a stopped platform", async () => {
      const children = childrenOf(platform.pid);
      assert.ok(children.length > 0);
      await platform.stop();
      await untilGone(children);
    });

    await t.step(
      "no process outlives a killed platform, and the next start restores the functions",
      async () => {
        const again = await box.start();
        await post(box, "/api/x");
        const children = childrenOf(again.pid);
        assert.ok(children.length > 0);
        await again.kill();
        await untilGone(children);
        await box.start();
        assert.equal((await post(box, "/api/x")).text, "Hello world");
      },
    );
  });
});
