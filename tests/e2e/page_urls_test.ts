/**
 * Checks each page's URL with settings from svc.toml and from other hosts, in production and in
 * dev.
 */
import assert from "node:assert/strict";
import { join } from "node:path";
import { exchange } from "../../src/lib/_exchange.ts";
import { startServing } from "../helpers/dev_program.ts";
import { type Sandbox, withSandbox } from "../helpers/sandbox.ts";

const FILES = {
  "index.html": "home",
  "about.html": "about",
  "docs/index.html": "docs",
  "logo.txt": "logo",
  "svc.rules.toml": `schemaVersion = "EDGE_RULE_SET_V1"

[[rules]]
id = "first"
condition.path = { type = "exact", value = "/moved.html" }
action = { type = "redirect", target = "/about" }

[[rules]]
id = "shown"
condition.path = { type = "exact", value = "/shown" }
action = { type = "rewrite", target = "/about.html" }
`,
};

/** Redirects and content by path. */
type Rows = Readonly<Record<string, readonly [status: number, told: string]>>;

const ALIKE: Rows = {
  "/": [200, "home"],
  "/index.html": [308, "/"],
  "/index": [308, "/"],
  "/logo.txt": [200, "logo"],
  "/moved.html": [302, "/about"],
  "/shown": [200, "about"],
  "//evil.example/": [404, ""],
};

interface Case {
  readonly name: string;
  readonly files: Readonly<Record<string, string>>;
  /** A configuration file from another host, whose settings are imported. */
  readonly imports?: string;
  readonly rows: Rows;
}

const NEVER: Rows = {
  "/about": [200, "about"],
  "/about/?a=b": [308, "/about?a=b"],
  "/docs": [200, "docs"],
  "/docs/": [308, "/docs"],
  "/docs/index.html": [308, "/docs"],
};

const cases: readonly Case[] = [
  {
    name: "auto",
    files: {},
    rows: {
      "/about": [200, "about"],
      "/about/": [308, "/about"],
      "/about.html?a=b": [308, "/about?a=b"],
      "/docs": [308, "/docs/"],
      "/docs/": [200, "docs"],
      "//docs": [308, "/docs/"],
      "/docs/index.html": [308, "/docs/"],
      "/ABOUT": [404, ""],
    },
  },
  {
    name: "always",
    files: { "svc.toml": '[static]\ntrailing_slash = "always"\nignore_case = true\n' },
    rows: {
      "/about/": [200, "about"],
      "/about.html": [308, "/about/"],
      "/About": [308, "/about/"],
      "/LOGO.txt?1": [308, "/logo.txt?1"],
      "/docs": [308, "/docs/"],
    },
  },
  {
    name: "vercel",
    files: { "vercel.json": '{\n  "cleanUrls": true,\n  "trailingSlash": false\n}\n' },
    imports: "vercel.json",
    rows: NEVER,
  },
  {
    name: "cloudflare",
    files: {
      "wrangler.jsonc":
        '{\n  // pages\n  "assets": { "directory": ".", "html_handling": "drop-trailing-slash" },\n}\n',
    },
    imports: "wrangler.jsonc",
    rows: NEVER,
  },
  {
    name: "netlify",
    files: { "netlify.toml": "[build.processing.html]\npretty_urls = false\n" },
    imports: "netlify.toml",
    rows: {
      "/about": [308, "/about.html"],
      "/about.html": [200, "about"],
      "/docs": [308, "/docs/"],
    },
  },
];

async function writeSite(box: Sandbox, { name, files }: Case): Promise<void> {
  box.site = join(box.folder, name);
  for (const [path, text] of Object.entries({ ...FILES, ...files })) {
    await Deno.mkdir(join(box.site, path, ".."), { recursive: true });
    await Deno.writeTextFile(join(box.site, path), text);
  }
}

/**
 * Runs the command that `svc deploy` suggests for saving the settings. The next deployment must not
 * suggest a command.
 */
async function importSettings(box: Sandbox, file: string): Promise<void> {
  const line = `rules import ${file} --output svc.rules.toml`;
  const before = await box.tool(["deploy", "--dry-run"]);
  assert.match(before.stderr, new RegExp(`svc ${line}`));
  const run = await box.tool(line.split(" "));
  assert.equal(run.code, 0, run.stderr);
  assert.match(run.stderr, /Set \[static\] .* in svc\.toml/);
  const after = await box.tool(["deploy", "--dry-run"]);
  assert.doesNotMatch(after.stderr, /rules import/);
}

Deno.test("each page has one URL to which others redirect, in production and in dev", async (t) => {
  await withSandbox(async (box) => {
    const { port } = await box.start();
    for (const site of cases) {
      await writeSite(box, site);
      await box.json(["init", "--create", "--name", site.name]);
      if (site.imports !== undefined) await importSettings(box, site.imports);
      await box.json(["deploy", "--prod"]);
      const dev = await startServing(["dev", "--port", "0"], { cwd: box.site });
      const hosts = {
        serve: [port, `${site.name}.localhost`],
        dev: [dev.port, "localhost"],
      } as const;
      try {
        for (const [path, [status, told]] of Object.entries({ ...ALIKE, ...site.rows })) {
          await t.step(`${site.name}: ${path} is ${status}`, async () => {
            for (const [place, [port, name]] of Object.entries(hosts)) {
              for (const method of ["GET", "HEAD"]) {
                const headers = { host: `${name}:${port}` };
                const answer = await exchange({ port, method, path, headers });
                const text = new TextDecoder().decode(answer.body);
                const expected = method === "HEAD" || status >= 300 ? "" : told;
                assert.equal(answer.status, status, `${place} ${text}`);
                if (status < 300) assert.equal(text.replace(/<script.*/s, ""), expected);
                else if (status < 400) assert.equal(answer.headers.location, told);
              }
            }
          });
        }
      } finally {
        assert.equal(await dev.end(), 0, dev.lines.join("\n"));
      }
    }
  });
});
