/** Runs system call filters as the kernel does, for tests. */
import { JUMP_ANY_BIT, JUMP_AT_LEAST, JUMP_EQUAL, LOAD, RETURN } from "./seccomp_program.ts";

const jumps: Readonly<Record<number, (value: number, k: number) => boolean>> = {
  [JUMP_EQUAL]: (value, k) => value === k,
  [JUMP_AT_LEAST]: (value, k) => value >= k,
  [JUMP_ANY_BIT]: (value, k) => (value & k) !== 0,
};

/** Runs a filter program on a call (struct seccomp_data). */
export function runProgram(
  program: Uint8Array<ArrayBuffer>,
  call: { readonly arch: number; readonly number: number; readonly args?: readonly bigint[] },
): number {
  const data = new DataView(new ArrayBuffer(64));
  data.setUint32(0, call.number, true);
  data.setUint32(4, call.arch, true);
  call.args?.forEach((value, at) => data.setBigInt64(16 + at * 8, value, true));
  const view = new DataView(program.buffer);
  let value = 0;
  for (let at = 0; at < program.byteLength / 8; at++) {
    const code = view.getUint16(at * 8, true);
    const k = view.getUint32(at * 8 + 4, true);
    if (code === RETURN) return k;
    if (code === LOAD) value = data.getUint32(k, true);
    else at += view.getUint8(at * 8 + (jumps[code]!(value, k) ? 2 : 3));
  }
  throw new Error("The program has no end");
}
