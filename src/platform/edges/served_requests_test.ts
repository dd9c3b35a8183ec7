import assert from "node:assert/strict";
import type { AccessRecord } from "../../edge/mod.ts";
import type { CountedRequest } from "../../traffic/mod.ts";
import { ServedRequests } from "./served_requests.ts";
import type { ServedRequest } from "./wire.ts";

const PROJECT = "01890000-0000-7000-8000-000000000001";
const DEPLOYMENT = "01890000-0000-7000-8000-000000000002";

const request = (more: Partial<ServedRequest> = {}): ServedRequest => ({
  time: 1_800_000_000_000,
  projectId: PROJECT,
  deploymentId: DEPLOYMENT,
  requestId: "5f2c9a7b1e-4q",
  method: "GET",
  host: "shop.localhost",
  path: "/menu?day=1",
  status: 200,
  bytes: 12,
  durationMs: 0.5,
  ip: "203.0.113.9",
  userAgent: "Mozilla/5.0 (iPhone; CPU iPhone OS 17_0 like Mac OS X)",
  counted: { layer: "static", isPage: true, referrer: "https://example.com/" },
  ...more,
});

function parts() {
  const records: AccessRecord[] = [];
  const counted: CountedRequest[] = [];
  const matched: string[] = [];
  const served = new ServedRequests({
    deployments: {
      find: (project, id) =>
        Promise.resolve(
          project === PROJECT && id === DEPLOYMENT ? { id } as never : undefined,
        ),
    },
    record: (entry) => void records.push(entry),
    count: (each) => void counted.push(each),
    match: ({ host }, ruleIds) => void matched.push(`${host} ${ruleIds.join(" ")}`),
    country: () => "DE",
    now: () => 1_800_000_000_000,
  });
  return { records, counted, matched, served };
}

Deno.test("ServedRequests.take() logs and counts requests with the name of the edge", async () => {
  const { records, counted, served } = parts();
  assert.equal(await served.take("far", { process: "p", batch: 1, served: [request()] }), 0);
  const { counted: _, ...fields } = request();
  assert.deepEqual(records, [{ ...fields, edge: "far" }]);
  const [{ client, page, layer } = assert.fail()] = counted;
  assert.deepEqual([page, layer], ["/menu", "static"]);
  assert.deepEqual(
    [client.country(), client.device(), client.header("referer")],
    ["DE", "mobile", "https://example.com/"],
  );
  assert.deepEqual(served.answersOf("far"), [0, 1, 0, 0, 0]);
});

Deno.test("ServedRequests.take() counts the country that the edge reports", async () => {
  const { counted, served } = parts();
  const known = { layer: "static", isPage: true, referrer: null, country: "JP" } as const;
  await served.take("far", { process: "p", batch: 1, served: [request({ counted: known })] });
  assert.equal(counted[0]?.client.country(), "JP");
});

Deno.test("ServedRequests.take() counts requests for the rules that matched", async () => {
  const { records, matched, served } = parts();
  const sent = [request({ matched: ["seen", "late"] }), request()];
  await served.take("far", { process: "p", batch: 1, served: sent });
  assert.deepEqual(matched, ["shop.localhost seen late"]);
  assert.ok(records.every((each) => !("matched" in each)));
});

Deno.test("ServedRequests.take() accepts a batch only once per process", async () => {
  const { records, served } = parts();
  for (const process of ["p", "p", "q"]) {
    await served.take("far", { process, batch: 1, served: [request()] });
  }
  await served.take("near", { process: "p", batch: 1, served: [request()] });
  assert.deepEqual(records.map(({ edge }) => edge), ["far", "far", "near"]);
});

Deno.test("ServedRequests.take() omits requests that no edge of this platform could have served", async () => {
  const { records, served } = parts();
  const wrong = [
    request({ deploymentId: PROJECT }),
    request({ projectId: DEPLOYMENT }),
    request({ host: 'a"b' }),
    request({ requestId: "a\nb" }),
    request({ status: 1000 }),
    request({ ip: 'x","y":"' }),
    "nonsense",
    null,
  ];
  const leftOut = await served.take("far", {
    process: "p",
    batch: 1,
    served: [...wrong, request()],
  });
  assert.deepEqual([leftOut, records.length], [wrong.length, 1]);
});
