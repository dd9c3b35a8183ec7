/**
 * Tests forms on a server's pages, in a project that has reached its limit, and after a backup has
 * been restored.
 */
import assert from "node:assert/strict";
import { join } from "node:path";
import { runCli } from "../../../src/cli/_test_run.ts";
import type { FormSubmission } from "../../../src/contract/forms.ts";
import { inTestFolder } from "../../../src/lib/_test_folder.ts";
import { until } from "../../../src/lib/_test_until.ts";
import { keys, openKv } from "../../../src/platform/core/store/mod.ts";
import {
  createProject,
  deploy,
  rawRequest,
  start,
  STATIC_MANIFEST,
  type TestPlatform,
  withPlatform,
} from "../../helpers/platform.ts";
import { runTool } from "../../helpers/tool.ts";

const HOST = "shop.localhost";
const CONTACT = "/_svc/forms/contact";

/** A server that renders the page with the form and responds with the requests that reach it. */
const SERVER = `
import { createServer } from "node:http";
createServer((request, response) => {
  response.setHeader("content-type", "text/html");
  if (request.url === "/contact") {
    return response.end('<form action="/_svc/forms/contact" method="post"><input name="email">');
  }
  response.end("server: " + request.method + " " + request.url);
}).listen(Number(process.env.PORT), process.env.HOST);
`;

const SERVER_MANIFEST = {
  version: 1,
  layers: [{ name: "app", target: "COMPUTE", directory: "server", entry: "server/entry.mjs" }],
  routes: [{ pattern: "^/.*$", layer: "app" }],
};

const CONFIG = `[build]
output_dirs = ["."]
[forms.contact]
fields = ["email", "message"]
required = ["email"]
redirect = "/thanks"
`;

const FORMS_MANIFEST = { ...STATIC_MANIFEST, forms: [{ name: "contact" }] };

/** Returns the body of a form with a file of `bytes` bytes. */
const withFile = (bytes: number) =>
  `--b0\r\ncontent-disposition: form-data; name="email"\r\n\r\nada@example.com\r\n` +
  `--b0\r\ncontent-disposition: form-data; name="cv"; filename="cv.txt"\r\n` +
  `content-type: text/plain\r\n\r\n${"x".repeat(bytes)}\r\n--b0--\r\n`;

function post(
  { port }: Pick<TestPlatform, "port">,
  body: string,
  { path = CONTACT, ...headers }: Readonly<Record<string, string>> = {},
) {
  const type = body.startsWith("--b0")
    ? "multipart/form-data; boundary=b0"
    : "application/x-www-form-urlencoded";
  return rawRequest(port, {
    method: "POST",
    host: HOST,
    path,
    body,
    headers: { "content-type": type, ...headers },
  });
}

async function submissionsOf(platform: TestPlatform): Promise<FormSubmission[]> {
  const { json } = await platform.api("GET", "/v1/projects/shop/forms/contact/submissions");
  return json.items;
}

Deno.test("a form on a server's page is submitted to the platform, which redirects to the server", () =>
  withPlatform((platform) =>
    inTestFolder(async (home) => {
      await createProject(platform, "shop");
      for (const folder of [".svc", "server"]) await Deno.mkdir(join(home, folder));
      await Deno.writeTextFile(join(home, "svc.toml"), CONFIG);
      await Deno.writeTextFile(join(home, ".svc/manifest.json"), JSON.stringify(SERVER_MANIFEST));
      await Deno.writeTextFile(join(home, "server/entry.mjs"), SERVER);
      const argv = ["deploy", "--prod", "--skip-build", "--project-id", "shop"];
      await runTool(argv, { port: platform.port, home, cwd: home });

      const page = await platform.get(HOST, "/contact");
      const [, action] = /action="([^"]+)"/.exec(page.text)!;
      const origin = { origin: `http://${HOST}`, path: action! };
      const sent = await post(platform, "email=ada@example.com&message=hi&other=x", {
        ...origin,
        referer: `http://${HOST}/contact`,
      });
      assert.deepEqual([sent.status, sent.headers.location], [303, "/thanks"]);
      assert.equal((await platform.get(HOST, "/thanks")).text, "server: GET /thanks");
      assert.equal((await post(platform, "message=hi", origin)).status, 422);
      const [{ fields, page: from }, ...rest] = await submissionsOf(platform) as [FormSubmission];
      assert.deepEqual({ fields, from, rest }, {
        fields: [{ name: "email", value: "ada@example.com" }, { name: "message", value: "hi" }],
        from: "/contact",
        rest: [],
      });
      // The server receives no requests under the path for forms, so it cannot override a form.
      for (const path of ["/_svc/forms/other", "/_svc/forms/"]) {
        assert.equal((await post(platform, "a=1", { path })).status, 404, path);
      }
      assert.equal((await platform.get(HOST, CONTACT)).status, 405);
    })
  ));

Deno.test("a restored backup contains the submissions and their files", () =>
  inTestFolder(async (folder) => {
    const data = join(folder, "data");
    const first = await start(data);
    await createProject(first, "shop");
    await deploy(first, "shop", { files: { "index.html": "" }, manifest: FORMS_MANIFEST });
    assert.equal((await post(first, "email=bo@example.com")).status, 200);
    assert.equal((await post(first, "email=bot&_gotcha=yes")).status, 200);
    assert.equal((await post(first, withFile(200_000))).status, 200);
    const before = await submissionsOf(first);
    assert.equal(before.length, 2);
    await first.shutdown();
    const archive = join(folder, "backup.tar");
    const restored = join(folder, "restored");
    for (
      const argv of [["backup", archive, "--data-dir", data], [
        ...["restore", archive, "--data-dir", restored],
      ]]
    ) {
      const { code, stdout, stderr } = await runCli([...argv, "--json"], { env: { HOME: folder } });
      assert.equal(code, 0, stdout + stderr);
    }
    const second = await start(restored);
    try {
      assert.deepEqual(await submissionsOf(second), before);
      const { json } = await second.api("GET", "/v1/projects/shop/forms");
      const [{ inbox, spam }] = json.items;
      assert.deepEqual({ inbox, spam }, { inbox: 2, spam: 1 });
      const key = before.flatMap(({ files }) => files)[0]!.key;
      const signed = await second.api("POST", "/v1/projects/shop/blobs/sign", { json: { key } });
      assert.equal((await (await fetch(signed.json.url)).text()).length, 200_000);
      assert.equal(
        (await post(second, "email=cy@example.com")).status,
        200,
        "the restored form accepts submissions",
      );
      assert.equal((await submissionsOf(second)).length, 3);
    } finally {
      await second.shutdown();
    }
  }));

/** Returns the text of the notifications about full forms. */
async function warningsOf(platform: TestPlatform): Promise<string[]> {
  const { json } = await platform.api("GET", "/v1/notifications?limit=100");
  return json.items.filter(({ event }: { event: string }) => event === "form.full")
    .map(({ title, body }: { title: string; body: string }) => `${title}. ${body}`);
}

Deno.test("a full form is reported to visitors and, once per day, to members", () =>
  inTestFolder(async (folder) => {
    const data = join(folder, "data");
    const first = await start(data, { blobQuota: 100_000 });
    const { id } = await createProject(first, "shop");
    await deploy(first, "shop", { files: { "index.html": "" }, manifest: FORMS_MANIFEST });
    for (let count = 0; count < 2; count++) {
      const { status, text } = await post(first, withFile(200_000), { accept: "text/html" });
      assert.equal(status, 507);
      assert.match(text, /This form cannot accept more messages right now/);
    }
    assert.deepEqual(await submissionsOf(first), []);
    const { json: blobs } = await first.api("GET", "/v1/projects/shop/blobs?prefix=forms/");
    assert.deepEqual(blobs.items, [], "a refused submission leaves no file behind");
    assert.equal(
      (await post(first, "email=ada@example.com")).status,
      200,
      "submissions without files are still accepted",
    );
    const [warning, ...rest] = await until(() => warningsOf(first), ({ length }) => length > 0);
    assert.match(warning!, /^shop: the form contact is full\. The project's blob stores are full/);
    assert.deepEqual(rest, []);
    await first.shutdown();

    // Simulates a form with the maximum number of submissions.
    {
      using kv = await openKv(join(data, "kv.sqlite3"), {});
      const key = keys.formCounts(id, "production", "contact");
      const { value } = await kv.get(key);
      await kv.set(key, { ...value as object, inbox: 20_000 });
    }
    const second = await start(data);
    try {
      const refused = await post(second, "email=bo@example.com", { accept: "application/json" });
      assert.equal(refused.status, 507);
      assert.deepEqual(JSON.parse(refused.text), {
        ok: false,
        error: "This form cannot accept more messages right now.",
      });
      const tool = (...argv: string[]) =>
        runTool([...argv, "--project-id", "shop"], { port: second.port, home: folder });
      assert.equal((await tool("forms", "list")).hasRoom, false);
      assert.equal((await tool("forms", "delete", "contact", "--all", "--force")).removed, 1);
    } finally {
      await second.shutdown();
    }
  }));
