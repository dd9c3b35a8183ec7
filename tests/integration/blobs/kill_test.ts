/**
 * Clients write objects while the platform is killed: what was acknowledged is there afterwards.
 * `BLOB_ROUNDS=100` kills it that often.
 */
import assert from "node:assert/strict";
import { join } from "node:path";
import { AwsClient } from "aws4fetch";
import { createProject, start, type TestPlatform } from "../../helpers/platform.ts";
import { inTestFolder } from "../../../src/lib/_test_folder.ts";

/** Deno's types and those of the package differ in their bodies. */
type AwsRequestInit = Parameters<AwsClient["sign"]>[1];

const ROUNDS = Number(Deno.env.get("BLOB_ROUNDS") ?? 3);
const WRITERS = 4;
const KEYS = 5;
const PART = 5 * 1024 ** 2;

/** The content of a key, or that it has none. */
type Value = string | undefined;

/** What each key may hold: what was acknowledged last, and what was sent after that. */
class Ledger {
  readonly #possible = new Map<string, readonly Value[]>();

  async write(key: string, value: Value, send: () => Promise<Response>): Promise<void> {
    this.#possible.set(key, [...this.#possible.get(key) ?? [undefined], value]);
    const response = await send();
    await response.text();
    if (!response.ok) throw new Error(`${key}: ${response.status}`);
    this.#possible.set(key, [value]);
  }

  async check(read: (key: string) => Promise<Value>): Promise<number> {
    for (const [key, possible] of this.#possible) {
      const found = await read(key);
      assert.ok(possible.includes(found), `${key} has ${found?.slice(0, 40)}`);
      this.#possible.set(key, [found]);
    }
    return this.#possible.size;
  }
}

type Send = (path: string, init?: RequestInit) => Promise<Response>;

async function uploadInParts(send: Send, key: string, value: string): Promise<Response> {
  const begun = await (await send(`${key}?uploads`, { method: "POST" })).text();
  const [, id] = /<UploadId>([^<]+)</.exec(begun)!;
  const parts: string[] = [];
  for (const [index, body] of [value.slice(0, PART), value.slice(PART)].entries()) {
    const path = `${key}?partNumber=${index + 1}&uploadId=${id}`;
    const { headers } = await send(path, { method: "PUT", body });
    const tag = headers.get("etag");
    parts.push(`<Part><PartNumber>${index + 1}</PartNumber><ETag>${tag}</ETag></Part>`);
  }
  const body = `<CompleteMultipartUpload>${parts.join("")}</CompleteMultipartUpload>`;
  return await send(`${key}?uploadId=${id}`, { method: "POST", body });
}

/** Writes until the platform is gone. */
async function writeAll(send: Send, ledger: Ledger, writer: number, round: number) {
  try {
    for (let turn = 0;; turn++) {
      const key = `w${writer}/k${turn % KEYS}`;
      const value = `${round} ${turn} `.repeat(turn % 3 === 0 ? 20_000 : 3);
      if (turn % 7 === 6) {
        await ledger.write(key, undefined, () => send(key, { method: "DELETE" }));
      } else if (turn % 11 === 10) {
        const large = value.padEnd(PART + 10, "x");
        await ledger.write(key, large, () => uploadInParts(send, key, large));
      } else await ledger.write(key, value, () => send(key, { method: "PUT", body: value }));
    }
  } catch (error) {
    // The connection to a platform that was killed.
    if (!(error instanceof TypeError)) throw error;
  }
}

Deno.test("what was acknowledged outlives kills", () =>
  inTestFolder(async (folder) => {
    const data = join(folder, "data");
    let platform = await start(data);
    await createProject(platform, "shop");
    const path = "/v1/projects/shop/blobs/credentials";
    const { json: key } = await platform.api("POST", path, { json: { name: "ledger" } });
    const client = new AwsClient({
      accessKeyId: key.id,
      secretAccessKey: key.secret,
      ...{ region: key.region, service: "s3", retries: 0 },
    });
    const sendTo = ({ port }: TestPlatform): Send => (path, init) =>
      client.fetch(`http://localhost:${port}/s3/production/${path}`, init as AwsRequestInit);
    const ledger = new Ledger();
    for (let round = 0; round < ROUNDS; round++) {
      const { pid } = platform as TestPlatform & { readonly pid: number };
      const writers = Array.from(
        { length: WRITERS },
        (_, writer) => writeAll(sendTo(platform), ledger, writer, round),
      );
      await Promise.race([
        Promise.all(writers),
        new Promise((resolve) => setTimeout(resolve, 500 + Math.random() * 1500)),
      ]);
      Deno.kill(pid, "SIGKILL");
      await Promise.all(writers);
      await platform.finished;
      await platform.shutdown().catch(() => {});
      platform = await start(data);
      const send = sendTo(platform);
      const count = await ledger.check(async (key) => {
        const response = await send(key);
        const text = await response.text();
        assert.ok(response.ok || response.status === 404, text);
        return response.ok ? text : undefined;
      });
      assert.ok(count > 0);
    }
    await platform.shutdown();
  }));
