/** Runs `svc dev` as a process, in front of a dev server. */
import { inTestFolder } from "../../../src/lib/_test_folder.ts";
import assert from "node:assert/strict";
import { join } from "node:path";
import { until } from "../../../src/lib/_test_until.ts";
import { unusedPort } from "../../../src/lib/unused_port.ts";
import { isRunning, type Served, startServing } from "../../helpers/dev_program.ts";
import { testNeeding } from "../../helpers/empty_root.ts";

const test = testNeeding("sh", "node");

/**
 * A dev server that responds with the request that it has received. The dev server starts child
 * processes, one of them in a separate session.
 */
const SERVER = `
import { createServer } from "node:http";
import { createHash } from "node:crypto";
import { spawn } from "node:child_process";
const idle = ["-e", "setInterval(() => {}, 1000)"];
const child = spawn(process.execPath, idle);
const stray = spawn(process.execPath, idle, { detached: true, stdio: "ignore" });
const { PORT, SVC_KV_URL, SVC_KV_TOKEN, SMTP_URL } = process.env;
const kv = (method, body) => fetch(SVC_KV_URL + "/v1/value?key=boat", {
  method, body, headers: { authorization: "Bearer " + SVC_KV_TOKEN },
});
createServer(async (request, response) => {
  const { url, headers, method } = request;
  if (url === "/crash") process.exit(7);
  if (url === "/home") {
    response.writeHead(302, {
      location: "http://localhost:" + PORT + "/there",
      "set-cookie": "a=1; Path=/",
    });
    return response.end();
  }
  if (url === "/keep") await kv("PUT", "Kestrel");
  const boat = await kv("GET").then((answer) => answer.text());
  response.setHeader("content-type", "application/json");
  response.end(JSON.stringify({
    url, method, host: headers.host, boat, smtp: SMTP_URL, children: [child.pid, stray.pid],
    words: process.argv.slice(2),
  }));
}).on("upgrade", ({ headers }, socket) => {
  const accept = createHash("sha1")
    .update(headers["sec-websocket-key"] + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11").digest("base64");
  socket.on("error", () => {});
  socket.write("HTTP/1.1 101 Switching Protocols\\r\\nUpgrade: websocket\\r\\n" +
    "Connection: Upgrade\\r\\nSec-WebSocket-Accept: " + accept + "\\r\\n\\r\\n");
  socket.write(Buffer.from([0x81, 5, ...Buffer.from("ahoy!")]));
}).listen(PORT, () => console.log("up"));
`;

const RULES = (target: string) =>
  `schemaVersion = "EDGE_RULE_SET_V1"
[[rules]]
id = "old"
condition = { path = { type = "exact", value = "/old" } }
action = { type = "redirect", target = "${target}", statusCode = 301 }
[[rules]]
id = "germans"
condition = { path = { type = "exact", value = "/" }, geo = ["DE"] }
action = { type = "redirect", target = "/de", statusCode = 302 }
`;

async function withProject(test: (folder: string) => Promise<void>): Promise<void> {
  await inTestFolder(async (folder) => {
    await Deno.writeTextFile(join(folder, "server.mjs"), SERVER);
    await Deno.writeTextFile(join(folder, "svc.rules.toml"), RULES("/new"));
    const config = `[dev]\ncommand = "node server.mjs"\n` +
      `[dev.aliases]\nanchored = "node server.mjs anchored"\n`;
    await Deno.writeTextFile(join(folder, "svc.toml"), config);
    await test(folder);
  });
}

const ask = (dev: Pick<Served, "port">, path: string, init: RequestInit = {}) =>
  fetch(`http://127.0.0.1:${dev.port}${path}`, { redirect: "manual", ...init });

async function locationOf(dev: Served, path: string, init: RequestInit = {}) {
  const response = await ask(dev, path, init);
  await response.body?.cancel();
  return response.headers.get("location");
}

/** Returns the first message from the server's WebSocket. */
async function greetingOf(dev: Served): Promise<unknown> {
  const { promise, resolve, reject } = Promise.withResolvers<unknown>();
  const socket = new WebSocket(`ws://127.0.0.1:${dev.port}/socket`);
  socket.onmessage = ({ data }) => resolve(data);
  socket.onerror = () => reject(new Error("The WebSocket was refused"));
  const greeting = await promise;
  socket.close();
  return greeting;
}

const seen = async (dev: Served, path: string) => await (await ask(dev, path)).json();

test("dev runs the command behind the rules, which apply as soon as they are saved", () =>
  withProject(async (folder) => {
    const dev = await startServing(["dev", "--port", "0"], { cwd: folder });
    try {
      const { url, host, smtp } = await seen(dev, "/a?b=c");
      assert.deepEqual([url, host], ["/a?b=c", `127.0.0.1:${dev.port}`]);
      assert.match(smtp, /^smtp:\/\/127\.0\.0\.1:\d+$/);
      assert.equal(await locationOf(dev, "/old"), "/new");
      assert.match(await dev.said(/ \/old /), /^301 GET \/old .*rules: old$/);
      assert.match(await dev.said(/ \/a\?b=c /), /^200 GET \/a\?b=c \d+\.\d ms {2}\w+/);
      assert.equal(await greetingOf(dev), "ahoy!");
      // URLs that the server generates point to the browser's origin.
      const home = await ask(dev, "/home");
      await home.body?.cancel();
      assert.equal(home.headers.get("location"), `http://localhost:${dev.port}/there`);
      assert.equal(home.headers.get("set-cookie"), "a=1; Path=/");
      const from = dev.lines.length;
      await Deno.writeTextFile(join(folder, "svc.rules.toml"), RULES("/newer"));
      await dev.said(/2 rules are active/, from);
      assert.equal(await locationOf(dev, "/old"), "/newer");
      const broken = dev.lines.length;
      await Deno.writeTextFile(join(folder, "svc.rules.toml"), "nonsense");
      await dev.said(/Keeping the previous rules/, broken);
      assert.equal(await locationOf(dev, "/old"), "/newer");
      assert.equal(await locationOf(dev, "/", { headers: { "svc-dev": "country=de" } }), "/de");
      assert.equal(await locationOf(dev, "/", { headers: { "svc-dev": "country=FR" } }), null);
      const wrong = await ask(dev, "/", { headers: { "svc-dev": "planet=mars" } });
      assert.equal(wrong.status, 400);
      assert.match(await wrong.text(), /Cannot read "planet=mars"/);
    } finally {
      assert.equal(await dev.end(), 0, dev.lines.join("\n"));
    }
  }));

test("dev keeps the data that the code stores, and reports that its server has crashed", () =>
  withProject(async (folder) => {
    const start = ["dev", "--port", "0", "--country", "DE", "--alias", "anchored"];
    const first = await startServing(start, { cwd: folder });
    try {
      assert.equal(await locationOf(first, "/"), "/de");
      assert.deepEqual((await seen(first, "/words")).words, ["anchored"]);
      assert.equal((await seen(first, "/keep")).boat, "Kestrel");
    } finally {
      assert.equal(await first.end(), 0);
    }
    const dev = await startServing(["dev", "--port", "0"], { cwd: folder });
    try {
      const { boat, children } = await seen(dev, "/");
      assert.equal(boat, "Kestrel");
      await (await ask(dev, "/crash")).body?.cancel();
      await dev.said(/The dev server exited with code 7: node server\.mjs/);
      const answer = await ask(dev, "/");
      assert.equal(answer.status, 502);
      await answer.body?.cancel();
      assert.match(await dev.said(/^502 GET \/ /), /The dev server exited with code 7/);
      await until(() => !children.some(isRunning));
    } finally {
      assert.equal(await dev.end(), 0);
    }
  }));

test("dev shows its page only to this computer", () =>
  withProject(async (folder) => {
    const dev = await startServing(["dev", "--port", "0"], { cwd: folder });
    try {
      await seen(dev, "/<i>");
      const body = new FormData();
      body.set("message", "<b>hello</b>");
      body.set("plan", new File(["12345"], "plan.txt"));
      const accept = { accept: "application/json" };
      const sent = await ask(dev, "/_svc/forms/contact", { method: "POST", headers: accept, body });
      assert.deepEqual(await sent.json(), { ok: true });
      await dev.said(/Stored a submission to the form contact/);
      const kept = await Deno.readTextFile(join(folder, ".svc/data/forms/contact.ndjson"));
      const { form, fields, files } = JSON.parse(kept);
      assert.deepEqual({ form, fields, files }, {
        form: "contact",
        fields: [{ name: "message", value: "<b>hello</b>" }],
        files: [{ field: "plan", name: "plan.txt", size: 5 }],
      });
      const page = await ask(dev, "/__svc");
      const text = await page.text();
      assert.equal(page.status, 200);
      assert.match(text, /GET \/%3Ci%3E/);
      assert.match(text, /germans/);
      assert.match(text, /message: &lt;b&gt;hello&lt;\/b&gt;\nplan: plan\.txt, 5 B/);
      assert.match(
        page.headers.get("content-security-policy") ?? "",
        /^default-src 'none'; style-src 'nonce-\w+'/,
      );
      const refused: Record<string, string>[] = [
        { "sec-fetch-site": "cross-site" },
        { origin: "https://evil.example" },
      ];
      for (const headers of refused) {
        const response = await ask(dev, "/__svc", { headers });
        assert.equal(response.status, 403, JSON.stringify(headers));
        await response.body?.cancel();
      }
    } finally {
      assert.equal(await dev.end(), 0);
    }
  }));

for (const signal of ["SIGINT", "SIGTERM", "SIGHUP", "SIGKILL"] as const) {
  test(`dev leaves no process behind after ${signal}`, () =>
    withProject(async (folder) => {
      const start = ["dev", "--port", String(unusedPort())];
      const dev = await startServing(start, { cwd: folder });
      const { children } = await seen(dev, "/");
      assert.ok(children.every(isRunning));
      const code = await dev.end(signal);
      assert.equal(code, signal === "SIGKILL" ? 137 : 0, dev.lines.join("\n"));
      await until(() => !children.some(isRunning));
      // The port and the data are no longer in use.
      if (signal !== "SIGKILL") return;
      const again = await startServing(start, { cwd: folder });
      assert.equal((await seen(again, "/")).url, "/");
      await again.end();
    }));
}

test("dev runs for two projects at the same time, and a port in use is an error in JSON mode", () =>
  withProject((one) =>
    withProject(async (other) => {
      const first = await startServing(["dev", "--port", "0"], { cwd: one });
      const second = await startServing(["dev", "--port", "0"], { cwd: other });
      try {
        await seen(first, "/keep");
        assert.equal((await seen(first, "/")).boat, "Kestrel");
        assert.match((await seen(second, "/")).boat, /not_found/);
        await assert.rejects(
          startServing(["dev", "--port", String(first.port)], { cwd: other }),
          /The program is not ready/,
        );
      } finally {
        await Promise.all([first.end(), second.end()]);
      }
    })
  ));

Deno.test("dev calls functions in a project without files, and serves its first page", async () => {
  const folder = await Deno.makeTempDir({ prefix: "svc-dev-test-" });
  await Deno.mkdir(join(folder, "functions"));
  await Deno.writeTextFile(join(folder, "svc.toml"), `[build]\noutput_dirs = ["site"]\n`);
  await Deno.writeTextFile(
    join(folder, "functions", "hello.js"),
    `export default () => new Response("ahoy");`,
  );
  await Deno.writeTextFile(
    join(folder, "svc.rules.toml"),
    `schemaVersion = "EDGE_RULE_SET_V1"
[[rules]]
id = "hello"
condition = { path = { type = "exact", value = "/hello" } }
action = { type = "pipeline", steps = [{ handle = "hello" }] }
`,
  );
  const dev = await startServing(["dev", "--port", "0"], { cwd: folder });
  try {
    await dev.said(/Cannot find the output directory/);
    const text = async (path: string) => await (await ask(dev, path)).text();
    assert.equal(await text("/hello"), "ahoy");
    await Deno.mkdir(join(folder, "site"));
    await Deno.writeTextFile(join(folder, "site", "index.html"), "<p>Kestrel</p>");
    await until(() => text("/"), (page) => page === "<p>Kestrel</p>");
  } finally {
    assert.equal(await dev.end(), 0, dev.lines.join("\n"));
    await Deno.remove(folder, { recursive: true });
  }
});
