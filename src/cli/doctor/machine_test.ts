import assert from "node:assert/strict";
import { judgeCredentials, judgeMemory, judgeOpenFiles, judgeProxy } from "./machine.ts";

const limitsOf = (soft: string) =>
  `Limit                     Soft Limit           Hard Limit           Units\n` +
  `Max open files            ${soft.padEnd(20)} 524288               files\n`;

Deno.test("judgeOpenFiles() warns about a limit that is too low for many connections", () => {
  assert.equal(judgeOpenFiles(limitsOf("65536"))!.state, "ok");
  assert.equal(judgeOpenFiles(limitsOf("unlimited"))!.state, "ok");
  const few = judgeOpenFiles(limitsOf("1024"))!;
  assert.deepEqual([few.state, few.found], ["warn", "a process can have 1024 open files"]);
  assert.match(few.advice!, /ulimit -n 65536/);
  assert.equal(judgeOpenFiles(""), undefined, "a system without /proc");
});

Deno.test("judgeMemory() advises at least 512 MiB of memory", () => {
  assert.equal(judgeMemory(1024 ** 3).state, "ok");
  assert.match(judgeMemory(256 * 1024 ** 2).advice!, /512 MiB/);
});

Deno.test("judgeProxy() shows which variables set a proxy, without its password", () => {
  const HTTPS_PROXY = "http://user:secret@proxy.example:3128";
  assert.equal(judgeProxy({}), undefined);
  const through = judgeProxy({ HTTPS_PROXY })!;
  assert.equal(through.state, "ok");
  assert.match(through.found, /HTTPS_PROXY, except requests to this machine/);
  assert.ok(!JSON.stringify(through).includes("secret"));
});

Deno.test("judgeCredentials() requires a file that only its owner can access", () => {
  const judge = (mode: number | null, warnings: readonly string[] = []) =>
    judgeCredentials("/home/ada/.config/svc/credentials.json", { mode, warnings })!;
  assert.equal(judge(0o100600).state, "ok");
  assert.equal(judge(null).state, "ok");
  assert.match(judge(0o100644).advice!, /^Restrict it: chmod 600 \/home/);
  assert.equal(judge(0o100600, ["an entry is missing"]).found, "an entry is missing");
  assert.equal(judgeCredentials(undefined, { mode: null, warnings: [] }), undefined);
});
