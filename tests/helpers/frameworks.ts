/**
 * Tests a small but real framework project. `svc deploy` installs, builds and deploys the project
 * without configuration. The test then sends the requests that all of these projects support.
 *
 * @module
 */
import assert from "node:assert/strict";
import { cp } from "node:fs/promises";
import { request } from "node:http";
import { join } from "node:path";
import { ROOT } from "../../scripts/_source_files.ts";
import { buildsProjects, nodeVariables } from "./node_program.ts";
import { hostOf, type JsonObject, type Sandbox, withSandbox } from "./sandbox.ts";
import { needs } from "./empty_root.ts";

/**
 * The frameworks in the specification. `fixtures/frameworks` contains a project for each framework.
 */
export type FrameworkName = "astro" | "nuxt" | "sveltekit" | "nitro";

export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly cookies: readonly string[];
  readonly text: string;
  /** Number of chunks in which the body arrived. */
  readonly parts: number;
}

export interface Ask {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

export interface DeployedProject {
  readonly told: JsonObject;
  readonly manifest: JsonObject;
  readonly origin: string;
  ask(path: string, more?: Ask): Promise<Answer>;
}

/** Deploys the fixture to production on a new platform. */
async function deployFramework(
  box: Sandbox,
  name: FrameworkName,
): Promise<DeployedProject> {
  Object.assign(box.env, await nodeVariables(box.env.PATH ?? ""));
  await cp(join(ROOT, "fixtures", "frameworks", name), box.site, { recursive: true });
  // Requests arrive as from a proxy that terminates TLS: `x-forwarded-proto` makes them count as
  // HTTPS.
  await box.start(["--trust-proxy", "127.0.0.1/32"]);
  const init = await box.json(["init", "--create"]);
  assert.equal((init.framework as { id: string } | null)?.id, name);
  const told = await box.json(["deploy", "--prod"]);
  const { manifest } = await box.json(["deploy", "--prod", "--skip-build", "--dry-run"]);
  const host = hostOf((told.urls as Record<string, string>).production);
  const port = box.platform?.port ?? 0;
  return {
    told,
    manifest: manifest as JsonObject,
    origin: `http://${host}:${port}`,
    ask: (path, more = {}) => askSite({ host, port, path, ...more }),
  };
}

/** Sends a request to a site by hostname. Reads the body in chunks as they arrive. */
export function askSite(
  wanted: Ask & { readonly host: string; readonly port: number; readonly path: string },
): Promise<Answer> {
  const { host, port, path, method = "GET", headers, body } = wanted;
  return new Promise((resolve, reject) => {
    const call = request({
      host: "127.0.0.1",
      port,
      path,
      method,
      headers: { ...headers, host: `${host}:${port}` },
      agent: false,
      timeout: 30_000,
    }, (answer) => {
      let text = "";
      let parts = 0;
      answer.setEncoding("utf8");
      answer.on("data", (chunk: string) => {
        parts++;
        text += chunk;
      });
      answer.on("error", reject);
      answer.on("end", () => {
        const { "set-cookie": cookies = [], ...rest } = answer.headers;
        resolve({
          status: answer.statusCode ?? 0,
          headers: rest as Record<string, string | undefined>,
          cookies,
          text,
          parts,
        });
      });
    });
    call.on("timeout", () => call.destroy(new Error("No response within 30 seconds")));
    call.on("error", reject);
    call.end(body);
  });
}

const HTML = { accept: "text/html" };
const MARK = /(Rendered|Prerendered) ([0-9a-f-]{36})/;

/** Removes the comments that frameworks insert between parts of a string. */
const plain = (text: string) => text.replaceAll(/<!--.*?-->/g, "");

function markOf({ text, status }: Answer): string {
  assert.equal(status, 200);
  return MARK.exec(plain(text))?.[0] ?? assert.fail(`No mark in: ${text.slice(0, 500)}`);
}

/**
 * Checks a page that is rendered for each request, and that contains the query, the cookies and the
 * requested URL.
 */
async function checkRendered({ ask, origin }: DeployedProject): Promise<void> {
  const [first, second] = [await ask("/?q=tide"), await ask("/")];
  assert.match(markOf(first), /^Rendered/);
  assert.notEqual(markOf(first), markOf(second));
  assert.match(plain(first.text), /query: tide/);
  assert.ok(plain(first.text).includes(`url: ${origin}`), `${origin} in ${plain(first.text)}`);
  const cookie = first.cookies.find((set) => set.startsWith("visits=1"));
  assert.ok(cookie !== undefined, first.cookies.join());
  const again = await ask("/", { headers: { cookie: cookie.split(";")[0] ?? "" } });
  assert.match(plain(again.text), /visits: 2/);
}

/** Checks a prerendered page that is served as a file. */
async function checkPrerendered({ ask }: DeployedProject): Promise<void> {
  const asked = await ask("/about");
  const url = asked.status === 308 ? asked.headers.location ?? "" : "/about";
  assert.match(url, /^\/about\/?$/);
  const [first, second] = [await ask(url), await ask(url)];
  assert.match(markOf(first), /^Prerendered/);
  assert.equal(markOf(first), markOf(second));
  assert.ok(first.headers.etag !== undefined);
  const cached = await ask(url, { headers: { "if-none-match": first.headers.etag } });
  assert.equal(cached.status, 304);
  assert.equal((await ask("/robots.txt")).text.trim(), "User-agent: *");
}

interface ImmutableAssets {
  readonly page: string;
  /** Pattern of an asset's path on the page. */
  readonly pattern: RegExp;
  /** Path of an asset that does not exist. */
  readonly missing: string;
}

/**
 * Checks that browsers cache the page's assets, whose names contain a hash of the content, and that
 * the response for a missing asset is a plain 404.
 */
async function checkImmutable(
  { ask }: DeployedProject,
  assets: ImmutableAssets,
): Promise<void> {
  const { text } = await ask(assets.page, { headers: HTML });
  const path = assets.pattern.exec(text)?.[0] ?? assert.fail(`No asset in: ${text}`);
  const asset = await ask(path.startsWith("/") ? path : `/${path}`);
  assert.equal(asset.status, 200);
  assert.equal(asset.headers["cache-control"], "public, max-age=31536000, immutable");
  const gone = await ask(assets.missing);
  assert.equal(gone.status, 404);
}

async function checkEndpoints({ ask }: DeployedProject): Promise<void> {
  const posted = await ask("/api/echo", {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ boats: [1, 2, 3] }),
  });
  assert.equal(posted.status, 200, posted.text);
  assert.deepEqual(JSON.parse(posted.text).got, { boats: [1, 2, 3] });
  const moved = await ask("/old");
  assert.equal(moved.status, 301);
  assert.match(moved.headers.location ?? "", /\/about$/);
}

/** Checks that the first chunk arrives while the server is still preparing the last one. */
async function checkStream({ ask }: DeployedProject): Promise<void> {
  const { text, parts } = await ask("/api/stream");
  assert.equal(text, "first\nlast\n");
  assert.equal(parts, 2);
}

async function checkMissing({ ask }: DeployedProject): Promise<void> {
  const missing = await ask("/no/such/page", { headers: HTML });
  assert.equal(missing.status, 404);
  assert.match(plain(missing.text), /No such berth/);
}

/** Checks the responses that every project in `fixtures/frameworks` must return. */
async function checkProject(project: DeployedProject): Promise<void> {
  await checkRendered(project);
  await checkPrerendered(project);
  await checkEndpoints(project);
  await checkStream(project);
  await checkMissing(project);
}

/** Returns the targets of the generated manifest's layers, by layer name. */
function layersOf({ manifest }: DeployedProject): Readonly<Record<string, string>> {
  const layers = manifest.layers as readonly { readonly name: string; readonly target: string }[];
  return Object.fromEntries(layers.map(({ name, target }) => [name, target]));
}

/**
 * Declares the test for a framework. The test deploys the framework's project and sends the
 * requests for all frameworks. `also` contains further checks. The test is skipped if npm is
 * missing.
 */
export function testFramework(name: FrameworkName, wanted: {
  /** The framework's display name. */
  readonly title: string;
  /** Targets of the layers in the generated manifest. */
  readonly layers: Readonly<Record<string, "STATIC" | "COMPUTE">>;
  readonly assets: ImmutableAssets;
  also?(project: DeployedProject): Promise<void>;
}): void {
  Deno.test({
    name: `a ${wanted.title} project is built and its server responds`,
    ignore: !buildsProjects || needs("sh", "node", "npm").ignore,
    async fn() {
      await withSandbox(async (box) => {
        const project = await deployFramework(box, name);
        assert.deepEqual(layersOf(project), wanted.layers);
        await checkProject(project);
        await checkImmutable(project, wanted.assets);
        await wanted.also?.(project);
      });
    },
  });
}
