import assert from "node:assert/strict";
import { personWho, runCli } from "../_test_run.ts";
import { withArgument } from "./ask_missing.ts";

const PROJECT = {
  id: "0199e2e8-5f0f-7e11-8a33-0242ac120002",
  name: "blog",
  url: "http://blog.localhost/",
};

/** Responds with lists of projects, and records other calls. */
function platform() {
  const calls: string[] = [];
  const answer: typeof fetch = (input, init) => {
    const { method, url } = new Request(input, init);
    const { pathname } = new URL(url);
    calls.push(`${method} ${pathname}`);
    const isList = pathname === "/v1/projects";
    const project = {
      ...PROJECT,
      displayName: null,
      gitUrl: null,
      branch: "main",
      framework: null,
      installCommand: null,
      buildCommand: null,
      outputDirectory: null,
      rootDirectory: null,
      nodeVersion: null,
      productionDeploymentId: null,
      workspace: "default",
      createdAt: "2026-11-21T10:00:00.000Z",
      updatedAt: "2026-11-21T10:00:00.000Z",
    };
    return Promise.resolve(
      Response.json(isList ? { items: [project], nextCursor: null } : project),
    );
  };
  return { fetch: answer, calls };
}

Deno.test("at a terminal, the user chooses a forgotten argument from existing items", async () => {
  const { fetch, calls } = platform();
  const person = personWho(["blog", false]);
  await runCli(["projects", "delete"], { env: { SVC_TOKEN: "key" }, prompter: person, fetch });
  assert.deepEqual(calls, ["GET /v1/projects", "GET /v1/projects/blog"]);
  assert.equal(person.asked[0], "ID or name of the project");
});

Deno.test("at a terminal, the user types a forgotten argument that names a new item", async () => {
  const person = personWho(["GET", "/"]);
  const { code, stderr } = await runCli(["rules", "explain"], { prompter: person });
  assert.deepEqual([code, person.asked], [1, ["such as GET", "URL, or a path"]]);
  assert.match(stderr, /svc\.rules\.toml does not exist/);
});

Deno.test("a forgotten argument is an error if no one can be asked", async () => {
  const { code, stderr } = await runCli(["projects", "delete"], { env: { SVC_TOKEN: "key" } });
  assert.equal(code, 2);
  assert.match(stderr, /Missing required argument 'id'/);
});

Deno.test("withArgument() keeps the arguments after --", () => {
  assert.deepEqual(withArgument(["a", "--", "b"], "x"), ["a", "x", "--", "b"]);
});
