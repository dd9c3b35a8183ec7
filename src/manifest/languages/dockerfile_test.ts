/** Tests how a project with only a Dockerfile is recognized, built and started. */
import assert from "node:assert/strict";
import { detectProject } from "../detect/detect_project.ts";
import type { ProjectReader } from "../frameworks/types.ts";

type Files = Readonly<Record<string, string>>;

const readerOf = (files: Files, directory = "/projects/shop"): ProjectReader => ({
  directory,
  readText: (path) => Promise.resolve(files[path]),
  exists: (path) => Promise.resolve(files[path] !== undefined),
  list: () => Promise.resolve(Object.keys(files)),
});

const ROWS: readonly (readonly [what: string, text: string, start: string])[] = [
  ["written as a list", 'FROM node\nCMD ["node", "main.js"]\n', "node main.js"],
  ["written as a line", "FROM node\nCMD node main.js\n", "node main.js"],
  [
    "ENTRYPOINT with arguments from CMD",
    'FROM alpine\nENTRYPOINT ["/run"]\nCMD ["--port", "80"]\n',
    "/run --port 80",
  ],
  ["the last CMD of the last stage", "FROM a\nCMD a\nFROM b\nCMD b\nCMD c\n", "c"],
  ["continued on the next line", "FROM node\nCMD node \\\n  main.js\n", "node    main.js"],
  ["not set", "FROM node\n", "the image's own command"],
];

for (const [what, text, start] of ROWS) {
  Deno.test(`detectProject() reads the start command of a Dockerfile: ${what}`, async () => {
    const found = await detectProject(readerOf({ Dockerfile: text }));
    assert.equal(found.framework?.id, "dockerfile");
    assert.equal(found.startCommand, start);
    assert.deepEqual(found.toolchains, ["container"]);
    assert.match(found.buildCommand!, / build --tag localhost\/svc-[0-9a-f]{16} \.$/);
  });
}

Deno.test("detectProject() builds a Containerfile into a separate image per project", async () => {
  const files = { Containerfile: "FROM node\nCMD node main.js\n" };
  const [one, other] = await Promise.all(
    ["/a", "/b"].map((directory) => detectProject(readerOf(files, directory))),
  );
  assert.match(one!.buildCommand!, / build --file Containerfile --tag /);
  assert.notEqual(one!.buildCommand, other!.buildCommand);
});

const NODE = "FROM node\nCMD node main.js\n";

const OTHERS: Readonly<Record<string, Files>> = {
  "a static site that an image only packages": { "Dockerfile": "FROM nginx\nCOPY . /html\n" },
  "a project with a build script": {
    "Dockerfile": NODE,
    "package.json": '{"scripts":{"build":"make"}}',
  },
  "a project with a server that svc runs": {
    "Dockerfile": NODE,
    "go.mod": "module a\n",
    "main.go": "package main\n",
  },
  "a site with a framework": {
    "Dockerfile": NODE,
    "package.json": '{"dependencies":{"vite":"8"}}',
  },
  "a project whose Dockerfile has no instructions": { "Dockerfile": "# empty\n" },
};

for (const [what, files] of Object.entries(OTHERS)) {
  Deno.test(`detectProject() ignores the Dockerfile of ${what}`, async () => {
    assert.notEqual((await detectProject(readerOf(files))).framework?.id, "dockerfile");
  });
}

Deno.test("settings in svc.toml take precedence over a Dockerfile", async () => {
  const reader = readerOf({ Dockerfile: NODE });
  for (const options of [{ isStatic: true }, { images: false }]) {
    assert.equal((await detectProject(reader, options)).framework, undefined);
  }
});

Deno.test("detectProject() leaves package installation to a Dockerfile", async () => {
  const files = { "Dockerfile": NODE, "package.json": '{"dependencies":{"left-pad":"1"}}' };
  assert.equal((await detectProject(readerOf(files))).packages, "none");
});
