/**
 * Creates a real project as its recipe describes, deploys it with the CLI, tests it over HTTP, and
 * opens it in a browser.
 *
 * @module
 */
import assert from "node:assert/strict";
import { Buffer } from "node:buffer";
import { walk } from "./_walk.ts";
import { dirname, join } from "node:path";
import { CHROMIUM, hearComplaints, SHOTS, withChromium } from "../helpers/chromium.ts";
import { nodeVariables } from "../helpers/node_program.ts";
import { hostOf, type JsonObject, oneObject, type Sandbox } from "../helpers/sandbox.ts";
import { deployFromGit } from "./_git_deploy.ts";
import { askSide, compareSides, USUAL_REQUESTS } from "./_likeness.ts";
import { withOwnStart } from "./_own_start.ts";
import { converse } from "./_sockets.ts";
import type { Check, NamedRecipe, Recipe } from "./_recipe.ts";

/** Maximum number of files that are requested. A server's packages contain thousands of files. */
const MAX_PACKAGE_FILES = 100;

async function run(
  [program, ...args]: readonly string[],
  { cwd, env, input }: {
    readonly cwd: string;
    readonly env: Readonly<Record<string, string>>;
    readonly input?: string;
  },
): Promise<void> {
  const child = new Deno.Command(program!, {
    args,
    cwd,
    env,
    clearEnv: true,
    stdin: input === undefined ? "null" : "piped",
    stdout: "piped",
    stderr: "piped",
  }).spawn();
  if (input !== undefined) {
    const writer = child.stdin.getWriter();
    await writer.write(new TextEncoder().encode(input)).catch(() => {});
    await writer.close().catch(() => {});
  }
  const { code, stdout, stderr } = await child.output();
  const said = new TextDecoder().decode(stdout) + new TextDecoder().decode(stderr);
  assert.equal(code, 0, `${program} ${args.join(" ")} exited with ${code}:\n${said.slice(-4000)}`);
}

/** Creates the project and returns its folder, in which the sandbox's CLI runs from then on. */
async function scaffold(box: Sandbox, recipe: Recipe): Promise<string> {
  Object.assign(box.env, await nodeVariables(box.env.PATH ?? ""), recipe.env);
  const top = box.site;
  if (recipe.scaffold !== undefined) {
    const input = recipe.answers?.map((line) => `${line}\n`).join("");
    await run(recipe.scaffold, {
      cwd: top,
      env: { ...box.env, CI: "1" },
      ...(input === undefined ? {} : { input }),
    });
  }
  const project = join(top, recipe.folder);
  const files = new Map<string, Uint8Array>();
  for (const [path, text] of Object.entries(recipe.files)) files.set(path, Buffer.from(text));
  for (const [path, text] of Object.entries(recipe.binaries)) {
    files.set(path, Buffer.from(text, "base64"));
  }
  for (const [path, content] of files) {
    await Deno.mkdir(dirname(join(project, path)), { recursive: true });
    await Deno.writeFile(join(project, path), content);
  }
  for (const [path, edits] of Object.entries(recipe.edits)) {
    let text = await Deno.readTextFile(join(project, path));
    for (const [from, to] of edits) {
      assert.ok(text.includes(from), `${path} has no ${from}: ${text}`);
      text = text.replace(from, to);
    }
    await Deno.writeTextFile(join(project, path), text);
  }
  for (const command of recipe.commands) await run(command, { cwd: project, env: box.env });
  box.site = join(project, recipe.workingFolder);
  return project;
}

interface Deployed {
  readonly host: string;
  readonly id: string;
  /** The manifest; missing if the platform built the project. */
  readonly manifest?: JsonObject;
}

interface Layer {
  readonly target: string;
  readonly directory: string;
  readonly runtime?: { readonly engine?: string };
}

async function deploy(box: Sandbox): Promise<Deployed> {
  const told = await box.json(["deploy", "--prod"]);
  const { manifest } = await box.json(["deploy", "--prod", "--skip-build", "--dry-run"]);
  return {
    host: hostOf((told.urls as Record<string, string>).production),
    id: String(told.id),
    manifest: manifest as JsonObject,
  };
}

const plain = (text: string) => text.replaceAll(/<!--.*?-->/gs, "");

async function ask(box: Sandbox, host: string, wanted: Check): Promise<void> {
  const { path, status, contains, answers = {}, ...request } = wanted;
  const answer = await box.page(host, path, {
    ...(request.method === undefined ? {} : { method: request.method }),
    ...(request.headers === undefined ? {} : { headers: request.headers }),
    ...(request.body === undefined ? {} : { body: request.body }),
  });
  const shown = `${request.method ?? "GET"} ${path}: ${answer.status} ${answer.text.slice(0, 600)}`;
  assert.equal(answer.status, status, shown);
  for (const text of [contains ?? []].flat()) {
    assert.ok(
      plain(answer.text).includes(text),
      `${shown} does not contain ${JSON.stringify(text)}`,
    );
  }
  for (const [name, pattern] of Object.entries(answers)) {
    const value = answer.headers[name.toLowerCase()];
    if (pattern === null) assert.equal(value, undefined, `${name} of ${shown}`);
    else assert.match(String(value), new RegExp(pattern), `${name} of ${shown}`);
  }
}

function layersOf({ manifest }: Deployed): readonly Layer[] {
  return (manifest?.layers ?? []) as readonly Layer[];
}

function checkEngine(recipe: Recipe, deployed: Deployed): void {
  if (recipe.engine === undefined || deployed.manifest === undefined) return;
  const server = layersOf(deployed).find(({ target }) => target === "COMPUTE");
  const engine = server === undefined ? "static" : server.runtime?.engine ?? "deno";
  assert.equal(engine, recipe.engine, JSON.stringify(deployed.manifest));
}

const isInside = (path: string, directory: string) =>
  directory === "." || path.startsWith(`${directory}/`);

/** Requests every file in the servers' folders. No response may contain the requested file. */
async function checkNotPublic(box: Sandbox, recipe: Recipe, deployed: Deployed): Promise<void> {
  const layers = layersOf(deployed);
  const folders = layers.filter(({ target }) => target === "STATIC").map((each) => each.directory);
  const root = join(box.dataDir, "compute", deployed.id);
  const files = layers.some(({ target }) => target === "COMPUTE") ? await walk(root) : [];
  if (layers.some(({ target }) => target === "COMPUTE")) assert.ok(files.length > 0, root);
  const own = files.filter((path) => !folders.some((folder) => isInside(path, folder)));
  const inPackages = (path: string) => `/${path}`.includes("/node_modules/");
  const asked = [
    ...own.filter((path) => !inPackages(path)),
    ...own.filter(inPackages).slice(0, MAX_PACKAGE_FILES),
  ];
  for (const path of asked) {
    const content = await Deno.readFile(join(root, path));
    const { status, body } = await box.page(deployed.host, encodeURI(`/${path}`));
    const same = content.byteLength > 0 && Buffer.compare(body, content) === 0;
    assert.ok(!(status === 200 && same), `The server's file /${path} is public`);
  }
  for (const path of recipe.notPublic) {
    const { status, text } = await box.page(deployed.host, path);
    assert.notEqual(status, 200, `${path} is public: ${text.slice(0, 300)}`);
  }
}

async function look(box: Sandbox, { name, recipe }: NamedRecipe, host: string): Promise<void> {
  const { browser: wanted } = recipe;
  if (wanted === undefined || CHROMIUM === undefined) return;
  await withChromium(async (browser) => {
    const page = await browser.newPage({ viewport: { width: 1100, height: 800 } });
    const complaints = hearComplaints(page);
    const origin = `http://${host}:${box.platform?.port}`;
    await page.goto(`${origin}${wanted.path}`, { waitUntil: "networkidle" });
    if (wanted.click !== undefined) {
      await page.evaluate("globalThis.svcSamePage = true");
      await page.locator(wanted.click).first().click();
    }
    if (wanted.expect !== undefined) {
      await page.getByText(wanted.expect).first().waitFor({ timeout: 15_000 });
    }
    if (wanted.picture !== undefined) {
      const width = await page.locator(wanted.picture).first().evaluate((image) =>
        (image as unknown as { naturalWidth: number }).naturalWidth
      );
      assert.ok(width > 0, `${wanted.picture} is not shown`);
    }
    await page.screenshot({ path: join(SHOTS, `project-${name}.png`) });
    assert.deepEqual(complaints, []);
  });
}

/** Compares the deployment with the same build of the project under its own `start` script. */
async function checkLikeness(
  box: Sandbox,
  { recipe }: NamedRecipe,
  { host, folder }: { readonly host: string; readonly folder: string },
): Promise<void> {
  const { own: wanted, checks, sockets } = recipe;
  if (wanted === undefined) return;
  const first = checks.map(({ path, method, headers, body }) => ({ path, method, headers, body }));
  const live = { host, port: box.platform!.port };
  const { start, env, requests, mayDiffer } = wanted;
  // The build contains the ID under which svc deployed it, so Next.js itself must use the same ID.
  const { text } = await askSide(live, { path: "/" });
  const id = /data-dpl-id="([^"]+)"/.exec(text)?.[1];
  const same: Record<string, string> = id === undefined ? {} : { NEXT_DEPLOYMENT_ID: id };
  await withOwnStart({ folder, start, env: { ...box.env, ...same, ...env } }, async (own) => {
    const differences = await compareSides([...USUAL_REQUESTS, ...first, ...requests], {
      ...{ own, live, mayDiffer },
    });
    assert.deepEqual(differences, []);
    for (const each of sockets) await converse(own, each);
  });
}

async function checkGitBuild(
  box: Sandbox,
  named: NamedRecipe,
  folder: string,
): Promise<void> {
  const { name, recipe } = named;
  await box.start(["--git-root", box.folder]);
  const deployed = await deployFromGit(box, {
    name: `${name}-project`,
    folder,
    ...(recipe.workingFolder === "." ? {} : { rootDirectory: recipe.workingFolder }),
  });
  await checkAnswers(box, named, deployed);
}

async function checkAnswers(box: Sandbox, named: NamedRecipe, deployed: Deployed): Promise<void> {
  const { recipe } = named;
  for (const check of recipe.checks) await ask(box, deployed.host, check);
  const side = { host: deployed.host, port: box.platform!.port };
  for (const each of recipe.sockets) await converse(side, each);
  await checkNotPublic(box, recipe, deployed);
  await look(box, named, deployed.host);
}

/** Creates and deploys the project, and checks everything in its recipe. */
export async function checkProject(box: Sandbox, named: NamedRecipe): Promise<void> {
  const { name, recipe } = named;
  const folder = await scaffold(box, recipe);
  if (recipe.git) return await checkGitBuild(box, named, folder);
  await box.start();
  await box.json(["init", "--create", "--name", `${name}-project`]);
  if (recipe.refused !== undefined) {
    const { code, stdout } = await box.tool(["deploy", "--prod", "--json"]);
    assert.equal(code, 1, stdout);
    const { error, hint } = oneObject(stdout);
    for (const text of recipe.refused) {
      assert.ok(`${error} ${hint ?? ""}`.includes(text), `No ${text} in ${stdout}`);
    }
    return;
  }
  const deployed = await deploy(box);
  checkEngine(recipe, deployed);
  await checkAnswers(box, named, deployed);
  await checkLikeness(box, named, { host: deployed.host, folder: box.site });
}
