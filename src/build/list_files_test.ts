import assert from "node:assert/strict";
import { join } from "node:path";
import type { Placement } from "../manifest/mod.ts";
import { withTestProject } from "./_test_project.ts";
import { BuildError } from "./build_error.ts";
import { acceptSurvey, surveyFolder, surveyPlacements } from "./list_files.ts";

const NEXT = {
  ".next/standalone/server.js": "server",
  ".next/standalone/.env": "A=1",
  ".next/standalone/.env.production": "B=1",
  ".next/standalone/.next/BUILD_ID": "1",
  ".next/standalone/node_modules/next/package.json": "{}",
  ".next/static/chunks/a.js": "",
  ".next/cache/huge": "",
  "public/robots.txt": "",
};

const NEXT_PLACEMENTS: readonly Placement[] = [
  { from: ".next/standalone", to: "." },
  { from: ".next/static", to: "client/_next/static" },
  { from: "public", to: "client", optional: true },
];

Deno.test("surveyPlacements() assembles a deployment from folders of the project", async () => {
  await withTestProject(NEXT, async ({ project, host, said }) => {
    const listing = await acceptSurvey(host, await surveyPlacements(project, NEXT_PLACEMENTS));
    assert.deepEqual(listing.files.map(({ path }) => path), [
      ".next/BUILD_ID",
      "client/_next/static/chunks/a.js",
      "client/robots.txt",
      "server.js",
    ]);
    assert.deepEqual(listing.packages, [{
      path: "node_modules",
      absolutePath: join(project, ".next/standalone/node_modules"),
    }]);
    assert.deepEqual(said, [
      "build info Skipped .env, .env.production: such files contain secrets. Set variables " +
      'with "svc env set"',
    ]);
  });
});

Deno.test("surveyPlacements() treats a project as a plain site, and includes a named folder completely", async () => {
  const files = {
    ".gitignore": "dist/\n*.log\n",
    "package.json": "{}",
    "server.js": "",
    "a.log": "",
    ".npmrc": "//token",
    ".env": "S=1",
    "svc.toml": "",
    "functions/f.ts": "",
    "node_modules/express/index.js": "",
    "dist/index.js": "new",
    "dist/a.log": "",
    "other/index.js": "old",
  };
  await withTestProject(files, async ({ project }) => {
    const survey = await surveyPlacements(project, [
      { from: ".", to: "." },
      { from: "other/index.js", to: "dist/index.js" },
      { from: "./dist/", to: "dist" },
      { from: "nowhere", to: "x", optional: true },
    ]);
    assert.deepEqual(survey.files.map(({ path }) => path), [
      "dist/a.log",
      "dist/index.js",
      "other/index.js",
      "package.json",
      "server.js",
    ]);
    const built = survey.files.find(({ path }) => path === "dist/index.js");
    assert.equal(await Deno.readTextFile(built!.absolutePath), "new");
    assert.deepEqual(survey.report, {
      leftOut: { ".svcignore": 0, ".gitignore": 2 },
      restored: [],
    });
    assert.deepEqual(survey.secrets, [".env"]);
    assert.deepEqual(survey.packages, []);
  });
});

const REFUSED: Readonly<Record<string, readonly [Placement, RegExp]>> = {
  "a path above the project": [{ from: "../x", to: "." }, /Path "\.\.\/x" has "\.\."/],
  "an absolute target": [{ from: "a", to: "/etc" }, /Path "\/etc" starts with "\/"/],
  "a folder that is missing": [{ from: "gone", to: "." }, /Part of the output is missing: gone/],
  "a link that points outside": [
    { from: "out", to: "." },
    /Keep out inside the project: it links to/,
  ],
  "a link in a folder that points outside": [
    { from: "a", to: "b" },
    /b\/link: The symbolic link to/,
  ],
};

for (const [name, [placement, message]] of Object.entries(REFUSED)) {
  Deno.test(`surveyPlacements() refuses ${name}`, async () => {
    const files = { "out": "-> /usr/share", "a/link": "-> /etc/hostname" };
    await withTestProject(files, async ({ project, host }) => {
      await assert.rejects(
        async () => await acceptSurvey(host, await surveyPlacements(project, [placement])),
        (error) => error instanceof BuildError && message.test(error.message),
      );
    });
  });
}

Deno.test("surveyFolder() never lists dotenv files or links to them", async () => {
  const files = {
    "dist/index.html": "",
    "dist/.env.local": "A=1",
    "dist/.envrc": "export A=1",
    "dist/.environment": "",
    "dist/x.txt": "-> .env.local",
    "dist/y.txt": "-> .envrc",
  };
  await withTestProject(files, async ({ project }) => {
    const survey = await surveyFolder(join(project, "dist"), project);
    assert.deepEqual(survey.files.map(({ path }) => path), [".environment", "index.html"]);
    assert.deepEqual(survey.secrets, [".env.local", ".envrc"]);
    assert.deepEqual(survey.problems.map(({ path }) => path), ["x.txt", "y.txt"]);
  });
});

Deno.test({
  name: "acceptSurvey() names each file on one line, even if its name has line breaks",
  ignore: Deno.build.os === "windows",
  fn: async () => {
    const files = { "index.html": "", ".env.a\nerror: forged": "", "a\nhint: forged.html": "" };
    await withTestProject(files, async ({ project, host, said }) => {
      const survey = await surveyFolder(project, project);
      await assert.rejects(acceptSurvey(host, survey), (error: BuildError) => {
        assert.equal(error.message.split("\n").length, 2, error.message);
        assert.match(error.message, /^a\\x0ahint: forged\.html: /m);
        return true;
      });
      await acceptSurvey(host, { ...survey, problems: [] });
      assert.match(said.join("|"), /Skipped \.env\.a\\x0aerror: forged: such files/);
    });
  },
});
