import assert from "node:assert/strict";
import { endpoints } from "../../../contract/endpoints.ts";
import { systemRandom } from "../../../lib/clock.ts";
import { openKeyRing } from "../secrets/key_ring.ts";
import { SecretBox } from "../secrets/secret_box.ts";
import { Failure } from "./failure.ts";
import { Idempotency } from "./idempotency.ts";
import { DenoStore, type RecordStore } from "../../../store/mod.ts";

const HOUR = 60 * 60 * 1000;

interface Bench {
  /** Sends a request, and returns the response as `status body`, or the refusal. */
  send(given?: {
    readonly key?: string;
    readonly body?: string;
    readonly path?: string;
    readonly credentialId?: string;
    readonly workspace?: string;
  }): Promise<string>;
  /** How many times a handler ran. */
  ran: number;
  /** Creates the response of the next handler, which otherwise responds with a number. */
  next: (() => Promise<Response>) | undefined;
  time: number;
  readonly kv: RecordStore;
  /** Simulates a restart of the platform with the same store. */
  restart(): void;
}

async function withBench(run: (bench: Bench) => Promise<void>): Promise<void> {
  const folder = await Deno.makeTempDir({ prefix: "svc-test-" });
  using kv = await DenoStore.open(`${folder}/kv`);
  const box = new SecretBox(await openKeyRing(`${folder}/keys.json`, systemRandom), systemRandom);
  const fresh = () => new Idempotency({ kv, box, now: () => bench.time });
  let idempotency: Idempotency;
  const bench: Bench = {
    kv,
    ran: 0,
    next: undefined,
    time: Date.UTC(2026, 10, 22),
    restart: () => idempotency = fresh(),
    async send({ key = "k", body = "{}", path = "/v1/a", credentialId = "c", workspace } = {}) {
      const request = new Request(`http://platform.test${path}`, {
        method: "POST",
        body,
        headers: workspace === undefined ? {} : { "x-workspace": workspace },
      });
      const asked = { key, credentialId, maxBodyBytes: 1000, request };
      try {
        const response = await idempotency.run(asked, () => {
          bench.ran++;
          const answer = bench.next ??
            (() => Promise.resolve(Response.json(bench.ran, { status: 201 })));
          bench.next = undefined;
          return answer();
        });
        const replayed = response.headers.has("idempotency-replayed") ? " replayed" : "";
        return `${response.status} ${await response.text()}${replayed}`;
      } catch (error) {
        assert.ok(error instanceof Failure, String(error));
        return `${error.status} ${error.message}`;
      }
    },
  };
  idempotency = fresh();
  try {
    await run(bench);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

Deno.test("a repeated request gets the same response, even after a restart", () =>
  withBench(async (bench) => {
    assert.equal(await bench.send(), "201 1");
    assert.equal(await bench.send(), "201 1 replayed");
    bench.restart();
    assert.equal(await bench.send(), "201 1 replayed");
    bench.time += 24 * HOUR;
    assert.equal(await bench.send(), "201 2", "a day later, it is a new request");
    assert.equal(bench.ran, 2);
  }));

Deno.test("many concurrent requests are executed once", () =>
  withBench(async (bench) => {
    const answers = await Promise.all(Array.from({ length: 20 }, () => bench.send()));
    assert.deepEqual(new Set(answers), new Set(["201 1", "201 1 replayed"]));
    assert.equal(bench.ran, 1);
  }));

Deno.test("a request that reaches several nodes at the same time is executed once", () =>
  withBench(async (bench) => {
    const { promise, resolve } = Promise.withResolvers<void>();
    bench.next = () => promise.then(() => Response.json("once"));
    const answers = Array.from({ length: 10 }, () => {
      // Another node has its own lock, but the same store.
      bench.restart();
      return bench.send();
    });
    for (const answer of answers) {
      void answer.then((text) => /has no response/.test(text) && resolve());
    }
    const [first, ...others] = (await Promise.all(answers)).toSorted();
    assert.equal(first, '200 "once"');
    for (const other of others) assert.match(other, /^409 .* has no response/);
    assert.equal(bench.ran, 1);
    bench.restart();
    assert.equal(await bench.send(), '200 "once" replayed');
  }));

Deno.test("a key is bound to a credential, a path and one request", () =>
  withBench(async (bench) => {
    assert.equal(await bench.send(), "201 1");
    assert.equal(await bench.send({ credentialId: "other" }), "201 2");
    assert.equal(await bench.send({ path: "/v1/b" }), "201 3");
    for (const other of [{ body: '{"a":1}' }, { workspace: "acme" }, { path: "/v1/a?b" }]) {
      assert.match(
        await bench.send(other),
        /^409 Idempotency-Key was already used for a different request/,
      );
    }
    assert.equal(await bench.send(), "201 1 replayed");
  }));

Deno.test("refusals and failures are not stored", () =>
  withBench(async (bench) => {
    bench.next = () => Promise.reject(new Failure("conflict", "Not now"));
    assert.equal(await bench.send(), "409 Not now");
    bench.next = () => Promise.resolve(new Response("no", { status: 400 }));
    assert.equal(await bench.send(), "400 no");
    assert.equal(await bench.send(), "201 3");
  }));

Deno.test("a request interrupted by a crash is never executed again", () =>
  withBench(async (bench) => {
    const { promise, resolve } = Promise.withResolvers<Response>();
    const begun = Promise.withResolvers<void>();
    bench.next = () => {
      begun.resolve();
      return promise;
    };
    const first = bench.send();
    await begun.promise;
    bench.restart();
    assert.match(
      await bench.send(),
      /^409 .* started at 2026-11-22T00:00:00.000Z and has no response yet. It was interrupted, or/,
    );
    assert.equal(bench.ran, 1);
    resolve(new Response(null, { status: 204 }));
    assert.equal(await first, "204 ");
  }));

Deno.test("long responses are stored completely, and responses are encrypted", () =>
  withBench(async (bench) => {
    const secret = "svc_secret".repeat(30_000);
    bench.next = () => Promise.resolve(new Response(secret));
    assert.equal(await bench.send(), `200 ${secret}`);
    assert.equal(await bench.send(), `200 ${secret} replayed`);
    for await (const { value } of bench.kv.list({ prefix: [] })) {
      assert.ok(
        !new TextDecoder().decode(value instanceof Uint8Array ? value : undefined)
          .includes("svc_secret"),
      );
    }
  }));

Deno.test("every POST in the contract stores responses, handles the key itself, or refuses it", () => {
  const of = (kind: string) =>
    Object.entries(endpoints).filter(([, { idempotency }]) => idempotency === kind)
      .map(([name]) => name);
  assert.deepEqual(of("own").sort(), ["pollDeviceToken", "startDevice", "triggerHook"]);
  assert.deepEqual(of("refused").sort(), [
    "claimOwner",
    "completePasswordReset",
    "confirmSignUp",
    "exportVariables",
    "importDatabase",
    "postBlobs",
    "queryDatabase",
    "requestPasswordReset",
    "signIn",
    "signInSecondFactor",
    "signOut",
    "signUp",
  ]);
  for (const [name, { method, idempotency, status }] of Object.entries(endpoints)) {
    assert.equal(idempotency === "none", method !== "POST", name);
    if (status === 201) assert.ok(["kept", "refused"].includes(idempotency), name);
  }
});
