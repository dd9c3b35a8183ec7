/** Runs the commands against a real platform in this process. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { withPlatform } from "../_test_platform.ts";
import { personWho } from "../_test_run.ts";

Deno.test("a project goes from init to deploy, rollback and delete", async (t) => {
  await withPlatform(async (bench) => {
    await t.step("init --create writes svc.toml and creates the project", async () => {
      const told = await bench.json(["init", "--create"]);
      assert.equal(told.name, "my-site");
      const source = await bench.read("svc.toml");
      assert.match(source, /^#:schema .*\n\n\[project\]\nid = "[0-9a-f-]{36}"\nname = "my-site"/);
    });

    await t.step("deploy creates a preview and prints only its URL to stdout", async () => {
      const run = await bench.run(["deploy"]);
      assert.equal(run.code, 0, run.stderr);
      assert.match(run.stdout, /^http:\/\/my-site-[a-z0-9]{8}\.localhost:\d+\n$/);
      assert.match(run.stderr, /✓ Deployed 1 file in .*: 1 uploaded, 0 reused/);
      assert.match(run.stderr, /production .* \(unchanged; deploy there with --prod\)/);
      assert.equal((await bench.page(run.stdout.trim(), "/")).text, "<h1>One</h1>");
    });

    await t.step("deploy --prod sends only new files", async () => {
      await bench.write("two.html", "<h1>Two</h1>");
      const told = await bench.json(["deploy", "--prod", "--branch", "main", "--message", "Two"]);
      assert.deepEqual(told.uploaded, { files: 1, bytes: 12 });
      assert.deepEqual(told.reused, { files: 1, bytes: 12 });
      assert.equal(told.status, "LIVE");
      assert.equal(told.message, "Two");
      assert.equal(told.isProduction, true);
    });

    await t.step("deploy --dry-run sends nothing", async () => {
      const told = await bench.json(["deploy", "--dry-run"]);
      assert.equal(told.dryRun, true);
      assert.deepEqual(
        (told.files as { path: string }[]).map(({ path }) => path),
        ["index.html", "two.html"],
      );
      const { deployments } = await bench.json(["deployments"]);
      assert.equal((deployments as unknown[]).length, 2);
    });

    await t.step(
      "rollback restores the previous deployment, as shown by lists and logs",
      async () => {
        await bench.write("index.html", "<h1>Three</h1>");
        const third = await bench.json(["deploy", "--prod"]);
        const back = await bench.json(["rollback"]);
        assert.equal((back.rolledBack as { id: string }).id, third.id);
        const urls = third.urls as Record<string, string>;
        assert.equal((await bench.page(urls.production, "/")).text, "<h1>One</h1>");
        const forth = await bench.run(["rollback", "--to", String(third.id)]);
        assert.match(forth.stderr, new RegExp(`\\. ${third.id} is live again\n`));
        const { id } = back.deployment as { id: string };
        assert.ok(forth.stderr.includes(`undo      svc rollback --to ${id}\n`), forth.stderr);
        const again = await bench.json(["rollback"]);
        assert.equal((again.deployment as { id: string }).id, id);
        const listed = await bench.run(["deployments", "--limit", "1"]);
        assert.match(listed.stdout, /^ID .*\n[0-9a-f-]{36} +ROLLED_BACK .*\n$/);
        const logs = await bench.json(["logs", "--search", "my-site.localhost"]);
        assert.equal((logs.entries as { path: string }[]).length, 1);
      },
    );

    await t.step(
      "stop takes a preview offline, but not a production deployment",
      async () => {
        const preview = await bench.json(["deploy", "--branch", "feature"]);
        const [id, url] = [String(preview.id), String(preview.url)];
        assert.equal((await bench.page(url, "/")).status, 200);
        const stopped = await bench.json(["stop", id]);
        assert.equal((stopped.deployment as { status: string }).status, "STOPPED");
        assert.equal((await bench.page(url, "/")).status, 404);
        const again = await bench.run(["stop", id]);
        assert.deepEqual(
          [again.code, again.stdout],
          [0, ""],
          "stopping it twice has the same effect",
        );
        assert.match(again.stderr, new RegExp(`✓ Stopped ${id} of my-site`));
        const { deployments } = await bench.json(["deployments"]);
        const live = (deployments as { id: string; isProduction: boolean }[])
          .find(({ isProduction }) => isProduction)!;
        const refused = await bench.run(["stop", live.id]);
        assert.equal(refused.code, 1);
        assert.match(
          refused.stderr,
          /Cannot stop the production deployment: roll back or deploy first/,
        );
        assert.equal((await bench.run(["stop", "feature"])).code, 2);
      },
    );

    await t.step("projects update changes settings, and delete asks first", async () => {
      const updated = await bench.json([
        "projects",
        "update",
        "my-site",
        "--display-name",
        "Site",
        "--node-version",
        "24",
        "--framework",
        "astro",
        "--branch",
        "trunk",
        "--root-directory",
        "web",
      ]);
      const { displayName, nodeVersion, framework, branch, rootDirectory } = updated
        .project as Record<string, unknown>;
      assert.deepEqual(
        [displayName, nodeVersion, framework, branch, rootDirectory],
        ["Site", "24", "astro", "trunk", "web"],
      );
      const cleared = await bench.json(["projects", "update", "my-site", "--display-name", ""]);
      assert.equal((cleared.project as { displayName: null }).displayName, null);
      assert.match((await bench.run(["projects", "info", "my-site"])).stdout, /^name +my-site\n/);
      assert.match((await bench.run(["projects", "list"])).stdout, /^NAME .*\nmy-site +astro /);

      const refused = await bench.run(["projects", "delete", "my-site", "--json"]);
      assert.equal(refused.code, 1);
      const { code, next } = JSON.parse(refused.stdout);
      assert.equal(code, "action_required");
      assert.match(next[0], /^svc projects delete [0-9a-f-]{36} --force --json$/);
      assert.equal((await bench.json(["projects", "delete", "my-site", "--force"])).deleted, true);
      const { projects } = await bench.json(["projects", "list"]);
      assert.deepEqual(projects, []);
    });
  });
});

Deno.test("deploy asks the user for the project, and remembers the answer", async () => {
  await withPlatform(async (bench) => {
    const asker = personWho(["fresh"]);
    const run = await bench.run(["deploy"], { prompter: asker });
    assert.equal(run.code, 0, run.stderr);
    assert.deepEqual(asker.asked, ["Name of the new project"]);
    assert.match(await bench.read("svc.toml"), /name = "fresh"/);
    const again = await bench.run(["deploy"], { prompter: personWho([]) });
    assert.equal(again.code, 0, again.stderr);
  });
});

Deno.test("deploy without a project names the commands that choose one", async () => {
  await withPlatform(async (bench) => {
    const run = await bench.run(["deploy", "--json"]);
    assert.equal(run.code, 1);
    const { code, next } = JSON.parse(run.stdout);
    assert.equal(code, "action_required");
    assert.deepEqual(next, [
      "svc projects list --json",
      "svc projects create --name my-site --link --json",
    ]);
    await bench.json(["projects", "create", "--name", "blog"]);
    const other = await bench.run(["deploy", "--prod"]);
    assert.match(other.stderr, /\nhint: Choose a project with --project-id: blog\n/);
    assert.doesNotMatch(other.stderr, /svc deploy/);
    assert.equal((await bench.run(["deploy", "--prod", "--project-id", "blog"])).code, 0);
  });
});

Deno.test("link links a folder to a project that the user picks", async () => {
  await withPlatform(async (bench) => {
    await bench.json(["projects", "create", "--name", "blog"]);
    await bench.run(["projects", "create", "--name", "shop"]);
    const run = await bench.run(["link"], { prompter: personWho(["blog"]) });
    assert.equal(run.code, 0, run.stderr);
    const source = await bench.read("svc.toml");
    assert.match(source, /name = "blog"\nworkspace = "default"/);
    await bench.json(["link", "--project-id", "shop"]);
    assert.match(await bench.read("svc.toml"), /name = "shop"/);
  });
});

interface Refusal {
  readonly name: string;
  readonly argv: readonly string[];
  readonly files: Readonly<Record<string, string>>;
  readonly code: string;
  readonly stderr: RegExp;
}

const refusals: readonly Refusal[] = [
  {
    name: "a build that fails",
    argv: ["deploy", "--build-command", "echo told; exit 7"],
    files: {},
    code: "build_failed",
    stderr: /told\n.*Build failed: `echo told; exit 7` exited with code 7/s,
  },
  {
    name: "an output that is missing",
    argv: ["deploy", "--skip-build"],
    files: { "svc.toml": '[project]\nname = "p"\n[build]\noutput_dirs = ["dist"]\n' },
    code: "output_missing",
    stderr: /Cannot find the output directory: tried "dist"/,
  },
  {
    name: "a svc.toml with a typo",
    argv: ["deploy"],
    files: { "svc.toml": '[project]\nname = "p"\n[biuld]\ncommand = "x"\n' },
    code: "config_invalid",
    stderr:
      /svc\.toml:3:2: error: .*\n {2}3 \| \[biuld\]\n {4}\| {2}\^{5}\n.*Did you mean "build"\?/,
  },
  {
    name: "rules with an error",
    argv: ["deploy"],
    files: { "svc.rules.toml": 'schemaVersion = "EDGE_RULE_SET_V1"\n[[rules]]\nid = "a"\n' },
    code: "rules_invalid",
    stderr: /svc\.rules\.toml:\d+:\d+: error: rule "a"/,
  },
];

for (const { name, argv, files, code, stderr } of refusals) {
  Deno.test(`deploy refuses ${name} and sends nothing`, async () => {
    await withPlatform(async (bench) => {
      await bench.json(["projects", "create", "--name", "p"]);
      for (const [path, text] of Object.entries(files)) await bench.write(path, text);
      const flags = "svc.toml" in files ? [] : ["--project-id", "p"];
      const run = await bench.run([...argv, ...flags]);
      assert.equal(run.code, 1);
      assert.equal(run.stdout, "");
      assert.match(run.stderr, stderr);
      const json = await bench.run([...argv, ...flags, "--json"]);
      assert.equal(JSON.parse(json.stdout).code, code);
      await Deno.remove(join(bench.site, "svc.toml")).catch(() => {});
      const { deployments } = await bench.json(["deployments", "--project-id", "p"]);
      assert.deepEqual(deployments, []);
    });
  });
}

Deno.test("deploy shows each problem in a manifest with its path", async () => {
  await withPlatform(async (bench) => {
    await bench.json(["projects", "create", "--name", "p"]);
    await Deno.mkdir(join(bench.site, ".svc"));
    const manifest = { version: 1, layers: [], routes: [{ pattern: "^/", layer: "gone" }] };
    await bench.write(".svc/manifest.json", JSON.stringify(manifest));
    const run = await bench.run(["deploy", "--project-id", "p"]);
    assert.equal(run.code, 1);
    assert.match(run.stderr, /Manifest validation failed:\nroutes\[0\]\.layer: .*\nSee docs/);
  });
});

Deno.test("deploy builds first and shows the build's output as log lines in JSON mode", async () => {
  await withPlatform(async (bench) => {
    await bench.json(["projects", "create", "--name", "p"]);
    const command = "mkdir -p dist && echo '<p>built' > dist/index.html && echo done >&2";
    const run = await bench.run([
      "deploy",
      "--json",
      "--project-id",
      "p",
      "--build-command",
      command,
    ]);
    assert.equal(run.code, 0, run.stdout);
    const lines = run.stderr.trimEnd().split("\n").map((line) => JSON.parse(line));
    assert.ok(lines.some(({ p, l, m }) => p === "build" && l === "info" && m === "done"));
    assert.equal((await bench.page(JSON.parse(run.stdout).url, "/")).text, "<p>built\n");
  });
});

Deno.test("deploy builds with the variables of its environment, except those that control which code runs", async () => {
  await withPlatform(async (bench) => {
    await bench.json(["init", "--create"]);
    for (const [key, value] of [["GREETING", "from production"], ["PATH", "/evil"]]) {
      await bench.json(["env", "set", key!, "--value", value!, "--plain", "--all"]);
    }
    const command = 'mkdir -p dist && printf "%s" "$GREETING" > dist/index.html';
    const told = await bench.json(["deploy", "--prod", "--build-command", command]);
    const page = await bench.page(told.url, "/");
    assert.equal(page.text, "from production");
  });
});

Deno.test("deploy stops the build and exits with 130 when interrupted", async () => {
  await withPlatform(async (bench) => {
    await bench.json(["projects", "create", "--name", "p"]);
    const stop = new AbortController();
    const started = join(bench.site, "started");
    const watcher = Deno.watchFs(bench.site);
    const run = bench.run(
      ["deploy", "--project-id", "p", "--build-command", "touch started; exec sleep 60"],
      { signal: stop.signal },
    );
    for await (const event of watcher) {
      if (event.paths.includes(started)) break;
    }
    stop.abort(new DOMException("Interrupted", "AbortError"));
    const { code, stdout, stderr } = await run;
    assert.equal(code, 130);
    assert.equal(stdout, "");
    assert.match(stderr, /error: Interrupted\n$/);
  });
});

Deno.test("logs --follow prints history, then new requests, one object per line", async () => {
  await withPlatform(async (bench) => {
    const { urls } = await bench.json(["init", "--create"]).then(() =>
      bench.json(["deploy", "--prod"])
    );
    const { production } = urls as Record<string, string>;
    await bench.page(production, "/first");
    const stop = new AbortController();
    let lines = 0;
    const { stdout, code } = await bench.run(["logs", "--follow", "--json"], {
      signal: stop.signal,
      onStdout: () => {
        lines++;
        if (lines === 1) void bench.page(production, "/second");
        if (lines === 2) stop.abort(new DOMException("Interrupted", "AbortError"));
      },
    });
    assert.equal(code, 0);
    const paths = stdout.trimEnd().split("\n").map((line) => JSON.parse(line).path);
    assert.deepEqual(paths, ["/first", "/second"]);
  });
});

Deno.test("whoami and workspace list show the caller", async () => {
  await withPlatform(async (bench) => {
    const me = await bench.json(["whoami"]);
    assert.equal((me.workspace as { slug: string }).slug, "default");
    assert.equal(me.apiUrl, bench.env.SVC_API_URL);
    assert.deepEqual(me.grant, { permissions: ["everything"], projects: null, expiresAt: null });
    await bench.run(["projects", "create", "--name", "shop"]);
    const { key } = await bench.json([
      "keys",
      "create",
      "ci",
      "--permission",
      "read",
      "--project",
      "shop",
      "--expires",
      "1d",
    ]);
    const { stdout } = await bench.run(["whoami", "--token", String(key)]);
    assert.match(stdout, /can +read\n *projects +shop\n *ends +\d{4}-\d\d-\d\dT/);
    const { workspaces, current } = await bench.json(["workspace", "list"]);
    assert.equal((workspaces as unknown[]).length, 1);
    assert.equal(current, "default");
    const wrong = await bench.run(["workspace", "switch", "defualt", "--json"]);
    assert.equal(wrong.code, 1);
    assert.equal(JSON.parse(wrong.stdout).hint, "Did you mean default?");
  });
});
