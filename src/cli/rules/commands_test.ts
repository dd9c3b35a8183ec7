/** Tests the `rules` commands. Those that need a platform run against a real one. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { withPlatform } from "../_test_platform.ts";
import { runCli } from "../_test_run.ts";
import { inTestFolder } from "../../lib/_test_folder.ts";

const RULES = `schemaVersion = "EDGE_RULE_SET_V1"

[[rules]]
id = "moved"
condition.path = { type = "glob", value = "/old/{page}" }
action = { type = "redirect", target = "/new/{page}", statusCode = 301 }

[[rules]]
id = "no-bots"
condition.device = "bot"
action = { type = "deny" }
`;

async function inFolder(
  files: Readonly<Record<string, string>>,
  test: (cwd: string) => Promise<void>,
): Promise<void> {
  await inTestFolder(async (cwd) => {
    for (const [path, text] of Object.entries(files)) {
      await Deno.writeTextFile(join(cwd, path), text);
    }
    await test(cwd);
  });
}

Deno.test("rules check finds svc.rules.toml and shows errors with a caret", async () => {
  await inFolder({ "svc.rules.toml": RULES.replace('"/new/', '"//evil/') }, async (cwd) => {
    const good = await runCli(["rules", "check", "good.toml", "--json"], { cwd });
    assert.equal(good.code, 1);
    assert.equal(JSON.parse(good.stdout).code, "not_found");
    const bad = await runCli(["rules", "check"], { cwd });
    assert.equal(bad.code, 1);
    assert.match(bad.stderr, /svc\.rules\.toml:6:\d+: error: rule "moved".*\n +6 \| .*\n +\| +\^/);
    const json = JSON.parse((await runCli(["rules", "check", "--json"], { cwd })).stdout);
    assert.equal(json.file, "svc.rules.toml");
    assert.deepEqual(
      [json.diagnostics[0].ruleId, json.diagnostics[0].position.line],
      ["moved", 6],
    );
  });
});

Deno.test("rules check warns about a denied folder if its own page is reachable", async () => {
  const closed = `${RULES}
[[rules]]
id = "closed"
condition.path = { type = "prefix", value = "/notes/" }
action = { type = "deny" }
`;
  const files = { "svc.rules.toml": closed, "index.html": "" };
  const warnings = async (cwd: string) =>
    JSON.parse((await runCli(["rules", "check", "--json"], { cwd })).stdout).diagnostics;
  await inFolder({ ...files, "svc.toml": '[build]\noutput_dirs = ["."]\n' }, async (cwd) => {
    assert.deepEqual(await warnings(cwd), []);
  });
  await inFolder(files, async (cwd) => {
    assert.deepEqual(await warnings(cwd), []);
    await Deno.mkdir(join(cwd, "notes"));
    await Deno.writeTextFile(join(cwd, "notes", "index.html"), "");
    assert.deepEqual(await warnings(cwd), [], "/notes redirects to /notes/");
    await Deno.writeTextFile(join(cwd, "svc.toml"), '[static]\ntrailing_slash = "never"\n');
    assert.equal((await warnings(cwd))[0].code, "open_folder_page");
  });
  // If the output is in another folder, its content is unknown until the project is built.
  await inFolder({ ...files, "svc.toml": '[build]\ncommand = "make"\n' }, async (cwd) => {
    assert.equal((await warnings(cwd))[0].code, "open_folder_page");
  });
});

Deno.test("rules explain shows which rules match, and why others do not", async () => {
  await inFolder({ "svc.rules.toml": RULES }, async (cwd) => {
    const argv = ["rules", "explain", "GET", "/old/a?b=1"];
    assert.equal(
      (await runCli(argv, { cwd })).stdout,
      [
        "GET localhost/old/a?b=1",
        "",
        "security",
        "  no-bots (deny): device must be bot, but is unknown",
        "",
        "redirect",
        "  moved (redirect): applied",
        "",
        'Redirects with 301 to /new/a?b=1 (rule "moved")',
        "",
      ].join("\n"),
    );
    const bot = await runCli([...argv, "--json", "--header", "user-agent: curl/8"], { cwd });
    const { decision, rules } = JSON.parse(bot.stdout);
    assert.equal(decision.terminal.type, "deny");
    assert.equal(rules[1].outcome.state, "skipped");
  });
});

const misuses: [name: string, argv: string[]][] = [
  ["a header without a colon", ["--header", "bad"]],
  ["an invalid country", ["--country", "Germany"]],
  ["an unknown device", ["--device", "fridge"]],
  ["an ASN out of bounds", ["--asn", "0"]],
];

for (const [name, argv] of misuses) {
  Deno.test(`rules explain refuses ${name}`, async () => {
    await inFolder({ "svc.rules.toml": RULES }, async (cwd) => {
      const run = await runCli(["rules", "explain", "GET", "/", "--json", ...argv], { cwd });
      assert.equal(run.code, 2);
      assert.equal(JSON.parse(run.stdout).code, "usage");
    });
  });
}

Deno.test("rules test fails if a row fails, and reports rules that no row reached", async () => {
  const row = (status: number) =>
    `[[tests]]\nname = "moves"\nurl = "/old/a"\nexpect = { status = ${status} }\n`;
  await inFolder({ "svc.rules.toml": RULES, "svc.rules.test.toml": row(302) }, async (cwd) => {
    const run = await runCli(["rules", "test", "--json"], { cwd });
    assert.equal(run.code, 1);
    const { code, failed, unreached } = JSON.parse(run.stdout);
    assert.deepEqual([code, failed, unreached], ["rules_test_failed", 1, ["no-bots"]]);
    await Deno.writeTextFile(join(cwd, "svc.rules.test.toml"), row(301));
    const good = await runCli(["rules", "test"], { cwd });
    assert.equal(good.code, 0);
    assert.match(good.stderr, /✓ moves\nRules without a test: no-bots\n✓ 1 test passed/);
  });
});

Deno.test("rules import names lines without an equivalent, and adds to existing rules", async () => {
  const redirects = "/a /b 301\n/c /d 999\n";
  await inFolder({ "_redirects": redirects, "svc.rules.toml": RULES }, async (cwd) => {
    const shown = await runCli(["rules", "import", "_redirects"], { cwd });
    assert.equal(shown.code, 0);
    assert.match(shown.stdout, /^schemaVersion = "EDGE_RULE_SET_V1"\n/);
    assert.match(shown.stderr, /warning: _redirects:2: skipped: .*\/c \/d 999/);
    assert.match(shown.stderr, /✓ Read 2: 1 imported as 2 rules, 1 skipped\n/);
    const argv = ["rules", "import", "_redirects", "--output", "svc.rules.toml"];
    const first = JSON.parse((await runCli([...argv, "--json"], { cwd })).stdout);
    assert.deepEqual([first.added, first.present, first.unsupported[0].line], [2, 0, 2]);
    const text = await Deno.readTextFile(join(cwd, "svc.rules.toml"));
    assert.ok(text.startsWith(RULES), text);
    const again = JSON.parse((await runCli([...argv, "--json"], { cwd })).stdout);
    assert.deepEqual([again.added, again.present], [0, 2]);
    assert.equal(await Deno.readTextFile(join(cwd, "svc.rules.toml")), text);
    assert.equal((await runCli(["rules", "check"], { cwd })).code, 0);
    const forced = JSON.parse((await runCli([...argv, "--force", "--json"], { cwd })).stdout);
    assert.equal(forced.ruleSet.rules.length, 2);
  });
});

Deno.test("rules import accepts several files in order, each rule with its own ID", async () => {
  const files = {
    "_redirects": "/a /b\n",
    "_headers": "/*\n  X-A: 1\n",
    "more": "/a /c\n/z /y 404\n",
  };
  await inFolder(files, async (cwd) => {
    const argv = ["rules", "import", "_redirects", "more", "--format", "redirects", "--output"];
    const out = JSON.parse((await runCli([...argv, "out.toml", "--json"], { cwd })).stdout);
    assert.deepEqual(out.ruleSet.rules.map((rule: { id: string }) => rule.id), [
      "redirect-1",
      "redirect-1-slash",
      "redirect-1-2",
      "redirect-1-slash-2",
    ]);
    assert.deepEqual(out.unsupported.map((one: { file: string }) => one.file), ["more"]);
    const next = ["rules", "import", "_headers", "--output", "out.toml", "--json"];
    const both = JSON.parse((await runCli(next, { cwd })).stdout);
    assert.equal(both.ruleSet.rules.length, 5);
    const broken = await runCli(["rules", "import", "_headers", "none", "--output", "new"], {
      cwd,
    });
    assert.equal(broken.code, 1);
    await assert.rejects(Deno.stat(join(cwd, "new")), Deno.errors.NotFound);
  });
});

Deno.test("rules import recognizes Cloudflare by its wrangler file, in the folder or its parent", async () => {
  await inFolder({ "wrangler.toml": 'name = "site"\n' }, async (cwd) => {
    await Deno.mkdir(join(cwd, "public"));
    await Deno.writeTextFile(join(cwd, "public/_redirects"), "/a /b\n");
    const argv = ["rules", "import", "public/_redirects", "--json"];
    const run = await runCli(argv, { cwd });
    assert.equal(JSON.parse(run.stdout).ruleSet.rules[0].action.statusCode, 302);
    const chosen = await runCli([...argv, "--flavor", "netlify"], { cwd });
    assert.equal(JSON.parse(chosen.stdout).ruleSet.rules[0].action.statusCode, 301);
  });
});

Deno.test("published rules override the deployment's rules, and can be listed, restored and removed", async () => {
  await withPlatform(async (bench) => {
    await bench.json(["init", "--create"]);
    const { urls } = await bench.json(["deploy", "--prod"]);
    const { production } = urls as Record<string, string>;
    const status = async () => (await bench.page(production, "/old/a")).status;
    assert.equal((await bench.json(["rules", "list"])).origin, null);
    const before = await status();
    assert.notEqual(before, 301);

    const onlyRedirect = RULES.slice(0, RULES.indexOf('[[rules]]\nid = "no-bots"'));
    await bench.write("svc.rules.toml", onlyRedirect);
    const first = await bench.json(["rules", "publish"]);
    assert.equal(first.origin, "ui");
    assert.equal(await status(), 301);
    assert.match((await bench.run(["rules", "list"])).stdout, /moved +redirect +yes +1 +\/old/);

    await bench.write("svc.rules.toml", onlyRedirect.replace("301", "308"));
    const stale = await bench.run(["rules", "publish", "--if-match", '"none"', "--json"]);
    assert.equal(stale.code, 1);
    assert.equal(JSON.parse(stale.stdout).code, "conflict");
    await bench.json(["rules", "publish"]);
    assert.equal(await status(), 308);

    const deployed = await bench.run(["deploy", "--prod"]);
    assert.match(
      deployed.stderr,
      /warning: The rules of this deployment are not active.* run svc rules remove/,
    );
    const back = await bench.json(["rollback"]);
    assert.equal((back.rulesInEffect as { origin: string }).origin, "ui");
    assert.equal(await status(), 308);

    const { revisions } = await bench.json(["rules", "revisions"]);
    assert.equal((revisions as unknown[]).length, 2);
    const restored = await bench.run(["rules", "restore", String(first.revisionId)]);
    assert.equal(await status(), 301);
    await bench.json(/undo +svc (.+)/.exec(restored.stderr)![1]!.split(" "));
    assert.equal(await status(), 308);
    await bench.json(["rules", "restore", String(first.revisionId)]);

    for (const unknown of ["0199e2e8-5f0f-7e11-8a33-0242ac120002", "nothing"]) {
      const refused = await bench.run(["rules", "restore", unknown, "--json"]);
      const { code, next } = JSON.parse(refused.stdout);
      assert.deepEqual([refused.code, code], [1, "not_found"], refused.stdout);
      await bench.json(next[0].replace(/^svc (.*) --json/, "$1").split(" "));
    }

    const unsure = await bench.run(["rules", "remove", "--json"]);
    assert.equal(JSON.parse(unsure.stdout).code, "action_required");
    await bench.json(["rules", "remove", "--force"]);
    assert.equal(await status(), before);
    const own = await bench.run(["deploy", "--prod"]);
    assert.doesNotMatch(own.stderr, /are not active|Could not read/);
  });
});

for (
  const [failure, respond, warning] of [
    ["is unreadable", () => Promise.resolve(Response.json({})), /does not match the API/],
    ["does not arrive", () => Promise.reject(new TypeError("reset")), /Cannot reach the platform/],
  ] as const
) {
  Deno.test(`deploy --prod warns if the response about the active rules ${failure}`, () =>
    withPlatform(async (bench) => {
      await bench.json(["init", "--create"]);
      const { code, stdout, stderr } = await bench.run(["deploy", "--prod", "--json"], {
        fetch: (input, init) => String(input).endsWith("/rules") ? respond() : fetch(input, init),
      });
      assert.equal(code, 0, stdout);
      assert.equal(JSON.parse(stdout).rulesInEffect, null);
      assert.match(stderr, /warn.*Could not read the active rules: .* run svc rules list/);
      assert.match(stderr, warning);
    }));
}

Deno.test("rules explain --live evaluates production's active rules", async () => {
  await withPlatform(async (bench) => {
    await bench.json(["init", "--create"]);
    await bench.json(["deploy", "--prod"]);
    const argv = ["rules", "explain", "GET", "/old/a", "--live"];
    assert.deepEqual((await bench.json(argv)).rules, []);
    await bench.write("svc.rules.toml", RULES);
    await bench.json(["rules", "publish"]);
    await bench.write("svc.rules.toml", RULES.replaceAll("/old/", "/older/"));
    const { decision } = await bench.json(argv);
    assert.equal((decision as { terminal: { status: number } }).terminal.status, 301);
    const { decision: own } = await bench.json(argv.slice(0, -1));
    assert.equal((own as { terminal: { type: string } }).terminal.type, "none");
    const named = await bench.run([...argv, "--project-id", "my-site"]);
    assert.match(named.stderr, /Published revision \S+, 2 rules/);
    assert.equal((await bench.run([...argv, "--rules", "svc.rules.toml"])).code, 2);
  });
});

const PIPELINE = `schemaVersion = "EDGE_RULE_SET_V1"

[[rules]]
id = "members"
condition.asn = [64500]
[rules.action]
type = "pipeline"
steps = [
  { use = "athorize", mode = "request", failure = "closed" },
  { handle = "origin" },
]
`;

Deno.test("rules check recognizes the project's functions, and suggests a similar name", async () => {
  await inFolder({ "svc.rules.toml": PIPELINE, "edge.toml": PIPELINE }, async (cwd) => {
    await Deno.mkdir(join(cwd, "functions"));
    await Deno.writeTextFile(join(cwd, "functions", "authorize.ts"), "export default () => {};\n");
    for (const argv of [["rules", "check"], ["rules", "check", "edge.toml"]]) {
      const run = await runCli(argv, { cwd });
      assert.equal(run.code, 1);
      assert.match(
        run.stderr,
        /toml:9:11: error: rule "members".* none is named "athorize"\n.*\n.*\n +hint: Did you mean "authorize"\?/,
      );
    }
    await Deno.rename(
      join(cwd, "functions", "authorize.ts"),
      join(cwd, "functions", "athorize.ts"),
    );
    assert.equal((await runCli(["rules", "check"], { cwd })).code, 0);
    await Deno.remove(join(cwd, "functions"), { recursive: true });
    assert.equal((await runCli(["rules", "check"], { cwd })).code, 1);
    const elsewhere = await runCli(["rules", "check", "edge.toml"], { cwd });
    assert.equal(elsewhere.code, 0, "functions are unknown for another file");
  });
});

Deno.test("deploy refuses rules that name a missing function, before it uploads anything", async () => {
  await withPlatform(async (bench) => {
    await bench.json(["init", "--create"]);
    await bench.write("svc.rules.toml", PIPELINE);
    const run = await bench.run(["deploy", "--prod"]);
    assert.equal(run.code, 1);
    assert.match(run.stderr, /svc\.rules\.toml:9:11: error: .*"athorize"/);
    const { deployments } = await bench.json(["deployments"]);
    assert.deepEqual(deployments, []);
  });
});

Deno.test("check, publish and deploy warn about asn without an ASN database", async () => {
  const rules = RULES.replace('device = "bot"', "asn = [64500]");
  await withPlatform(async (bench) => {
    await bench.json(["init", "--create"]);
    await bench.write("svc.rules.toml", rules);
    for (const argv of [["rules", "check"], ["deploy", "--prod"], ["rules", "publish"]]) {
      const run = await bench.run(argv);
      assert.equal(run.code, 0, run.stderr);
      assert.match(run.stderr, /svc\.rules\.toml:10:17: warning: .* Start the platform with --asn/);
    }
  });
  await inFolder({ "svc.rules.toml": rules }, async (cwd) => {
    const unknown = await runCli(["rules", "check"], { cwd });
    assert.equal(unknown.code, 0);
    assert.doesNotMatch(unknown.stderr, /--asn/, "no warning if the platform can look up networks");
  });
});

Deno.test("rules import writes nothing if it cannot read the file, and exits with 1", async () => {
  const files = {
    "vercel.json": '{ "redirects": [',
    "_headers": "<html>\n<p>no headers</p>\n",
    "_redirects": "/a /b\0\n",
  };
  await inFolder(files, async (cwd) => {
    for (const name of Object.keys(files)) {
      const run = await runCli(["rules", "import", name, "--output", "out.toml", "--json"], {
        cwd,
      });
      assert.equal(run.code, 1, name);
      assert.equal(JSON.parse(run.stdout).code, "rules_invalid");
      await assert.rejects(Deno.stat(join(cwd, "out.toml")), Deno.errors.NotFound);
    }
  });
});

Deno.test("rules import checks the imported rules, and shows the problems", async () => {
  await inFolder({ "_redirects": "/a /a 301!\n/b /c\n" }, async (cwd) => {
    const argv = ["rules", "import", "_redirects", "--output", "svc.rules.toml"];
    const run = await runCli(argv, { cwd });
    assert.equal(run.code, 0);
    assert.match(run.stderr, /svc\.rules\.toml:\d+:\d+: warning: rule "redirect-1".*leads back/);
    const { read, imported, diagnostics } = JSON.parse(
      (await runCli([...argv, "--force", "--json"], { cwd })).stdout,
    );
    assert.deepEqual([read, imported, diagnostics[0].code], [2, 2, "redirect_loop"]);
  });
});
