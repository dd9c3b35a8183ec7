/**
 * Tests the output of `init`, and the error when deploying a server that looks like a static site,
 * in both output modes.
 */
import { dirname, join } from "node:path";
import type { Bench } from "../_test_platform.ts";
import { type Step, testTranscript } from "../_test_transcript.ts";

const pack = (
  dependencies: Readonly<Record<string, string>>,
  scripts: Readonly<Record<string, string>> = {},
) => JSON.stringify({ private: true, dependencies, scripts });

/** Removes files from earlier steps, and makes git ignore the usual build output. */
async function emptyFolder({ site, write }: Bench): Promise<void> {
  for await (const { name } of Deno.readDir(site)) {
    await Deno.remove(join(site, name), { recursive: true });
  }
  await write(".gitignore", "node_modules/\ndist/\n");
}

interface Project {
  readonly files: Readonly<Record<string, string>>;
  readonly argv?: readonly string[];
  readonly code?: number;
}

const PROJECTS: Readonly<Record<string, Project>> = {
  "React Router": {
    files: {
      "package.json": pack({ "@react-router/dev": "7.13.0" }, { build: "react-router build" }),
    },
  },
  "SvelteKit as scaffolded": {
    files: {
      "package.json": pack({ "@sveltejs/kit": "2.63.0", "@sveltejs/adapter-auto": "7.0.1" }),
    },
  },
  "Express with a view engine": {
    files: {
      "package.json": pack({ express: "4.16.1", pug: "2.0.0" }, { start: "node app.js" }),
      "app.js": 'require("express")().listen(3000);',
    },
  },
  "Qwik as scaffolded": {
    files: { "package.json": pack({ "@builder.io/qwik-city": "1.20.1" }, { build: "qwik build" }) },
  },
  "a server for Deno": { files: { "main.ts": "Deno.serve(() => new Response());" } },
  "a Vite site": { files: { "package.json": pack({ vite: "8.0.0" }, { build: "vite build" }) } },
  "Vercel functions next to a Vite site": {
    files: {
      "package.json": pack({ vite: "8.0.0" }, { build: "vite build" }),
      "api/hello.js":
        "export const config = { runtime: 'edge' };\nexport default (req, res) => res.end();",
    },
  },
  "a function in Python": {
    files: {
      "index.html": "",
      "api/a.js": "export default (req, res) => res.end();",
      "api/b.py": "",
    },
  },
  "Cloudflare functions": {
    files: {
      "index.html": "",
      "functions/a.js": "export const onRequestGet = () => new Response();",
    },
  },
  "Ruby": { files: { "Gemfile": 'gem "sinatra"', "app.rb": 'require "sinatra"' } },
  "a Gemfile that starts nothing": { files: { "Gemfile": 'gem "rake"' } },
  "a Go module that is not a program": {
    files: { "go.mod": "module shop\n", "shop.go": "package shop\n" },
  },
  "a Dockerfile": { files: { "Dockerfile": "FROM node\nCMD node main.js\n" } },
  "a Dockerfile that packs a build": {
    files: {
      "package.json": pack({}, { build: "node build.js" }),
      "Dockerfile": "FROM node\nCMD node main.js\n",
    },
  },
  "a site next to a Python server that svc.toml declares static": {
    files: {
      "svc.toml": "[build]\nstatic = true\n",
      "index.html": "",
      "requirements.txt": "flask\n",
    },
  },
  "plain files": { files: { "index.html": "<h1>hello</h1>" } },
  "a deploy of a server that looks like a site": {
    files: {
      "svc.toml": '[build]\ncommand = "exit 0"\noutput_dirs = ["dist"]\n',
      "dist/client/app.css": "",
      "dist/server/index.js": "export default { fetch: () => new Response() };",
    },
    argv: ["build"],
    code: 1,
  },
  "a build of files that look like a server": {
    files: {
      "svc.toml": '[build]\ncommand = "exit 0"\noutput_dirs = ["dist"]\nstatic = true\n',
      "dist/widget.js": "export default { fetch: () => new Response() };",
    },
    argv: ["build"],
  },
};

testTranscript(
  "init",
  Object.entries(PROJECTS).map(([name, { files, argv = ["init"], code = 0 }]): Step => ({
    name,
    argv,
    code,
    before: async (bench) => {
      await emptyFolder(bench);
      for (const [path, text] of Object.entries(files)) {
        await Deno.mkdir(join(bench.site, dirname(path)), { recursive: true });
        await bench.write(path, text);
      }
    },
  })),
);
