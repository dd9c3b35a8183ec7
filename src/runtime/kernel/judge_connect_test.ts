import assert from "node:assert/strict";
import { addressBytes } from "../public_address.ts";
import { judgeBind, judgeConnect, readNameservers } from "./judge_connect.ts";
import { EACCES, ECONNREFUSED } from "./system_calls.ts";

function sockaddr(address: string, port: number): Uint8Array {
  const bytes = addressBytes(address)!;
  const head = [port >> 8, port & 255];
  return bytes.byteLength === 4
    ? Uint8Array.of(2, 0, ...head, ...bytes, ...Array<number>(8).fill(0))
    : Uint8Array.of(10, 0, ...head, 0, 0, 0, 0, ...bytes, 0, 0, 0, 0);
}

const NAMESERVERS = readNameservers(
  "# local\nnameserver 127.0.0.53\nnameserver\tfd00::53\noptions edns0\nnameserver bad\n",
);

Deno.test("judgeConnect() allows the public internet and DNS", () => {
  const rows: readonly (readonly [string, Uint8Array, number])[] = [
    ["public", sockaddr("93.184.216.34", 443), 0],
    ["public IPv6", sockaddr("2606:4700::1111", 443), 0],
    ["loopback", sockaddr("127.0.0.1", 443), EACCES],
    ["any", sockaddr("0.0.0.0", 80), EACCES],
    ["metadata", sockaddr("169.254.169.254", 80), EACCES],
    ["loopback IPv6", sockaddr("::1", 443), EACCES],
    ["unique local", sockaddr("fd00::1", 443), EACCES],
    ["a private IPv4 address in IPv6", sockaddr("::ffff:7f00:1", 443), EACCES],
    ["a public IPv4 address in IPv6", sockaddr("::ffff:5db8:d822", 443), 0],
    ["a peer", sockaddr("127.0.0.1", 8788), 0],
    ["a peer as IPv4 in IPv6", sockaddr("::ffff:7f00:1", 8788), 0],
    ["another port on a peer", sockaddr("127.0.0.1", 8787), EACCES],
    ["a peer's port elsewhere", sockaddr("127.0.0.2", 8788), EACCES],
    ["nameserver", sockaddr("127.0.0.53", 53), 0],
    ["a nameserver with an IPv6 address", sockaddr("fd00::53", 53), 0],
    ["another port on a nameserver", sockaddr("127.0.0.53", 80), EACCES],
    ["the DNS port on a private address", sockaddr("10.0.0.1", 53), EACCES],
    ["a Unix socket", Uint8Array.of(1, 0, 47, 114), ECONNREFUSED],
    ["no address", Uint8Array.of(0, 0), 0],
    ["cut short", Uint8Array.of(2, 0, 0, 80, 1), EACCES],
    ["another family", Uint8Array.of(40, 0, 1, 2, 3, 4, 5, 6), EACCES],
  ];
  for (const [name, bytes, expected] of rows) {
    const rules = {
      nameservers: NAMESERVERS,
      allowPrivate: false,
      peers: [{ host: "127.0.0.1", port: 8788 }],
    };
    assert.equal(judgeConnect(bytes, rules), expected, name);
  }
});

Deno.test("judgeConnect() permits private addresses if allowed, but never Unix sockets", () => {
  const rules = { nameservers: [], allowPrivate: true, peers: [] };
  for (const address of ["127.0.0.1", "10.0.0.1", "fd00::1", "93.184.216.34"]) {
    assert.equal(judgeConnect(sockaddr(address, 443), rules), 0, address);
  }
  assert.equal(judgeConnect(Uint8Array.of(1, 0, 47, 114), rules), ECONNREFUSED);
  assert.equal(
    judgeConnect(Uint8Array.of(1, 0, 0, 114), rules),
    ECONNREFUSED,
    "an abstract Unix socket",
  );
});

Deno.test("judgeBind() does not allow choosing an address or port", () => {
  const rows: readonly (readonly [string, Uint8Array, number])[] = [
    ["any port on all addresses", sockaddr("0.0.0.0", 0), 0],
    ["any port on all addresses, IPv6", sockaddr("::", 0), 0],
    ["a port on all addresses", sockaddr("0.0.0.0", 5353), EACCES],
    ["a port on all addresses, IPv6", sockaddr("::", 5353), EACCES],
    ["any port on one address", sockaddr("127.0.0.1", 0), EACCES],
    ["any port on one address, IPv6", sockaddr("::1", 0), EACCES],
    ["a Unix socket", Uint8Array.of(1, 0, 47, 114), 0],
    ["cut short", Uint8Array.of(2, 0, 0, 0, 0), EACCES],
    ["packets", Uint8Array.of(17, 0, 0, 3, 0, 0, 0, 0), EACCES],
  ];
  for (const [name, bytes, expected] of rows) assert.equal(judgeBind(bytes), expected, name);
});
