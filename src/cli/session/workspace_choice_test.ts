import assert from "node:assert/strict";
import { join } from "node:path";
import { runCli } from "../_test_run.ts";
import { openCredentialStore } from "./credential_store.ts";
import { chooseWorkspace, type WorkspaceFacts } from "./workspace_choice.ts";

const API = "http://platform.test";

const facts = (more: {
  flag?: string;
  variable?: string;
  project?: string;
  storedDefault?: string;
  token?: string;
}): WorkspaceFacts => ({
  settings: {
    workspace: more.flag ?? more.variable,
    workspaceSource: more.flag !== undefined ? "flag" : more.variable && "variable",
    token: more.token,
  } as WorkspaceFacts["settings"],
  project: more.project,
  storedDefault: more.storedDefault,
});

Deno.test("chooseWorkspace() uses the flag, variable, project file and default, in this order", () => {
  const all = { flag: "f", variable: "v", project: "p", storedDefault: "d" };
  assert.deepEqual(chooseWorkspace(facts(all)), { slug: "f", source: "flag" });
  const { flag: _, ...noFlag } = all;
  assert.deepEqual(chooseWorkspace(facts(noFlag)), { slug: "v", source: "variable" });
  const { variable: __, ...noVariable } = noFlag;
  assert.deepEqual(chooseWorkspace(facts(noVariable)), { slug: "p", source: "project" });
  assert.deepEqual(chooseWorkspace(facts({ storedDefault: "d" })), {
    slug: "d",
    source: "default",
  });
  assert.equal(chooseWorkspace(facts({})), undefined);
});

Deno.test("chooseWorkspace() always uses a given key in its own workspace", () => {
  const key = { token: "svc_1", storedDefault: "d" };
  assert.equal(chooseWorkspace(facts(key)), undefined);
  assert.equal(chooseWorkspace(facts({ ...key, project: "p" }))?.slug, "p");
});

/**
 * Command lines of every kind: for the account, for a named project, and for the folder's project.
 */
const COMMANDS = [
  ["whoami"],
  ["projects", "list"],
  ["projects", "info", "blog"],
  ["projects", "create", "--name", "blog"],
  ["projects", "delete", "blog", "--force"],
  ["deployments"],
  ["deploy", "--skip-build"],
  ["stop", "01900000-0000-7000-8000-000000000000"],
  ["rollback"],
  ["logs"],
  ["env", "list"],
  ["environments", "list"],
  ["domains", "list"],
  ["hooks", "list"],
  ["builds", "list"],
  ["rules", "list"],
  ["notifications", "list"],
  ["webhooks", "list"],
  ["workspace", "list"],
  ["init", "--create"],
  ["link"],
];

Deno.test("every command uses the workspace that chooseWorkspace() returns", async (t) => {
  const home = await Deno.realPath(await Deno.makeTempDir());
  const [site, other] = [join(home, "site"), join(home, "other")];
  try {
    for (const folder of [site, other]) await Deno.mkdir(folder);
    const source = '[project]\nname = "blog"\nworkspace = "of-file"\n';
    await Deno.writeTextFile(join(site, "svc.toml"), source);
    const store = await openCredentialStore({ HOME: home });
    const login = { apiUrl: API, token: "stored", savedAt: new Date(0) };
    for (const workspace of ["of-file", "of-switch"]) {
      await store.saveLogin({ ...login, workspace });
    }
    const workspaces = async (argv: readonly string[], cwd: string, env = {}) => {
      const seen = new Set<string | null>();
      await runCli([...argv, "--json"], {
        cwd,
        env: { HOME: home, ...env },
        fetch: (input, init) => {
          seen.add(new Request(input, init).headers.get("x-workspace"));
          return Promise.resolve(new Response(null, { status: 418 }));
        },
      });
      return [...seen];
    };
    for (const argv of COMMANDS) {
      await t.step(argv.join(" "), async () => {
        assert.deepEqual(await workspaces(argv, other), ["of-switch"]);
        assert.deepEqual(await workspaces(argv, site), ["of-file"]);
        const variable = { SVC_WORKSPACE: "of-variable" };
        assert.deepEqual(await workspaces(argv, site, variable), ["of-variable"]);
        const flagged = [...argv, "--workspace", "of-flag"];
        assert.deepEqual(await workspaces(flagged, site, variable), ["of-flag"]);
        assert.deepEqual(await workspaces(argv, other, { SVC_TOKEN: "key" }), [null]);
      });
    }
  } finally {
    await Deno.remove(home, { recursive: true });
  }
});
