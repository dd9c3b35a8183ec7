import assert from "node:assert/strict";
import { runCli, type RunOptions } from "../_test_run.ts";

const API = "https://svc.example.com";
const QUESTION = "protocol=https\nhost=svc.example.com\npath=git/acme/shop.git\n";

/** Runs the helper, and returns its output and the requests to the platform. */
async function ask(env: NonNullable<RunOptions["env"]>, question = QUESTION) {
  const asked: URLSearchParams[] = [];
  const fetch: typeof globalThis.fetch = async (input, init) => {
    asked.push(new URLSearchParams(await new Request(input, init).text()));
    return Response.json({
      access_token: "svc_of_the_job",
      token_type: "Bearer",
      scope: "deploy-previews",
      issued_token_type: "urn:ietf:params:oauth:token-type:access_token",
      expires_in: 900,
      expires_at: "2026-11-21T10:15:00.000Z",
      workspace_slug: "acme",
    });
  };
  const { stdout } = await runCli(["git-credential", "get"], {
    env: { SVC_API_URL: API, ...env },
    fetch,
    stdin: question,
  });
  return { stdout, asked };
}

Deno.test("git-credential gives git a CI job's key", async () => {
  const { stdout, asked } = await ask({ SVC_ID_TOKEN: "of the job" });
  assert.equal(stdout, "username=svc\npassword=svc_of_the_job\n");
  const [fields] = asked;
  assert.deepEqual(
    [fields?.get("subject_token"), fields?.get("workspace"), fields?.get("project")],
    ["of the job", "acme", "shop"],
  );
});

Deno.test("git-credential prefers a configured key to a CI job's key, and sends no request", async () => {
  const { stdout, asked } = await ask({ SVC_ID_TOKEN: "of the job", SVC_TOKEN: "given" });
  assert.equal(stdout, "username=svc\npassword=given\n");
  assert.deepEqual(asked, []);
});

Deno.test("git-credential does not exchange a token for another host or for paths that are not repositories", async () => {
  for (
    const question of [
      QUESTION.replace("svc.example.com", "forge.example.net"),
      QUESTION.replace("git/acme/shop.git", "acme/shop.git"),
    ]
  ) {
    const { stdout, asked } = await ask({ SVC_ID_TOKEN: "of the job" }, question);
    assert.deepEqual([stdout, asked], ["", []], question);
  }
});
