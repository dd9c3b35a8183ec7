import assert from "node:assert/strict";
import { describeDenial } from "./permission_errors.ts";

Deno.test("describeDenial() finds a server's denied action", () => {
  const rows: readonly (readonly [string, string, string | undefined])[] = [
    [
      'Requires write access to "/etc/x", run again with the --allow-write flag',
      "EACCES: permission denied, open '/etc/x'",
      "/etc/x",
    ],
    [
      "Requires read access to <CWD>, run again with the --allow-read flag",
      "EACCES: permission denied, open '<CWD>'",
      "<CWD>",
    ],
    [
      "Requires all write access, run again with the --allow-write flag",
      "EACCES: permission denied, open",
      undefined,
    ],
    [
      'Requires net access to "127.0.0.1:80", run again with the --allow-net flag',
      "EACCES: permission denied, connect 127.0.0.1:80",
      undefined,
    ],
    [
      'Requires run access to "id", run again with the --allow-run flag',
      "EACCES: permission denied, spawn id",
      undefined,
    ],
    [
      'Requires sys access to "networkInterfaces", run again with the --allow-sys flag',
      "EPERM: operation not permitted, networkInterfaces",
      undefined,
    ],
  ];
  for (const [said, message, path] of rows) {
    const denied = describeDenial(said);
    assert.deepEqual([denied?.message, denied?.path], [message, path], said);
  }
  assert.equal(describeDenial("Something else"), undefined);
});
