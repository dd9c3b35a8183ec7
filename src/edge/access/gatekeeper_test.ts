import assert from "node:assert/strict";
import { sha256Hex } from "../../lib/hash.ts";
import type { ClientRequest } from "../request/client_request.ts";
import { Gatekeeper } from "./gatekeeper.ts";
import { SiteAccess } from "./site_access.ts";

const HOST = "shop-git-map.example.net";
const OFFICE = "198.51.100.7";
const DEPLOYMENT = { hostname: HOST, deploymentId: "d" };

const access = new SiteAccess("p", {
  version: "",
  protection: "members",
  workspaceId: "w",
  passwordId: null,
  bypassHash: sha256Hex("key"),
  shares: [{
    ...DEPLOYMENT,
    hostname: null,
    id: "s",
    hash: sha256Hex("link"),
    endsAt: Date.UTC(2026, 11, 2),
  }],
  allowCidrs: [OFFICE],
  exemptPaths: ["/api/webhooks/*"],
  exemptOptions: false,
  maintenance: null,
});

const keeper = new Gatekeeper({
  keeper: {
    key: () => Promise.resolve(new Uint8Array(32)),
    signInUrl: "https://svc.example.net/previews/sign-in",
    isMember: () => Promise.resolve(false),
    redeem: () => Promise.resolve(false),
    checkPassword: () => Promise.resolve({ type: "wrong" }),
  },
  now: () => Date.UTC(2026, 11, 1),
  random: (count) => new Uint8Array(count),
});

/** Returns the status and location of a refusal, or `undefined` if the site gets the request. */
async function judged(target: string, { ip = "203.0.113.9", method = "GET" } = {}) {
  const [rawPath = "", rawQuery = ""] = target.split("?", 2);
  const request = {
    ...{ method, target, rawPath, rawQuery, ip, host: HOST, authority: HOST, scheme: "https" },
    gateField: () => null,
    header: () => null,
  } as unknown as ClientRequest;
  const gate = { access, isProduction: false, declared: undefined };
  const refusal = await keeper.judge(request, { gate, deploymentId: "d" });
  const location = refusal?.headers.find(([name]) => name === "location")?.[1];
  return refusal && [refusal.status, location];
}

const clean = (path: string) => [303, `https://${HOST}${path}`];

/** Requests, each with its refusal. */
const REQUESTS: readonly (readonly [string, { ip?: string }, unknown])[] = [
  ["/a?b=1", {}, [401, undefined]],
  ["/a?x-svc-bypass=key&b=1", {}, clean("/a?b=1")],
  ["/a?x-svc-share=link", {}, clean("/a")],
  ["/a?x-svc-share=wrong", {}, [401, undefined]],
  ["/a?b=1", { ip: OFFICE }, undefined],
  ["/a?x-svc-bypass=key&b=1", { ip: OFFICE }, clean("/a?b=1")],
  ["/a?x-svc-share=link", { ip: OFFICE }, clean("/a")],
  ["/a?x-svc-share=wrong", { ip: OFFICE }, undefined],
  ["/api/webhooks/x?x-svc-bypass=key", {}, clean("/api/webhooks/x")],
  ["/api/webhooks/x", {}, undefined],
];

for (const [target, visitor, refusal] of REQUESTS) {
  const from = visitor.ip === undefined ? "a visitor" : "an allowed address";
  Deno.test(`Gatekeeper.judge() responds to ${target} from ${from}`, async () => {
    assert.deepEqual(await judged(target, visitor), refusal);
  });
}
