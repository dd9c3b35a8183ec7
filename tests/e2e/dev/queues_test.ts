/**
 * Uses a project's queues in `svc dev`. The project's server must receive messages as it would on a
 * platform.
 */
import assert from "node:assert/strict";
import { Buffer } from "node:buffer";
import { createHmac } from "node:crypto";
import { join } from "node:path";
import { inTestFolder } from "../../../src/lib/_test_folder.ts";
import { until } from "../../../src/lib/_test_until.ts";
import { type Served, startServing } from "../../helpers/dev_program.ts";
import { testNeeding } from "../../helpers/empty_root.ts";

const test = testNeeding("sh", "node");

/** A server that remembers its messages, fails on demand, and sends a message when it starts. */
const SERVER = `
import { createServer } from "node:http";
const { SVC_QUEUE_URL, SVC_QUEUE_TOKEN, SVC_QUEUE_SECRET: secret, PORT } = process.env;
const seen = [];
let [running, most] = [0, 0];
const send = (query, body) => fetch(SVC_QUEUE_URL + query, {
  method: "POST",
  headers: { authorization: "Bearer " + SVC_QUEUE_TOKEN, "content-type": "text/plain" },
  body,
});
createServer(async (request, response) => {
  const { pathname, search } = new URL(request.url, "http://x");
  const chunks = [];
  for await (const chunk of request) chunks.push(chunk);
  const body = Buffer.concat(chunks).toString();
  if (pathname === "/seen") return response.end(JSON.stringify({ seen, most, secret }));
  if (pathname === "/send") {
    const sent = await send(search.slice(1), body);
    response.statusCode = sent.status;
    return response.end(await sent.text());
  }
  most = Math.max(most, ++running);
  await new Promise((resolve) => setTimeout(resolve, 10));
  running--;
  const { headers } = request;
  seen.push({ path: pathname, body, headers, time: Date.now() });
  if (body === "flaky" && headers["x-svc-attempt"] === "1") response.statusCode = 503;
  if (pathname === "/jobs/broken") response.statusCode = 500;
  response.end();
}).listen(PORT);
await send("/mails/messages", "started");
`;

const CONFIG = `[dev]
command = "node server.mjs"
[[queues]]
name = "mails"
path = "/jobs/mails"
concurrency = 2
[[queues]]
name = "broken"
path = "/jobs/broken"
retries = 0
`;

const RULES = `schemaVersion = "EDGE_RULE_SET_V1"
[[rules]]
id = "ask"
condition = { path = { type = "exact", value = "/ask" } }
action = { type = "pipeline", steps = [{ handle = "ask" }] }
`;

const FUNCTION = `export default async (request, { queue }) =>
  Response.json(await queue.send("mails", await request.text(), { key: "asked", delay: 1 }));`;

interface Delivered {
  readonly path: string;
  readonly body: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly time: number;
}

async function withDev(work: (dev: Served) => Promise<void>): Promise<void> {
  await inTestFolder(async (folder) => {
    await Deno.mkdir(join(folder, "functions"));
    const files = {
      "svc.toml": CONFIG,
      "svc.rules.toml": RULES,
      "server.mjs": SERVER,
      "functions/ask.js": FUNCTION,
    };
    for (const [name, text] of Object.entries(files)) {
      await Deno.writeTextFile(join(folder, name), text);
    }
    const dev = await startServing(["dev", "--port", "0"], { cwd: folder });
    try {
      await work(dev);
    } finally {
      assert.equal(await dev.end(), 0, dev.lines.join("\n"));
    }
  });
}

async function post(dev: Served, path: string, body: string) {
  const response = await fetch(`http://127.0.0.1:${dev.port}${path}`, { method: "POST", body });
  return { status: response.status, text: await response.text() };
}

async function seenBy(dev: Served) {
  const response = await fetch(`http://127.0.0.1:${dev.port}/seen`);
  return await response.json() as { seen: Delivered[]; most: number; secret: string };
}

/** Waits until the server has received `count` messages. */
const whenSeen = (dev: Served, count: number) =>
  until(() => seenBy(dev), ({ seen }) => seen.length >= count, 30_000);

function isSigned({ headers, body }: Delivered, secret: string): boolean {
  const signed = createHmac("sha256", Buffer.from(secret.slice("whsec_".length), "base64"))
    .update(`${headers["webhook-id"]}.${headers["webhook-timestamp"]}.${body}`).digest("base64");
  return headers["webhook-signature"] === `v1,${signed}`;
}

test("dev delivers messages from servers and functions signed and in order, and retries them", () =>
  withDev(async (dev) => {
    await whenSeen(dev, 1);
    const asked = Date.now();
    const sent = await post(dev, "/ask", "from a function");
    assert.equal(sent.status, 200, sent.text);
    for (let number = 0; number < 10; number++) {
      const { status, text } = await post(dev, "/send?/mails/messages", String(number));
      assert.equal(status, 201, text);
    }
    await post(dev, "/send?/mails/messages?key=a", "flaky");
    await post(dev, "/send?/mails/messages?key=a", "behind");
    const { seen, most, secret } = await whenSeen(dev, 15);
    assert.ok(seen.every((each) => each.path === "/jobs/mails" && isSigned(each, secret)));
    assert.ok(most <= 2, `${most} deliveries at the same time`);
    assert.equal(seen[0]!.body, "started");
    const ofKey = (key: string) => seen.filter(({ headers }) => headers["x-svc-key"] === key);
    assert.deepEqual(
      ofKey("a").map(({ body, headers }) => `${body} ${headers["x-svc-attempt"]}`),
      ["flaky 1", "flaky 2", "behind 1"],
    );
    const [delayed] = ofKey("asked");
    assert.equal(delayed!.body, "from a function");
    assert.ok(
      delayed!.time - asked >= 1000,
      "the message is delivered after its delay of a second",
    );
    await dev.said(/^Queue mails: attempt 1 delivered a message$/);
    await dev.said(/^Queue mails: attempt 1 failed\. Retrying in \d s\. .*responded with 503$/);
    await dev.said(/^Queue mails: attempt 2 delivered a message$/);
  }));

test("dev reports a message's last attempt, and refuses queues that do not exist", () =>
  withDev(async (dev) => {
    await whenSeen(dev, 1);
    await post(dev, "/send?/broken/messages", "lost");
    await dev.said(/^Queue broken: attempt 1 failed\. It was the last one\. .*responded with 500$/);
    const unknown = await post(dev, "/send?/news/messages", "");
    assert.equal(unknown.status, 404);
    assert.match(unknown.text, /The project has no queue .*Declare it as \[\[queues\]\]/);
    assert.equal((await post(dev, "/send?/mails/messages?delay=no", "")).status, 400);
    assert.equal((await post(dev, "/jobs/mails", "forged")).status, 403);
    assert.deepEqual((await seenBy(dev)).seen.map(({ body }) => body), ["started", "lost"]);
  }));
