import assert from "node:assert/strict";
import { Answer } from "../../kernel/seccomp_program.ts";
import { type CallName, EPERM, PROCESSORS } from "../../kernel/system_calls.ts";
import { runProgram } from "../../kernel/_run_program.ts";
import { buildClosedFilter } from "./seal_process.ts";
import { REFUSED } from "./seccomp_filter.ts";

const PID = 4321;
const REFUSE = Answer.fail(EPERM);

for (const [name, processor] of Object.entries(PROCESSORS)) {
  Deno.test(`buildClosedFilter() blocks sockets and programs on ${name}`, () => {
    const filter = buildClosedFilter(processor, PID);
    const { arch } = processor;
    const run = (number: number, ...args: bigint[]) => runProgram(filter, { arch, number, args });
    const closed: readonly CallName[] = ["socket", "connect", "listen", ...REFUSED];
    for (const each of closed.filter((call) => processor.number(call) >= 0)) {
      assert.equal(run(processor.number(each)), REFUSE, each);
    }
    assert.equal(run(name === "x86_64" ? 0 : 63), Answer.allow, "read");
    assert.equal(run(processor.number("kill"), BigInt(PID)), Answer.allow);
    assert.equal(run(processor.number("kill"), BigInt(PID + 1)), REFUSE);
    assert.equal(run(0x40000000 | processor.number("connect")), REFUSE);
  });
}
