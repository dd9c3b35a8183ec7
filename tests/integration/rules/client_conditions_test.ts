/**
 * Tests client conditions in every action of `svc serve`, over IPv4 and IPv6, with and without a
 * trusted proxy.
 */
import assert from "node:assert/strict";
import { join } from "node:path";
import { mmdbOf } from "../../../src/edge/geo/_test_mmdb.ts";
import { makeTestFolder } from "../../../src/lib/_test_folder.ts";
import {
  type Answer,
  createProject,
  rawRequest,
  type TestPlatform,
  withPlatform,
} from "../../helpers/platform.ts";
import { publish } from "../../helpers/upstreams.ts";

const HOST = "shop.localhost";
const ADDRESSES = ["127.0.0.1", "::1"] as const;
const PHONE = "Mozilla/5.0 (iPhone; CPU iPhone OS 17_0 like Mac OS X) Mobile/15E148 Safari/604.1";
const DESKTOP = "Mozilla/5.0 (X11; Linux x86_64; rv:128.0) Gecko/20100101 Firefox/128.0";
/** An address in Germany that belongs to AS3320. */
const GERMAN = "2.160.0.1";

const CONDITIONS = {
  geo: { geo: ["DE"] },
  asn: { asn: [3320] },
  device: { device: "mobile" },
  local: { sourceIpCidrs: ["127.0.0.0/8", "::1/128"] },
  remote: { sourceIpCidrs: ["2.160.0.0/12"] },
  host: { host: HOST },
  otherHost: { host: "elsewhere.localhost" },
} as const;
type Condition = keyof typeof CONDITIONS;
const NAMES = Object.keys(CONDITIONS) as Condition[];

interface Action {
  /** The rules, including `conditioned`, whose condition is tested. */
  readonly rules: (
    conditioned: (action: object) => object,
    at: (action: object) => object,
  ) => readonly object[];
  /** Returns whether a response shows that the rule took effect. */
  readonly acts: (answer: Answer) => boolean;
}

const say = { type: "pipeline", steps: [{ handle: "say" }] };
const mark = { type: "set_headers", headers: { "x-hit": "1" } };

const ACTIONS: Readonly<Record<string, Action>> = {
  deny: {
    rules: (conditioned) => [conditioned({ type: "deny" })],
    acts: ({ status }) => status === 403,
  },
  allow: {
    rules: (conditioned, at) => [conditioned({ type: "allow" }), at({ type: "deny" })],
    acts: ({ status }) => status !== 403,
  },
  redirect: {
    rules: (conditioned) => [conditioned({ type: "redirect", target: "/hit" })],
    acts: ({ headers }) => headers.location === "/hit",
  },
  rewrite: {
    rules: (conditioned) => [conditioned({ type: "rewrite", target: "/hit.html" })],
    acts: ({ text }) => text === "hit",
  },
  rate_limit: {
    rules: (conditioned) => [
      conditioned({ type: "rate_limit", limit: 1000, windowSeconds: 60, key: "ip" }),
    ],
    acts: ({ headers }) => "ratelimit-policy" in headers,
  },
  set_headers: {
    rules: (conditioned) => [conditioned(mark)],
    acts: ({ headers }) => headers["x-hit"] === "1",
  },
  remove_headers: {
    rules: (conditioned, at) => [
      at(mark),
      conditioned({ type: "remove_headers", headers: ["x-hit"] }),
    ],
    acts: ({ headers }) => !("x-hit" in headers),
  },
  pipeline: {
    rules: (conditioned) => [conditioned(say)],
    acts: ({ text }) => text === "said",
  },
  cache: {
    rules: (conditioned, at) => [
      at(say),
      conditioned({ type: "cache", ttlSeconds: 60, vary: ["geo", "asn", "device"] }),
    ],
    acts: ({ headers }) => /^(?:HIT|MISS)$/.test(String(headers["x-svc-cache"])),
  },
  bypass_cache: {
    rules: (conditioned, at) => [
      at(say),
      conditioned({ type: "bypass_cache" }),
      at({ type: "cache", ttlSeconds: 60, vary: ["geo", "asn", "device"] }),
    ],
    acts: ({ headers }) => headers["x-svc-cache"] === "BYPASS",
  },
  log: { rules: (conditioned) => [conditioned({ type: "log" })], acts: () => false },
};

/** Returns the conditions for an action. A cache cannot vary by client address. */
const conditionsOf = (action: string): readonly Condition[] =>
  action === "cache" ? NAMES.filter((name) => !("sourceIpCidrs" in CONDITIONS[name])) : NAMES;

function* allRules(): Generator<object> {
  for (const [action, { rules }] of Object.entries(ACTIONS)) {
    for (const name of conditionsOf(action)) {
      const path = { type: "exact", value: `/${action}/${name}` };
      const id = `${action}-${name}`;
      let others = 0;
      yield* rules(
        (conditioned) => ({ id, condition: { path, ...CONDITIONS[name] }, action: conditioned }),
        (other) => ({ id: `${id}-${++others}`, condition: { path }, action: other }),
      );
    }
  }
}

async function prepare(platform: TestPlatform): Promise<void> {
  await createProject(platform, "shop");
  await publish(platform, "shop", {
    files: { "index.html": "home", "hit.html": "hit" },
    functions: { say: `export default () => new Response("said");` },
    rules: [...allRules()],
  });
}

interface Visitor {
  readonly headers: Readonly<Record<string, string>>;
  /** The conditions that this visitor meets. */
  readonly fits: readonly Condition[];
}

/** Checks that each action takes effect only if the visitor meets the action's condition. */
async function visit(platform: TestPlatform, { headers, fits }: Visitor): Promise<void> {
  const logged = async () => {
    const { items } = (await platform.api("GET", "/v1/projects/shop/rules/counters")).json;
    const counts = (items as { ruleId: string; matches: number }[])
      .map(({ ruleId, matches }) => [ruleId, matches] as const);
    return new Map(counts);
  };
  for (const address of ADDRESSES) {
    const before = await logged();
    const seen: string[] = [];
    for (const [action, { acts }] of Object.entries(ACTIONS)) {
      for (const name of conditionsOf(action)) {
        const path = `/${action}/${name}`;
        const answer = await rawRequest(platform.port, { address, host: HOST, path, headers });
        if (acts(answer)) seen.push(`${action} ${name}`);
      }
    }
    const after = await logged();
    for (const name of NAMES) {
      const id = `log-${name}`;
      if (after.get(id) !== before.get(id)) seen.push(`log ${name}`);
    }
    const expected = Object.keys(ACTIONS).flatMap((action) =>
      conditionsOf(action).filter((name) => fits.includes(name)).map((name) => `${action} ${name}`)
    );
    assert.deepEqual(seen, expected, address);
  }
}

Deno.test("client conditions apply in every action, regardless of forged headers", () =>
  withPlatform(async (platform) => {
    await prepare(platform);
    const forged = { "x-forwarded-for": GERMAN, "x-geo-country": "DE", "x-geo-asn": "3320" };
    await visit(platform, {
      headers: { "user-agent": PHONE, ...forged },
      fits: ["device", "local", "host"],
    });
    await visit(platform, { headers: { "user-agent": DESKTOP }, fits: ["local", "host"] });
  }, { host: "::" }));

Deno.test("client conditions apply in every action behind a trusted proxy", async () => {
  const folder = await makeTestFolder("svc-conditions-");
  const asn = join(folder, "networks.mmdb");
  await Deno.writeFile(asn, mmdbOf({ autonomous_system_number: 3320 }));
  await withPlatform(async (platform) => {
    await prepare(platform);
    await visit(platform, {
      headers: { "user-agent": PHONE, "x-forwarded-for": GERMAN },
      fits: ["geo", "asn", "device", "remote", "host"],
    });
    // The proxy's information about the client takes precedence over the databases.
    await visit(platform, {
      headers: {
        "user-agent": DESKTOP,
        "x-forwarded-for": GERMAN,
        "x-geo-country": "FR",
        "x-geo-asn": "1",
      },
      fits: ["remote", "host"],
    });
  }, { host: "::", trustProxy: ["127.0.0.1/32", "::1/128"], asn });
});
