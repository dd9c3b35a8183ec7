import assert from "node:assert/strict";
import { parseProjectConfig } from "../config/project_config.ts";
import { withTestProject } from "./_test_project.ts";
import { assembleProject } from "./pack_project.ts";

const RULES = (...ids: string[]) =>
  `schemaVersion = "EDGE_RULE_SET_V1"\n` +
  ids.map((id) =>
    `\n[[rules]]\nid = "${id}"\ncondition.path = { type = "exact", value = "/${id}" }\n` +
    `action = { type = "redirect", target = "/" }\n`
  ).join("");

async function warnings(files: Readonly<Record<string, string>>, toml = "") {
  let found: { warned: string[]; paths: string[] } = { warned: [], paths: [] };
  await withTestProject({ "index.html": "", ...files }, async ({ host, project, said }) => {
    const { config } = parseProjectConfig(toml);
    const built = await assembleProject(host, { directory: project, config });
    const warned = said.filter((line) => line.startsWith("build warn "));
    found = {
      warned: warned.map((line) => line.slice("build warn ".length)),
      paths: built.files.map(({ path }) => path),
    };
  });
  return found;
}

const REDIRECTS = { "_redirects": "/old /new 301\n" };

Deno.test("assembleProject() reports files of other hosts with the import command, and deploys none of them", async () => {
  const { warned, paths } = await warnings({ ...REDIRECTS, "_headers": "/*\n  X-A: b\n" });
  assert.deepEqual(warned, [
    "_redirects, _headers configure other hosts, so svc does not apply these files. " +
    "To import their rules: svc rules import _redirects _headers --output svc.rules.toml",
  ]);
  assert.deepEqual(paths, ["index.html"]);
});

Deno.test("assembleProject() does not report files whose rules are already imported", async () => {
  const taken = await warnings({ ...REDIRECTS, "svc.rules.toml": RULES("redirect-1") });
  assert.deepEqual(taken, { warned: [], paths: ["index.html"] });
  const { warned } = await warnings({ ...REDIRECTS, "svc.rules.toml": RULES("mine") });
  assert.match(warned[0] ?? "", /svc rules import _redirects --output svc\.rules\.toml$/);
});

Deno.test("assembleProject() reports rules that only the output contains", async () => {
  const files = { "dist/index.html": "", "dist/_redirects": REDIRECTS["_redirects"] };
  const { warned, paths } = await warnings(files, '[build]\noutput_dirs = ["dist"]\n');
  assert.equal(warned.length, 1);
  assert.match(
    warned[0]!,
    /^_redirects in the output configures another host.* svc rules import dist\/_redirects --output/,
  );
  assert.deepEqual(paths, ["index.html"]);
});

Deno.test("assembleProject() reports a file of another host that it cannot read", async () => {
  const { warned } = await warnings({ "vercel.json": '{"redirects":[],}' });
  assert.match(warned[0] ?? "", /^Cannot read vercel\.json, so its rules are not applied: /);
});

Deno.test("assembleProject() reports nothing about a vercel.json that only configures a build", async () => {
  const { warned } = await warnings({ "vercel.json": '{"framework":"astro"}' });
  assert.deepEqual(warned, []);
});

Deno.test("assembleProject() reports which Vercel crons do not run until svc.toml has them", async () => {
  const files = { "vercel.json": '{"crons":[{"path":"/api/cron","schedule":"0 5 * * *"}]}' };
  const { warned } = await warnings(files);
  assert.equal(
    warned[0],
    "The crons in vercel.json do not run. Add them to svc.toml:\n\n" +
      '[[cron]]\npath = "/api/cron"\nschedule = "0 5 * * *"\n',
  );
  const toml = '[[cron]]\npath = "/api/cron"\nschedule = "0 5 * * *"\n';
  const declared = await warnings(files, toml);
  assert.deepEqual(declared.warned, [
    "1 scheduled task in [[cron]] cannot run: this deployment has no server",
  ]);
});

const NETLIFY = `[build]
command = "npm run site"
publish = "site/out"
[build.environment]
NODE_VERSION = "24"
[[redirects]]
from = "/old"
to = "/new"
`;

Deno.test("assembleProject() names the rules and build settings of a netlify.toml", async () => {
  const { warned } = await warnings({ "netlify.toml": NETLIFY });
  assert.deepEqual(warned, [
    "netlify.toml configures another host, so svc does not apply the file. " +
    "To import its rules: svc rules import netlify.toml --output svc.rules.toml",
    "svc ignores the build settings in netlify.toml. " +
    "Set the file's variables with svc env set <name> --all: NODE_VERSION. " +
    "Add the build settings that differ from the detected values to your svc.toml:\n\n" +
    '[build]\ncommand = "npm run site"\noutput_dirs = ["site/out"]\n',
  ]);
  const toml = '[build]\nstatic = true\ncommand = "true"\noutput_dirs = ["site/out", "."]\n' +
    '[env.declarations]\nNODE_VERSION = "plain"\n';
  const rules = { "svc.rules.toml": RULES("netlify-redirect-1") };
  assert.deepEqual((await warnings({ "netlify.toml": NETLIFY, ...rules }, toml)).warned, []);
  const declined = '[build]\nnot_imported = ["netlify.toml"]\n';
  assert.deepEqual((await warnings({ "netlify.toml": NETLIFY }, declined)).warned, []);
});

Deno.test("assembleProject() names tasks that Nitro schedules", async () => {
  const { warned } = await warnings({
    "nitro.config.ts": "export default { scheduledTasks: { '* * * * *': ['a'] } }",
    "public/_redirects": "/a /b\n",
  });
  assert.match(warned.join("\n"), /^public\/_redirects configures another host/m);
  assert.match(warned.join("\n"), /^scheduledTasks in nitro\.config\.ts do not run/m);
});

Deno.test("assembleProject() keeps everything that a handwritten manifest publishes", async () => {
  const { paths } = await warnings({
    ...REDIRECTS,
    ".svc/manifest.json": JSON.stringify({
      version: 1,
      layers: [{ name: "site", target: "STATIC", directory: "." }],
      routes: [{ pattern: "^/", layer: "site" }],
    }),
  });
  assert.ok(paths.includes("_redirects"));
});

Deno.test("assembleProject() reads _redirects as a Cloudflare file next to a wrangler file", async () => {
  const files = { "_redirects": "/a /b\n", "wrangler.jsonc": "{}" };
  const taken = { ...files, "svc.rules.toml": RULES("redirect-1") };
  assert.deepEqual((await warnings(taken)).warned, []);
  const { warned } = await warnings({ ...files, "_redirects": "/a?x=1 /b\n" });
  assert.match(warned[0] ?? "", /svc rules import _redirects/);
});
