/** Tests forms on a static site: what visitors submit, what is rejected, and what members see. */
import assert from "node:assert/strict";
import { join } from "node:path";
import type { Form, FormSubmission } from "../../../src/contract/forms.ts";
import { makeTestFolder } from "../../../src/lib/_test_folder.ts";
import { until } from "../../../src/lib/_test_until.ts";
import {
  createProject,
  deploy,
  rawRequest,
  STATIC_MANIFEST,
  type TestPlatform,
  withPlatform,
} from "../../helpers/platform.ts";
import { runTool } from "../../helpers/tool.ts";

const HOST = "shop.localhost";
const CONTACT = "/_svc/forms/contact";
const URLENCODED = "application/x-www-form-urlencoded";

const PAGE = `<!doctype html>
<!-- <form action="/_svc/forms/old" method="post"> -->
<form action="/_svc/forms/contact" method="post"><input name="email"></form>
`;

type Headers = Readonly<Record<string, string>>;

/**
 * Returns a function that sends a form, each time from a different visitor unless the test
 * specifies the visitor.
 */
function visitors(platform: TestPlatform) {
  let count = 0;
  return (body: string | undefined, headers: Headers = {}, at: {
    readonly host?: string;
    readonly path?: string;
    readonly method?: string;
  } = {}) => {
    const { host = HOST, path = CONTACT, method = "POST" } = at;
    return rawRequest(platform.port, {
      method,
      host,
      path,
      ...(body === undefined ? {} : { body }),
      headers: {
        "content-type": URLENCODED,
        "x-forwarded-for": `203.0.${count >> 8}.${count++ & 255}`,
        ...headers,
      },
    });
  };
}

const MULTIPART = { "content-type": "multipart/form-data; boundary=b0" };
const part = (head: string, text: string) =>
  `--b0\r\ncontent-disposition: form-data; ${head}\r\n\r\n${text}\r\n`;
const multipart = (...parts: readonly string[]) => `${parts.join("")}--b0--\r\n`;

const fields = (count: number) => Array.from({ length: count }, (_, n) => `f${n}=1`).join("&");

const BAD: readonly {
  readonly name: string;
  readonly body?: string;
  readonly headers?: Headers;
  readonly path?: string;
  readonly method?: string;
  readonly status: number;
}[] = [
  { name: "a GET", method: "GET", status: 405 },
  { name: "an unknown form", path: "/_svc/forms/none", body: "a=1", status: 404 },
  { name: "a form in a comment", path: "/_svc/forms/old", body: "a=1", status: 404 },
  { name: "no form name", path: "/_svc/forms/", body: "a=1", status: 404 },
  { name: "a path below a form", path: `${CONTACT}/x`, body: "a=1", status: 404 },
  { name: "JSON", body: "{}", headers: { "content-type": "application/json" }, status: 415 },
  { name: "too many fields", body: fields(51), status: 400 },
  { name: "bytes that are not UTF-8", body: "a=%ff", status: 400 },
  { name: "a name that is not UTF-8", body: "%c3%28=1", status: 400 },
  { name: "a long name", body: `${"a".repeat(101)}=1`, status: 400 },
  { name: "a field without a name", body: "=1", status: 400 },
  { name: "long texts", body: `a=${"x".repeat(29 * 1024)}`, status: 413 },
  { name: "a huge body", body: `a=${"x".repeat(200 * 1024)}`, status: 413 },
  {
    name: "a huge file",
    body: multipart(part('name="f"; filename="a"', "x".repeat(10 * 1024 * 1024))),
    headers: MULTIPART,
    status: 413,
  },
  { name: "half a body", body: part('name="a"', "1"), headers: MULTIPART, status: 400 },
  {
    name: "no boundary",
    body: "a",
    headers: { "content-type": "multipart/form-data" },
    status: 400,
  },
  { name: "an empty multipart body", body: "", headers: MULTIPART, status: 400 },
  {
    name: "too many files",
    body: multipart(
      ...Array.from({ length: 6 }, (_, n) => part(`name="f${n}"; filename="a"`, "x")),
    ),
    headers: MULTIPART,
    status: 400,
  },
  {
    name: "another site",
    body: "a=1",
    headers: { origin: "https://evil.example" },
    status: 403,
  },
  {
    name: "another site without an origin",
    body: "a=1",
    headers: { "sec-fetch-site": "cross-site" },
    status: 403,
  },
  { name: "an opaque origin", body: "a=1", headers: { origin: "null" }, status: 403 },
];

const listAt = async (platform: TestPlatform, query = "", project = "shop") => {
  const { json } = await platform.api(
    "GET",
    `/v1/projects/${project}/forms/contact/submissions?${query}`,
  );
  return json.items as FormSubmission[];
};

Deno.test("a site's forms accept submissions from visitors, and members can read them", () =>
  withPlatform(async (platform) => {
    const home = await makeTestFolder("svc-forms-");
    await using _ = {
      [Symbol.asyncDispose]: () => Deno.remove(home, { recursive: true }),
    };
    await createProject(platform, "shop");
    await Deno.writeTextFile(join(home, "index.html"), PAGE);
    const tool = (...argv: string[]) =>
      runTool([...argv, "--project-id", "shop"], { port: platform.port, home, cwd: home });
    await tool("deploy", "--prod");
    const send = visitors(platform);

    for (const { name, body, headers, status, ...at } of BAD) {
      const answer = await send(body, headers, at);
      assert.equal(answer.status, status, `${name}: ${answer.text}`);
      assert.equal(answer.headers["cache-control"], "no-store", name);
    }
    const refused = await send("a=%ff", { accept: "application/json" });
    assert.deepEqual(JSON.parse(refused.text), { ok: false, error: "The form is not UTF-8." });
    assert.deepEqual(await listAt(platform), []);

    // Without JavaScript, the response is a plain page, or a redirect to the page that the form
    // names.
    const thanks = await send("email=ada@example.com", { accept: "text/html" });
    assert.deepEqual([thanks.status, /Thank you/.test(thanks.text)], [200, true]);
    for (
      const [next, location] of [
        ["/thanks?a=1#b", "/thanks?a=1#b"],
        [`http://${HOST}:${platform.port}/x`, undefined],
        ["//evil.example/", undefined],
        ["/\\evil.example/", undefined],
        ["https://evil.example/", undefined],
        ["javascript:alert(1)", undefined],
        ["/.//evil.example/", "/evil.example/"],
      ] as const
    ) {
      const { headers, status } = await send(`_next=${encodeURIComponent(next)}`, {
        origin: `http://${HOST}`,
      });
      assert.deepEqual(
        [status, headers.location],
        [location === undefined ? 200 : 303, location],
        next,
      );
    }
    const purged = await platform.api("POST", "/v1/projects/shop/forms/contact/purge", {
      json: { state: "inbox" },
    });
    assert.deepEqual(purged.json, { removed: 8, hasMore: false });

    const formula = '=HYPERLINK("https://evil.example")';
    const text = `email=bo@example.com&message=${encodeURIComponent(formula)}&message=two`;
    const json = await send(text, { accept: "application/json", referer: `http://${HOST}/a?b` });
    assert.deepEqual(JSON.parse(json.text), { ok: true });
    const file = await send(
      multipart(
        part('name="email"', "cy@example.com\r\nBcc: all@example.com"),
        part('name="cv"; filename="../../a b.pdf"', "%PDF-1.7"),
        part('name="none"; filename=""', ""),
      ),
      MULTIPART,
    );
    assert.equal(file.status, 200, file.text);
    await send("email=bot@example.com&_gotcha=yes");
    await send(`email=x&message=${"https://a.example ".repeat(6)}`);

    const [second, first] = await listAt(platform);
    assert.deepEqual(first!.fields, [
      { name: "email", value: "bo@example.com" },
      { name: "message", value: formula },
      { name: "message", value: "two" },
    ]);
    assert.equal(first!.page, "/a");
    const [{ key, ...cv }] = second!.files as [FormSubmission["files"][number]];
    assert.deepEqual(cv, {
      field: "cv",
      name: "a b.pdf",
      contentType: "application/octet-stream",
      size: 8,
    });
    assert.equal(key, `forms/contact/${second!.id}/1-a_b.pdf`);
    const signed = await platform.api("POST", "/v1/projects/shop/blobs/sign", { json: { key } });
    assert.equal(await (await fetch(signed.json.url)).text(), "%PDF-1.7");
    const spam = await listAt(platform, "state=spam");
    assert.deepEqual(spam.map(({ spamReason }) => spamReason), [
      "It contains many links",
      "The hidden field was filled in",
    ]);

    const told = await until(
      () => platform.api("GET", "/v1/notifications?limit=100"),
      ({ json }) =>
        json.items.some(({ body }: { body: string }) => body.includes("Bcc")) &&
        json.items.some(({ body }: { body: string }) => body.includes("HYPERLINK")),
    );
    const events = (told.json.items as { event: string; title: string; body: string }[])
      .filter(({ event }) => event === "form.submitted");
    const bodies = events.map(({ body }) => body).join("\n");
    assert.equal(events[0]!.title, "shop: new message from the form contact");
    assert.match(
      bodies,
      /email: bo@example\.com, message: =HYPERLINK\("https\[:\]\/\/evil\[\.\]example"\)/,
    );
    assert.match(bodies, /email: cy@example\.com Bcc: all@example\.com/);
    assert.ok(!/bot@example|a\.example/.test(bodies), "spam does not notify anyone");

    const { forms } = await tool("forms", "list") as { forms: Form[] };
    assert.deepEqual(forms.map(({ lastAt: _, ...rest }) => rest), [
      { name: "contact", environment: "production", isDeclared: true, inbox: 2, spam: 2 },
    ]);
    assert.equal((await tool("forms", "submissions", "contact")).submissions.length, 2);
    assert.equal((await tool("forms", "export", "contact", "--spam")).submissions.length, 2);
    const one = await tool("forms", "delete", "contact", second!.id, "--force");
    assert.deepEqual(one, { form: "contact", removed: 1 });
    const gone = await platform.api("GET", "/v1/projects/shop/blobs?prefix=forms/");
    assert.deepEqual(gone.json.items, [], "a deleted submission's files are deleted");
    assert.equal((await tool("forms", "delete", "contact", "--spam", "--force")).removed, 2);
    assert.equal((await listAt(platform)).length, 1);

    for (let count = 0; count < 11; count++) {
      const { status, headers } = await send("a=1", { "x-forwarded-for": "198.51.100.7" });
      assert.equal(status, count < 10 ? 200 : 429, `submission ${count}`);
      assert.equal(headers["retry-after"] !== undefined, count === 10);
    }
  }, { trustProxy: ["127.0.0.1/32"] }));

Deno.test("forms respect their settings, environment and protection", () =>
  withPlatform(async (platform) => {
    await createProject(platform, "shop");
    await platform.api("POST", "/v1/projects/shop/environments", { json: { name: "stage" } });
    const manifest = {
      ...STATIC_MANIFEST,
      forms: [{
        name: "contact",
        fields: ["email", "message"],
        required: ["email"],
        redirect: "/thanks",
        honeypot: "website",
        notify: false,
        origins: ["https://www.example.com"],
      }],
    };
    const files = { "index.html": "home" };
    await deploy(platform, "shop", { files, manifest, environment: "stage" });
    await deploy(platform, "shop", {
      files,
      manifest: { ...manifest, protection: "members" },
      prod: false,
      branch: "map",
    });
    const send = visitors(platform);
    const stage = { host: "shop-env-stage.localhost" };
    const empty = await send("email=+&message=hello", {}, stage);
    assert.equal(empty.status, 422, empty.text);
    const sent = await send("email=a@b.example&message=hi&utm=x&_gotcha=", {}, stage);
    assert.deepEqual([sent.status, sent.headers.location], [303, "/thanks"]);
    const other = await send("email=c@d.example", {
      origin: "https://www.example.com",
      accept: "application/json",
    }, stage);
    assert.equal(other.status, 200);
    assert.equal(other.headers["access-control-allow-origin"], "https://www.example.com");
    await send("website=yes", {}, stage);
    const preview = await send("email=a@b.example", {}, { host: "shop-git-map.localhost" });
    assert.equal(preview.status, 401, "a protected preview asks for a sign-in first");

    const items = await listAt(platform, "environment=stage");
    assert.deepEqual(items.map(({ fields }) => fields), [
      [{ name: "email", value: "c@d.example" }],
      [{ name: "email", value: "a@b.example" }, { name: "message", value: "hi" }],
    ]);
    assert.equal((await listAt(platform, "environment=stage&state=spam")).length, 1);
    assert.deepEqual(await listAt(platform, "environment=preview"), []);

    await platform.api("DELETE", "/v1/projects/shop/environments/stage");
    await platform.api("POST", "/v1/projects/shop/environments", { json: { name: "stage" } });
    const { json } = await platform.api("GET", "/v1/projects/shop/forms?environment=stage");
    assert.deepEqual(json.items, [], "submissions are deleted with their environment");
  }, { trustProxy: ["127.0.0.1/32"] }));
