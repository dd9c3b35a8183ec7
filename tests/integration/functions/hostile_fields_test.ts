/** Headers from functions must not be able to end a line or a response, or crash a process. */
import assert from "node:assert/strict";
import { openMachinery, publish, rule } from "../../helpers/upstreams.ts";
import { createProject } from "../../helpers/platform.ts";

const HOST = "shop.localhost";

/** A function that responds with the header that the query specifies. */
const ECHO = `export default (request: Request) => {
  const query = new URL(request.url).searchParams;
  return new Response("echo", { headers: [[query.get("name"), query.get("value")]] });
};`;

const VALUES: readonly (readonly [value: string, seen: string])[] = [
  ["a\x01\x0b\x1b\x7fb", "a    b"],
  ["a\tb", "a\tb"],
  [" a ", "a"],
  ["caf\u00e9\u0080", "caf\u00e9\u0080"],
  ["x".repeat(4000), "x".repeat(4000)],
];

Deno.test("no header from a function can break out of its line or crash the platform", async (t) => {
  await using machinery = await openMachinery();
  const { platform } = machinery;
  await createProject(platform, "shop");
  await publish(platform, "shop", {
    functions: { echo: ECHO },
    rules: [
      rule("echo", { type: "pipeline", steps: [{ handle: "echo" }] }, "/echo/"),
      rule("keep", { type: "cache", ttlSeconds: 60 }, "/echo/kept"),
    ],
  });
  const ask = (path: string, name: string, value: string) =>
    platform.get(HOST, `${path}?${new URLSearchParams({ name, value })}`);

  for (const path of ["/echo/", "/echo/kept", "/echo/kept"]) {
    for (const [value, seen] of VALUES) {
      await t.step(`${path} ${JSON.stringify(value.slice(0, 20))}`, async () => {
        const { status, headers, text } = await ask(path, "x-echo", value);
        assert.deepEqual([status, text, headers["x-echo"]], [200, "echo", seen]);
      });
    }
  }
  await t.step("line breaks are an error in the function", async () => {
    const { status, headers } = await ask("/echo/", "x-echo", "a\r\nx-split: 1");
    assert.deepEqual([status, headers["x-split"]], [503, undefined]);
  });
  await t.step("headers that frame the message are dropped", async () => {
    for (const [name, value] of [["content-length", "2"], ["transfer-encoding", "chunked"]]) {
      const { status, text } = await ask("/echo/", name!, value!);
      assert.deepEqual([status, text], [200, "echo"]);
    }
  });
});
