import assert from "node:assert/strict";
import { join } from "node:path";
import { until } from "../../lib/_test_until.ts";
import { systemRandom } from "../../lib/clock.ts";
import { openKeyRing } from "../core/secrets/key_ring.ts";
import { SecretBox } from "../core/secrets/secret_box.ts";
import type { KeyPair } from "./certificate.ts";
import { CertificateService } from "./certificate_service.ts";
import { CertificateStore } from "./certificate_store.ts";
import { DenoStore } from "../../store/mod.ts";

const DAY = 24 * 60 * 60 * 1000;
const MINUTE = 60_000;

/** A certificate of 30 days that signs itself, from now on. */
async function makePair(folder: string): Promise<KeyPair> {
  const [cert, key] = [join(folder, "c"), join(folder, "k")];
  await new Deno.Command("openssl", {
    args: [
      "req",
      "-x509",
      "-newkey",
      "ec",
      "-pkeyopt",
      "ec_paramgen_curve:prime256v1",
      "-nodes",
      "-keyout",
      key,
      "-out",
      cert,
      "-days",
      "30",
      "-subj",
      "/CN=shop.example",
    ],
    stderr: "null",
  }).output();
  return { cert: await Deno.readTextFile(cert), key: await Deno.readTextFile(key) };
}

interface World {
  readonly names: Set<string>;
  readonly clock: { now: number };
  /** Names that were ordered; an order fails while `failure` says why. */
  readonly orders: string[];
  readonly authority: { failure: string | undefined };
  /** Names whose certificates have changed, each with the state that was told of until then. */
  readonly changed: string[];
  /** Opens the service as a start does, and waits for the first orders. */
  start(options?: { readonly intervalMs: number }): Promise<CertificateService>;
}

async function withWorld(run: (world: World) => Promise<void>): Promise<void> {
  const folder = await Deno.makeTempDir({ prefix: "svc-cert-" });
  const kv = await DenoStore.open(":memory:");
  const store = new CertificateStore(
    kv,
    new SecretBox(await openKeyRing(join(folder, "keys"), systemRandom), systemRandom),
  );
  const pair = await makePair(folder);
  const [names, orders, changed] = [new Set(["shop.example"]), [] as string[], [] as string[]];
  const opened: CertificateService[] = [];
  const clock = { now: Date.now() };
  const authority: World["authority"] = { failure: undefined };
  const start: World["start"] = async (options = { intervalMs: DAY }) => {
    const service: CertificateService = new CertificateService({
      store,
      issuer: {
        issue: (hostname) => {
          orders.push(hostname);
          const { failure } = authority;
          return failure === undefined ? Promise.resolve(pair) : Promise.reject(new Error(failure));
        },
      },
      names: () => names,
      wants: (hostname) => names.has(hostname),
      now: () => clock.now,
      random: () => Uint8Array.of(0),
      onChanged: (hostnames) => {
        for (const hostname of hostnames) {
          changed.push(`${hostname} ${service.describe(hostname).status}`);
        }
        return Promise.resolve();
      },
      log: () => {},
      ...options,
    });
    opened.push(service);
    await service.load();
    service.start();
    await service.idle();
    return service;
  };
  try {
    await run({ names, clock, orders, authority, changed, start });
  } finally {
    for (const service of opened) service.close();
    kv.close();
    await Deno.remove(folder, { recursive: true });
  }
}

const round = async (service: CertificateService) => {
  service.wake();
  await service.idle();
};

Deno.test("a certificate is ordered once, and again after two thirds of its life", () =>
  withWorld(async ({ clock, orders, changed, start }) => {
    const service = await start();
    await round(service);
    // Handshakes show a certificate before anyone is told that it is issued.
    assert.deepEqual([orders, changed], [["shop.example"], ["shop.example pending"]]);
    assert.ok(service.find("shop.example")?.key.includes("PRIVATE KEY"));
    clock.now += 19 * DAY;
    await round(service);
    assert.equal(orders.length, 1);
    clock.now += 2 * DAY;
    await round(service);
    assert.equal(orders.length, 2);
  }));

Deno.test("a certificate is renewed without anyone asking", () =>
  withWorld(async ({ clock, orders, changed, start }) => {
    await start({ intervalMs: 5 });
    clock.now += 21 * DAY;
    await until(() => orders.length > 1);
    await until(() => changed.length > 1);
    assert.deepEqual(changed.slice(0, 2), ["shop.example pending", "shop.example issued"]);
  }));

Deno.test("a name that is no longer served, and one that is again, change what handshakes show", () =>
  withWorld(async ({ names, changed, start }) => {
    const service = await start();
    names.clear();
    await service.servedChanged(["shop.example", "never.example"]);
    names.add("shop.example");
    await service.servedChanged(["shop.example"]);
    assert.equal(changed.length, 3);
    assert.ok(service.find("shop.example"));
  }));

Deno.test("a failed order is tried again later, and at once when somebody asks", () =>
  withWorld(async ({ clock, orders, authority, start }) => {
    authority.failure = "rate limited";
    const service = await start();
    assert.deepEqual(service.describe("shop.example"), {
      status: "failed",
      expiresAt: null,
      error: "rate limited",
    });
    clock.now += 3 * MINUTE;
    await round(service);
    assert.equal(orders.length, 1);
    clock.now += MINUTE;
    await round(service);
    assert.equal(orders.length, 2);
    authority.failure = undefined;
    service.retry("shop.example");
    await service.idle();
    assert.equal(orders.length, 3);
    assert.equal(service.describe("shop.example").status, "issued");
  }));

Deno.test("a failed renewal keeps the certificate that is there", () =>
  withWorld(async ({ clock, authority, start }) => {
    const service = await start();
    authority.failure = "down";
    clock.now += 21 * DAY;
    await round(service);
    assert.ok(service.find("shop.example"));
    assert.equal(service.describe("shop.example").error, "down");
  }));

Deno.test("certificates outlive a restart; names off the air have none", () =>
  withWorld(async ({ names, clock, orders, start }) => {
    await start();
    const service = await start();
    assert.equal(orders.length, 1);
    assert.ok(service.find("shop.example"));
    names.clear();
    assert.equal(service.find("shop.example"), undefined);
    clock.now += 31 * DAY;
    await round(service);
    names.add("shop.example");
    assert.equal(service.describe("shop.example").status, "pending");
  }));

Deno.test("nothing is ordered before the start and after the end", () =>
  withWorld(async ({ names, orders, start }) => {
    const service = await start();
    names.add("more.example");
    service.close();
    await round(service);
    assert.deepEqual(orders, ["shop.example"]);
  }));
