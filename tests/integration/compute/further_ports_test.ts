/**
 * Tests Node servers that listen on additional ports, which only their own processes and threads
 * can reach.
 */
import assert from "node:assert/strict";
import { until } from "../../../src/lib/_test_until.ts";
import { NODE_MAJOR } from "../../helpers/compute_server.ts";
import {
  createProject,
  deploy,
  type Files,
  type TestPlatform,
  withPlatform,
} from "../../helpers/platform.ts";

/** Returns the manifest for a server that is started by its entry file or by a command. */
const manifest = (command: string | undefined) => ({
  version: 1,
  layers: [{
    name: "app",
    target: "COMPUTE",
    directory: ".",
    entry: command === undefined ? "server.mjs" : "package.json",
    runtime: {
      engine: "node",
      nodeVersion: NODE_MAJOR,
      timeoutMs: 60_000,
      startTimeoutMs: 60_000,
      ...command === undefined ? {} : { command },
    },
  }],
  routes: [{ pattern: "^/.*$", layer: "app" }],
});

/**
 * Listens first on a random port, then on the port for requests. `/<way>` sends a request to the
 * first port.
 */
const SERVER = `
import { execFile, fork } from "node:child_process";
import http from "node:http";
import http2 from "node:http2";
import net from "node:net";
import { existsSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { Worker } from "node:worker_threads";

const say = async (socket) => {
  socket.end("ahoy");
  let text = "";
  for await (const chunk of socket) text += chunk;
  return text;
};
const until = (emitter, event) => new Promise((resolve, reject) =>
  emitter.once(event, resolve).once("error", reject));
const echoAt = async (name) => {
  const file = join(tmpdir(), name);
  const server = net.createServer((socket) => socket.pipe(socket)).listen(file);
  await until(server, "listening");
  return { file, server };
};
const inside = http.createServer((request, response) => {
  let body = "";
  request.on("data", (chunk) => body += chunk).on("end", () =>
    response.end("inside " + request.url + " " + body.length + " " + request.socket.remoteAddress));
}).listen(0, "127.0.0.1");
await until(inside, "listening");
const { port, address, family } = inside.address();

const streams = http2.createServer((_, response) => response.end("h2")).listen(0);
const echo = net.createServer((socket) => socket.pipe(socket)).listen(9464, "0.0.0.0");
await Promise.all([until(streams, "listening"), until(echo, "listening")]);

const inThread = (code) => new Promise((resolve, reject) =>
  new Worker(code, { eval: true, workerData: port }).on("message", resolve).on("error", reject));

const ways = {
  address: () => [address, family, port > 49151, port !== Number(process.env.PORT)].join(),
  fetch: async () => await (await fetch("http://127.0.0.1:" + port + "/f")).text(),
  name: async () => await (await fetch("http://localhost:" + port + "/n")).text(),
  v6: async () => await (await fetch("http://[::1]:" + port + "/6")).text(),
  large: async () => await (await fetch("http://127.0.0.1:" + port + "/l", { method: "POST", body: "x".repeat(5e6) })).text(),
  many: async () => new Set(await Promise.all(Array.from({ length: 50 }, async () =>
    (await fetch("http://127.0.0.1:" + port + "/m")).status))).size,
  http2: () => new Promise((resolve, reject) => {
    const client = http2.connect("http://localhost:" + streams.address().port).on("error", reject);
    let text = "";
    client.request({ ":path": "/" }).on("data", (chunk) => text += chunk)
      .on("end", () => { client.close(); resolve(text); }).end();
  }),
  echo: async () => {
    return await say(net.connect(9464, "127.0.0.1"));
  },
  thread: () => inThread(\`
    const { parentPort, workerData } = require("node:worker_threads");
    fetch("http://127.0.0.1:" + workerData + "/t").then((a) => a.text()).then((t) => parentPort.postMessage(t));\`),
  threadListens: async () => {
    const port = await inThread(\`
      const server = require("node:http").createServer((_, r) => r.end("thread")).listen(0, () =>
        require("node:worker_threads").parentPort.postMessage(server.address().port));\`);
    return await (await fetch("http://127.0.0.1:" + port)).text();
  },
  closed: async () => {
    const server = http.createServer().listen(0);
    await until(server, "listening");
    const { port } = server.address();
    server.close();
    return await fetch("http://127.0.0.1:" + port).catch((error) => error.cause.code);
  },
  taken: async () => {
    const code = await until(http.createServer().listen(9464), "listening").catch((error) => error.code);
    return code;
  },
  child: async () => (await promisify(execFile)(process.execPath, ["-e",
    'fetch("http://127.0.0.1:" + process.argv[1] + "/c").then((a) => a.text()).then(console.log)', port])).stdout.trim(),
  childListens: async () => {
    const child = fork("./child.cjs");
    const port = await until(child, "message");
    const text = await (await fetch("http://127.0.0.1:" + port)).text();
    child.kill();
    return text;
  },
  named: async () => {
    const { file, server } = await echoAt("echo.sock");
    const second = await until(net.createServer().listen(file), "listening").catch((error) => error.code);
    const shown = [server.address() === file, existsSync(file), second];
    const texts = [await say(net.connect(file)), await say(net.connect({ path: file }))];
    await new Promise((resolve) => server.close(resolve));
    return [...shown, ...texts, existsSync(file)].join();
  },
  childNamed: async () => {
    const { file } = await echoAt("child.sock");
    const child = execFile(process.execPath, ["-e",
      'require("node:net").connect(process.argv[1]).end("ahoy").pipe(process.stdout)', file]);
    let text = "";
    for await (const chunk of child.stdout) text += chunk;
    return text;
  },
  nowhere: () => until(net.createServer().listen("/none/a.sock"), "listening").catch((error) => error.code),
  port: () => port,
};

http.createServer(async (request, response) => {
  try {
    response.end(String(await ways[request.url.slice(1)]()));
  } catch (error) {
    response.end("failed: " + (error.cause?.code ?? error.code ?? error.message));
  }
}).listen(process.env.PORT);
`;

const FILES: Files = {
  "server.mjs": SERVER,
  "child.cjs": `
const server = require("node:http").createServer((_, response) => response.end("child"))
  .listen(0, "127.0.0.1", () => process.send(server.address().port));`,
  "package.json": JSON.stringify({
    name: "shop",
    private: true,
    scripts: { start: "node server.mjs" },
  }),
};

const EXPECTED: Readonly<Record<string, string>> = {
  address: "127.0.0.1,IPv4,true,true",
  fetch: "inside /f 0 127.0.0.1",
  name: "inside /n 0 127.0.0.1",
  v6: "inside /6 0 127.0.0.1",
  large: "inside /l 5000000 127.0.0.1",
  many: "1",
  http2: "h2",
  echo: "ahoy",
  thread: "inside /t 0 127.0.0.1",
  threadListens: "thread",
  closed: "ECONNREFUSED",
  taken: "EADDRINUSE",
  named: "true,true,EADDRINUSE,ahoy,ahoy,false",
  nowhere: "ENOENT",
};

const OF_PROCESSES: Readonly<Record<string, string>> = {
  child: "inside /c 0 127.0.0.1",
  childListens: "child",
  childNamed: "ahoy",
};

async function deployServer(
  platform: TestPlatform,
  project: string,
  { files, command }: { readonly files: Files; readonly command?: string },
): Promise<string> {
  const { id } = await deploy(platform, project, {
    files,
    manifest: manifest(command),
    prod: true,
  });
  return id;
}

/** Another server, which sends requests to a port on this machine. */
const STRANGER = `
import { createServer } from "node:http";
createServer(async (request, response) => {
  const code = await fetch("http://127.0.0.1:" + request.url.slice(1)).then((a) => a.text(), (error) => error.cause.code);
  response.end(String(code));
}).listen(process.env.PORT);
`;

Deno.test("a server can open additional ports that only its processes can reach", async (t) => {
  await withPlatform(async (platform) => {
    for (const [project, command] of [["shop", undefined], ["scripted", "npm start"]] as const) {
      await createProject(platform, project);
      await deployServer(platform, project, { files: FILES, ...command && { command } });
      const ask = async (way: string) =>
        (await platform.get(`${project}.localhost`, `/${way}`)).text;
      const ways = command === undefined ? EXPECTED : { ...EXPECTED, ...OF_PROCESSES };
      for (const [way, expected] of Object.entries(ways)) {
        await t.step(`${project}: ${way}`, async () => assert.equal(await ask(way), expected));
      }
    }
    await t.step("other servers and programs on the machine cannot connect", async () => {
      await createProject(platform, "stranger");
      await deployServer(platform, "stranger", { files: { "server.mjs": STRANGER } });
      for (const port of [(await platform.get("shop.localhost", "/port")).text, "9464"]) {
        const seen = await platform.get("stranger.localhost", `/${port}`);
        assert.equal(seen.text, "ECONNREFUSED");
        await assert.rejects(
          Deno.connect({ hostname: "127.0.0.1", port: Number(port) }),
          Deno.errors.ConnectionRefused,
        );
      }
    });
  });
});

interface Other {
  readonly name: string;
  readonly server: string;
  readonly answer: string;
  readonly logged: RegExp;
}

const listen = (port: string | number, says: string): string =>
  `require("node:http").createServer((_, r) => r.end("${says}")).listen(${port});`;

const OTHERS: readonly Other[] = [
  {
    name: "a metrics port that opens long before $PORT",
    server: `${listen(9464, "metrics")} setTimeout(() => { ${
      listen("process.env.PORT", "server")
    } }, 2500)`,
    answer: "server",
    logged: /^The server also listens on port 9464, which only its own processes can reach/,
  },
  {
    name: "a port other than $PORT",
    server: listen(0, "any"),
    answer: "any",
    logged: /^The server listens on port \d+, not on \$PORT/,
  },
];

Deno.test("requests go to $PORT as soon as a process listens there", async (t) => {
  await withPlatform(async (platform) => {
    await createProject(platform, "shop");
    for (const { name, server, answer, logged } of OTHERS) {
      await t.step(name, async () => {
        const id = await deployServer(platform, "shop", {
          files: { "server.cjs": server, "package.json": "{}" },
          command: "node server.cjs",
        });
        await until(
          async () => (await platform.get("shop.localhost", "/")).text,
          (text) => text === answer,
        );
        const query = `/v1/projects/shop/logs?deploymentId=${id}`;
        const { json } = await platform.api("GET", query);
        const lines = json.items.map(({ message }: { readonly message: string }) => message);
        assert.ok(lines.some((line: string) => logged.test(line)), lines.join("\n"));
      });
    }
  });
});
