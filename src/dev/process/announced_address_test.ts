import assert from "node:assert/strict";
import { announcedAddress } from "./announced_address.ts";

const LINES: readonly (readonly [line: string, address: object | undefined])[] = [
  ["  ➜  Local:   \x1b[36mhttp://localhost:\x1b[1m5173\x1b[22m/\x1b[39m", {
    hostname: "localhost",
    port: 5173,
  }],
  ["➜ Listening on: http://[::]:3000/ (all interfaces)", { hostname: "localhost", port: 3000 }],
  ["Server at http://127.0.0.1:8080", { hostname: "127.0.0.1", port: 8080 }],
  ["ready on https://[::1]:4433/app", { hostname: "::1", port: 4433 }],
  ["  ➜  Network: http://192.168.1.2:5173/", undefined],
  ["see http://localhost/docs", undefined],
  ["http://localhost:99999/", undefined],
];

for (const [line, address] of LINES) {
  Deno.test(`announcedAddress() finds ${address ? "an address" : "nothing"} in ${JSON.stringify(line)}`, () => {
    assert.deepEqual(announcedAddress(line), address);
  });
}
