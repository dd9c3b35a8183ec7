import assert from "node:assert/strict";
import { readH2load } from "./_h2load.ts";

const REPORT = `starting benchmark...
TLS Protocol: TLSv1.3
Cipher: TLS_AES_128_GCM_SHA256
Application protocol: h2
Main benchmark duration is over for thread #0. Stopping all clients.

finished in 2.00s, 34013.50 req/s, 2.30MB/s
requests: 68026 total, 68058 started, 68026 done, 68026 succeeded, 0 failed, 0 errored, 0 timeout
status codes: 68026 2xx, 0 3xx, 0 4xx, 0 5xx
                     min         max         mean         sd        +/- sd
time for request:       50us      7.08ms       730us      1.06ms    87.42%
`;

const LOG = Array.from({ length: 100 }, (_, index) => `${index}\t200\t${(100 - index) * 20}\n`)
  .join("");

const withCounts = (counts: string): string =>
  REPORT.replace("68026 succeeded, 0 failed, 0 errored, 0 timeout", counts);

Deno.test("readH2load() reads the rate from the report and the latency from the log", () => {
  assert.deepEqual(readH2load({ report: REPORT, log: LOG }), {
    requestsPerSecond: 34013.5,
    requests: 68026,
    p99: 1.98,
  });
});

Deno.test("readH2load() rejects a rate that consists of errors, unless errors are measured", () => {
  const report = withCounts("0 succeeded, 68026 failed, 0 errored, 0 timeout");
  assert.throws(() => readH2load({ report, log: LOG }), /68026 failed/);
  assert.equal(readH2load({ report, log: LOG, expects: "refusal" }).requestsPerSecond, 34013.5);
});

Deno.test("readH2load() rejects lost requests", () => {
  const report = withCounts("68014 succeeded, 12 failed, 12 errored, 0 timeout");
  for (const expects of ["success", "refusal"] as const) {
    assert.throws(() => readH2load({ report, log: LOG, expects }), /12 errored/);
  }
});

Deno.test("readH2load() rejects a run without responses, and a run over another protocol", () => {
  const none = REPORT.replace("68026 done", "0 done");
  assert.throws(() => readH2load({ report: none, log: "" }), /0 done/);
  const older = REPORT.replace("protocol: h2", "protocol: http/1.1");
  assert.throws(() => readH2load({ report: older, log: LOG }), /chose http\/1\.1/);
  assert.throws(() => readH2load({ report: "", log: LOG }), /Cannot read/);
});
