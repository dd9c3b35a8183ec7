import assert from "node:assert/strict";
import { deployServer, PATIENT_MANIFEST } from "../../helpers/compute_site.ts";
import {
  createProject,
  rawRequest,
  type TestPlatform,
  TOKEN,
  withPlatform,
} from "../../helpers/platform.ts";

const HOST = "shop.localhost";

/** Fields by which a client would say that it is another one, or that it comes from a thread. */
const FORGED: Readonly<Record<string, string>> = {
  "x-forwarded-for": "203.0.113.9",
  "x-forwarded-proto": "https",
  "x-forwarded-host": "elsewhere.example",
  "x-real-ip": "203.0.113.9",
  forwarded: "for=203.0.113.9;proto=https",
  "x-svc-request-id": "forged",
  "x-svc-decided": '{"type":"respond"}',
  "x-svc-thread": "1",
};

/** What differs from request to request. */
const OWN = ["x-request-id", "x-svc-request-id"];

/** The fields that a server gets of a client that forges some, in several requests. */
async function fieldsSeen({ port }: TestPlatform): Promise<string[]> {
  const seen = new Set<string>();
  for (let count = 0; count < 12; count++) {
    const { status, text } = await rawRequest(port, {
      ...{ host: HOST, path: "/api/echo", headers: FORGED },
    });
    assert.equal(status, 200, text);
    const { headers } = JSON.parse(text) as { headers: Record<string, string> };
    assert.doesNotMatch(headers["x-forwarded-for"] ?? "", /203\.0\.113\.9/);
    seen.add(
      JSON.stringify(Object.entries(headers).filter(([name]) => !OWN.includes(name)).sort()),
    );
  }
  return [...seen];
}

/** Statuses of the API: without a key, with a forged address, with too long a body, with a key. */
async function statusesOfApi(platform: TestPlatform): Promise<number[]> {
  const path = "/v1/projects";
  const authorization = `Bearer ${TOKEN}`;
  const json = { "content-type": "application/json", authorization };
  const asked = [
    { method: "GET", headers: FORGED },
    { method: "GET", headers: { ...FORGED, authorization } },
    { method: "POST", headers: json, body: JSON.stringify({ name: "x".repeat(2_000_000) }) },
    { method: "POST", headers: json, body: "{" },
  ];
  const statuses: number[] = [];
  for (const request of asked) {
    statuses.push(
      (await rawRequest(platform.port, { host: "localhost", path, ...request })).status,
    );
  }
  return statuses;
}

/** What servers and API make of such a client. */
async function story(edgeThreads: number) {
  const seen: { fields: string[]; statuses: number[] } = { fields: [], statuses: [] };
  await withPlatform(async (platform) => {
    await createProject(platform, "shop");
    await deployServer(platform, "shop", { manifest: PATIENT_MANIFEST, prod: true });
    seen.fields = await fieldsSeen(platform);
    seen.statuses = await statusesOfApi(platform);
  }, { edgeThreads });
  return seen;
}

Deno.test("threads believe a client no more than one does, and the API's limits hold through them", async () => {
  const [one, three] = [await story(1), await story(3)];
  // Whether the platform or a thread asked the server, it is the same.
  assert.equal(one.fields.length, 1, one.fields.join("\n"));
  assert.deepEqual(three, one);
  assert.deepEqual(one.statuses, [401, 200, 413, 400]);
});
