/** Uses live deployments' queues on a real platform with a real server. */
import assert from "node:assert/strict";
import { Buffer } from "node:buffer";
import { createHmac } from "node:crypto";
import type { Queue, QueueMessage } from "../../../src/contract/queues.ts";
import { until } from "../../../src/lib/_test_until.ts";
import { deployServer, FILES, MANIFEST } from "../../helpers/compute_site.ts";
import {
  createProject,
  rawRequest,
  type TestPlatform,
  withPlatform,
} from "../../helpers/platform.ts";
import { runTool } from "../../helpers/tool.ts";
import { publish, rule } from "../../helpers/upstreams.ts";

const HOST = "shop.localhost";

/** A server that remembers its messages and also sends some itself. */
const SERVER = `
import { createServer } from "node:http";
const { SVC_QUEUE_URL: url, SVC_QUEUE_TOKEN: token, SVC_QUEUE_SECRET: secret } = process.env;
const seen = [];
let [running, most, broken] = [0, 0, true];
const bodyOf = async (request) => {
  const chunks = [];
  for await (const chunk of request) chunks.push(chunk);
  return Buffer.concat(chunks);
};
createServer(async (request, response) => {
  const { pathname, search } = new URL(request.url, "http://x");
  const body = await bodyOf(request);
  if (pathname === "/seen") return response.end(JSON.stringify({ seen, most, secret }));
  if (pathname === "/mend") return response.end(String(broken = false));
  if (pathname === "/send") {
    const sent = await fetch(url + search.slice(1), {
      method: "POST",
      headers: { authorization: "Bearer " + token, "content-type": "application/json" },
      body,
    });
    response.statusCode = sent.status;
    return response.end(await sent.text());
  }
  if (!pathname.startsWith("/jobs/")) return response.end("here");
  most = Math.max(most, ++running);
  await new Promise((resolve) => setTimeout(resolve, 5));
  running--;
  seen.push({ path: pathname, headers: request.headers, body: body.toString("base64") });
  if (pathname === "/jobs/broken" && broken) response.statusCode = 503;
  response.end("done");
}).listen(Number(process.env.PORT), process.env.HOST);
`;

const manifest = {
  ...MANIFEST,
  queues: [
    { name: "mails", path: "/jobs/mails", concurrency: 2 },
    { name: "broken", path: "/jobs/broken", retries: 0 },
  ],
};

interface Seen {
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

const at = (queue: string, rest = "messages") => `/v1/projects/shop/queues/${queue}/${rest}`;

async function seenBy(platform: TestPlatform) {
  const { body } = await platform.get(HOST, "/seen");
  return JSON.parse(body.toString()) as { seen: Seen[]; most: number; secret: string };
}

async function countsOf(platform: TestPlatform, name: string): Promise<Queue | undefined> {
  const { json } = await platform.api("GET", "/v1/projects/shop/queues");
  return (json.items as Queue[]).find((queue) => queue.name === name);
}

const send = (platform: TestPlatform, queue: string, json: Record<string, unknown>) =>
  platform.api("POST", at(queue), { json });

const text = ({ body }: Seen): string => Buffer.from(body, "base64").toString();

function isSigned({ headers, body }: Seen, secret: string): boolean {
  const signed = createHmac("sha256", Buffer.from(secret.slice("whsec_".length), "base64"))
    .update(`${headers["webhook-id"]}.${headers["webhook-timestamp"]}.`)
    .update(Buffer.from(body, "base64")).digest("base64");
  return headers["webhook-signature"] === `v1,${signed}`;
}

Deno.test("a queue delivers messages from servers and the API, and visitors cannot reach its route", () =>
  withPlatform(async (platform) => {
    await createProject(platform, "shop");
    await deployServer(platform, "shop", { server: SERVER, manifest });
    const post = (path: string, body: string) =>
      rawRequest(platform.port, { method: "POST", host: HOST, path, body });
    const local = (query: string, body: string) => post(`/send?${query}`, body);

    // Sends messages through the API, from a server, and in order with a key.
    const first = await send(platform, "mails", { body: '{"to":"ada"}', id: "order-1" });
    assert.equal(first.status, 201, JSON.stringify(first.json));
    const again = await send(platform, "mails", { body: '{"to":"ada"}', id: "order-1" });
    assert.deepEqual(again.json, { id: first.json.id, isDuplicate: true });
    const large = "é".repeat(128 * 1024);
    const sent = await local("/mails/messages?key=large", large);
    assert.equal(sent.status, 201, sent.body.toString());
    for (let number = 0; number < 20; number++) {
      await send(platform, "mails", { body: String(number), key: "counted" });
    }
    await send(platform, "mails", { body: "later", delaySeconds: 86_400 });
    const { seen, most, secret } = await until(
      () => seenBy(platform),
      ({ seen }) => seen.length >= 22,
    );
    assert.equal(seen.length, 22);
    assert.ok(most <= 2, `${most} deliveries at the same time`);
    assert.ok(seen.every((each) => isSigned(each, secret)));
    const mail = seen.find((each) => text(each) === '{"to":"ada"}')!;
    assert.equal(mail.headers["webhook-id"], first.json.id);
    assert.equal(mail.headers["content-type"], "application/json");
    assert.equal(mail.headers["x-svc-queue"], "mails");
    assert.equal(mail.headers["x-svc-attempt"], "1");
    const counted = seen.filter(({ headers }) => headers["x-svc-key"] === "counted").map(text);
    assert.deepEqual(counted, Array.from({ length: 20 }, (_, number) => String(number)));
    assert.ok(text(seen.find(({ headers }) => headers["x-svc-key"] === "large")!) === large);
    const settled = await until(
      () => countsOf(platform, "mails"),
      (queue) => queue?.done === 22 && queue.running === 0,
    );
    assert.deepEqual([settled!.waiting, settled!.dead], [1, 0]);

    // Requests from visitors are rejected at every variant of the route's path.
    for (const path of ["/jobs/mails", "/jobs/mails/", "/JOBS/mails", "/jobs//%6dails?x=1"]) {
      const { status } = await platform.get(HOST, path, { "x-svc-queue": "mails" });
      assert.equal(status, 403, path);
    }
    assert.equal((await post("/jobs/mails", "{}")).status, 403);
    assert.equal((await seenBy(platform)).seen.length, 22);

    // A message becomes a dead letter and is then returned to the queue.
    await send(platform, "broken", { body: "lost" });
    await until(() => countsOf(platform, "broken"), (queue) => queue?.dead === 1);
    const { json: page } = await platform.api("GET", at("broken"));
    const [letter] = page.items as QueueMessage[];
    assert.deepEqual(
      [letter!.state, letter!.preview, letter!.lastReason, letter!.attempts],
      ["dead", "lost", "The server responded with 503", 1],
    );
    await platform.get(HOST, "/mend");
    assert.deepEqual((await platform.api("POST", at("broken", "retry"), { json: {} })).json, {
      retried: 1,
      hasMore: false,
    });
    await until(() => countsOf(platform, "broken"), (queue) => queue?.done === 1);
    const { json: waiting } = await platform.api("GET", `${at("mails")}?state=waiting`);
    const [later] = waiting.items as QueueMessage[];
    const now = await platform.api("POST", `${at("mails")}/${later!.id}/retry`, { json: {} });
    assert.equal(now.status, 204);
    await until(() => seenBy(platform), ({ seen }) => seen.map(text).includes("later"));

    // Invalid messages are rejected.
    const refused: readonly (readonly [string, number, RegExp, string?])[] = [
      ["/other/messages", 404, /declares no queue "other"\. Its queues: mails, broken/],
      ["/mails/messages?delay=2592001", 400, /whole number of seconds from 0 to 2592000/],
      ["/mails/messages?delay=-1", 400, /whole number of seconds/],
      ["/mails/messages?at=tomorrow", 400, /Use a time such as/],
      ["/mails/messages?at=2126-01-01T00:00:00Z", 400, /at most 30 days from now/],
      [`/mails/messages?key=${"k".repeat(201)}`, 400, /a key of 1 to 200 characters/],
      ["/mails/messages?wait=1", 400, /wait/],
      ["/mails", 404, /Use \/v1\/queues/],
      ["/mails/messages", 413, /at most 262144 bytes/, "x".repeat(256 * 1024 + 1)],
    ];
    for (const [path, status, message, body = "x"] of refused) {
      const answer = await local(path, body);
      assert.equal(answer.status, status, path);
      assert.match(JSON.parse(answer.body.toString()).error, message);
    }
    assert.equal((await send(platform, "other", { body: "x" })).status, 404);
    assert.equal((await send(platform, "mails", { body: "x", delaySeconds: -1 })).status, 400);

    // The CLI's commands send, list and change messages.
    const options = { port: platform.port, home: platform.dataDir };
    const tool = (...args: string[]) =>
      runTool(["queues", ...args, "--project-id", "shop"], options);
    await tool("send", "mails", "by hand", "--type", "text/plain", "--delay", "3600");
    const { queue, messages } = await tool("show", "mails", "--state", "waiting");
    assert.equal((queue as Queue).waiting, 1);
    assert.equal((messages as QueueMessage[])[0]!.preview, "by hand");
    assert.deepEqual(await tool("purge", "mails", "--state", "waiting", "--force"), {
      queue: "mails",
      state: "waiting",
      removed: 1,
    });
    assert.deepEqual(await tool("retry", "broken"), { queue: "broken", retried: 0 });
    const { queues } = await tool("list");
    assert.deepEqual((queues as Queue[]).map(({ name, waiting }) => [name, waiting]), [
      ["broken", 0],
      ["mails", 0],
    ]);
  }));

/** Sends a message with the arguments in the request body, and reports errors. */
const SENDER = `export default async (request, { queue }) => {
  try {
    return Response.json(await queue.send(...await request.json()));
  } catch (error) {
    return Response.json({ threw: error.message }, { status: 400 });
  }
};`;

Deno.test("a function sends messages with context.queue", () =>
  withPlatform(async (platform) => {
    await createProject(platform, "shop");
    await publish(platform, "shop", {
      manifest,
      files: { ...FILES, "server/entry.mjs": SERVER },
      functions: { sender: SENDER },
      rules: [rule("sender", { type: "pipeline", steps: [{ handle: "sender" }] }, "/send")],
    });
    const call = async (...given: unknown[]) => {
      const { body } = await rawRequest(platform.port, {
        ...{ method: "POST", host: HOST, path: "/send", body: JSON.stringify(given) },
      });
      return JSON.parse(body.toString());
    };
    const { id } = await call("mails", { to: "ada" }, { key: "ada", id: "order-1" });
    assert.deepEqual(await call("mails", { to: "ada" }, { id: "order-1" }), {
      id,
      isDuplicate: true,
    });
    await call("mails", "text");
    const { seen } = await until(() => seenBy(platform), ({ seen }) => seen.length === 2);
    const mail = seen.find(({ headers }) => headers["webhook-id"] === id)!;
    assert.deepEqual([text(mail), mail.headers["content-type"], mail.headers["x-svc-key"]], [
      '{"to":"ada"}',
      "application/json",
      "ada",
    ]);
    assert.deepEqual(seen.map(text).sort(), ["text", '{"to":"ada"}']);
    assert.match((await call("other", "x")).threw, /declares no queue "other"/);
    assert.match((await call("mails", "x", { delay: -1 })).threw, /whole number of seconds/);
    assert.match((await call("mails", "x".repeat(256 * 1024 + 1))).threw, /262144/);
  }));
