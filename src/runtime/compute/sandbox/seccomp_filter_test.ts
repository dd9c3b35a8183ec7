import assert from "node:assert/strict";
import { Answer } from "../../kernel/seccomp_program.ts";
import { type CallName, EPERM, PROCESSORS } from "../../kernel/system_calls.ts";
import { runProgram } from "../../kernel/_run_program.ts";
import { ASKED, buildFilter, REFUSED, SIGNALS } from "./seccomp_filter.ts";

const PID = 4321;
const REFUSE = Answer.fail(EPERM);

for (const [name, processor] of Object.entries(PROCESSORS)) {
  Deno.test(`buildFilter() allows, blocks and defers the expected calls on ${name}`, () => {
    const filter = buildFilter(processor, PID);
    const { arch } = processor;
    const run = (number: number, ...args: bigint[]) => runProgram(filter, { arch, number, args });
    const call = (call: CallName, ...args: bigint[]) => run(processor.number(call), ...args);
    const peer = (address: bigint) => call("sendto", 3n, 0n, 0n, 0n, address);
    const rows: readonly (readonly [string, number, number])[] = [
      ["read", run(name === "x86_64" ? 0 : 63), Answer.allow],
      ["sendto without a peer", peer(0n), Answer.allow],
      ["sendto with a peer", peer(0x7fff_0000n), Answer.ask],
      ["sendto with a high peer", peer(1n << 40n), Answer.ask],
      ["another calling convention", run(0x40000000 | processor.number("connect")), REFUSE],
      [
        "another processor",
        runProgram(filter, { arch: 0x40000003, number: 1 }),
        Answer.killProcess,
      ],
      ...ASKED.map((each) => [each, call(each), Answer.ask] as const),
      ...REFUSED.filter((each) => processor.number(each) >= 0)
        .map((each) => [each, call(each), REFUSE] as const),
      ...SIGNALS.flatMap((each) => [
        [`${each} to itself`, call(each, BigInt(PID)), Answer.allow] as const,
        [`${each} to another process`, call(each, BigInt(PID + 1)), REFUSE] as const,
        [`${each} to its process group`, call(each, 0n), REFUSE] as const,
        [`${each} to all processes`, call(each, -1n), REFUSE] as const,
      ]),
    ];
    for (const [row, came, expected] of rows) assert.equal(came, expected, row);
  });
}
