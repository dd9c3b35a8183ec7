/** Rules that are saved as Latin-1 must never allow a path that they should deny. */
import assert from "node:assert/strict";
import { textOf, withBuilds } from "../../helpers/git_builds.ts";
import { createProject, withPlatform } from "../../helpers/platform.ts";

const RULES = `schemaVersion = "EDGE_RULE_SET_V1"

[[rules]]
id = "private"
condition.path = { type = "glob", value = "/caf\u00e9/**" }
action = { type = "deny" }
`;

const latin1 = (text: string) => Uint8Array.from(text, (character) => character.charCodeAt(0));

Deno.test("a git build fails if its rules are not UTF-8, and reports the position", () =>
  withBuilds(async ({ project, trigger, ended, repository, log }) => {
    const { hook } = await project("shop", { gitUrl: repository.path });
    await repository.commit("main", { "index.html": "home" });
    await Deno.writeFile(`${repository.path}/svc.rules.toml`, latin1(RULES));
    const commitSha = await repository.commit("main", {});
    const { id } = await trigger(hook, { branch: "main", commitSha });
    const end = await ended(id);
    assert.equal(end.status, "FAILED");
    const said = `${end.error}\n${textOf(await log(id))}`;
    assert.match(said, /svc\.rules\.toml:5:48: error: Save the file as UTF-8: byte 0xE9/);
  }));

Deno.test("the platform accepts bodies only in UTF-8", () =>
  withPlatform(async (platform) => {
    await createProject(platform, "shop");
    const answer = await platform.api("PUT", "/v1/projects/shop/rules", {
      body: latin1('{"rules":[{"id":"caf\u00e9"}]}'),
      headers: { "content-type": "application/json", "if-match": '"none"' },
    });
    assert.equal(answer.status, 400);
    assert.match(answer.json.error, /byte 20 is not UTF-8/);
  }));
