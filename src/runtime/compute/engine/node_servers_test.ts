import assert from "node:assert/strict";
import { readListenArguments } from "./node_servers.ts";

Deno.test("readListenArguments() reads the forms of server.listen()", () => {
  const rows: readonly (readonly [readonly unknown[], unknown])[] = [
    [[], {}],
    [[3000], { port: 3000 }],
    [["3000", "0.0.0.0", 511, () => {}], { port: 3000, host: "0.0.0.0" }],
    [[3000, () => {}], { port: 3000 }],
    [[{ port: "8080", host: "::" }], { port: 8080, host: "::" }],
    [[{ port: 0 }], { port: 0 }],
    [[undefined, "localhost"], { host: "localhost" }],
    [["/tmp/socket"], "other"],
    [[{ path: "/tmp/socket" }], "other"],
    [[{ fd: 3 }], "other"],
    [[{ _handle: {} }], "other"],
  ];
  for (const [args, expected] of rows) assert.deepEqual(readListenArguments(args), expected);
});
