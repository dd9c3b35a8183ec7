/**
 * Sends request targets that contain bytes of 0x80 and above, which nginx, Caddy and Apache also
 * accept.
 */
import assert from "node:assert/strict";
import { createProject, deploy, withPlatform } from "../../helpers/platform.ts";

const HOST = "shop.localhost";

/** Sends a request, encoding each character as one byte. */
async function ask(port: number, target: string): Promise<string> {
  using conn = await Deno.connect({ hostname: "127.0.0.1", port });
  const text = `GET ${target} HTTP/1.1\r\nHost: ${HOST}\r\nConnection: close\r\n\r\n`;
  await conn.write(Uint8Array.from(text, (char) => char.charCodeAt(0)));
  return await new Response(conn.readable).text();
}

Deno.test("a raw UTF-8 path is equivalent to its percent-encoded form", async (t) => {
  await withPlatform(async (platform) => {
    await createProject(platform, "shop");
    await deploy(platform, "shop", {
      files: { "index.html": "home", "\u00fcber/caf\u00e9.html": "page" },
      rules: {
        schemaVersion: "EDGE_RULE_SET_V1",
        rules: [{
          id: "secret",
          condition: { path: { type: "prefix", value: "/gehe\u00efm" } },
          action: { type: "deny", statusCode: 403 },
        }],
      },
    });
    const rows: readonly (readonly [target: string, status: number])[] = [
      ["/\xc3\xbcber/caf\xc3\xa9", 200],
      ["/%C3%BCber/caf%c3%a9", 200],
      ["/\xc3\xbcber/caf%C3%A9?q=\xc3\xbc", 200],
      ["/gehe\xc3\xafm", 403],
      ["/gehe%c3%afm", 403],
      ["/x/../gehe\xc3\xafm", 403],
    ];
    for (const [target, status] of rows) {
      await t.step(JSON.stringify(target), async () => {
        const answer = await ask(platform.port, target);
        assert.match(answer, new RegExp(`^HTTP/1.1 ${status} `));
        if (status === 200) assert.match(answer, /\r\n\r\npage$/);
      });
    }
    await t.step("bytes that are not UTF-8 are refused", async () => {
      assert.match(await ask(platform.port, "/caf\xe9"), /^HTTP\/1\.1 400 /);
      assert.equal((await platform.get(HOST, "/")).text, "home");
    });
  });
});
