/**
 * Sends JSON that is designed to keep the platform busy. The platform must reject it quickly, with
 * a short message.
 */
import assert from "node:assert/strict";
import { createProject, processOf, TOKEN, withPlatform } from "../../helpers/platform.ts";

/**
 * Maximum CPU time for rejecting a request, in milliseconds. On a busy machine, only the waiting
 * time increases, which does not count.
 */
const SOON_MS = 3000;
const SMALL = 64 * 1024;

const keys = (count: number): string =>
  `{${Array.from({ length: count }, (_, index) => `"key${index}":1`).join(",")}}`;

/**
 * Returns the CPU time that a process has used, in milliseconds (proc(5), stat, fields 14 and
 * 15).
 */
function usedMs(pid: number): number {
  const stat = Deno.readTextFileSync(`/proc/${pid}/stat`);
  const [user, system] = stat.slice(stat.lastIndexOf(")") + 2).split(" ").slice(11, 13);
  return 10 * (Number(user) + Number(system));
}

Deno.test("a body with a million unknown keys is refused quickly, with a short response", () =>
  withPlatform(async (platform) => {
    const { port, api } = platform;
    const pid = processOf(platform);
    const { id } = await createProject({ api }, "shop");
    const million = keys(1_000_000);
    const many = keys(900);
    const url = `http://127.0.0.1:${port}/v1/projects/${id}/deployments`;
    const rows: readonly (readonly [name: string, body: string])[] = [
      ["an object", million],
      ["an object in an object", `{"manifest":${million}}`],
      ["an object in a list", `{"files":[${million}]}`],
      ["objects in a list", `{"files":[${Array(1000).fill(many).join(",")}]}`],
      ["objects in objects", `{"manifest":{"layers":[${Array(1000).fill(many).join(",")}]}}`],
      ["a long name", `{"${"x".repeat(10_000_000)}":1}`],
    ];
    for (const [name, body] of rows) {
      const before = usedMs(pid);
      const response = await fetch(url, {
        method: "POST",
        headers: { authorization: `Bearer ${TOKEN}`, "content-type": "application/json" },
        body,
      });
      const text = await response.text();
      const took = usedMs(pid) - before;
      assert.equal(response.status, 400, `${name}: ${text.slice(0, 300)}`);
      assert.ok(text.length < SMALL, `${name}: ${text.length} characters`);
      assert.ok(took < SOON_MS, `${name}: ${took} ms`);
    }
  }));
