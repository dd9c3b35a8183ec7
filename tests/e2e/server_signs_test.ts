/**
 * A project with signs of a server that svc cannot run is published only if its settings allow
 * that.
 */
import assert from "node:assert/strict";
import { dirname, join } from "node:path";
import { withSandbox } from "../helpers/sandbox.ts";

interface Row {
  readonly files: Readonly<Record<string, string>>;
  /** The expected result of detection. By default, the project is published. */
  readonly seen?: RegExp;
}

const PAGE = { "index.html": "<h1>page</h1>" };

const ROWS: Readonly<Record<string, Row>> = {
  "scala": {
    files: { "build.sbt": 'name := "shop"\n', "public/robots.txt": "" },
    seen: /build\.sbt:1 builds a Scala program/,
  },
  "flask": {
    files: {
      ...PAGE,
      "requirements.txt": "flask\n",
      "app.py": "from flask import Flask\n",
      "templates/a.html": "",
    },
    seen: /requirements\.txt:1 requires flask[^]*cannot detect how to run this Python server/,
  },
  "go": {
    files: { "go.mod": "module shop\n", "shop.go": "package shop\n" },
    seen: /go\.mod:1 is the Go module shop/,
  },
  "serverless": {
    files: { "serverless.yml": "functions:\n  hello: {}\n", "public/robots.txt": "" },
    seen: /serverless\.yml:1 names functions/,
  },
  "nginx": { files: { ...PAGE, Dockerfile: "FROM nginx\nCOPY . /usr/share/nginx/html\n" } },
  "plain": { files: { ...PAGE, "tool.py": "print(1)\n" } },
};

Deno.test("svc deploy does not publish servers that it cannot run", async (t) => {
  await withSandbox(async (box) => {
    const write = async (name: string, files: Row["files"]) => {
      for (const [path, text] of Object.entries(files)) {
        const absolute = join(box.site, name, path);
        await Deno.mkdir(dirname(absolute), { recursive: true });
        await Deno.writeTextFile(absolute, text);
      }
    };
    await box.start();
    for (const [name, { files, seen }] of Object.entries(ROWS)) {
      await t.step(name, async () => {
        await write(name, files);
        await box.json(["projects", "create", "--name", name]);
        const deployed = await box.tool(["deploy", name, "--project-id", name, "--prod"]);
        const page = await box.page(`${name}.localhost`, "/");
        if (seen === undefined) {
          assert.equal(deployed.code, 0, deployed.stderr);
          assert.equal(page.status, 200);
          return;
        }
        assert.equal(deployed.code, 1, deployed.stderr);
        assert.match(deployed.stderr, seen);
        assert.match(deployed.stderr, /\[build\]\n\s*static = true/);
        assert.equal(page.status, 404);
      });
    }

    await t.step(
      "the two suggested lines publish the files but not the server's source",
      async () => {
        await write("flask", { "svc.toml": "[build]\nstatic = true\n" });
        const deployed = await box.tool(["deploy", "flask", "--project-id", "flask", "--prod"]);
        assert.equal(deployed.code, 0, deployed.stderr);
        assert.match(deployed.stderr, /Skipped app\.py, requirements\.txt: .*server source files/);
        const { status } = await box.page("flask.localhost", "/");
        assert.equal(status, 200);
        for (const path of ["/app.py", "/requirements.txt"]) {
          assert.equal((await box.page("flask.localhost", path)).status, 404, path);
        }
      },
    );

    await t.step(
      "exported apps and functions for other platforms are not published either",
      async () => {
        await write("mixed", {
          ...PAGE,
          "svc.toml": "[build]\nstatic = true\n",
          "package.json": '{"type":"module","dependencies":{"express":"5.1.0"}}',
          "app.js": 'import express from "express";\nexport default express();\n',
          "api/hello.js": "export default (req, res) => res.end();\n",
          "api/data.json": "{}",
        });
        await box.json(["projects", "create", "--name", "mixed"]);
        const args = ["deploy", "mixed", "--project-id", "mixed", "--prod", "--skip-build"];
        const deployed = await box.tool(args);
        assert.equal(deployed.code, 0, deployed.stderr);
        for (const [path, status] of [["/", 200], ["/api/data.json", 200], ["/app.js", 404]]) {
          assert.equal((await box.page("mixed.localhost", String(path))).status, status, `${path}`);
        }
        assert.equal((await box.page("mixed.localhost", "/api/hello.js")).status, 404);
      },
    );

    await t.step("JSON output lists the signs of a server", async () => {
      const { stdout } = await box.tool(["deploy", "go", "--project-id", "go", "--json"]);
      const { code, signs } = JSON.parse(stdout);
      assert.equal(code, "server_invalid");
      assert.deepEqual(signs, [
        {
          kind: "program",
          file: "go.mod",
          line: 1,
          seen: "is the Go module shop",
          language: "Go",
        },
      ]);
    });
  });
});
