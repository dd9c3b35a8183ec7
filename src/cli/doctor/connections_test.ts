import assert from "node:assert/strict";
import { until } from "../../lib/_test_until.ts";
import { judgePlatform, judgeReadiness, readAnswer } from "./connections.ts";

const AT = { apiUrl: "https://svc.example", own: "1.2.0" };
const WELL = { version: "1.2.0", skewMs: 400, databases: undefined, knowsCountries: true };

Deno.test("judgePlatform() compares versions and clocks, and reports the platform's failures", () => {
  const judge = (facts: Partial<Parameters<typeof judgePlatform>[0]>) =>
    judgePlatform({ ...WELL, ...facts }, AT);
  assert.deepEqual(judge({}), [
    { name: "platform", state: "ok", found: "https://svc.example responds, version 1.2.0" },
  ]);
  assert.equal(judge({ version: "1.1.9" })[0]!.state, "ok");
  assert.match(judge({ version: "1.3.0" })[0]!.advice!, /svc upgrade/);
  assert.equal(judge({ version: "not a version" })[0]!.state, "ok", "it is shown, but not checked");
  assert.equal(judge({ skewMs: undefined }).length, 1);
  assert.match(judge({ skewMs: 90_000 })[1]!.found, /clock is 90 s behind the platform's/);
  assert.match(judge({ skewMs: -45_000 })[1]!.found, /clock is 45 s ahead of/);
  assert.equal(
    judge({ databases: "PostgreSQL does not start" })[1]!.found,
    "PostgreSQL does not start",
  );
  assert.deepEqual(
    [judge({ knowsCountries: false })[1]!.name, judge({ knowsCountries: false })[1]!.state],
    ["platform countries", "fail"],
  );
});

Deno.test("judgeReadiness() reports why a platform is not ready, and other problems there", () => {
  const judge = (status: number, text: string) => {
    const point = judgeReadiness({ status, text }, "https://svc.example");
    return point === undefined ? undefined : [point.name, point.state, point.found];
  };
  assert.equal(judge(200, "ready\n"), undefined);
  assert.deepEqual(judge(503, "The store has not responded for 8 s\n"), [
    "platform",
    "fail",
    "https://svc.example is not ready: The store has not responded for 8 s",
  ]);
  assert.deepEqual(judge(200, "ready\nBut the object storage is not responding\n"), [
    "platform storage",
    "warn",
    "the object storage is not responding",
  ]);
  for (
    const mail of [
      "emails were not delivered and will be retried: 451",
      "2 emails to accounts wait",
    ]
  ) {
    assert.deepEqual(judge(200, `ready\nBut ${mail}\n`), ["mail", "warn", mail]);
  }
  for (const [status, text] of [[404, "Not found"], [503, "<h1>Unavailable</h1>"]] as const) {
    assert.equal(judge(status, text), undefined, "another program");
  }
});

Deno.test("readAnswer() reads text in chunks, and refuses an endless response", async () => {
  const euro = new TextEncoder().encode("ready €\n");
  const pieces = [euro.subarray(0, 7), euro.subarray(7)];
  assert.equal(await readAnswer(new Response(ReadableStream.from(pieces))), "ready €\n");
  assert.equal(await readAnswer(new Response(null)), "");

  let hasEnded = false;
  const endless = new ReadableStream<Uint8Array>({
    pull: (controller) => controller.enqueue(new Uint8Array(4096)),
    cancel: () => void (hasEnded = true),
  });
  await using server = Deno.serve(
    { hostname: "127.0.0.1", port: 0, onListen: () => {} },
    () => new Response(endless),
  );
  const response = await fetch(`http://127.0.0.1:${server.addr.port}/readyz`);
  await assert.rejects(() => readAnswer(response), /larger than 65536 bytes/);
  await until(() => hasEnded);
});
