import assert from "node:assert/strict";
import { buildFilter, CALLS } from "./seccomp_filter.ts";

const ALLOW = 0x7fff0000;
const NOTIFY = 0x7fc00000;
const KILL = 0x80000000;
const EPERM = 0x00050001;

/** Runs a filter as the kernel does, for the instructions that it has. */
function run(filter: Uint8Array<ArrayBuffer>, data: DataView): number {
  const view = new DataView(filter.buffer);
  let value = 0;
  for (let at = 0; at < filter.byteLength / 8; at++) {
    const code = view.getUint16(at * 8, true);
    const k = view.getUint32(at * 8 + 4, true);
    if (code === 0x06) return k;
    if (code === 0x20) value = data.getUint32(k, true);
    else {
      const holds = code === 0x15 ? value === k : value >= k;
      at += view.getUint8(at * 8 + (holds ? 2 : 3));
    }
  }
  throw new Error("The filter has no end");
}

const PID = 4321;

function call(arch: number, number: number, fifth = 0n, first = 0): DataView {
  const data = new DataView(new ArrayBuffer(64));
  data.setUint32(0, number, true);
  data.setUint32(4, arch, true);
  data.setInt32(16, first, true);
  data.setBigUint64(16 + 4 * 8, fifth, true);
  return data;
}

for (const [name, calls] of Object.entries(CALLS)) {
  Deno.test(`buildFilter() judges calls on ${name}`, () => {
    const filter = buildFilter(calls, PID);
    const { arch, connect, sendto, sendmsg, sendmmsg, listen, refused, signals } = calls;
    const rows: readonly (readonly [string, DataView, number])[] = [
      ["read", call(arch, name === "x86_64" ? 0 : 63), ALLOW],
      ["connect", call(arch, connect), NOTIFY],
      ["sendmsg", call(arch, sendmsg), NOTIFY],
      ["sendmmsg", call(arch, sendmmsg), NOTIFY],
      ["listen", call(arch, listen), NOTIFY],
      ["sendto without a peer", call(arch, sendto), ALLOW],
      ["sendto with a peer", call(arch, sendto, 0x7fff_0000n), NOTIFY],
      ["sendto with a high peer", call(arch, sendto, 1n << 40n), NOTIFY],
      ["execve", call(arch, refused.at(0)!), EPERM],
      ["the last that is refused", call(arch, refused.at(-1)!), EPERM],
      ["another calling convention", call(arch, 0x40000000 | connect), EPERM],
      ["another processor", call(0x40000003, connect), KILL],
      ...signals.flatMap((number): [string, DataView, number][] => [
        [`signal ${number} to itself`, call(arch, number, 0n, PID), ALLOW],
        [`signal ${number} to another`, call(arch, number, 0n, PID + 1), EPERM],
        [`signal ${number} to its group`, call(arch, number, 0n, 0), EPERM],
        [`signal ${number} to all`, call(arch, number, 0n, -1), EPERM],
      ]),
    ];
    for (const [row, data, expected] of rows) assert.equal(run(filter, data), expected, row);
  });
}
