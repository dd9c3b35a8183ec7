/**
 * Kills the platform while clients write objects. Everything that was acknowledged must exist
 * afterwards. `BLOB_ROUNDS` sets the number of rounds, for example to 100.
 */
import assert from "node:assert/strict";
import { join } from "node:path";
import {
  bucketOf,
  createBlobKey,
  type SendToBucket,
  uploadInParts,
} from "../../helpers/blob_client.ts";
import { createProject, processOf, start } from "../../helpers/platform.ts";
import { inTestFolder } from "../../../src/lib/_test_folder.ts";

const ROUNDS = Number(Deno.env.get("BLOB_ROUNDS") ?? 3);
const WRITERS = 4;
const KEYS = 5;
const PART = 5 * 1024 ** 2;

/** A key's content; `undefined` if the key does not exist. */
type Value = string | undefined;

/** Each key's allowed values: the last acknowledged value, and the values that were sent later. */
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

/** Writes until the platform has stopped. */
async function writeAll(send: SendToBucket, ledger: Ledger, writer: number, round: number) {
  try {
    for (let turn = 0;; turn++) {
      const key = `w${writer}/k${turn % KEYS}`;
      const value = `${round} ${turn} `.repeat(turn % 3 === 0 ? 20_000 : 3);
      if (turn % 7 === 6) {
        await ledger.write(key, undefined, () => send(key, { method: "DELETE" }));
      } else if (turn % 11 === 10) {
        const large = value.padEnd(PART + 10, "x");
        await ledger.write(
          key,
          large,
          () => uploadInParts(send, key, [large.slice(0, PART), large.slice(PART)]),
        );
      } else await ledger.write(key, value, () => send(key, { method: "PUT", body: value }));
    }
  } catch (error) {
    // The connection was closed because the platform was killed.
    if (!(error instanceof TypeError)) throw error;
  }
}

Deno.test("acknowledged objects survive kills", () =>
  inTestFolder(async (folder) => {
    const data = join(folder, "data");
    let platform = await start(data);
    await createProject(platform, "shop");
    const key = await createBlobKey(platform, "shop");
    const ledger = new Ledger();
    for (let round = 0; round < ROUNDS; round++) {
      const writers = Array.from(
        { length: WRITERS },
        (_, writer) => writeAll(bucketOf(platform, key), ledger, writer, round),
      );
      await Promise.race([
        Promise.all(writers),
        new Promise((resolve) => setTimeout(resolve, 500 + Math.random() * 1500)),
      ]);
      Deno.kill(processOf(platform), "SIGKILL");
      await Promise.all(writers);
      await platform.finished;
      await platform.shutdown().catch(() => {});
      platform = await start(data);
      const send = bucketOf(platform, key);
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
