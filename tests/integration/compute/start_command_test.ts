/**
 * Starts servers with shell commands: through npm, in several processes, and on several ports, all
 * in the sandbox.
 */
import assert from "node:assert/strict";
import { NODE_MAJOR } from "../../helpers/compute_server.ts";
import { withDashboard } from "../../helpers/dashboard.ts";
import {
  create,
  createProject,
  deploy,
  type Files,
  type TestPlatform,
  upload,
  withPlatform,
} from "../../helpers/platform.ts";

const HOST = "shop.localhost";

type Scripts = Readonly<Record<string, string>>;

const packageJson = (scripts: Scripts): string =>
  JSON.stringify({ name: "shop", version: "1.2.3", private: true, type: "module", scripts });

const manifest = (runtime: Readonly<Record<string, unknown>>) => ({
  version: 1,
  layers: [{
    name: "app",
    target: "COMPUTE",
    directory: ".",
    entry: "package.json",
    runtime: {
      engine: "node",
      nodeVersion: NODE_MAJOR,
      timeoutMs: 60_000,
      startTimeoutMs: 60_000,
      ...runtime,
    },
  }],
  routes: [{ pattern: "^/.*$", layer: "app" }],
});

/** A server that responds with the values that its start script has set. */
const SERVER = `
import { createServer } from "node:http";
createServer((request, response) => {
  console.log("asked for " + request.url);
  if (request.url === "/crash") setTimeout(() => { throw new Error("broken on purpose") });
  else response.end(JSON.stringify({
    greeting: process.env.GREETING ?? null,
    prepared: globalThis.prepared ?? false,
    loud: process.argv.includes("--loud"),
    version: process.env.npm_package_version ?? null,
    options: process.env.NODE_OPTIONS ?? "",
  }));
}).listen(process.env.PORT);
`;

const FILES: Files = {
  "server.js": SERVER,
  "setup.js": "globalThis.prepared = true;",
  "plain.cjs":
    'require("node:http").createServer((_, r) => r.end("plain")).listen(process.env.PORT);',
};

interface Started {
  readonly name: string;
  readonly scripts: Scripts;
  readonly command?: string;
  readonly files?: Files;
  readonly runtime?: Readonly<Record<string, unknown>>;
  /** Expected parts of the response to `/`. */
  readonly answer: RegExp;
  /** A line in the server's log. */
  readonly logged?: RegExp;
}

const STARTED: readonly Started[] = [
  {
    name: "flags, variables, arguments and prestart",
    scripts: {
      prestart: "node -e \"require('fs').writeFileSync(require('os').tmpdir() + '/pre', 'yes')\"",
      start: "test -f $TMPDIR/pre && GREETING=hello node --import ./setup.js server.js --loud",
    },
    answer: /"greeting":"hello","prepared":true,"loud":true,"version":"1\.2\.3"/,
    logged: /^asked for \/$/,
  },
  {
    name: "a script that replaces NODE_OPTIONS",
    scripts: { start: "NODE_OPTIONS=--no-warnings sh -c 'node -r ./plain.cjs -e 0'" },
    answer: /^plain$/,
  },
  {
    name: "scripts that call scripts, and a command from the project's packages",
    scripts: { start: "npm run serve", serve: "greet hello" },
    files: {
      "node_modules/.bin/greet":
        "#!/usr/bin/env node\nprocess.env.GREETING = process.argv[2];\nimport('../../server.js');",
    },
    answer: /"greeting":"hello"/,
  },
  {
    name: "a process that the server starts",
    scripts: { start: "node parent.js" },
    files: {
      "parent.js": 'import { fork } from "node:child_process"; fork("./server.js", ["--loud"]);',
    },
    answer: /"loud":true/,
  },
  {
    name: "workers of a cluster",
    scripts: { start: "node cluster.js" },
    files: {
      "cluster.js": `
        import cluster from "node:cluster";
        if (cluster.isPrimary) { cluster.fork(); cluster.fork(); } else await import("./server.js");`,
    },
    answer: /"loud":false/,
  },
  {
    name: "a metrics port that opens before the server's",
    scripts: { start: "node metrics.js" },
    files: {
      "metrics.js": `
        import { createServer } from "node:http";
        createServer((_, response) => response.end("metrics")).listen(9464, () => import("./server.js"));`,
    },
    answer: /"loud":false/,
    logged: /^The server also listens on port 9464, which only its own processes can reach/,
  },
  {
    name: "a separate port",
    scripts: { start: "node fixed.js" },
    files: {
      "fixed.js":
        'import { createServer } from "node:http"; createServer((_, r) => r.end("fixed")).listen(8081, "127.0.0.1");',
    },
    answer: /^fixed$/,
    logged: /^The server listens on port 8081, not on \$PORT \(\d+\): requests are sent there$/,
  },
  {
    name: "a command without a package manager",
    scripts: {},
    command: "cd . && exec node server.js --loud | cat",
    answer: /"loud":true/,
  },
];

async function linesOf(platform: TestPlatform, deploymentId: string): Promise<readonly string[]> {
  const query = `deploymentId=${deploymentId}`;
  const { json } = await platform.api("GET", `/v1/projects/shop/logs?${query}`);
  return json.items.map(({ message }: { readonly message: string }) => message);
}

Deno.test("a start script runs as written", async (test) => {
  await withPlatform(async (platform) => {
    await createProject(platform, "shop");
    for (const { name, scripts, command = "npm start", runtime = {}, ...rest } of STARTED) {
      await test.step(name, async () => {
        const files = { ...FILES, ...rest.files, "package.json": packageJson(scripts) };
        const { id } = await deploy(platform, "shop", {
          files,
          manifest: manifest({ command, ...runtime }),
          prod: true,
        });
        const { text } = await platform.get(HOST, "/");
        assert.match(text, rest.answer);
        const { logged } = rest;
        if (logged === undefined) return;
        const lines = await linesOf(platform, id);
        assert.ok(lines.some((line) => logged.test(line)), lines.join("\n"));
      });
    }
  });
});

interface Failing {
  readonly name: string;
  readonly scripts?: Scripts;
  readonly server: string;
  readonly runtime?: Readonly<Record<string, unknown>>;
  /** The reason for the deployment's failure. */
  readonly error: RegExp;
  /** The last lines of the server's output. */
  readonly lines?: readonly string[];
}

const LISTEN = 'import { createServer } from "node:http"; const server = createServer(answer);' +
  "server.listen(process.env.PORT);";

const FAILING: readonly Failing[] = [
  {
    name: "a script that exits",
    server: 'for (let line = 1; line <= 25; line++) console.log("line " + line);',
    error:
      /The start command "npm start" exited \(code 0\) before a server listened: it must listen on process\.env\.PORT/,
    lines: Array.from({ length: 19 }, (_, index) => `line ${index + 7}`),
  },
  {
    name: "an error before the server listens",
    server: "throw new Error('no database');",
    error: /The start command "npm start" exited \(code 1\) before a server listened/,
    lines: ["Error: no database"],
  },
  {
    name: "a server that never listens",
    server: 'console.log("waiting"); setInterval(() => {}, 1000);',
    runtime: { startTimeoutMs: 8000 },
    error:
      /The server did not listen within 8 s: it must listen on process\.env\.PORT\. To allow more time, set start_timeout under \[server\]/,
    lines: ["waiting"],
  },
  {
    name: "a crash after the start",
    server: `${LISTEN} function answer() { setImmediate(() => { throw new Error("boom") }); }`,
    error: /it did not respond to GET \/: .*boom/,
  },
  {
    name: "a health path that returns a 500",
    server:
      `${LISTEN} function answer(_, r) { r.statusCode = 500; r.end(); console.log("not well"); }`,
    runtime: { startTimeoutMs: 5000, healthPath: "/healthz" },
    error:
      /GET \/healthz \(health_path\) responded with 500 for 5 s\. It must respond with 200 to 399/,
    lines: ["not well"],
  },
];

Deno.test("a server that does not start reports the reason with its last lines", async (test) => {
  await withDashboard(async ({ own: platform, ada }) => {
    await createProject(platform, "shop");
    for (
      const { name, server, scripts = { start: "node server.js" }, runtime, ...rest } of FAILING
    ) {
      await test.step(name, async () => {
        const files = { "server.js": server, "package.json": packageJson(scripts) };
        const described = manifest({ command: "npm start", ...runtime });
        const created = await create(platform, "shop", { files, manifest: described });
        await upload(platform, files);
        const path = `/v1/deployments/${created.json.deployment.id}/activate`;
        const { status, json } = await platform.api("POST", path);
        assert.equal(status, 409);
        assert.match(json.error, rest.error);
        const lines = json.problems.map(({ message }: { readonly message: string }) => message);
        assert.ok(lines.length <= 20, String(lines.length));
        for (const line of rest.lines ?? []) {
          assert.ok(lines.some((found: string) => found.startsWith(line)), lines.join("\n"));
        }
        const { id } = created.json.deployment;
        const { json: failed } = await platform.api("GET", `/v1/deployments/${id}`);
        assert.deepEqual([failed.status, failed.serverOutput], ["FAILED", lines]);
        const { html } = await ada.open(`/deployments/${id}`);
        assert.match(html, /Last server output/);
        assert.ok(html.includes(lines.at(-2).replaceAll('"', "&quot;").split("\n")[0]), html);
      });
    }
  });
});

/** A server whose child processes try actions that the sandbox forbids. */
const ATTACKS = `
import { execFileSync, spawnSync } from "node:child_process";
import { createServer } from "node:http";
import { readFileSync } from "node:fs";
const sh = (command) => {
  const { status, stdout } = spawnSync("/bin/sh", ["-c", command], { encoding: "utf8" });
  return { ok: status === 0, text: stdout.trim() };
};
const connect = (port) => spawnSync(process.execPath, ["-e",
  'require("node:net").connect(' + port + ', "127.0.0.1")' +
  '.on("connect", () => process.exit(0)).on("error", () => process.exit(1))']).status === 0;
createServer((request, response) => {
  const port = request.url.slice(1);
  response.end(JSON.stringify({
    shadow: sh("cat /etc/shadow").ok,
    home: sh("ls /root /home /data").ok,
    writes: sh("touch /app/x").ok,
    mounts: sh("mount -t tmpfs none /tmp").ok,
    namespaces: sh("unshare -U true").ok,
    kills: sh("kill -9 1 && sleep 0.1 && ! kill -0 1").ok,
    outside: sh("ls -d /proc/[0-9]*").text.split("\\n").length > 12,
    descriptors: sh("ls /proc/self/fd").text.split("\\n").length > 4,
    service: connect(port),
    listens: sh("node -e 'require(\\"net\\").createServer().listen({ path: \\"/tmp/x.sock\\" }, () => process.exit(require(\\"fs\\").statSync(\\"/tmp/x.sock\\").isSocket() ? 0 : 1))'").ok,
    variables: Object.keys(process.env).filter((name) => /token|secret|bootstrap/i.test(name) && !/^(?:SVC_KV|SVC_QUEUE|BLOBS|AWS)_/.test(name)),
  }));
}).listen(process.env.PORT);
`;

Deno.test("a start script's processes run in the sandbox and exit when it exits", async () => {
  await withPlatform(async (platform) => {
    await createProject(platform, "shop");
    await deploy(platform, "shop", {
      files: {
        "server.js": ATTACKS,
        "package.json": packageJson({ start: "sleep 987654 & node server.js" }),
      },
      manifest: manifest({ command: "npm start" }),
      prod: true,
    });
    using service = Deno.listen({ hostname: "127.0.0.1", port: 0 });
    const { text } = await platform.get(HOST, `/${service.addr.port}`);
    assert.deepEqual(JSON.parse(text), {
      shadow: false,
      home: false,
      writes: false,
      mounts: false,
      namespaces: false,
      kills: false,
      outside: false,
      descriptors: false,
      service: false,
      listens: false,
      variables: [],
    });
    assert.equal(await sleeping(), true);
  });
  assert.equal(await sleeping(), false);
});

/** Returns whether the process that the script has left behind is still running. */
async function sleeping(): Promise<boolean> {
  for await (const { name } of Deno.readDir("/proc")) {
    const line = await Deno.readTextFile(`/proc/${name}/cmdline`).catch(() => "");
    if (line.replaceAll("\x00", " ").trim() === "sleep 987654") return true;
  }
  return false;
}
