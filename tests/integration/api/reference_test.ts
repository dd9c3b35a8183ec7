import assert from "node:assert/strict";
import { endpoints } from "../../../src/contract/endpoints.ts";
import { withPlatform } from "../../helpers/platform.ts";

Deno.test("the reference shows every operation and loads nothing from other sites", () =>
  withPlatform(async (platform) => {
    const overview = await platform.get("localhost", "/docs/api");
    assert.equal(overview.status, 200);
    const parts = [...new Set(overview.text.match(/\/docs\/api\/[a-z-]+(?=")/g))];
    assert.equal(parts.length, new Set(Object.values(endpoints).map(({ tag }) => tag)).size);
    const pages = await Promise.all(parts.map((path) => platform.get("localhost", path)));
    for (const { status, headers, text } of [overview, ...pages]) {
      assert.equal(status, 200);
      assert.match(String(headers["content-security-policy"]), /^default-src 'none'; style-src/);
      const others = text.replace(
        /<script src="\/assets\/docs-[0-9a-f]+\.js" defer=""><\/script>/,
        "",
      );
      assert.ok(!/<script|<iframe|\sstyle=|(?:src|href)="(?!\/[^/]|#)/.test(others));
    }
    for (const [name, { method, path, summary }] of Object.entries(endpoints)) {
      assert.ok(overview.text.includes(`#${name}"`), name);
      const shown = pages.find(({ text }) => text.includes(`id="${name}"`))?.text ?? "";
      for (const what of [method, path]) assert.ok(shown.includes(what), `${name}: ${what}`);
      assert.ok(shown.includes("curl "), `${name}: curl`);
      assert.ok(shown.includes(summary.split(/[`'"<&]/)[0]!), `${name}: its summary`);
    }
    const rules = pages.find(({ text }) => text.includes('id="putRules"'))!.text;
    for (const what of ["If-Match", "X-Workspace", "required", "412"]) {
      assert.ok(rules.includes(what), what);
    }
    assert.equal((await platform.get("localhost", "/docs/api/nothing")).status, 404);
    assert.match((await platform.get("localhost", "/")).text, /href="\/docs\/api"/);
  }));
