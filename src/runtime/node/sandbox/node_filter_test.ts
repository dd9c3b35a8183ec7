import assert from "node:assert/strict";
import { Answer } from "../../kernel/seccomp_program.ts";
import { type CallName, ENOSYS, EPERM, PROCESSORS } from "../../kernel/system_calls.ts";
import { runProgram } from "../../kernel/_run_program.ts";
import { ALLOWED, ASKED, buildNodeFilter, REFUSED, REFUSED_IN_SIGHT } from "./node_filter.ts";

const { allow, ask, fail } = Answer;
const REFUSE = fail(EPERM);

for (const [name, processor] of Object.entries(PROCESSORS)) {
  const { arch, number } = processor;

  const caller = (hasOwnRoot: boolean) => {
    const filter = buildNodeFilter(processor, { hasOwnRoot });
    return (call: CallName, ...args: bigint[]) =>
      runProgram(filter, { arch, number: number(call), args });
  };

  Deno.test(`buildNodeFilter() allows, blocks and defers the expected calls on ${name}`, () => {
    const call = caller(true);
    const filter = buildNodeFilter(processor, { hasOwnRoot: true });
    const option = (level: bigint, option: bigint) => call("setsockopt", 3n, level, option);
    const rows: readonly (readonly [string, number, number])[] = [
      ["a thread", call("clone", 0x3d0f00n), allow],
      ["a process", call("clone", 0x1200011n), ask],
      ["a process that shares memory (vfork)", call("clone", 0x4111n), ask],
      ["a thread in a separate network", call("clone", 0x403d0f00n), REFUSE],
      ["a process in its own user namespace", call("clone", 0x10000011n), REFUSE],
      ["clone3", call("clone3"), fail(ENOSYS)],
      ["a Unix socket", call("socket", 1n), allow],
      ["an IPv4 socket", call("socket", 2n), ask],
      ["an IPv6 socket", call("socket", 10n), ask],
      ["interfaces", call("socket", 16n, 3n, 0n), allow],
      ["the machine's interfaces", caller(false)("socket", 16n, 3n, 0n), REFUSE],
      ["kernel events", call("socket", 16n, 3n, 15n), REFUSE],
      ["an interface's addresses", call("ioctl", 3n, 0x8912n), REFUSE],
      ["the number of readable bytes", call("ioctl", 3n, 0x541bn), allow],
      ["another device's request", call("ioctl", 3n, 0xc0502100n), allow],
      ["a packet socket", call("socket", 17n), REFUSE],
      ["a socket for the kernel's ciphers", call("socket", 38n), REFUSE],
      ["a socket to the hypervisor", call("socket", 40n), REFUSE],
      ["source routes", option(0n, 4n), REFUSE],
      ["keepalive time, an option with the same number", option(6n, 4n), allow],
      ["time to live", option(0n, 2n), allow],
      ["routing headers", option(41n, 57n), REFUSE],
      ["destination headers, by the old number", option(41n, 4n), REFUSE],
      ["only IPv6", option(41n, 26n), allow],
      ["another interface", option(1n, 25n), REFUSE],
      ["another interface by number", option(1n, 62n), REFUSE],
      ["keepalive", option(1n, 9n), allow],
      ["sendto without a peer", call("sendto"), allow],
      ["sendto with a peer", call("sendto", 3n, 0n, 0n, 0n, 1n << 40n), ask],
      ["its own limits", call("prlimit64", 0n), allow],
      ["another process's limits", call("prlimit64", 1n), REFUSE],
      ["its own priority", call("setpriority", 0n, 0n), allow],
      ["the priority of another process", call("setpriority", 0n, 1n), REFUSE],
      ["the signal sent when its parent ends", call("prctl", 1n), ask],
      ["its own filter", call("prctl", 22n), REFUSE],
      ["a thread's name", call("prctl", 15n), allow],
      ["chmod", call("fchmodat"), allow],
      [
        "a call that the filter does not list",
        runProgram(filter, { arch, number: 9999 }),
        fail(ENOSYS),
      ],
      ...ALLOWED.filter((each) => number(each) >= 0).map((each) =>
        [each, call(each), allow] as const
      ),
      ...ASKED.map((each) => [each, call(each), ask] as const),
      ...REFUSED.filter((each) => number(each) >= 0).map((each) =>
        [each, call(each), REFUSE] as const
      ),
    ];
    for (const [row, came, expected] of rows) assert.equal(came, expected, row);
  });

  Deno.test(`buildNodeFilter() lets a server with processes start and signal them on ${name}`, () => {
    const caller = (hasOwnRoot: boolean) => {
      const filter = buildNodeFilter(processor, { hasOwnRoot, hasProcesses: true });
      return (call: CallName, ...args: bigint[]) =>
        runProgram(filter, { arch, number: number(call), args });
    };
    const [apart, inSight] = [caller(true), caller(false)];
    assert.equal(apart("clone", 0x1200011n), ask);
    assert.equal(apart("clone", 0x10000011n), REFUSE);
    assert.equal(apart("execve"), ask);
    assert.equal(apart("execveat"), REFUSE);
    assert.equal(apart("setsid"), allow);
    assert.equal(apart("kill", 5n), allow);
    assert.equal(inSight("kill", 5n), ask);
    assert.equal(inSight("tgkill", 5n, 5n), ask);
    assert.equal(apart("ptrace"), REFUSE);
    assert.equal(apart("setns"), REFUSE);
    if (number("fork") >= 0) assert.deepEqual([apart("fork"), apart("vfork")], [ask, ask]);
  });

  Deno.test(`buildNodeFilter() lets the kernel limit the number of processes on ${name}`, () => {
    const filter = buildNodeFilter(processor, {
      hasOwnRoot: true,
      hasProcesses: true,
      limitsProcesses: true,
    });
    const call = (call: CallName, ...args: bigint[]) =>
      runProgram(filter, { arch, number: number(call), args });
    assert.equal(call("clone", 0x1200011n), allow);
    assert.equal(call("clone", 0x10000011n), REFUSE);
    assert.equal(call("execve"), ask);
    if (number("fork") >= 0) assert.deepEqual([call("fork"), call("vfork")], [allow, allow]);
  });

  Deno.test(`buildNodeFilter() refuses changes to attributes of visible files on ${name}`, () => {
    const call = caller(false);
    for (const each of REFUSED_IN_SIGHT.filter((each) => number(each) >= 0)) {
      assert.equal(call(each), REFUSE, each);
    }
  });
}

Deno.test("no call is both allowed and checked", () => {
  const judged = new Set<CallName>([...REFUSED, ...REFUSED_IN_SIGHT, ...ASKED]);
  assert.deepEqual(ALLOWED.filter((call) => judged.has(call)), []);
  assert.equal(new Set(ALLOWED).size, ALLOWED.length);
});
