/** Tests that only one node at a time orders certificates. */
import { join } from "node:path";
import { systemRandom } from "../../lib/clock.ts";
import { CertificateService } from "../certificates/certificate_service.ts";
import { CertificateStore } from "../certificates/certificate_store.ts";
import { PendingChallenges } from "../certificates/challenges.ts";
import { openKeyRing, SecretBox } from "../core/secrets/mod.ts";
import { keys } from "../core/store/mod.ts";
import type { Holder } from "./_test_lease_thief.ts";
import { makeKeyPair } from "../../lib/_test_certificate.ts";

const NAMES = ["shop.example", "blog.example"];

/** Shared by all runs, because creating it takes a while. */
let made: Promise<{ readonly cert: string; readonly key: string }> | undefined;

export const certificates: Holder = {
  role: "certificates",
  async prepare(kv) {
    const folder = await Deno.makeTempDir({ prefix: "svc-leaders-" });
    const box = new SecretBox(await openKeyRing(join(folder, "keys"), systemRandom), systemRandom);
    const pair = await (made ??= makeKeyPair("shop.example"));
    const [done, opened]: [string[], CertificateService[]] = [[], []];
    const gone = { hostname: "gone.example", issued: null, failures: 1, error: "no", dueAt: 0 };
    await new CertificateStore(kv, box).put(gone);
    return {
      done,
      async open({ kv, nodes }) {
        const store = new CertificateStore(kv, box);
        const challenges = new PendingChallenges(kv);
        const service = new CertificateService({
          store,
          nodes,
          names: () => NAMES,
          wants: (name) => NAMES.includes(name),
          issuer: {
            renewalWindow: () => Promise.resolve(undefined),
            async issue([hostname = ""], { lease }) {
              done.push(`order ${hostname}`);
              await challenges.add(hostname, "answer", lease);
              await challenges.remove(hostname, lease);
              return pair;
            },
          },
          now: Date.now,
          random: () => Uint8Array.of(0),
          onChanged: () => Promise.resolve(),
          log: () => {},
        });
        opened.push(service);
        await service.load();
        return async () => {
          if (opened.at(-1) === service && !started.has(service)) {
            started.add(service);
            service.start();
          } else service.wake();
          await service.idle();
        };
      },
      async outcome() {
        const service = opened.at(-1)!;
        const stored = await Array.fromAsync(kv.list({ prefix: keys.certificates() }));
        return {
          shown: NAMES.map((name) => service.describe(name)),
          stored: stored.map(({ key, value }) => [key.at(-1), (value as { error: null }).error]),
          challenges: (await Array.fromAsync(kv.list({ prefix: keys.acmeChallenges() }))).length,
        };
      },
      async [Symbol.asyncDispose]() {
        for (const service of opened) service.close();
        await Deno.remove(folder, { recursive: true });
      },
    };
  },
};

const started = new WeakSet<CertificateService>();
