/**
 * A small server deployed on a real platform, with a page for each feature under test.
 *
 * @module
 */
import { NODE_MAJOR, type TestEngine } from "./compute_server.ts";
import { deploy, type Files, type TestPlatform } from "./platform.ts";

/** The server under test. The server uses node:http, like the frameworks' own servers. */
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
    // The timeout is longer than usual, because a busy machine needs more time.
    runtime: { timeoutMs: 60_000, memoryMb: 256 },
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

/** The same manifest, but with a short server timeout. */
export const HASTY_MANIFEST = {
  ...MANIFEST,
  layers: MANIFEST.layers.map((layer) =>
    layer.target === "COMPUTE"
      ? { ...layer, runtime: { ...layer.runtime, timeoutMs: 3000 } }
      : layer
  ),
};

/** Returns the manifest for servers on an engine. */
export function withEngine(manifest: unknown, engine: TestEngine | undefined): unknown {
  if (engine === undefined) return manifest;
  const { layers, ...rest } = manifest as typeof MANIFEST;
  const chosen = engine === "node" ? { engine, nodeVersion: NODE_MAJOR } : { engine };
  return {
    ...rest,
    layers: layers.map((layer) =>
      layer.target === "COMPUTE" ? { ...layer, runtime: { ...layer.runtime, ...chosen } } : layer
    ),
  };
}

/** Deploys the server. A different `version` creates a different server. */
export async function deployServer(
  platform: TestPlatform,
  project: string,
  options: {
    readonly version?: string;
    readonly server?: string;
    readonly rules?: unknown;
    readonly manifest?: unknown;
    readonly prod?: boolean;
    /** The server's engine. By default, the manifest selects it. */
    readonly engine?: TestEngine;
  } = {},
) {
  const server = options.server ?? SERVER;
  return await deploy(platform, project, {
    manifest: withEngine(options.manifest ?? MANIFEST, options.engine),
    files: {
      ...FILES,
      "server/entry.mjs": `globalThis.process ??= {};\n// ${options.version ?? ""}\n${server}`,
      "version.txt": options.version ?? "1",
    },
    ...(options.rules === undefined ? {} : { rules: options.rules }),
    ...(options.prod === undefined ? {} : { prod: options.prod }),
  });
}

/** A server with a handwritten WebSocket echo that closes on `bye`. */
export const SOCKET_SERVER = `
import { createServer } from "node:http";
import { createHash } from "node:crypto";
const server = createServer((request, response) => response.end("no socket"));
server.on("upgrade", (request, socket) => {
  if (request.url === "/declined") {
    socket.end("HTTP/1.1 403 Forbidden\\r\\ncontent-length: 2\\r\\nconnection: close\\r\\n\\r\\nno");
    return;
  }
  const accept = createHash("sha1")
    .update(request.headers["sec-websocket-key"] + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11")
    .digest("base64");
  const protocol = request.headers["sec-websocket-protocol"]?.split(",").at(-1).trim();
  socket.write("HTTP/1.1 101 Switching Protocols\\r\\nupgrade: websocket\\r\\nconnection: Upgrade\\r\\n" +
    "sec-websocket-accept: " + accept + "\\r\\n" +
    (protocol ? "sec-websocket-protocol: " + protocol + "\\r\\n" : "") + "\\r\\n");
  let parts = [], size = 0, wanted = 2;
  socket.on("data", (data) => {
    parts.push(data);
    size += data.length;
    while (size >= wanted) {
      let pending = parts.length === 1 ? parts[0] : Buffer.concat(parts);
      parts = [pending];
      let length = pending[1] & 127, at = 2;
      if (length === 126) { if (size < 4) { wanted = 4; continue; } length = pending.readUInt16BE(2); at = 4; }
      else if (length === 127) { if (size < 10) { wanted = 10; continue; } length = Number(pending.readBigUInt64BE(2)); at = 10; }
      if (size < at + 4 + length) { wanted = at + 4 + length; continue; }
      const opcode = pending[0] & 15;
      const mask = pending.subarray(at, at + 4);
      const payload = Buffer.from(pending.subarray(at + 4, at + 4 + length));
      for (let i = 0; i < length; i++) payload[i] ^= mask[i & 3];
      pending = pending.subarray(at + 4 + length);
      parts = [pending];
      size = pending.length;
      wanted = 2;
      const head = length < 126 ? Buffer.from([128 | opcode, length])
        : length < 65536 ? Buffer.from([128 | opcode, 126, length >> 8, length & 255])
        : (() => { const b = Buffer.alloc(10); b[0] = 128 | opcode; b[1] = 127; b.writeBigUInt64BE(BigInt(length), 2); return b; })();
      socket.cork();
      socket.write(head);
      socket.write(payload);
      socket.uncork();
      if (opcode === 8) return socket.end();
      if (payload.toString() === "bye") socket.end(Buffer.from([136, 2, 4001 >> 8, 4001 & 255]));
    }
  });
  socket.on("error", () => {});
});
server.listen(Number(process.env.PORT), process.env.HOST);
`;

/** Routes all requests to the server. Each phase has a rule for upgrade requests. */
export const SOCKET_SITE = {
  server: SOCKET_SERVER,
  manifest: { version: 1, layers: LAYERS, routes: [{ pattern: "^/.*$", layer: "app" }] },
  rules: {
    schemaVersion: "EDGE_RULE_SET_V1",
    rules: [
      {
        id: "deny",
        condition: { path: { type: "exact", value: "/denied" } },
        action: { type: "deny" },
      },
      { id: "mark", action: { type: "set_headers", headers: { "x-edge": "yes" } } },
    ],
  },
};
