import assert from "node:assert/strict";
import { join } from "node:path";
import { type Bench, withPlatform } from "../_test_platform.ts";
import type { RunOptions, RunOutcome } from "../_test_run.ts";

const PASSWORD = "correct horse battery";

/** Signs up a person with workspaces. Returns functions that approve and deny logins. */
async function signUp(bench: Bench, workspaces: readonly string[]) {
  const base = bench.env.SVC_API_URL!;
  let cookie = "";
  const call = async (path: string, body: unknown) => {
    const response = await fetch(`${base}${path}`, {
      method: "POST",
      headers: { "content-type": "application/json", "sec-fetch-site": "same-origin", cookie },
      body: JSON.stringify(body),
    });
    const text = await response.text();
    assert.ok(response.ok, `${path}: ${text}`);
    cookie ||= response.headers.get("set-cookie")?.split(";")[0] ?? "";
    return text === "" ? undefined : JSON.parse(text);
  };
  await call("/v1/sign-up", { name: "Ada", email: "ada@example.com", password: PASSWORD });
  const ids = new Map<string, string>();
  for (const slug of workspaces) {
    ids.set(slug, (await call("/v1/workspaces", { slug, name: slug.toUpperCase() })).id);
  }
  return {
    approve: (code: string, slug: string) =>
      call(`/v1/device/requests/${code}/approve`, { workspaceId: ids.get(slug) }),
    deny: (code: string) => call(`/v1/device/requests/${code}/deny`, {}),
  };
}

/** Creates the CLI without a key, and with a clock that advances only while the CLI waits. */
function tool(bench: Bench, during: {
  /**
   * Called whenever the CLI waits, with the number of the wait (starting at 1) and the user code.
   */
  readonly onWait: (count: number, code: string) => Promise<void> | void;
  readonly fetch?: typeof fetch;
}) {
  const waits: number[] = [];
  let [now, code] = [Date.now(), ""];
  const env = { HOME: bench.env.HOME!, SVC_API_URL: bench.env.SVC_API_URL! };
  const watch: typeof fetch = async (input, init) => {
    const response = await (during.fetch ?? fetch)(input, init);
    if (String(input).endsWith("/v1/device")) {
      code = (await response.clone().json()).user_code;
    }
    return response;
  };
  const run = (argv: readonly string[], options: RunOptions = {}): Promise<RunOutcome> =>
    bench.run(argv, {
      env,
      fetch: watch,
      now: () => now,
      sleep: async (milliseconds, signal) => {
        waits.push(milliseconds);
        now += milliseconds;
        signal.throwIfAborted();
        await during.onWait(waits.length, code);
        signal.throwIfAborted();
      },
      ...options,
    });
  return { run, waits, file: join(env.HOME, ".config", "svc", "credentials.json") };
}

Deno.test("login stores the approved workspace's token, and logout revokes it", () =>
  withPlatform(async (bench) => {
    const ada = await signUp(bench, ["acme", "other"]);
    const { run, waits, file } = tool(bench, { onWait: (_, code) => ada.approve(code, "acme") });
    const { code, stdout, stderr } = await run(["login"]);
    assert.equal(code, 0, stderr);
    assert.match(stdout, /user +Ada <ada@example.com>\nworkspace +acme \(owner\)/);
    assert.match(stderr, /Open +http:\/\/localhost:\d+\/device\?code=[A-Z]{4}-[A-Z]{4}\n/);
    assert.match(stderr, /Code +[A-Z]{4}-[A-Z]{4}\n/);
    assert.deepEqual(waits, [5000]);

    const stored = await Deno.readTextFile(file);
    const token = JSON.parse(stored).platforms[bench.env.SVC_API_URL!].logins.acme.token;
    assert.ok(!stdout.includes(token) && !stderr.includes(token));
    assert.equal((await Deno.stat(file)).mode! & 0o777, 0o600);
    const who = JSON.parse((await run(["whoami", "--json"])).stdout);
    assert.equal(who.credential.type, "access_token");
    assert.match(who.credential.name, /^svc \S+ on test-machine$/);
    assert.match(
      (await run(["whoami"])).stdout,
      /login +svc \S+ on test-machine \(svct?_[\w-]+…\)/,
    );

    const out = await run(["logout", "--json"]);
    assert.deepEqual(JSON.parse(out.stdout).loggedOut, [{ workspace: "acme", token: "revoked" }]);
    assert.ok(!(await Deno.readTextFile(file)).includes(token));
    const after = await run(["whoami", "--json", "--token", token]);
    assert.equal(JSON.parse(after.stdout).code, "unauthorized");
    assert.equal(JSON.parse((await run(["whoami", "--json"])).stdout).next[0], "svc login --json");
  }));

Deno.test("logins to several workspaces coexist, and logout --all ends them all", () =>
  withPlatform(async (bench) => {
    const ada = await signUp(bench, ["acme", "other"]);
    const wanted = ["acme", "other", "acme"];
    const { run } = tool(bench, { onWait: (count, code) => ada.approve(code, wanted[count - 1]!) });
    for (const _ of wanted) assert.equal((await run(["login"])).code, 0);
    const slugOf = async (argv: readonly string[]) =>
      JSON.parse((await run(["whoami", "--json", ...argv])).stdout).workspace.slug;
    assert.equal(await slugOf([]), "acme");
    assert.equal(await slugOf(["--workspace", "other"]), "other");
    assert.equal((await run(["workspace", "switch", "other"])).code, 0);
    assert.equal(await slugOf([]), "other");
    const list = JSON.parse((await run(["workspace", "list", "--json"])).stdout);
    assert.deepEqual(list.workspaces.map(({ slug }: { slug: string }) => slug).sort(), [
      "acme",
      "other",
    ]);
    const out = JSON.parse((await run(["logout", "--all", "--json"])).stdout);
    assert.deepEqual(out.loggedOut, [
      { workspace: "acme", token: "revoked" },
      { workspace: "other", token: "revoked" },
    ]);
    assert.deepEqual(JSON.parse((await run(["logout", "--json"])).stdout).loggedOut, []);
  }));

Deno.test("workspace switch names the required login", () =>
  withPlatform(async (bench) => {
    const ada = await signUp(bench, ["acme", "other"]);
    const { run } = tool(bench, { onWait: (_, code) => ada.approve(code, "acme") });
    await run(["login"]);
    const { code, stdout } = await run(["workspace", "switch", "other", "--json"]);
    assert.equal(code, 1);
    assert.deepEqual(JSON.parse(stdout).next, ["svc login --workspace other --json"]);
  }));

Deno.test("login reports that it was denied, and stores nothing", () =>
  withPlatform(async (bench) => {
    const ada = await signUp(bench, ["acme"]);
    const { run, file } = tool(bench, { onWait: (_, code) => ada.deny(code) });
    const { code, stdout } = await run(["login", "--json"]);
    assert.equal(code, 1);
    assert.equal(JSON.parse(stdout).code, "declined");
    await assert.rejects(Deno.stat(file), Deno.errors.NotFound);
  }));

Deno.test("login --json does not prompt or open a browser: a log line has the URL", () =>
  withPlatform(async (bench) => {
    const ada = await signUp(bench, ["acme"]);
    const opened: string[] = [];
    const { run } = tool(bench, { onWait: (_, code) => ada.approve(code, "acme") });
    const { code, stdout, stderr } = await run(["login", "--json", "--workspace", "acme"], {
      terminal: true,
      openUrl: (url) => opened.push(url) > 0,
    });
    assert.equal(code, 0, stdout);
    const first = JSON.parse(stderr.split("\n")[0]!);
    assert.deepEqual([first.s, first.p, first.l], ["user", "auth", "info"]);
    assert.match(
      first.m,
      /^Open http:\S+\/device\?code=\S+&workspace=acme and approve the code \S+ within 5 minutes$/,
    );
    assert.deepEqual(opened, []);
    assert.equal(JSON.parse(stdout).workspace.slug, "acme");
  }));

Deno.test("login keeps polling while the network is down, with growing pauses", () =>
  withPlatform(async (bench) => {
    const ada = await signUp(bench, ["acme"]);
    let isDown = false;
    const { run, waits } = tool(bench, {
      fetch: (input, init) =>
        isDown ? Promise.reject(new TypeError("network is down")) : fetch(input, init),
      onWait: (count, code) => {
        isDown = count === 1 || count === 2;
        return count === 4 ? ada.approve(code, "acme") : undefined;
      },
    });
    const { code, stderr } = await run(["login"]);
    assert.equal(code, 0, stderr);
    assert.equal(stderr.match(/Cannot reach the platform/g)?.length, 1);
    assert.match(stderr, /The platform is reachable again/);
    assert.deepEqual(waits.slice(0, 3), [5000, 10_000, 20_000]);
  }));

Deno.test("login stops when it is interrupted, with exit code 130", () =>
  withPlatform(async (bench) => {
    const stop = new AbortController();
    const { run } = tool(bench, {
      onWait: () => stop.abort(new DOMException("Interrupted", "AbortError")),
    });
    const { code, stdout } = await run(["login", "--json"], { signal: stop.signal });
    assert.equal(code, 130);
    assert.equal(JSON.parse(stdout).code, "interrupted");
  }));
