/**
 * A small server deployed on a real platform, with a page for each thing that
 * a test asks for.
 *
 * @module
 */
import { deploy, type Files, type TestPlatform } from "./_platform.ts";

/** The server of the tests: node:http, as the frameworks' own servers are. */
export const SERVER = `
import { createServer } from "node:http";
import { createHash } from "node:crypto";

let count = 0;
const started = Date.now();
const json = (response, value) => {
  response.setHeader("content-type", "application/json");
  response.end(JSON.stringify(value));
};

const pages = {
  "/api/echo": (request, response) => json(response, {
    method: request.method,
    url: request.url,
    headers: request.headers,
    version: process.env.VERSION ?? null,
    pid: process.pid,
  }),
  "/api/hash": (request, response) => {
    const hash = createHash("sha256");
    request.on("data", (chunk) => hash.update(chunk));
    request.on("end", () => response.end(hash.digest("hex")));
  },
  "/api/large": (request, response) => {
    const chunk = Buffer.alloc(64 * 1024, "x");
    let left = 512;
    const more = () => {
      while (left-- > 0) if (!response.write(chunk)) return response.once("drain", more);
      response.end();
    };
    more();
  },
  "/api/events": (request, response) => {
    response.writeHead(200, { "content-type": "text/event-stream" });
    let id = 0;
    const timer = setInterval(() => response.write("data: " + (++id) + "\\n\\n"), 20);
    response.on("close", () => {
      clearInterval(timer);
      console.log("events closed");
    });
  },
  "/api/cookies": (request, response) => {
    response.setHeader("set-cookie", ["a=1", "b=2"]);
    response.writeHead(302, { location: "/elsewhere" });
    response.end();
  },
  "/api/log": (request, response) => {
    console.log("to stdout");
    console.error("to stderr");
    response.end("logged");
  },
  "/api/slow": (request, response) => setTimeout(() => response.end("slow"), 700),
  "/api/hang": () => {},
  "/api/crash": () => process.exit(3),
  "/api/none": (request, response) => {
    response.writeHead(404);
    response.end("no such thing in the server");
  },
  "/pages/count": (request, response) => {
    response.setHeader("x-started", String(started));
    response.end("count " + (++count));
  },
};

createServer((request, response) => {
  const page = pages[request.url.split("?")[0]];
  if (page !== undefined) return page(request, response);
  response.end("server: " + request.url);
}).listen(Number(process.env.PORT), process.env.HOST);
`;

export const FILES: Files = {
  "index.html": "static home",
  "about.html": "static about",
  "404.html": "static 404",
  "server/entry.mjs": SERVER,
};

export const LAYERS = [
  { name: "files", target: "STATIC", directory: "." },
  {
    name: "app",
    target: "COMPUTE",
    directory: "server",
    entry: "server/entry.mjs",
    runtime: { timeoutMs: 1500, memoryMb: 256 },
  },
];

export const MANIFEST = {
  version: 1,
  layers: LAYERS,
  routes: [
    { pattern: "^/api/none$", layer: "app", priority: 30, fallthrough: true },
    { pattern: "^/pages/", layer: "app", priority: 20, revalidate: 1 },
    { pattern: "^/.*$", layer: "files", priority: 10 },
    { pattern: "^/.*$", layer: "app" },
  ],
};

/** Deploys the server, another one than before where `version` differs. */
export async function deployServer(
  platform: TestPlatform,
  project: string,
  options: {
    readonly version?: string;
    readonly server?: string;
    readonly rules?: unknown;
    readonly manifest?: unknown;
    readonly prod?: boolean;
  } = {},
) {
  const server = options.server ?? SERVER;
  return await deploy(platform, project, {
    manifest: options.manifest ?? MANIFEST,
    files: {
      ...FILES,
      "server/entry.mjs": `globalThis.process ??= {};\n// ${options.version ?? ""}\n${server}`,
      "version.txt": options.version ?? "1",
    },
    ...(options.rules === undefined ? {} : { rules: options.rules }),
    ...(options.prod === undefined ? {} : { prod: options.prod }),
  });
}
