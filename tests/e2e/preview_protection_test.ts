/** `[previews] protection` in a deployment's svc.toml overrides the project's setting. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { hostOf, type Sandbox, withSandbox } from "../helpers/sandbox.ts";

const PRODUCTION = "shop.localhost";

const declare = (box: Sandbox, protection: string): Promise<void> =>
  Deno.writeTextFile(
    join(box.site, "svc.toml"),
    `[project]\nname = "shop"\n\n[previews]\nprotection = ${JSON.stringify(protection)}\n`,
  );

/** Deploys to production. Returns the statuses of the production URL and the unique URL. */
async function deployed(box: Sandbox, protection: string, headers: Record<string, string> = {}) {
  await declare(box, protection);
  const { urls } = await box.json(["deploy", "--prod"]) as { urls: Record<string, string> };
  const statusAt = async (host: string) => (await box.page(host, "/", { headers })).status;
  return { production: await statusAt(PRODUCTION), unique: await statusAt(hostOf(urls.unique)) };
}

Deno.test("svc.toml protects its deployment regardless of the project's setting", () =>
  withSandbox(async (box) => {
    await box.start();
    await Deno.writeTextFile(join(box.site, "index.html"), "shop");
    await box.json(["projects", "create", "shop"]);
    await declare(box, "off");

    const open = { production: 200, unique: 200 };
    const { previews } = await box.json(["previews", "show"]) as { previews: object };
    assert.partialDeepStrictEqual(previews, { protection: "off" });
    assert.deepEqual(await deployed(box, "members"), { production: 200, unique: 401 });
    assert.deepEqual(await deployed(box, "password"), { production: 200, unique: 401 });
    assert.deepEqual(await deployed(box, "all"), { production: 401, unique: 401 });
    const { key } = await box.json(["previews", "bypass"]);
    assert.deepEqual(await deployed(box, "all", { "x-svc-bypass": String(key) }), open);

    await box.json(["previews", "set", "--protection", "members"]);
    assert.deepEqual(await deployed(box, "off"), open);

    await declare(box, "friends");
    const { code, stderr } = await box.tool(["deploy", "--prod"]);
    assert.notEqual(code, 0);
    assert.match(stderr, /svc\.toml:5.*\bUse "off", "members", "password", "all"/s);
    assert.equal(
      (await box.page(PRODUCTION, "/")).text,
      "shop",
      "the previous deployment stays live",
    );
  }));
