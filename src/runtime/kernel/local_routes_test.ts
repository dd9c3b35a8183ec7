import assert from "node:assert/strict";
import { addressBytes } from "../public_address.ts";
import { findLocalRoute, type LocalRoute, portOf } from "./local_routes.ts";

function sockaddr(address: string, port: number): Uint8Array {
  const bytes = addressBytes(address)!;
  const head = [port >> 8, port & 255];
  return bytes.byteLength === 4
    ? Uint8Array.of(2, 0, ...head, ...bytes, ...Array<number>(8).fill(0))
    : Uint8Array.of(10, 0, ...head, 0, 0, 0, 0, ...bytes, 0, 0, 0, 0);
}

const ROUTES: readonly LocalRoute[] = [
  { port: 3000, to: { host: "127.0.0.1", port: 41_000 }, isAnnounced: true },
  { port: 443, to: { host: "127.0.0.1", port: 42_000 }, isAnnounced: false },
];

Deno.test("findLocalRoute() redirects the ports of this machine's own addresses", () => {
  const rows = [
    ["127.0.0.1", 3000, "127.0.0.1", 41_000],
    ["127.1.2.3", 443, "127.0.0.1", 42_000],
    ["0.0.0.0", 3000, "127.0.0.1", 41_000],
    ["::1", 3000, "::ffff:7f00:1", 41_000],
    ["::", 443, "::ffff:7f00:1", 42_000],
    ["::ffff:7f00:1", 443, "::ffff:7f00:1", 42_000],
  ] as const;
  for (const [address, port, host, to] of rows) {
    const routed = findLocalRoute(sockaddr(address, port), ROUTES);
    assert.deepEqual(routed?.address, sockaddr(host, to), address);
    assert.equal(portOf(routed.address), to);
    assert.equal(routed.route.isAnnounced, port === 3000);
  }
});

Deno.test("findLocalRoute() does not redirect other addresses and ports", () => {
  const rows = [["127.0.0.1", 80], ["10.0.0.1", 443], ["93.184.216.34", 443], ["fd00::1", 3000]];
  for (const [address, port] of rows) {
    assert.equal(findLocalRoute(sockaddr(String(address), Number(port)), ROUTES), undefined);
  }
  assert.equal(findLocalRoute(Uint8Array.of(1, 0, 47, 114), ROUTES), undefined, "a Unix socket");
  assert.equal(findLocalRoute(Uint8Array.of(2, 0, 11, 184), ROUTES), undefined, "too short");
  assert.equal(findLocalRoute(Uint8Array.of(2), ROUTES), undefined);
});
