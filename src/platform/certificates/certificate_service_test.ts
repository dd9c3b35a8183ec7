import assert from "node:assert/strict";
import { join } from "node:path";
import { makeKeyPair } from "../../lib/_test_certificate.ts";
import { until } from "../../lib/_test_until.ts";
import { systemRandom } from "../../lib/clock.ts";
import { openKeyRing } from "../core/secrets/key_ring.ts";
import { SecretBox } from "../core/secrets/secret_box.ts";
import type { RenewalWindow } from "./acme_issuer.ts";
import { AuthorityError } from "./authority_requests.ts";
import { CertificateService } from "./certificate_service.ts";
import { CertificateStore } from "./certificate_store.ts";
import { DenoStore } from "../../store/mod.ts";

const DAY = 24 * 60 * 60 * 1000;
const MINUTE = 60_000;
const ACME_ERROR = "urn:ietf:params:acme:error:";

interface World {
  readonly names: Set<string>;
  readonly clock: { now: number };
  /**
   * Names whose certificates were ordered. While `failure` is set, orders fail with that message.
   */
  readonly orders: string[];
  readonly authority: {
    failure: string | undefined;
    /** Seconds until a retry; set while the authority is rate limiting. */
    retryAfter: number | undefined;
    /** Names that the authority rejects. */
    refused: Set<string>;
    /** When the authority wants certificates to be renewed. */
    window: RenewalWindow | undefined;
    /** The certificates that were reported to the authority as replaced. */
    replaced: (string | undefined)[];
  };
  /** Names that get a certificate on demand. */
  readonly demanded: Set<string>;
  /** Names whose certificates have changed, each with its reported status at that time. */
  readonly changed: string[];
  /** Opens the service as at startup, and waits for the first orders. */
  start(options?: { readonly intervalMs: number }): Promise<CertificateService>;
}

async function withWorld(run: (world: World) => Promise<void>): Promise<void> {
  const folder = await Deno.makeTempDir({ prefix: "svc-cert-" });
  const kv = await DenoStore.open(":memory:");
  const store = new CertificateStore(
    kv,
    new SecretBox(await openKeyRing(join(folder, "keys"), systemRandom), systemRandom),
  );
  const pair = await makeKeyPair("shop.example");
  const [names, orders, changed] = [new Set(["shop.example"]), [] as string[], [] as string[]];
  const opened: CertificateService[] = [];
  const clock = { now: Date.now() };
  const demanded = new Set<string>();
  const authority: World["authority"] = {
    failure: undefined,
    retryAfter: undefined,
    refused: new Set(),
    window: undefined,
    replaced: [],
  };
  const start: World["start"] = async (options = { intervalMs: DAY }) => {
    const service: CertificateService = new CertificateService({
      store,
      issuer: {
        renewalWindow: () => Promise.resolve(authority.window),
        issue: (hostnames, { replaces }) => {
          orders.push(hostnames.join(" "));
          authority.replaced.push(replaces);
          if (authority.retryAfter !== undefined) {
            const problem = { type: `${ACME_ERROR}rateLimited`, detail: "too many", status: 429 };
            return Promise.reject(new AuthorityError(problem, authority.retryAfter));
          }
          const refused = hostnames.find((each) => authority.refused.has(each));
          const failure = refused === undefined ? authority.failure : `no ${refused}`;
          return failure === undefined ? Promise.resolve(pair) : Promise.reject(new Error(failure));
        },
      },
      names: () => names,
      wants: (hostname) => names.has(hostname),
      hosts: () => demanded,
      onDemand: (hostname) => demanded.has(hostname),
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
    await run({ names, clock, orders, authority, demanded, changed, start });
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

Deno.test("a certificate is ordered once, and again after two thirds of its lifetime", () =>
  withWorld(async ({ clock, orders, changed, start }) => {
    const service = await start();
    await round(service);
    // Handshakes use a certificate before it is reported as issued.
    assert.deepEqual([orders, changed], [["shop.example"], ["shop.example pending"]]);
    assert.ok((await service.find("shop.example"))?.key.includes("PRIVATE KEY"));
    clock.now += 19 * DAY;
    await round(service);
    assert.equal(orders.length, 1);
    clock.now += 2 * DAY;
    await round(service);
    assert.equal(orders.length, 2);
  }));

Deno.test("a certificate is renewed even if no client requests it", () =>
  withWorld(async ({ clock, orders, changed, start }) => {
    await start({ intervalMs: 5 });
    clock.now += 21 * DAY;
    await until(() => orders.length > 1);
    await until(() => changed.length > 1);
    assert.deepEqual(changed.slice(0, 2), ["shop.example pending", "shop.example issued"]);
  }));

Deno.test("the certificates for handshakes change if a name is removed or served again", () =>
  withWorld(async ({ names, changed, start }) => {
    const service = await start();
    names.clear();
    await service.servedChanged(["shop.example", "never.example"]);
    names.add("shop.example");
    await service.servedChanged(["shop.example"]);
    assert.equal(changed.length, 3);
    assert.ok(service.find("shop.example"));
  }));

Deno.test("a failed order is retried later, and immediately on request", () =>
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

Deno.test("a retry at the end of a round is not lost", () =>
  withWorld(async ({ orders, authority, start }) => {
    authority.failure = "down";
    const service = await start();
    for (let ticks = 0; ticks < 40; ticks++) {
      const before = orders.length;
      service.wake();
      for (let tick = 0; tick < ticks; tick++) await Promise.resolve();
      service.retry("shop.example");
      await until(() => orders.length > before);
      await service.idle();
    }
  }));

Deno.test("a failed renewal keeps the current certificate", () =>
  withWorld(async ({ clock, authority, start }) => {
    const service = await start();
    authority.failure = "down";
    clock.now += 21 * DAY;
    await round(service);
    assert.ok(service.find("shop.example"));
    assert.equal(service.describe("shop.example").error, "down");
  }));

Deno.test("certificates survive a restart; names that are not served have none", () =>
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

Deno.test("no certificate is ordered after the service closes", () =>
  withWorld(async ({ names, orders, start }) => {
    const service = await start();
    names.add("more.example");
    service.close();
    await round(service);
    assert.deepEqual(orders, ["shop.example"]);
  }));

Deno.test("the first handshake of an on-demand host orders its certificate, and waits for it", () =>
  withWorld(async ({ demanded, orders, start }) => {
    const service = await start();
    demanded.add("a.svc.test");
    const [first, second] = await Promise.all([
      service.find("a.svc.test"),
      service.find("a.svc.test"),
    ]);
    assert.ok(first !== undefined && second === first);
    assert.deepEqual(orders, ["shop.example", "a.svc.test"]);
    assert.equal(service.find("nobody.svc.test"), undefined);
    assert.equal(service.has("a.svc.test"), true);
  }));

Deno.test("hosts that no one requests share an order at startup, and later every six hours", () =>
  withWorld(async ({ demanded, clock, orders, start }) => {
    for (const name of ["a", "b"]) demanded.add(`${name}.svc.test`);
    const service = await start();
    assert.deepEqual(orders, ["shop.example", "a.svc.test b.svc.test"]);
    demanded.add("c.svc.test");
    await round(service);
    assert.equal(orders.length, 2);
    clock.now += 7 * 60 * MINUTE;
    await round(service);
    assert.deepEqual(orders.slice(2), ["c.svc.test"]);
  }));

Deno.test("hosts requested at the same time share an order; if it fails, each gets its own", () =>
  withWorld(async ({ demanded, authority, orders, start }) => {
    const service = await start();
    for (const name of ["a", "b", "c"]) demanded.add(`${name}.svc.test`);
    authority.refused.add("b.svc.test");
    const found = await Promise.all([...demanded].map((name) => service.find(name)));
    assert.deepEqual(found.map((pair) => pair !== undefined), [true, false, true]);
    assert.deepEqual(orders.slice(1), [
      "a.svc.test b.svc.test c.svc.test",
      "a.svc.test",
      "b.svc.test",
      "c.svc.test",
    ]);
    assert.equal(
      await service.find("b.svc.test"),
      undefined,
      "it is not ordered again immediately",
    );
    assert.equal(orders.length, 5);
  }));

Deno.test("a shared order delayed by a rate limit stays shared", () =>
  withWorld(async ({ names, demanded, authority, clock, orders, start }) => {
    names.clear();
    const hosts = ["a.svc.test", "b.svc.test"];
    for (const host of hosts) demanded.add(host);
    authority.retryAfter = 3600;
    const service = await start();
    authority.retryAfter = undefined;
    clock.now += 59 * MINUTE;
    assert.equal(await service.find("a.svc.test"), undefined);
    await round(service);
    assert.deepEqual(orders, ["a.svc.test b.svc.test"]);
    clock.now += MINUTE;
    await round(service);
    assert.deepEqual(orders, ["a.svc.test b.svc.test", "a.svc.test b.svc.test"]);
    for (const host of hosts) assert.ok(await service.find(host), host);
  }));

Deno.test("a wildcard certificate serves the names one level below", () =>
  withWorld(async ({ names, start }) => {
    names.add("*.svc.test");
    const service = await start();
    assert.ok(service.has("shop.svc.test"));
    assert.ok(!service.has("a.shop.svc.test") && !service.has("svc.test"));
  }));

Deno.test("a certificate is renewed within the window that the authority suggests", () =>
  withWorld(async ({ clock, authority, orders, start }) => {
    const service = await start();
    const [{ cert = "" } = {}] = [await service.find("shop.example")];
    authority.window = { start: clock.now + DAY, end: clock.now + 2 * DAY, retryAfter: 3600 };
    clock.now += 25 * 60 * MINUTE;
    await round(service);
    await service.idle();
    assert.deepEqual(orders, ["shop.example", "shop.example"]);
    assert.deepEqual(authority.replaced, [undefined, cert]);
  }));
