import assert from "node:assert/strict";
import { setAcceptedOptions } from "./accepted_options.ts";
import { descriptors, openLibc } from "./libc.ts";

const IPPROTO_TCP = 6;
const OPTIONS = { TCP_NODELAY: 1, TCP_USER_TIMEOUT: 18 } as const;

/** Finds the descriptor of the socket whose other end uses the given port. */
function descriptorTo(port: number): number {
  for (const descriptor of descriptors()) {
    const address = new Uint8Array(28);
    if (openLibc()!.getpeername(descriptor, address, Uint32Array.of(28)) !== 0) continue;
    if (new DataView(address.buffer).getUint16(2) === port) return descriptor;
  }
  throw new Error(`No socket leads to port ${port}`);
}

function optionOf(descriptor: number, option: number): number {
  const value = new Int32Array(1);
  assert.equal(
    openLibc()!.getsockopt(descriptor, IPPROTO_TCP, option, value, Uint32Array.of(4)),
    0,
  );
  return value[0]!;
}

Deno.test({
  name: "setAcceptedOptions() turns off Nagle's algorithm and limits stalls",
  ignore: Deno.build.os !== "linux",
  fn: async () => {
    using listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
    assert.equal(setAcceptedOptions(listener.addr.port, { stalledMs: 7000 }), 1);
    using client = await Deno.connect({ hostname: "127.0.0.1", port: listener.addr.port });
    using _accepted = await listener.accept();
    const descriptor = descriptorTo(client.localAddr.port);
    assert.equal(optionOf(descriptor, OPTIONS.TCP_NODELAY), 1);
    assert.equal(optionOf(descriptor, OPTIONS.TCP_USER_TIMEOUT), 7000);
  },
});
