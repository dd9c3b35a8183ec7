/**
 * Deploys a Next.js app, as created by create-next-app, without configuration. The app has pages
 * that are cached, revalidated, guarded, streamed and rendered for each visitor.
 *
 * @module
 */
import assert from "node:assert/strict";
import { cp } from "node:fs/promises";
import { join } from "node:path";
import { hear } from "../../scripts/_process.ts";
import { ROOT } from "../../scripts/_source_files.ts";
import { BROWSER_TEST, CHROMIUM, hearComplaints, withChromium } from "../helpers/chromium.ts";
import { type Answer, type Ask, askSite } from "../helpers/frameworks.ts";
import { buildsProjects, nodeVariables } from "../helpers/node_program.ts";
import { hostOf, type Sandbox, withSandbox } from "../helpers/sandbox.ts";
import { needs } from "../helpers/empty_root.ts";

const FIXTURE = join(ROOT, "fixtures", "frameworks", "next");

const SCAFFOLD = [
  "npx",
  "-y",
  "create-next-app@latest",
  ".",
  "--ts",
  "--app",
  "--no-eslint",
  "--no-tailwind",
  "--use-npm",
  "--yes",
  "--disable-git",
] as const;

interface Deployed {
  readonly origin: string;
  ask(path: string, more?: Ask): Promise<Answer>;
}

async function deployNext(box: Sandbox): Promise<Deployed> {
  Object.assign(box.env, await nodeVariables(box.env.PATH ?? ""));
  const { code, stderr } = await hear(SCAFFOLD, { cwd: box.site, env: box.env });
  assert.equal(code, 0, stderr);
  await cp(FIXTURE, box.site, { recursive: true });
  // Requests arrive as from a proxy that terminates TLS: `x-forwarded-proto` makes them count as
  // HTTPS.
  await box.start(["--trust-proxy", "127.0.0.1/32"]);
  await box.json(["init", "--create", "--name", "harbour"]);
  const told = await box.json(["deploy", "--prod"]);
  const host = hostOf((told.urls as Record<string, string>).production);
  const port = box.platform?.port ?? 0;
  return {
    origin: `http://${host}:${port}`,
    ask: (path, more = {}) => askSite({ host, port, path, ...more }),
  };
}

const plain = (text: string) => text.replaceAll(/<!--.*?-->/g, "");

function headingOf({ status, text }: Answer): string {
  assert.equal(status, 200, text.slice(0, 300));
  return /<h1[^>]*>(.*?)<\/h1>/.exec(plain(text))?.[1] ?? assert.fail(text.slice(0, 500));
}

/** Repeats a request until it gets the expected response. */
async function askUntil(
  { ask }: Deployed,
  path: string,
  isWanted: (answer: Answer) => boolean,
): Promise<Answer> {
  let answer = await ask(path);
  for (let turn = 0; turn < 100 && !isWanted(answer); turn++) {
    await new Promise((resolve) => setTimeout(resolve, 100));
    answer = await ask(path);
  }
  assert.ok(isWanted(answer), `${path}: ${JSON.stringify(answer.headers)}`);
  return answer;
}

const isHit = ({ headers }: Answer) => headers["x-svc-cache"] === "HIT";

const post = (body: unknown): Ask => ({
  method: "POST",
  headers: { "content-type": "application/json" },
  body: JSON.stringify(body),
});

/** Checks that the edge serves prerendered pages until they are revalidated. */
async function checkCached(site: Deployed): Promise<void> {
  assert.match((await askUntil(site, "/", isHit)).text, /To get started/);
  const first = await askUntil(site, "/clock", isHit);
  assert.equal(first.headers["cache-control"], "public, max-age=0, must-revalidate");
  assert.equal(first.headers["svc-cache-tag"], undefined);
  for (const what of [{ tag: "clock" }, { path: "/clock" }]) {
    const before = headingOf(await askUntil(site, "/clock", isHit));
    assert.equal((await site.ask("/api/revalidate", post(what))).status, 200);
    assert.notEqual(headingOf(await site.ask("/clock")), before, JSON.stringify(what));
  }
  const old = headingOf(await site.ask("/blog/first"));
  await askUntil(site, "/blog/first", (answer) => headingOf(answer) !== old);
}

/** Headers that clients can use to pretend to be Next.js's own host. */
const TRICKS: readonly Readonly<Record<string, string>>[] = [
  {},
  { "x-middleware-subrequest": "proxy:proxy:proxy:proxy:proxy" },
  { "x-middleware-next": "1" },
  { "x-matched-path": "/guarded" },
];

/**
 * Checks that content that the app's proxy guards is never cached, regardless of the request.
 */
async function checkGuarded(site: Deployed): Promise<void> {
  const cookie = { cookie: "key=1" };
  for (let turn = 0; turn < 2; turn++) {
    const inside = await site.ask("/guarded", { headers: cookie });
    assert.match(headingOf(inside), /Behind the gate/);
    assert.equal(inside.headers["x-gate"], "open");
    for (const headers of TRICKS) {
      const outside = await site.ask("/guarded", { headers });
      assert.equal(outside.status, 307, JSON.stringify(headers));
      assert.match(outside.headers.location ?? "", /\/about$/);
    }
  }
}

async function checkRendered(site: Deployed): Promise<void> {
  const { origin, ask } = site;
  const host = new URL(origin).host;
  const { text, headers } = await ask("/rendered?boat=ketch", { headers: { cookie: "name=Ada" } });
  assert.ok(plain(text).includes(`Boat ketch of Ada at ${host}`), plain(text).slice(0, 2000));
  assert.match(headers["cache-control"] ?? "", /no-store/);
  const echoed = JSON.parse((await ask("/api/echo", post({ boats: 2 }))).text);
  assert.deepEqual(echoed, { got: { boats: 2 }, url: `${origin}/api/echo` });
  const streamed = await ask("/api/stream");
  assert.deepEqual([streamed.text, streamed.parts], ["first\nlast\n", 2]);
  assert.equal((await ask("/no/such/page")).status, 404);
  const draft = (await ask("/api/draft", post({}))).cookies[0]?.split(";")[0] ?? assert.fail();
  await askUntil(site, "/clock", isHit);
  const seen = await ask("/clock", { headers: { cookie: draft } });
  assert.notEqual(seen.headers["x-svc-cache"], "HIT");
}

async function checkImages({ ask }: Deployed): Promise<void> {
  const { text } = await ask("/picture");
  const written = /\/_next\/image\?url=[^" ]+/.exec(text)?.[0] ?? assert.fail(text);
  const path = written.replaceAll("&amp;", "&");
  const accept = { accept: "image/webp,*/*" };
  const image = await ask(path, { headers: accept });
  assert.equal(image.status, 200, path);
  assert.equal(image.headers["content-type"], "image/webp");
  const undeclared = await ask(path.replace(/w=\d+/, "w=63"), { headers: accept });
  assert.equal(undeclared.status, 400);
}

async function checkFiles({ ask }: Deployed): Promise<void> {
  const { text } = await ask("/");
  const asset = /\/_next\/static\/chunks\/[^"]+\.js/.exec(text)?.[0] ?? assert.fail(text);
  const found = await ask(asset);
  assert.equal(found.status, 200);
  assert.equal(found.headers["cache-control"], "public, max-age=31536000, immutable");
  const gone = await ask("/_next/static/chunks/gone.js");
  assert.equal(gone.status, 404);
  assert.match(gone.headers["content-type"] ?? "", /^text\/plain/);
  assert.match((await ask("/next.svg")).headers["content-type"] ?? "", /svg/);
}

/** Checks that no file in the server's folder is public. */
async function checkPrivate({ ask }: Deployed): Promise<void> {
  for (
    const path of [
      "/server.js",
      "/svc-server.mjs",
      "/package.json",
      "/node_modules/next/package.json",
      "/.next/BUILD_ID",
      "/.next/required-server-files.json",
      "/.next/server/preview-props.json",
      "/server/server.js",
      "/server/.next/prerender-manifest.json",
      "/_next/required-server-files.json",
      "/_next/server/app/page.js",
      "/.svc/links.json",
    ]
  ) assert.equal((await ask(path)).status, 404, path);
}

async function checkBrowser({ origin, ask }: Deployed): Promise<void> {
  if (CHROMIUM === undefined) return;
  await withChromium(async (browser) => {
    const page = await browser.newPage();
    const complaints = hearComplaints(page);
    await page.goto(`${origin}/clock`, { waitUntil: "networkidle" });
    await page.evaluate("globalThis.svcSamePage = true");
    await page.getByText("About this harbour").click();
    await page.getByRole("heading", { name: "About the harbour" }).waitFor();
    assert.equal(await page.evaluate("globalThis.svcSamePage"), true);
    const made = headingOf(await ask("/clock"));
    await page.goto(`${origin}/form`, { waitUntil: "networkidle" });
    await page.getByLabel("Boat").fill("yawl");
    await page.getByText("Moor").click();
    await page.getByText("Boat yawl of nobody").waitFor();
    assert.notEqual(headingOf(await ask("/clock")), made, "The action revalidates the page");
    await page.goto(`${origin}/picture`, { waitUntil: "networkidle" });
    await page.getByAltText("A boat").scrollIntoViewIfNeeded();
    await page.waitForFunction("document.querySelector('img').naturalWidth > 0");
    // The client may abort the rest of an action's response once it has received the redirect.
    assert.deepEqual(complaints.filter((line) => line !== `failed: ${origin}/form`), []);
  });
}

Deno.test({
  name: "an unchanged create-next-app project behaves as Next.js documents",
  ...BROWSER_TEST,
  ignore: !buildsProjects || needs("sh", "node", "npm").ignore,
  async fn() {
    await withSandbox(async (box) => {
      const site = await deployNext(box);
      await checkCached(site);
      await checkGuarded(site);
      await checkRendered(site);
      await checkFiles(site);
      await checkImages(site);
      await checkPrivate(site);
      await checkBrowser(site);
    });
  },
});
