import assert from "node:assert/strict";
import { until } from "../../../src/lib/_test_until.ts";
import { makePng } from "../../helpers/images.ts";
import {
  createProject,
  rawRequest,
  type TestPlatform,
  withPlatform,
} from "../../helpers/platform.ts";
import { publish, rule } from "../../helpers/upstreams.ts";
import { Visitors } from "./_visitors.ts";

const HOST = "shop.localhost";

const handle = (name: string) => ({ type: "pipeline", steps: [{ handle: name }] });

const PHOTO = "url=/photo.png&w=64";

const onPath = (value: string) => ({ path: { type: "prefix", value } });

const pipelines = (names: readonly string[]) => ({
  rules: names.map((name) => ({
    ...rule(name, handle(name)),
    condition: onPath(`/${name}`),
  })),
});

/** Deploys functions, each called at the path of its name. */
async function deployFunctions(
  platform: TestPlatform,
  functions: Readonly<Record<string, string>>,
): Promise<void> {
  await publish(platform, "shop", { functions, ...pipelines(Object.keys(functions)) });
}

/** A function that says which worker it runs in, too. */
const answer = (text: string): string =>
  `const worker = crypto.randomUUID();
  export default () => new Response("${text} " + worker);`;

/** The texts without the workers. */
const textsOf = (answers: Iterable<string>): string[] => [
  ...new Set([...answers].map((each) => each.split(" ").slice(0, 2).join(" "))),
];

/**
 * Waits until no connection is answered by the platform's own worker, which answers the
 * first requests; then asks while the platform is blocked.
 */
async function askDirectly(visitors: Visitors, path: string): Promise<string[]> {
  const platform = new Set(await visitors.ask(path, 1));
  await until(async () => (await visitors.ask(path, 1)).every((each) => !platform.has(each)));
  return textsOf(await visitors.ask(path, 5, { isBlocked: true }));
}

Deno.test("threads call functions while the platform does nothing; a deploy and a rollback count at once", () =>
  withPlatform(async (platform) => {
    await createProject(platform, "shop");
    await deployFunctions(platform, { say: answer("one") });
    using visitors = new Visitors(platform.port);
    assert.deepEqual(await askDirectly(visitors, "/say"), ["200 one"]);
    const before = visitors.ask("/say", 50);
    await deployFunctions(platform, { say: answer("two") });
    assert.deepEqual(textsOf([await askOnce(platform, "/say")]), ["200 two"]);
    const known = new Set(["200 one", "200 two"]);
    assert.deepEqual(new Set(textsOf(await before)).difference(known), new Set());
    const during = visitors.ask("/say", 50);
    assert.equal((await platform.api("POST", "/v1/projects/shop/rollback")).status, 200);
    assert.deepEqual(textsOf([await askOnce(platform, "/say")]), ["200 one"]);
    assert.deepEqual(new Set(textsOf(await during)).difference(known), new Set());
  }, { edgeThreads: 3 }));

Deno.test("the limit of concurrent calls holds over all threads, and calls that wait get their turn", () =>
  withPlatform(async (platform) => {
    await createProject(platform, "shop");
    // Each call stays for a turn of the clock, so that many of them wait.
    await deployFunctions(platform, {
      slow: `let running = 0;
      export default async () => {
        running++;
        await new Promise((resolve) => setTimeout(resolve, 1));
        return new Response("ran " + (running-- <= 100));
      }`,
    });
    const ask = () => askOnce(platform, "/slow");
    const answers = await Promise.all(Array.from({ length: 300 }, ask));
    assert.deepEqual([...new Set(answers)], ["200 ran true"]);
  }, { edgeThreads: 3 }));

Deno.test("a function that a thread calls fetches, uses its store, streams bodies and logs", () =>
  withPlatform(async (platform) => {
    await createProject(platform, "shop");
    await deployFunctions(platform, {
      store: `const worker = crypto.randomUUID();
      export default async (request, { kv }) => {
        const text = await request.text();
        const list = await kv.get("list") ?? 0;
        if (text !== "") await kv.set("list", list + text.length);
        console.log("stored", text.length);
        const refused = await fetch("http://127.0.0.1:1/").catch(({ message }) => message);
        return new Response(worker + " " + await kv.get("list") + " " + refused);
      }`,
    });
    const ask = async (body = "") => {
      const answer = await rawRequest(platform.port, {
        ...{ host: HOST, path: "/store", method: body === "" ? "GET" : "POST", body },
      });
      const [worker, ...said] = String(answer.body).split(" ");
      return { worker, said: `${answer.status} ${said.join(" ")}` };
    };
    const platforms = await ask();
    await until(async () => (await ask()).worker !== platforms.worker);
    const direct = await ask("x".repeat(300_000));
    assert.match(direct.said, /^200 300000 .*(private|not allowed|refused|address)/i);
    const { items } = (await platform.api("GET", "/v1/projects/shop/logs?source=function")).json;
    const lines = items.map(({ message }: { message: string }) => message);
    assert.ok(lines.includes("stored 300000"), lines.join("\n"));
  }, { edgeThreads: 2 }));

Deno.test("a step that leads to an image runs once, and what follows the image runs too", () =>
  withPlatform(async (platform) => {
    await createProject(platform, "shop");
    const functions = {
      lead: `export default async (request, { kv }) => {
        await kv.set("runs", (await kv.get("runs") ?? 0) + 1);
        const url = new URL(request.url);
        url.pathname = "/_svc/image";
        return new Request(url, request);
      }`,
      mark: `const worker = crypto.randomUUID();
      export default async (request, { kv, response }) => {
        const marked = new Response(response.body, response);
        marked.headers.set("x-worker", worker);
        marked.headers.set("x-runs", String(await kv.get("runs")));
        return marked;
      }`,
    };
    const steps = [
      { use: "lead", mode: "request" },
      { handle: "origin" },
      { use: "mark", mode: "response" },
    ];
    await publish(platform, "shop", {
      files: { "photo.png": makePng(300, 200) },
      functions,
      rules: [
        { ...rule("photos", { type: "pipeline", steps }), condition: onPath("/photos") },
      ],
    });
    let asked = 0;
    const ask = async (query = PHOTO, method = "GET") => {
      asked++;
      const { status, headers } = await rawRequest(platform.port, {
        ...{ host: HOST, path: `/photos?${query}`, method, headers: { accept: "image/webp" } },
      });
      return {
        status,
        type: headers["content-type"],
        worker: headers["x-worker"],
        runs: headers["x-runs"],
      };
    };
    const own = (await ask()).worker;
    const { status, type } = await until(() => ask(), ({ worker }) => worker !== own);
    assert.deepEqual([status, type], [200, "image/webp"]);
    assert.equal((await ask("url=/none.png&w=64")).status, 404);
    const last = await ask("", "POST");
    assert.deepEqual([last.status, last.runs], [405, String(asked)]);
    const lines = (await platform.api("GET", "/v1/projects/shop/logs?search=/photos")).json.items;
    assert.equal(lines.length, asked);
  }, { edgeThreads: 2 }));

async function askOnce({ port }: TestPlatform, path: string): Promise<string> {
  const { status, body } = await rawRequest(port, { host: HOST, path });
  return `${status} ${body}`;
}
