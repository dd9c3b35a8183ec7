import assert from "node:assert/strict";
import { AttemptLateError, isConnectionSpoilt, isPassing } from "./server_fault.ts";

const fault = (code: string) => Object.assign(new Error("as the server says"), { code });

Deno.test("isPassing() distinguishes temporary from permanent errors", () => {
  for (
    const code of ["ECONNREFUSED", "CONNECT_TIMEOUT", "EBADF", "57P03", "53300", "40001", "25006"]
  ) {
    assert.equal(isPassing(fault(code)), true, code);
  }
  assert.equal(isPassing(new AttemptLateError(5000)), true);
  for (const code of ["28P01", "42P01", "23505", ""]) assert.equal(isPassing(fault(code)), false);
});

Deno.test("isPassing() allows time for a new database to reach all servers", () => {
  assert.equal(isPassing(fault("3D000")), false, "one server knows all its databases");
  assert.equal(isPassing(fault("3D000"), 3), true);
});

Deno.test("isConnectionSpoilt() distinguishes a broken connection from one that was never opened", () => {
  for (const code of ["CONNECTION_CLOSED", "EBADF", "ECONNRESET", "EPIPE", "25006"]) {
    assert.equal(isConnectionSpoilt(fault(code)), true, code);
  }
  for (const code of ["ECONNREFUSED", "CONNECT_TIMEOUT", "CONNECTION_DESTROYED", "57P03"]) {
    assert.equal(isConnectionSpoilt(fault(code)), false, code);
  }
});
