/**
 * Kills the platform with `kill -9` while messages are sent and delivered. Every acknowledged
 * message must be delivered, and messages with the same key must arrive in order. `QUEUE_ROUNDS`
 * sets the number of kills.
 */
import assert from "node:assert/strict";
import { join } from "node:path";
import { until } from "../../src/lib/_test_until.ts";
import { callApi, TOKEN, withSandbox } from "../helpers/sandbox.ts";

const ROUNDS = Number(Deno.env.get("QUEUE_ROUNDS") ?? 3);
const SENDERS = 6;
/** Minimum number of messages that are acknowledged in each round before the platform is killed. */
const EACH_ROUND = 40;

/** A server that stores each message in its key-value store before it responds. */
const SERVER = `
import { createServer } from "node:http";
const { SVC_KV_URL, SVC_KV_TOKEN, PORT, HOST } = process.env;
createServer(async (request, response) => {
  if (request.url !== "/jobs/count") return response.end("here");
  let text = "";
  for await (const chunk of request) text += chunk;
  const stored = await fetch(SVC_KV_URL + "/v1/value?key=" + text, {
    method: "PUT",
    headers: { authorization: "Bearer " + SVC_KV_TOKEN, "if-none-match": "*" },
    body: String(Date.now()),
  });
  response.statusCode = stored.ok || stored.status === 412 ? 200 : 500;
  response.end();
}).listen(Number(PORT), HOST);
`;

const MANIFEST = {
  version: 1,
  layers: [{ name: "app", target: "COMPUTE", directory: "server", entry: "server/entry.mjs" }],
  routes: [{ pattern: "^/.*$", layer: "app" }],
  queues: [{ name: "count", path: "/jobs/count", concurrency: 10, retries: 20 }],
};

interface Stored {
  readonly key: string;
  readonly version: string;
}

Deno.test("kill -9 loses no message acknowledged by a queue", () =>
  withSandbox(async (box) => {
    let platform = await box.start();
    await box.json(["init", "--name", "shop", "--create"]);
    await Deno.writeTextFile(join(box.site, "index.html"), "home");
    for (const folder of [".svc", "server"]) {
      await Deno.mkdir(join(box.site, folder), { recursive: true });
    }
    await Deno.writeTextFile(join(box.site, ".svc/manifest.json"), JSON.stringify(MANIFEST));
    await Deno.writeTextFile(join(box.site, "server/entry.mjs"), SERVER);
    await box.json(["deploy", "--prod", "--skip-build"]);

    const acknowledged = new Set<string>();
    /** Sends messages one after another. Each sender uses its own key. */
    async function sendUntilDead(sender: number, round: number): Promise<void> {
      try {
        for (let number = 0;; number++) {
          const body = `s${sender}-${String(round).padStart(3, "0")}-${
            String(number).padStart(5, "0")
          }`;
          const answer = await fetch(`${platform.url}/v1/projects/shop/queues/count/messages`, {
            method: "POST",
            headers: { authorization: `Bearer ${TOKEN}`, "content-type": "application/json" },
            body: JSON.stringify({ body, key: sender % 2 === 0 ? `sender ${sender}` : null }),
          });
          const text = await answer.text();
          assert.equal(answer.status, 201, text);
          acknowledged.add(body);
        }
      } catch (error) {
        // The platform has been killed, which ends the round.
        if (error instanceof assert.AssertionError) throw error;
      }
    }
    for (let round = 0; round < ROUNDS; round++) {
      const sending = Array.from({ length: SENDERS }, (_, sender) => sendUntilDead(sender, round));
      const wanted = acknowledged.size + EACH_ROUND + (round % 5) * 7;
      await until(() => acknowledged.size, (size) => size >= wanted, 120_000);
      await platform.kill();
      await Promise.all(sending);
      platform = await box.start();
    }
    const [queue] = await until(
      async () => (await callApi(box, "GET", "/v1/projects/shop/queues")).items,
      ([queue]: { waiting: number }[]) => queue?.waiting === 0,
      120_000,
    ) as unknown as { waiting: number; dead: number }[];
    assert.equal(queue!.dead, 0);

    const stored: Stored[] = [];
    let cursor: string | null = null;
    do {
      const page: { items: Stored[]; nextCursor: string | null } = await callApi(
        box,
        "GET",
        `/v1/projects/shop/kv?limit=1000${
          cursor === null ? "" : `&cursor=${encodeURIComponent(cursor)}`
        }`,
      );
      stored.push(...page.items);
      cursor = page.nextCursor;
    } while (cursor !== null);
    const seen = new Set(stored.map(({ key }) => key));
    assert.deepEqual([...acknowledged].filter((body) => !seen.has(body)), []);
    for (let sender = 0; sender < SENDERS; sender += 2) {
      const own = stored.filter(({ key }) => key.startsWith(`s${sender}-`));
      const inOrder = own.toSorted((one, other) => one.version < other.version ? -1 : 1);
      assert.deepEqual(inOrder.map(({ key }) => key), own.map(({ key }) => key).sort());
    }
  }));
