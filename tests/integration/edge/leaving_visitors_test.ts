/**
 * Simulates visitors who disconnect at any time during a request, with every kind of origin. None
 * of them may leave a slot occupied or a connection or file open, and the next visitor must be
 * served.
 */
import assert from "node:assert/strict";
import { setTimeout } from "node:timers/promises";
import { until } from "../../../src/lib/_test_until.ts";
import { servingProcesses } from "../../helpers/local_edges.ts";
import { createProject } from "../../helpers/platform.ts";
import { openMachinery, proxyTo, publish, rule } from "../../helpers/upstreams.ts";

const HOST = "shop.localhost";

const APP = `
import { createServer } from "node:http";
createServer((request, response) => {
  const [, , name] = request.url.split("?")[0].split("/");
  if (name === "endless") return setTimeout(() => response.writeHead(200).write("part"), 60);
  if (name === "late") return setTimeout(() => response.end("x".repeat(40_000)), 40);
  if (name === "upload") {
    request.resume().on("end", () => response.end("taken"));
    return;
  }
  if (name === "events") {
    response.writeHead(200, { "content-type": "text/event-stream" });
    const timer = setInterval(() => response.write("data: 1\\n\\n"), 10);
    response.on("close", () => clearInterval(timer));
    return;
  }
  response.end("z".repeat(10_000_000));
}).listen(Number(process.env.PORT), process.env.HOST);
`;

const MANIFEST = {
  version: 1,
  layers: [
    { name: "files", target: "STATIC", directory: "." },
    {
      name: "app",
      target: "COMPUTE",
      directory: "server",
      entry: "server/entry.mjs",
      runtime: { engine: "node" },
    },
  ],
  routes: [
    { pattern: "^/app/page", layer: "app", priority: 3, revalidate: 1 },
    { pattern: "^/app/", layer: "app", priority: 2 },
    { pattern: "^/.*$", layer: "files", priority: 1 },
  ],
};

const FUNCTIONS = {
  slow: `export default async () => {
    await new Promise((resolve) => setTimeout(resolve, 40));
    return new Response(new ReadableStream({
      async start(controller) {
        controller.enqueue(new Uint8Array(10));
        await new Promise((resolve) => setTimeout(resolve, 30));
        controller.close();
      },
    }));
  };`,
  gate: `export default () => new Promise((resolve) => setTimeout(resolve, 10));`,
  mark: `export default (_: Request, context: { response: Response }) =>
    new Response(context.response.body, context.response);`,
};

const PATHS = [
  "/app/endless",
  "/app/endless/marked",
  "/app/late",
  "/app/late/gated",
  "/app/upload",
  "/app/events",
  "/app/large",
  "/app/page",
  "/slow/",
  "/elsewhere/",
  "/large.txt",
];

/**
 * Number of visitors per round. All rounds together have more visitors than a server handles at a
 * time.
 */
const [ROUNDS, AT_ONCE] = [5, 50];

/**
 * Times after which visitors disconnect, in milliseconds: before, when and after the response
 * starts.
 */
const MOMENTS = [0, 5, 20, 45, 58, 62, 70];

async function send(port: number, path: string): Promise<Deno.Conn> {
  const connection = await Deno.connect({ hostname: "127.0.0.1", port });
  const head = path === "/app/upload"
    ? `POST ${path} HTTP/1.1\r\nHost: ${HOST}\r\nContent-Length: 5\r\n\r\n`
    : `GET ${path} HTTP/1.1\r\nHost: ${HOST}\r\n\r\n`;
  await connection.write(new TextEncoder().encode(head));
  return connection;
}

async function leave(port: number, path: string, afterMs: number): Promise<void> {
  const connection = await send(port, path);
  await setTimeout(afterMs);
  connection.close();
}

/** Returns the status line for a visitor who stays. */
async function statusOf(port: number, path: string): Promise<string> {
  const connection = await send(port, path);
  if (path === "/app/upload") await connection.write(new TextEncoder().encode("12345"));
  const bytes = new Uint8Array(12);
  await connection.read(bytes);
  connection.close();
  return new TextDecoder().decode(bytes);
}

Deno.test("visitors who leave at any time leave nothing open, for any request", async (t) => {
  await using machinery = await openMachinery();
  const { platform } = machinery;
  await createProject(platform, "shop");
  const upstream = machinery.serve(async () => {
    await setTimeout(50);
    return new Response("elsewhere");
  });
  await publish(platform, "shop", {
    files: { "index.html": "home", "large.txt": "z".repeat(5_000_000), "server/entry.mjs": APP },
    manifest: MANIFEST,
    functions: FUNCTIONS,
    rules: [
      rule("mark", {
        type: "pipeline",
        steps: [{ handle: "origin" }, { use: "mark", mode: "response" }],
      }, "/app/endless/marked"),
      rule("gate", {
        type: "pipeline",
        steps: [{ use: "gate", mode: "request", failure: "closed" }, { handle: "origin" }],
      }, "/app/late/gated"),
      rule("slow", { type: "pipeline", steps: [{ handle: "slow" }] }, "/slow/"),
      proxyTo(upstream.url, "/elsewhere/"),
    ],
  });
  const descriptors = () =>
    servingProcesses(platform).flatMap((pid) => [...Deno.readDirSync(`/proc/${pid}/fd`)]).length;
  for (const path of PATHS) assert.equal(await statusOf(platform.port, path), "HTTP/1.1 200");
  const before = descriptors();
  for (const path of PATHS) {
    await t.step(path, async () => {
      for (let round = 0; round < ROUNDS; round++) {
        const visitors = Array.from({ length: AT_ONCE }, (_, number) => number + round);
        await Promise.all(
          visitors.map((number) => leave(platform.port, path, MOMENTS[number % MOMENTS.length]!)),
        );
      }
      assert.equal(await statusOf(platform.port, path), "HTTP/1.1 200");
      // A few connections to servers stay open for later requests.
      await until(descriptors, (count) => count < before + 20);
    });
  }
});
