import assert from "node:assert/strict";
import { join } from "node:path";
import { loadProjectConfig } from "../config/load_project_config.ts";
import { parseProjectConfig } from "../config/project_config.ts";
import type { Manifest } from "../manifest/mod.ts";
import { type TestFiles, type TestProject, withTestProject } from "./_test_project.ts";
import { BuildError } from "./build_error.ts";
import { assembleProject, type PackOptions, packProject } from "./pack_project.ts";

interface Bench extends TestProject {
  readonly options: PackOptions;
}

const withProject = (files: TestFiles, run: (bench: Bench) => Promise<void>): Promise<void> =>
  withTestProject(files, (made) => {
    const options = { directory: made.project, config: undefined, skipBuild: true };
    return run({ ...made, options });
  });

const ASTRO = {
  "package.json": '{"dependencies":{"astro":"7.3.5"}}',
  "dist/client/index.html": "<h1>home</h1>",
  "dist/server/entry.mjs": 'export { handler } from "./chunks/a.mjs";',
  "dist/server/entry.mjs.map": "{}",
  "dist/server/chunks/a.mjs": 'import kept from "kept"; export const handler = kept;',
  "dist/server/notes.txt": "read when it runs",
  "node_modules/kept/package.json": '{"name":"kept","main":"index.js"}',
  "node_modules/kept/index.js": "module.exports = () => 1;",
};

const { config: ON_DENO } = parseProjectConfig('[build]\nruntime = "deno"\n');

Deno.test("packProject() bundles a server for Deno in place and omits the bundled files", async () => {
  await withProject(ASTRO, async ({ host, options: given, project }) => {
    const options = { ...given, config: ON_DENO };
    const pack = await packProject(host, options);
    assert.equal(pack.output, join(project, "dist"));
    assert.equal(pack.generated, true);
    assert.deepEqual(pack.files.map(({ path }) => path), [
      "client/index.html",
      "server/entry.mjs",
      "server/notes.txt",
    ]);
    const entry = pack.files[1];
    assert.ok(entry?.content instanceof Uint8Array);
    assert.equal(entry.size, entry.content.byteLength);
    const text = new TextDecoder().decode(entry.content);
    assert.match(text, /createServer/);
    assert.match(text, /ASTRO_NODE_AUTOSTART \?\?= "disabled"/);
    const again = await packProject(host, options);
    assert.equal(again.files[1]?.sha256, entry.sha256);
  });
});

const WRITTEN: Manifest = {
  version: 1,
  layers: [
    { name: "site", target: "STATIC", directory: "server/public" },
    { name: "api", target: "COMPUTE", directory: "server", entry: "server/main.js" },
  ],
  routes: [{ pattern: "^/", layer: "api" }],
};

Deno.test("packProject() warns about duplicate routes in a handwritten manifest", async () => {
  const route = { pattern: "^/", layer: "site" };
  const manifest = {
    version: 1,
    layers: [{ name: "site", target: "STATIC", directory: "." }],
    routes: [route, route],
  };
  const files = { "dist/.svc/manifest.json": JSON.stringify(manifest), "dist/index.html": "" };
  await withProject(files, async ({ host, options, said }) => {
    await packProject(host, options);
    assert.deepEqual(said.filter((line) => line.startsWith("build warn ")), [
      "build warn .svc/manifest.json: routes[1]: Repeats routes[0]: remove one of the two, since only the first is used",
    ]);
  });
});

Deno.test("packProject() keeps a handwritten manifest, and the files of its STATIC layers", async () => {
  const files = {
    "dist/.svc/manifest.json": JSON.stringify(WRITTEN),
    "dist/server/main.js": 'import "./public/shared.js"; import "./own.js";\n' +
      "export default { fetch: () => new Response() };",
    "dist/server/own.js": "console;",
    "dist/server/public/shared.js": "console;",
    "dist/server/node_modules/left/index.js": "console;",
  };
  await withProject(files, async ({ host, options }) => {
    const pack = await packProject(host, options);
    assert.equal(pack.generated, false);
    assert.deepEqual(pack.manifest, WRITTEN);
    assert.deepEqual(pack.files.map(({ path }) => path), [
      "server/main.js",
      "server/public/shared.js",
    ]);
    const [main] = pack.files;
    assert.ok(main?.content instanceof Uint8Array);
    assert.doesNotMatch(new TextDecoder().decode(main.content), /ASTRO|createServer\(/);
  });
});

Deno.test("packProject() chooses Node for a Node project's server, and reports the choice", async () => {
  const files = {
    ...ASTRO,
    "dist/server/chunks/a.mjs": 'export const handler = () => import("better-sqlite3");',
    ".nvmrc": "22\n",
  };
  await withProject(files, async ({ host, options, said }) => {
    const { manifest, servers, files: deployed } = await packProject(host, options);
    const told =
      "build info Server server/entry.mjs runs on Node 22: the project has a package.json";
    assert.ok(said.some((line) => line.startsWith(told)), said.join("\n"));
    assert.deepEqual(servers.map(({ engine, nodeVersion }) => [engine, nodeVersion]), [
      ["node", "22"],
    ]);
    const compute = (manifest as Manifest).layers.find(({ target }) => target === "COMPUTE");
    assert.ok(compute?.target === "COMPUTE");
    assert.deepEqual(compute.runtime, { engine: "node", nodeVersion: "22" });
    assert.equal(compute.entry, "server/svc-server.mjs");
    assert.ok(deployed.some(({ path }) => path === "server/chunks/a.mjs"));
  });
});

Deno.test("packProject() keeps a server on Deno if svc.toml requires it, and warns", async () => {
  const files = {
    ...ASTRO,
    "dist/server/chunks/a.mjs": 'export const handler = () => import("better-sqlite3");',
    "svc.toml": '[build]\nruntime = "deno"\n',
  };
  await withProject(files, async ({ host, options, project, said }) => {
    const loaded = await loadProjectConfig(project);
    assert.ok(loaded.status === "found");
    const pack = await packProject(host, { ...options, config: loaded.config });
    assert.equal(pack.servers[0]?.engine, "deno");
    assert.ok(said.includes(
      'build warn Some code will fail on Deno: "better-sqlite3" has a native addon',
    ));
    assert.ok(
      said.some((line) =>
        line.startsWith(
          "build info Server server/entry.mjs runs on Deno: svc.toml sets build.runtime",
        )
      ),
    );
  });
});

Deno.test("packProject() reports all problems in a Deno server with file and line", async () => {
  const files = {
    ...ASTRO,
    "dist/server/chunks/a.mjs": '\nimport "absent";\nimport "gone"; export const handler = 1;',
  };
  await withProject(files, async ({ host, options }) => {
    await assert.rejects(packProject(host, { ...options, config: ON_DENO }), (error) => {
      assert.ok(error instanceof BuildError);
      assert.equal(error.code, "server_invalid");
      assert.match(error.message, /Fix the server server\/entry\.mjs: 2 problems/);
      assert.match(error.message, /server\/chunks\/a\.mjs:2:8: Could not resolve "absent"/);
      return true;
    });
  });
});

Deno.test("assembleProject() warns before it builds a project that cannot be deployed", async () => {
  const files = {
    "package.json": '{"devDependencies":{"@sveltejs/kit":"2.0.0","@sveltejs/adapter-vercel":"5"}}',
    "node_modules/.keep": "",
  };
  await withProject(files, async ({ host, options, said }) => {
    const built = assembleProject(host, { ...options, skipBuild: false, buildCommand: "exit 0" });
    await assert.rejects(built, (error) => {
      assert.ok(error instanceof BuildError);
      assert.equal(error.code, "output_missing");
      assert.match(error.facts.hint ?? "", /npm install --save-dev @sveltejs\/adapter-node/);
      return true;
    });
    const warned = said.findIndex((line) => line.startsWith("detect warn Use the adapter"));
    assert.ok(warned >= 0 && warned < said.indexOf("build info Running exit 0"));
  });
});

const INSTALL = 'mkdir node_modules && printf "%s" "$GREETING" > node_modules/greeting';

Deno.test("assembleProject() installs packages once, if there are none", async () => {
  const files = { "package.json": '{"dependencies":{"vite":"8"}}' };
  await withProject(files, async ({ host, options, project, said }) => {
    let asked = 0;
    const build = () =>
      assembleProject(host, {
        ...options,
        skipBuild: false,
        settings: {
          installCommand: INSTALL,
          buildCommand: "mkdir -p dist && cp node_modules/greeting dist/index.html",
        },
        variables: () => {
          asked++;
          return Promise.resolve({ GREETING: "hello", PATH: "/nowhere" });
        },
      });
    await build();
    assert.equal(await Deno.readTextFile(join(project, "dist/index.html")), "hello");
    assert.equal(asked, 1);
    await build();
    assert.equal(said.filter((line) => line.startsWith("install info Running")).length, 1);
  });
});

Deno.test("assembleProject() reports which command failed", async () => {
  const files = { "package.json": '{"dependencies":{"vite":"8"}}' };
  await withProject(files, async ({ host, options }) => {
    const settings = { installCommand: "exit 3", buildCommand: "exit 4" };
    const built = assembleProject(host, { ...options, skipBuild: false, settings });
    await assert.rejects(built, {
      code: "build_failed",
      message: /^Install failed: `.*` exited with code 3/,
    });
  });
});

Deno.test("assembleProject() reports which Node version a framework requires when its build fails", async () => {
  const files = {
    "package.json": '{"dependencies":{"astro":"7.3.5"}}',
    "node_modules/astro/package.json": '{"engines":{"node":">=999.1.0"}}',
    "bin/node": "#!/bin/sh\necho v24.0.0\n",
  };
  await withProject(files, async ({ host, options, project }) => {
    await Deno.chmod(join(project, "bin/node"), 0o755);
    const env = { PATH: `${join(project, "bin")}:${host.env.PATH}` };
    const built = assembleProject({ ...host, env }, {
      ...options,
      skipBuild: false,
      buildCommand: "exit 5",
    });
    await assert.rejects(built, (error) => {
      assert.ok(error instanceof BuildError);
      assert.equal(
        error.facts.hint,
        'Astro requires Node >=999.1.0, but "node --version" prints v24.0.0',
      );
      return true;
    });
  });
});

Deno.test("assembleProject() uses the framework in the project's settings only if none is detected", async () => {
  const files = { "package.json": '{"dependencies":{"astro":"7.3.5"}}', "dist/index.html": "" };
  await withProject(files, async ({ host, options, project }) => {
    const settings = { framework: "nuxt" };
    const own = await assembleProject(host, { ...options, settings });
    assert.equal(own.detected.framework?.id, "astro");
    const given = await assembleProject(host, { ...options, framework: "vite" });
    assert.equal(given.detected.framework?.id, "vite");
    await Deno.writeTextFile(join(project, "package.json"), "{}");
    const none = await assembleProject(host, {
      ...options,
      settings: { ...settings, outputDirectory: "dist" },
      skipValidation: true,
    }).catch((error: unknown) => error);
    assert.ok(none instanceof BuildError && none.code === "manifest_invalid", String(none));
  });
});

const PLAIN = {
  "index.html": "<h1>home</h1>",
  "drafts/next.html": "<h1>next</h1>",
  "notes.txt": "mine",
  ".gitignore": "drafts/\nnotes.txt\n",
};

Deno.test("packProject() omits and reports ignored files in a folder that is itself a site", async () => {
  await withProject(PLAIN, async ({ host, options, said }) => {
    const pack = await packProject(host, options);
    assert.deepEqual(pack.files.map(({ path }) => path), ["index.html"]);
    assert.deepEqual(said, [
      "build info Skipped 2 items that .gitignore lists: " +
      'list them in .svcignore with "!" to deploy them',
    ]);
  });
});

Deno.test("packProject() includes ignored files only if .svcignore lists them, and reports them", async () => {
  const files = { ...PLAIN, "a.psd": "", ".svcignore": "*.psd\n" };
  await withProject(files, async ({ host, options, said, project }) => {
    const pack = await packProject(host, options);
    assert.deepEqual(pack.files.map(({ path }) => path), ["index.html"]);
    assert.deepEqual(said.splice(0), [
      "build info Skipped 1 item that .svcignore lists",
      "build info Skipped 2 items that .gitignore lists: " +
      'list them in .svcignore with "!" to deploy them',
    ]);
    await Deno.writeTextFile(join(project, ".svcignore"), "*.psd\n!drafts/\n!/notes.txt\n");
    const restored = await packProject(host, options);
    assert.deepEqual(
      restored.files.map(({ path }) => path),
      ["drafts/next.html", "index.html", "notes.txt"],
    );
    assert.deepEqual(said, [
      "build info Skipped 1 item that .svcignore lists",
      'build warn Deploying drafts, notes.txt, because .svcignore lists it with "!"',
    ]);
  });
});

const CLOSED_NOTES = `schemaVersion = "EDGE_RULE_SET_V1"

[[rules]]
id = "keep-notes-private"
condition.path = { type = "prefix", value = "/notes/" }
action = { type = "deny" }
`;

Deno.test("packProject() warns about a denied folder only if its own page stays reachable", async () => {
  const closed = { "index.html": "", "notes/a.txt": "", "svc.rules.toml": CLOSED_NOTES };
  await withProject(closed, async ({ host, options, said }) => {
    await packProject(host, options);
    assert.deepEqual(said, []);
  });
  const open = { ...closed, "notes/index.html": "" };
  await withProject(open, async ({ host, options, said }) => {
    await packProject(host, options);
    assert.deepEqual(said, [], "/notes redirects to /notes/");
    const { config } = parseProjectConfig('[static]\ntrailing_slash = "never"\n');
    await packProject(host, { ...options, config });
    assert.deepEqual(said, ["warned of svc.rules.toml"]);
  });
});

/**
 * Three levels of folders, each with an ignore file that reverts some patterns of the level above.
 */
const NESTED: Readonly<Record<string, string>> = {
  "index.html": "",
  ".gitignore": "*.log\n/secret\nbuild/\ncache\n!keep.log\n",
  "a.log": "",
  "keep.log": "",
  "secret/plan.html": "",
  "build/x.html": "",
  "shop/.gitignore":
    "\ufeff# own\r\n!a.log\r\n/private.html\r\nkeep.log\r\n!cache\r\nit[1]em/*\r\n!it[1]em/b.html\r\n/\r\n",
  "shop/a.log": "",
  "shop/b.log": "",
  "shop/keep.log": "",
  "shop/private.html": "",
  "shop/secret/open.html": "",
  "shop/cache/index.html": "",
  "shop/cache/keep.log": "",
  "shop/it1em/a.html": "",
  "shop/it1em/b.html": "",
  "shop/build/.gitignore": "!x.html\n",
  "shop/build/x.html": "",
  "shop/[x] y/.gitignore": "*.html\n!/open.html\n**/deep/*.log\n!keep.log\nend/\n",
  "shop/[x] y/a.html": "",
  "shop/[x] y/open.html": "",
  "shop/[x] y/private.html": "",
  "shop/[x] y/sub/open.html": "",
  "shop/[x] y/sub/page.txt": "",
  "shop/[x] y/a.log": "",
  "shop/[x] y/keep.log": "",
  "shop/[x] y/deep/keep.txt": "",
  "shop/[x] y/end/file.txt": "",
  "shop/x/a.html": "",
};

Deno.test("packProject() omits the same files as git with nested .gitignore files", async () => {
  await withProject(NESTED, async ({ host, options, project, said }) => {
    const git = async (...args: string[]) => {
      const env = { GIT_CONFIG_GLOBAL: "/dev/null", GIT_CONFIG_NOSYSTEM: "1" };
      const { stdout } = await new Deno.Command("git", { args, cwd: project, env }).output();
      return new TextDecoder().decode(stdout).split("\0").filter((line) => line !== "");
    };
    await git("init", "--quiet");
    const list = ["ls-files", "-z", "--others", "--exclude-standard"];
    const shown = (await git(...list)).filter((path) => !path.endsWith(".gitignore")).sort();
    const hidden = await git(...list, "--ignored", "--directory");
    assert.deepEqual([shown.length, hidden.length], [12, 13]);
    const pack = await packProject(host, options);
    assert.deepEqual(pack.files.map(({ path }) => path), shown);
    assert.ok(
      said.join().includes(`Skipped ${hidden.length} items that .gitignore lists`),
      said.join(),
    );
  });
});

Deno.test("packProject() honors a .gitignore below a folder that has none", async () => {
  const files = { "index.html": "", "a/b/.gitignore": "x.html", "a/b/x.html": "", "a/x.html": "" };
  await withProject(files, async ({ host, options }) => {
    const pack = await packProject(host, options);
    assert.deepEqual(pack.files.map(({ path }) => path), ["a/x.html", "index.html"]);
  });
});

Deno.test("packProject() applies .svcignore in subfolders, too", async () => {
  const files = {
    "index.html": "",
    ".svcignore": "*.log\n",
    "a/.gitignore": "*",
    "a/b/x.html": "",
    "a/.svcignore": "!note.txt\n",
    "a/note.txt": "",
    "note.log": "",
  };
  await withProject(files, async ({ host, options, said }) => {
    const pack = await packProject(host, options);
    assert.deepEqual(pack.files.map(({ path }) => path), ["a/note.txt", "index.html"]);
    assert.deepEqual(said, [
      "build info Skipped 1 item that .svcignore lists",
      "build info Skipped 1 item that .gitignore lists: " +
      'list them in .svcignore with "!" to deploy them',
      'build warn Deploying a/note.txt, because .svcignore lists it with "!"',
    ]);
  });
});

Deno.test("packProject() deploys the whole output folder regardless of .gitignore", async () => {
  const files = { "dist/index.html": "<h1>home</h1>", ".gitignore": "dist/\n" };
  await withProject(files, async ({ host, options }) => {
    const pack = await packProject(host, options);
    assert.deepEqual(pack.files.map(({ path }) => path), ["index.html"]);
  });
});

Deno.test({
  name: "packProject() refuses names that are not valid UTF-8",
  ignore: Deno.build.os !== "linux",
  async fn() {
    await withProject({ "index.html": "<h1>home</h1>" }, async ({ host, options, project }) => {
      const script = `cd '${project}' && : > "$(printf 'caf\\351.txt')"`;
      const made = await new Deno.Command("sh", { args: ["-c", script] }).output();
      assert.ok(made.success);
      await assert.rejects(packProject(host, options), /not valid UTF-8/);
    });
  },
});
