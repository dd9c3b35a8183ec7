/**
 * Connections of all listeners must send small writes immediately (TCP_NODELAY). A response over
 * TLS consists of two small writes. The platform runs in the test's process because a test can
 * inspect only its own sockets.
 */
import assert from "node:assert/strict";
import { join } from "node:path";
import { until } from "../../../src/lib/_test_until.ts";
import { makeCertificate } from "../../../src/lib/_test_certificate.ts";
import { startInProcess } from "../../helpers/platform.ts";

const IPPROTO_TCP = 6;
const TCP_NODELAY = 1;
/** Size in bytes of `struct sockaddr_in6`, the longest IP socket address. */
const ADDRESS_BYTES = 28;

const openLibc = () =>
  Deno.dlopen("libc.so.6", {
    getpeername: { parameters: ["i32", "buffer", "buffer"], result: "i32" },
    getsockopt: { parameters: ["i32", "i32", "i32", "buffer", "buffer"], result: "i32" },
  });

/**
 * Returns the option's value for the socket in this process that is connected to a port;
 * `undefined` if there is no such socket.
 */
function sendsAtOnce(
  { getpeername, getsockopt }: ReturnType<typeof openLibc>["symbols"],
  port: number,
): boolean | undefined {
  for (const { name } of Deno.readDirSync("/proc/self/fd")) {
    const address = new Uint8Array(ADDRESS_BYTES);
    if (getpeername(Number(name), address, Uint32Array.of(ADDRESS_BYTES)) !== 0) continue;
    if (new DataView(address.buffer).getUint16(2) !== port) continue;
    const value = new Int32Array(1);
    getsockopt(Number(name), IPPROTO_TCP, TCP_NODELAY, value, Uint32Array.of(4));
    return value[0] === 1;
  }
  return undefined;
}

Deno.test({
  name: "connections over HTTP and HTTPS send small writes immediately",
  ignore: Deno.build.os !== "linux",
  fn: async () => {
    const folder = await Deno.makeTempDir({ prefix: "svc-small-writes-" });
    const tls = await makeCertificate(folder, "own", ["DNS:svc.test", "DNS:*.svc.test"]);
    const platform = await startInProcess(join(folder, "data"), { httpsPort: 0, tls });
    const libc = openLibc();
    try {
      for (const port of [platform.port, platform.httpsPort!]) {
        using client = await Deno.connect({ hostname: "127.0.0.1", port });
        const isSet = () => sendsAtOnce(libc.symbols, client.localAddr.port);
        await until(() => isSet() !== undefined);
        assert.equal(isSet(), true, `port ${port}`);
      }
    } finally {
      libc.close();
      await platform.shutdown();
      await Deno.remove(folder, { recursive: true });
    }
  },
});
