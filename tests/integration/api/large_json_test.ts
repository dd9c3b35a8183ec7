/** JSON that is built to keep the platform busy: it is refused soon, and in few words. */
import assert from "node:assert/strict";
import { createProject, TOKEN, withPlatform } from "../../helpers/platform.ts";

/** Longest time of a refusal, in milliseconds, on a busy machine. */
const SOON_MS = 3000;
const SMALL = 64 * 1024;

const keys = (count: number): string =>
  `{${Array.from({ length: count }, (_, index) => `"key${index}":1`).join(",")}}`;

Deno.test("a body with a million unknown keys is refused soon, in few words", () =>
  withPlatform(async ({ port, api }) => {
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
      const began = performance.now();
      const response = await fetch(url, {
        method: "POST",
        headers: { authorization: `Bearer ${TOKEN}`, "content-type": "application/json" },
        body,
      });
      const text = await response.text();
      const took = performance.now() - began;
      assert.equal(response.status, 400, `${name}: ${text.slice(0, 300)}`);
      assert.ok(text.length < SMALL, `${name}: ${text.length} characters`);
      assert.ok(took < SOON_MS, `${name}: ${Math.round(took)} ms`);
    }
  }));
