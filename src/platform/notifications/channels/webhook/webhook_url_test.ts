import assert from "node:assert/strict";
import { Failure } from "../../../core/http/failure.ts";
import { checkWebhookUrl } from "./webhook_url.ts";

const REFUSED: readonly (readonly [name: string, url: string])[] = [
  ["loopback", "http://127.0.0.1/x"],
  ["another loopback address", "https://127.8.9.10/x"],
  ["loopback as a number", "http://2130706433/x"],
  ["loopback in hexadecimal", "http://0x7f.1/x"],
  ["loopback in octal", "http://0177.0.0.1/x"],
  ["loopback in full-width digits", "http://１２７.0.0.1/x"],
  ["loopback with a trailing dot", "http://127.0.0.1./x"],
  ["no address", "http://0.0.0.0/x"],
  ["private, class A", "https://10.1.2.3/x"],
  ["private, class B", "https://172.16.0.1/x"],
  ["private, class C", "https://192.168.1.1/x"],
  ["link-local, where clouds keep secrets", "http://169.254.169.254/x"],
  ["carrier-grade NAT", "https://100.64.0.1/x"],
  ["multicast", "https://224.0.0.1/x"],
  ["broadcast", "https://255.255.255.255/x"],
  ["documentation", "https://203.0.113.9/x"],
  ["IPv6 loopback", "http://[::1]/x"],
  ["IPv6 loopback in full", "http://[0:0:0:0:0:0:0:1]/x"],
  ["IPv6 link-local", "http://[fe80::1]/x"],
  ["IPv6 unique local", "http://[fd00::1]/x"],
  ["IPv4 in IPv6", "http://[::ffff:10.0.0.1]/x"],
  ["NAT64", "http://[64:ff9b::a00:1]/x"],
  ["localhost", "http://localhost/x"],
  ["localhost in capitals", "http://LOCALHOST/x"],
  ["localhost with a trailing dot", "http://localhost./x"],
  ["below localhost", "https://shop.localhost/x"],
  ["another service's port", "https://hooks.example.com:25/x"],
];

Deno.test("checkWebhookUrl() refuses private addresses in every notation", () => {
  for (const [name, url] of REFUSED) {
    assert.throws(() => checkWebhookUrl(url, { allowPrivate: false }), (error) => {
      assert.ok(error instanceof Failure, name);
      assert.deepEqual(error.problems?.map(({ path }) => path), ["body.url"]);
      assert.match(error.message, /body\.url: .*not allowed.*--allow-private-upstreams/, name);
      return true;
    }, name);
    checkWebhookUrl(url, { allowPrivate: true });
  }
});

Deno.test("checkWebhookUrl() accepts public addresses and all names", () => {
  const taken = [
    "https://ci.example.com/svc",
    "http://8.8.8.8/x",
    "https://[2606:4700::1111]:8443/x",
    "https://localhost.example.com/x",
    "https://10.0.0.1.example.com/x",
  ];
  for (const url of taken) checkWebhookUrl(url, { allowPrivate: false });
});
