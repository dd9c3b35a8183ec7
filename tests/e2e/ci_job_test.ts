/** Tests GitHub Actions and GitLab CI jobs that deploy without a secret. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { callTool } from "../../scripts/_program.ts";
import { githubClaims, gitlabClaims, startIssuer } from "../helpers/ci_issuer.ts";
import { makeCertificate } from "../../src/lib/_test_certificate.ts";
import { hostOf, oneObject, type Sandbox, withSandbox } from "../helpers/sandbox.ts";
import { stopServer } from "../../src/lib/stop_server.ts";

/** Runs a test with a project, a platform that trusts an issuer, and a job without a key. */
async function withJob(
  run: (box: Sandbox, job: {
    readonly issuer: Awaited<ReturnType<typeof startIssuer>>;
    readonly audience: string;
    /** Runs the CLI as a job would, and returns its JSON object. */
    svc(
      args: readonly string[],
      env: Readonly<Record<string, string>>,
      code?: number,
    ): Promise<Readonly<Record<string, unknown>>>;
  }) => Promise<void>,
): Promise<void> {
  await withSandbox(async (box) => {
    await using issuer = await startIssuer();
    const { url } = await box.start(["--allow-private-upstreams"]);
    await Deno.writeTextFile(join(box.site, "index.html"), "from a job");
    await box.json(["init", "--create", "--name", "shop"]);
    const config = join(box.site, "svc.toml");
    // The job's key can deploy, but not read the variables that the build requests.
    const settings = '\n[build]\ncommand = "true"\noutput_dirs = ["."]\n';
    await Deno.writeTextFile(config, await Deno.readTextFile(config) + settings);
    await box.json(["projects", "create", "--name", "blog"]);
    const { SVC_TOKEN: _, ...bare } = box.env;
    await run(box, {
      issuer,
      audience: new URL(url).origin,
      async svc(args, env, code = 0) {
        const whole = { ...bare, CI: "true", SVC_WORKSPACE: "default", ...env };
        const told = await callTool([...args, "--json"], { cwd: box.site, env: whole });
        assert.equal(told.code, code, `${told.stdout}${told.stderr}`);
        assert.ok(!/svc_[\w-]{43}/.test(told.stdout + told.stderr), "the output contains no key");
        return oneObject(told.stdout);
      },
    });
  });
}

/** Starts the services that a GitHub Actions runner provides to a job, at an HTTPS URL. */
async function serveRunner(folder: string, sign: (audience: string) => Promise<string>) {
  const { certFile, keyFile } = await makeCertificate(folder, "runner", ["DNS:localhost"]);
  const [cert, key] = [await Deno.readTextFile(certFile), await Deno.readTextFile(keyFile)];
  const asked: (string | null)[] = [];
  const state = { redirect: undefined as string | undefined };
  const server = Deno.serve(
    { hostname: "127.0.0.1", port: 0, cert, key, onListen: () => {} },
    async (request) => {
      const { searchParams } = new URL(request.url);
      asked.push(request.headers.get("authorization"));
      if (state.redirect !== undefined) return Response.redirect(state.redirect, 307);
      if (searchParams.get("api-version") !== "2.0") return new Response(null, { status: 400 });
      return Response.json({ value: await sign(searchParams.get("audience") ?? "none") });
    },
  );
  return {
    asked,
    state,
    env: {
      ACTIONS_ID_TOKEN_REQUEST_URL: `https://localhost:${server.addr.port}/token?api-version=2.0`,
      ACTIONS_ID_TOKEN_REQUEST_TOKEN: "secret-of-the-runner",
      NODE_EXTRA_CA_CERTS: certFile,
    },
    [Symbol.asyncDispose]: () => stopServer(server),
  };
}

Deno.test("a GitHub Actions job deploys with its runner's token, without a secret", () =>
  withJob(async (box, { issuer, svc }) => {
    await box.json([
      "keys",
      "publishers",
      "add",
      "--provider",
      "github",
      "--issuer",
      issuer.url,
      "--repository",
      "octo-org/octo-repo",
      "--branch",
      "main",
      "--project",
      "shop",
      "--permission",
      "deploy-production",
      "--permission",
      "read",
    ]);
    await using runner = await serveRunner(
      box.folder,
      (audience) => issuer.sign(githubClaims(audience)),
    );
    const deployed = await svc(["deploy", "--prod"], runner.env);
    assert.equal(deployed.status, "LIVE");
    const { production } = deployed.urls as Record<string, string>;
    assert.equal((await box.page(hostOf(production), "/")).text, "from a job");
    assert.deepEqual(
      runner.asked,
      ["Bearer secret-of-the-runner"],
      "the command requests one token",
    );
    const me = await svc(["whoami"], runner.env);
    const { permissions } = (me.grant ?? {}) as { permissions?: string[] };
    assert.deepEqual(permissions, ["deploy-production", "read"]);
    const refused = await svc(["keys", "list"], runner.env, 1);
    assert.equal(refused.code, "forbidden");

    await using elsewhere = await serveRunner(box.folder, () => Promise.resolve("x"));
    runner.state.redirect = elsewhere.env.ACTIONS_ID_TOKEN_REQUEST_URL;
    const led = await svc(["deploy"], runner.env, 1);
    assert.match(
      String(led.error),
      /Cannot get a key for this job: localhost:\d+ returned no token/,
    );
    assert.deepEqual(elsewhere.asked, [], "the runner's credentials go to no other host");
    const plain = { ...runner.env, ACTIONS_ID_TOKEN_REQUEST_URL: "http://localhost/token" };
    assert.match(String((await svc(["deploy"], plain, 1)).error), /is not an https URL/);
  }));

Deno.test("a GitLab job deploys with its id_token, and sees why a deployment is refused", () =>
  withJob(async (box, { issuer, audience, svc }) => {
    await box.json([
      "keys",
      "publishers",
      "add",
      "--provider",
      "gitlab",
      "--issuer",
      issuer.url,
      "--repository",
      "my-group/sub/my-project",
      "--branch",
      "main",
      "--pull-requests",
      "--permission",
      "deploy-previews",
      "--permission",
      "read",
    ]);
    const token = (more = {}) =>
      issuer.sign(gitlabClaims({ audience, issuer: issuer.url }, more)).then((SVC_ID_TOKEN) => ({
        SVC_ID_TOKEN,
      }));
    const job = await token({ ref: "menu", pipeline_source: "merge_request_event" });
    const deployed = await svc(["deploy"], job);
    assert.equal(deployed.status, "LIVE");
    const { projects } = await svc(["projects", "list"], job) as { projects: unknown[] };
    assert.equal(projects.length, 2, "all commands in a job can use the same token");
    const production = await svc(["deploy", "--prod"], job, 1);
    assert.match(String(production.error), /lacks the permission "deploy-production"/);

    const feature = await svc(["deploy"], await token({ ref: "feature" }), 1);
    assert.equal(feature.code, "unauthorized");
    assert.match(String(feature.error), /it does not trust the branch feature/);
    assert.match(String(feature.hint), /svc keys publishers add/);
    const given = await svc(["whoami"], { ...job, SVC_TOKEN: box.env.SVC_TOKEN! });
    const { name } = given.credential as { name: string };
    assert.equal(name, "bootstrap", "a configured key takes precedence");
  }));
