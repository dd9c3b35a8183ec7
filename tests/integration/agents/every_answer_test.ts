/**
 * Runs every command that prints JSON on a real platform, over the lifetime of one project. Each
 * command's output must match `svc schema`.
 */
import assert from "node:assert/strict";
import { join } from "node:path";
import type { RunOptions } from "../../../src/cli/_test_run.ts";
import { ANSWERING } from "../../../src/cli/answers/schemas.ts";
import { until } from "../../../src/lib/_test_until.ts";
import { HANGS, type HookPlatform, withHooks } from "../../helpers/deploy_hooks.ts";
import { runTool } from "../../helpers/tool.ts";

/** Commands that need more than a project, each with the test that validates its output. */
const ELSEWHERE: Readonly<Record<string, string>> = {
  "domains verify": "src/cli/domains/transcript_test.ts",
  "login": "src/cli/account/login_test.ts",
  "logout": "src/cli/account/login_test.ts",
  "notifications test": "src/cli/webhooks/transcript_test.ts",
  "notifications watch": "src/cli/notifications/watch_test.ts",
  "env exec": "tests/e2e/env_exec_test.ts",
  "env pull": "src/cli/env/transcript_test.ts",
  "preview": "src/cli/preview/preview_test.ts",
  "dev": "src/cli/dev/_test_dev.ts",
  "serve": "src/cli/serve/serve_test.ts",
  "migrate-store": "tests/integration/nodes/migrate_test.ts",
  "edge": "tests/integration/edges/front_edge_test.ts",
  "db move": "tests/integration/databases/move_cases.ts",
  "cron run": "tests/integration/compute/cron_test.ts",
  "drains test": "tests/integration/logs/drains_test.ts",
  "queues show": "tests/integration/compute/queues_test.ts",
  "queues send": "tests/integration/compute/queues_test.ts",
  "queues retry": "tests/integration/compute/queues_test.ts",
  "queues purge": "tests/integration/compute/queues_test.ts",
  "forms submissions": "tests/integration/edge/forms_test.ts",
  "forms export": "tests/integration/edge/forms_test.ts",
  "forms delete": "tests/integration/edge/forms_test.ts",
  "upgrade": "tests/e2e/upgrade_test.ts",
};

const RULES = `schemaVersion = "EDGE_RULE_SET_V1"

[[rules]]
id = "old"
condition.path = { type = "exact", value = "/old" }
action = { type = "redirect", target = "/new", statusCode = 301 }

# Nothing listens there.
[[rules]]
id = "broken"
condition.path = { type = "exact", value = "/broken" }
action = { type = "rewrite", target = "https://127.0.0.1:9/", external = true }
`;

const RULE_TESTS = `[[tests]]
name = "the old address leads to the new one"
url = "/old"
expect = { outcome = "redirect", status = 301, location = "/new" }
`;

/** Runs command lines in one folder, and records which commands have printed output. */
class Walk {
  readonly answered = new Set<string>();

  constructor(readonly platform: HookPlatform, readonly cwd: string) {}

  /** Runs a command that must succeed. Returns its output. */
  // deno-lint-ignore no-explicit-any -- any command's output
  async run(line: string, more: readonly string[] = [], options: RunOptions = {}): Promise<any> {
    const { port, folder } = this.platform;
    const argv = [...line.split(" "), ...more];
    const answer = await runTool(argv, { port, home: folder, cwd: this.cwd, ...options });
    this.answered.add(commandOf(line));
    return answer;
  }
}

/** Returns the command that a line runs. `--help` and `--version` count as `help` and `version`. */
function commandOf(line: string): string {
  const words = `${line.replace(/^--/, "")} `;
  const longest = ANSWERING.filter((each) => words.startsWith(`${each} `))
    .toSorted((one, other) => other.length - one.length)[0];
  assert.ok(longest !== undefined, `svc schema does not describe the output of svc ${line}`);
  return longest;
}

Deno.test("every command's --json output matches svc schema", () =>
  withHooks(async (platform) => {
    const cwd = join(platform.folder, "menu");
    await Deno.mkdir(cwd);
    await Deno.writeTextFile(join(cwd, "index.html"), "<h1>Menu</h1>");
    const walk = new Walk(platform, cwd);
    await walkThroughProject(walk);
    const left = ANSWERING.filter((words) =>
      !walk.answered.has(words) && !Object.hasOwn(ELSEWHERE, words)
    );
    assert.deepEqual(left, [], "every command's output is validated by a test");
    for (const [words, file] of Object.entries(ELSEWHERE)) {
      const last = `"${words.split(" ").at(-1)}"`;
      const test = await Deno.readTextFile(file);
      assert.ok(test.includes(last), `${file} does not run svc ${words}`);
    }
  }, { allowPrivateUpstreams: true }));

async function walkThroughProject(walk: Walk): Promise<void> {
  await startProject(walk);
  await deployments(walk);
  await previews(walk);
  await rulesAndDomains(walk);
  await hooksAndBuilds(walk);
  await variables(walk);
  await values(walk);
  await databases(walk);
  await notifications(walk);
  await workspace(walk);
  await tool(walk);
  await walk.run("projects delete menu --force");
}

async function startProject(walk: Walk): Promise<void> {
  await walk.run("init --name menu --create");
  await walk.run("link --project-id menu");
  await walk.run("projects list");
  await walk.run("list");
  await walk.run("projects info menu");
  await walk.run("projects create --name spare --git-url https://git.example/menu.git");
  await walk.run("projects update menu", ["--display-name", "The menu"]);
  await walk.run("projects git-credentials spare --username ci --stdin", [], { stdin: "token" });
  await walk.run("environments create staging");
  await walk.run("environments list");
  await walk.run("context use preview");
  await walk.run("context show");
  await walk.run("context clear");
  await walk.run("environments delete staging --force");
}

async function deployments(walk: Walk): Promise<void> {
  await walk.run("build");
  await walk.run("deploy --prod");
  const { id } = await walk.run("deploy");
  await walk.run(`promote ${id}`);
  await walk.run("rollback");
  for (const end of ["finish", "withdraw"]) {
    const next = await walk.run("deploy");
    await walk.run(`promote ${next.id} --share 10`);
    await walk.run("releases list");
    await walk.run(`releases ${end}`);
  }
  const again = await walk.run("deploy");
  await walk.run(`stop ${again.id}`);
  await walk.run("deployments list");
  await walk.run("cache purge");
  await walk.run("functions list");
  await walk.run("logs");
  await walk.run("traffic");
  await walk.run("cron list");
  await walk.run("queues list");
  await walk.run("forms list");
  const { drain } = await walk.run("drains add https://otlp.example.com");
  await walk.run("drains list");
  await walk.run("drains list --platform");
  await walk.run(`drains remove ${drain.id} --force`);
}

async function previews(walk: Walk): Promise<void> {
  const { id } = await walk.run("deploy");
  await walk.run("previews show");
  await walk.run("previews password --stdin", [], { stdin: "a few words in a row" });
  await walk.run("previews set --protection password");
  const { share } = await walk.run(`previews share ${id}`);
  await walk.run("previews list");
  await walk.run(`previews revoke ${share.id}`);
  await walk.run("previews bypass");
  await walk.run("previews bypass --remove");
  await walk.run("previews set --protection off");
  await walk.run("maintenance on");
  await walk.run("maintenance off");
}

async function rulesAndDomains(walk: Walk): Promise<void> {
  await Deno.writeTextFile(join(walk.cwd, "svc.rules.toml"), RULES);
  await Deno.writeTextFile(join(walk.cwd, "svc.rules.test.toml"), RULE_TESTS);
  await Deno.writeTextFile(join(walk.cwd, "_redirects"), "/old /new 301\n");
  await walk.run("rules check");
  await walk.run("rules explain GET /old");
  await walk.run("rules test");
  await walk.run("rules import _redirects");
  await walk.run("rules publish");
  await walk.run("rules list");
  const { revisions } = await walk.run("rules revisions");
  await walk.run("rules remove --force");
  await walk.run(`rules restore ${revisions[0].revisionId}`);
  await walk.platform.get("menu.localhost", "/broken");
  const { errors } = await until(
    () => walk.run("errors list"),
    ({ errors }) => errors.length > 0,
  );
  await walk.run(`errors show ${errors[0].id}`);
  await walk.run("domains add menu.example --environment production");
  await walk.run("domains list");
  await walk.run("domains remove menu.example --force");
}

async function hooksAndBuilds(walk: Walk): Promise<void> {
  const { repository, port } = walk.platform;
  const shop = "--project-id shop";
  const commit = await repository.git("rev-parse", "main");
  await walk.run(`hooks create --name ci ${shop}`);
  await walk.run(`hooks rename ci forge ${shop}`);
  const { url } = await walk.run(`hooks regenerate forge ${shop}`);
  const local = url.replace(/localhost:\d+/, `127.0.0.1:${port}`);
  await walk.run(`hooks trigger --branch main --commit ${commit} --wait`, [], {
    env: { SVC_TOKEN: "", SVC_HOOK_URL: local },
  });
  await walk.run(`hooks list ${shop}`);
  await walk.run(`hooks delete forge --force ${shop}`);
  await walk.run(`builds start ${shop} --rebuild`);
  await walk.platform.setBuildCommand(HANGS);
  const { json } = await walk.platform.api("POST", "/v1/projects/shop/builds", {
    json: { branch: "main", force: true },
  });
  await walk.run(`builds list ${shop}`);
  await walk.run(`builds cancel ${json.id}`);
}

async function variables(walk: Walk): Promise<void> {
  await walk.run("env set LEVEL --plain --value debug --all");
  await walk.run("env list");
  await walk.run("env validate");
  await walk.run("env delete LEVEL --force");
}

async function values(walk: Walk): Promise<void> {
  await walk.run("kv set greeting hello");
  await walk.run("kv get greeting");
  await walk.run("kv list");
  await walk.run("kv remove greeting");
  await walk.run("kv clear --force");
  const file = join(walk.cwd, "kestrel.txt");
  await Deno.writeTextFile(file, "kestrel");
  await walk.run("blobs put", [file, "boats/"]);
  await walk.run("blobs ls boats/");
  await walk.run("blobs get boats/kestrel.txt --force", [file]);
  await walk.run("blobs cp boats/kestrel.txt copy.txt");
  await walk.run("blobs sign copy.txt");
  await walk.run("blobs rm copy.txt boats/kestrel.txt --force");
  await walk.run("blobs keys create laptop");
  await walk.run("blobs keys list");
  await walk.run("blobs keys revoke laptop --force");
}

async function databases(walk: Walk): Promise<void> {
  await walk.run("db create --name orders --wait");
  await walk.run("db list");
  await walk.run("db info orders");
  await walk.run("db schema orders");
  await walk.run("db connection orders");
  await walk.run("db config orders --auto-inject true");
  await walk.run("db branches create empty --database orders");
  await walk.run("db query", ["create table boats (name text)", "--database", "orders"]);
  await walk.run("db branches create cart --database orders");
  const script = join(walk.cwd, "orders.sql");
  await walk.run("db export orders --output", [script]);
  await walk.run("db branches list --database orders");
  await walk.run("db diff cart --database orders");
  await walk.run("db branches connection cart --database orders");
  await walk.run("db branches reset cart --database orders --force");
  await walk.run("db import orders --branch empty --file", [script]);
  await walk.run("db branches delete cart --database orders --force");
  const { snapshot } = await walk.run("db snapshots create --database orders");
  await walk.run("db snapshots list --database orders");
  await walk.run("db snapshots restore latest --branch before --database orders --force");
  await walk.run(`db snapshots delete ${snapshot.id} --database orders --force`);
  await walk.run("db stop orders");
  await walk.run("db start orders");
  await walk.run("db delete orders --force");
  await walk.run("db undelete orders");
}

async function notifications(walk: Walk): Promise<void> {
  await using receiver = Deno.serve(
    { hostname: "127.0.0.1", port: 0, onListen: () => {} },
    () => new Response(),
  );
  const { webhook } = await walk.run(
    `webhooks create http://127.0.0.1:${receiver.addr.port}/ --category Deployment`,
  );
  await walk.run("webhooks list");
  await walk.run(`webhooks test ${webhook.id}`);
  await walk.run("trigger deployment.live --data project=menu");
  const { deliveries } = await until(
    () => walk.run(`webhooks deliveries ${webhook.id}`),
    ({ deliveries }) => deliveries.length > 0,
  );
  await walk.run(`webhooks redeliver ${webhook.id} ${deliveries[0].id}`);
  await walk.run(`webhooks delete ${webhook.id} --force`);
  await walk.run("notifications list");
  await walk.run("notifications read --all");
  await walk.run("notifications preferences");
  await walk.run("notifications dead-letters");
  await walk.run("notifications resend --all");
  await walk.run("notifications archive --all");
  await walk.run("notifications delete --all-archived");
}

async function workspace(walk: Walk): Promise<void> {
  const { workspaces } = await walk.run("workspace list");
  await walk.run(`workspace switch ${workspaces[0].slug}`);
  await walk.run("keys create ci --permission read --expires 1d");
  await walk.run("keys update ci --expires 2d");
  await walk.run("keys list");
  await walk.run("keys revoke ci --force");
  await walk.run(
    "keys publishers add --provider github --repository acme/menu --permission read",
  );
  await walk.run("keys publishers list");
  await walk.run("keys publishers remove acme/menu --force");
  await walk.run("audit");
  await walk.run("usage");
  await walk.run("nodes");
  await walk.run("edges add far");
  await walk.run("edges list");
  await walk.run("edges drain far");
  await walk.run("edges remove far --force");
  await walk.run("whoami");
}

async function tool(walk: Walk): Promise<void> {
  await walk.run("explain not_found");
  await walk.run("schema whoami");
  await walk.run("completion bash");
  await walk.run("doctor");
  await walk.run("--help");
  await walk.run("--version");
  const copy = join(walk.platform.folder, "copy.tar");
  const restored = join(walk.platform.folder, "restored");
  await walk.run(`backup ${copy} --data-dir ${walk.platform.dataDir}`);
  await walk.run(`restore ${copy} --data-dir ${restored}`);
  await walk.run(`rekey --data-dir ${restored}`);
}
