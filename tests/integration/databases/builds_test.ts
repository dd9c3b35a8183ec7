/** Accesses a project's databases from git builds. */
import assert from "node:assert/strict";
import { createDatabase, urlOf } from "../../helpers/databases.ts";
import { textOf, withBuilds } from "../../helpers/git_builds.ts";

/** Connects to the port in the URL, as a migration would, and prints the URL. */
const BUILD = `
import { connect } from "node:net";
import { mkdirSync, writeFileSync } from "node:fs";
const url = new URL(process.env.DATABASE_URL);
console.log("database: " + url.href);
console.log("password: " + url.password);
mkdirSync("out");
connect(Number(url.port), url.hostname, function () {
  writeFileSync("out/index.html", url.username);
  this.end();
});
`;

Deno.test("a build reaches its database, and its log hides the connection string", () =>
  withBuilds(async (platform) => {
    const { hook } = await platform.project("shop", {
      buildCommand: "node build.mjs",
      outputDirectory: "out",
    });
    await createDatabase(platform, "shop", "orders");
    const url = new URL(await urlOf(platform, "/v1/projects/shop/databases/orders"));
    const built = await platform.build(hook, { "build.mjs": BUILD });
    const log = textOf(await platform.log(built.id));
    assert.equal(built.error, null, log);
    const { text } = await platform.get("shop.localhost", "/");
    assert.equal(text, url.username);
    assert.match(log, /^database: \S+$/m);
    assert.ok(!log.includes(url.password), log);
  }));
