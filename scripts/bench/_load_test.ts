import assert from "node:assert/strict";
import { readReport } from "./_load.ts";

const REPORT = `Running 3s test @ http://127.0.0.1:8080/
  1 threads and 32 connections
  Thread Stats   Avg      Stdev     Max   +/- Stdev
    Latency     1.01ms  250.00us   9.11ms   91.02%
    Req/Sec    31.73k     1.02k   33.10k    70.00%
  Latency Distribution
     50%    0.98ms
     99%    2.04ms
  94722 requests in 3.00s, 1.21GB read
Requests/sec:  31571.44
Transfer/sec:    412.02MB
`;

Deno.test("readReport() reads the rate and the latency", () => {
  assert.deepEqual(readReport(REPORT), {
    requestsPerSecond: 31571.44,
    requests: 94722,
    p99: 2.04,
  });
  assert.equal(readReport(REPORT.replace("2.04ms", "900.00us")).p99, 0.9);
});

Deno.test("readReport() rejects a rate that consists of errors", () => {
  assert.throws(() => readReport(`${REPORT}  Non-2xx or 3xx responses: 12\n`), /12/);
  const lost = "  Socket errors: connect 0, read 3, write 0, timeout 0\n";
  assert.throws(() => readReport(lost + REPORT), /read 3/);
});
