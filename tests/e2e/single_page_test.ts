/**
 * A single-page app must serve its page for every path without a file, both on the platform and in
 * `svc preview`.
 */
import assert from "node:assert/strict";
import { dirname, join } from "node:path";
import { fetchByHost } from "../../scripts/_fetch_by_host.ts";
import { startServing } from "../helpers/dev_program.ts";
import { type Sandbox, withSandbox } from "../helpers/sandbox.ts";

const HOST = "tides.localhost";
const DOCUMENT = { accept: "text/html,*/*;q=0.8" };

/** A project built with Vite. */
const FILES: Readonly<Record<string, string>> = {
  "package.json": '{"devDependencies":{"vite":"7.3.1"},"scripts":{"build":"vite build"}}',
  "dist/index.html": "the app",
  "dist/assets/index-a1.js": "script",
};

async function write(box: Sandbox, files: Readonly<Record<string, string>>): Promise<void> {
  for (const [path, text] of Object.entries(files)) {
    const absolute = join(box.site, path);
    await Deno.mkdir(dirname(absolute), { recursive: true });
    await Deno.writeTextFile(absolute, text);
  }
}

/** The expected status and body of the response, by path. */
type Answers = Readonly<Record<string, readonly [status: number, body: RegExp]>>;

const APP: Answers = {
  "/": [200, /^the app$/],
  "/users/7": [200, /^the app$/],
  "/assets/index-a1.js": [200, /^script$/],
  "/assets/index-b2.js": [404, /Not found/],
};
const NO_APP: Answers = { ...APP, "/users/7": [404, /Not found/] };
const OWN_404: Answers = { ...NO_APP, "/users/7": [404, /^own 404$/] };
const BOTH: Answers = { ...APP, "/assets/index-b2.js": [404, /^own 404$/] };

Deno.test("a single-page app serves its page for document requests without a file", async (t) => {
  await withSandbox(async (box) => {
    await write(box, FILES);
    await box.start();
    await box.json(["projects", "create", "--name", "tides"]);

    const expectAnswers = async (port: number, host: string, answers: Answers) => {
      for (const [path, [status, body]] of Object.entries(answers)) {
        const answer = await fetchByHost({ port, host, path, headers: DOCUMENT });
        assert.equal(answer.status, status, `${host}${path}`);
        assert.match(answer.text, body, `${host}${path}`);
      }
      const data = await fetchByHost({ port, host, path: "/users/7", headers: { accept: "*/*" } });
      assert.equal(data.status, 404, "requests for anything but documents get a 404");
    };
    const serve = async (command: string, answers: Answers) => {
      const { site: cwd, env } = box;
      const served = await startServing([command, "--port", "0"], { cwd, env });
      try {
        await expectAnswers(served.port, "localhost", answers);
      } finally {
        await served.end();
      }
    };
    const deploy = async (answers: Answers, said: RegExp | undefined) => {
      const args = ["deploy", "--project-id", "tides", "--prod", "--skip-build"];
      const { code, stderr } = await box.tool(args);
      assert.equal(code, 0, stderr);
      const line = stderr.split("\n").find((each) => each.includes("for unknown paths"));
      if (said === undefined) assert.equal(line, undefined);
      else assert.match(line ?? "", said);
      await expectAnswers(box.platform!.port, HOST, answers);
    };

    await t.step("svc deploy detects a single-page app and reports it", async () => {
      await deploy(APP, /Serves index\.html for unknown paths\. To turn this off, set/);
    });
    await t.step("svc preview also serves the page", () => serve("preview", APP));
    await t.step("spa = false in svc.toml turns the fallback off", async () => {
      await write(box, { "svc.toml": "[static]\nspa = false\n" });
      await deploy(NO_APP, undefined);
    });
    await t.step("a 404.html turns the fallback off, with advice to turn it on", async () => {
      await write(box, { "svc.toml": "", "dist/404.html": "own 404" });
      await deploy({ ...OWN_404, "/assets/index-b2.js": [404, /^own 404$/] }, /Serves 404\.html/);
    });
    await t.step("spa = true in svc.toml turns the fallback on despite a 404.html", async () => {
      await write(box, { "svc.toml": "[static]\nspa = true\n" });
      await deploy(BOTH, /Serves index\.html for unknown paths$/);
    });
    await t.step("svc dev serves the page if it serves the files itself", async () => {
      await Deno.remove(join(box.site, "package.json"));
      await serve("dev", BOTH);
    });
  });
});
