/**
 * When the network fails, the CLI must report the problem, and what it has changed on the platform.
 */
import assert from "node:assert/strict";
import { join } from "node:path";
import { programCommand } from "../../scripts/_program.ts";
import {
  hostOf,
  type JsonObject,
  oneObject,
  type Sandbox,
  withSandbox,
} from "../helpers/sandbox.ts";

interface Relay extends AsyncDisposable {
  readonly url: string;
}

/** Starts a server in front of the platform. `on` responds to requests or forwards them. */
function relay(
  box: Sandbox,
  on: (request: Request, pass: () => Promise<Response>) => Promise<Response>,
): Relay {
  const ended = new AbortController();
  const server = Deno.serve(
    { hostname: "127.0.0.1", port: 0, signal: ended.signal, onListen() {} },
    async (request) => {
      const { pathname, search } = new URL(request.url);
      const pass = async () => {
        const { method, headers } = request;
        const body = request.body === null ? null : await request.arrayBuffer();
        const target = `${box.platform!.url}${pathname}${search}`;
        return await fetch(target, { method, headers, body, redirect: "manual" });
      };
      return await on(request, pass);
    },
  );
  return {
    url: `http://127.0.0.1:${server.addr.port}`,
    async [Symbol.asyncDispose]() {
      ended.abort();
      await server.finished;
    },
  };
}

/** Starts the CLI. `output` resolves when it has exited. */
function startTool(box: Sandbox, args: readonly string[], env: Record<string, string>) {
  const [program, ...first] = programCommand();
  const child = new Deno.Command(program, {
    args: [...first, ...args],
    cwd: box.site,
    env: { ...box.env, ...env },
    clearEnv: true,
    stdin: "null",
    stdout: "piped",
    stderr: "piped",
  }).spawn();
  return { child, output: child.output() };
}

const text = (bytes: Uint8Array) => new TextDecoder().decode(bytes);

async function makeShop(box: Sandbox): Promise<void> {
  await box.start();
  await Deno.writeTextFile(join(box.site, "index.html"), "one");
  await box.json(["init", "--name", "shop", "--create"]);
}

const productionOf = async (box: Sandbox): Promise<unknown> =>
  ((await box.json(["projects", "info", "shop"])).project as JsonObject).productionDeploymentId;

Deno.test("while the CLI waits, it names a platform that does not respond", async () => {
  await withSandbox(async (box) => {
    using silent = Deno.listen({ hostname: "127.0.0.1", port: 0 });
    const url = `http://127.0.0.1:${silent.addr.port}`;
    const [program, ...first] = programCommand();
    const child = new Deno.Command(program, {
      args: [...first, "whoami"],
      cwd: box.site,
      env: { ...box.env, SVC_API_URL: url, SVC_TOKEN: "svc_x" },
      clearEnv: true,
      stdin: "null",
      stderr: "piped",
    }).spawn();
    let shown = "";
    for await (const part of child.stderr.pipeThrough(new TextDecoderStream())) {
      shown += part;
      if (shown.includes(`Still waiting for ${url} (5 s)`)) child.kill("SIGINT");
    }
    assert.match(shown, /Still waiting[^]*error: Interrupted\n$/);
    assert.equal((await child.status).code, 130);
  });
});

Deno.test("the CLI reports a proxy that is not reachable, and a response that is not from svc", async () => {
  await withSandbox(async (box) => {
    const { start } = box;
    await start();
    const dead = { HTTP_PROXY: "http://ada:secret@127.0.0.1:9" };
    assert.equal(
      (await box.tool(["whoami"], dead)).code,
      0,
      "the CLI uses no proxy for its own machine",
    );
    const outside = { ...dead, SVC_API_URL: "http://svc.example.test" };
    const { stderr } = await box.tool(["whoami"], outside);
    assert.match(stderr, /Cannot reach http:\/\/svc\.example\.test through the proxy http:\/\/127/);
    assert.match(stderr, /hint: The proxy comes from HTTP_PROXY:/);
    assert.ok(!stderr.includes("secret"));

    await using broken = relay(box, () => Promise.resolve(new Response("Bad", { status: 502 })));
    const refused = await box.tool(["whoami"], { SVC_API_URL: broken.url });
    assert.ok(refused.stderr.includes(`The response of ${broken.url}/v1/`), refused.stderr);
    assert.match(refused.stderr, /is not from svc: status 502/);
    const newline = await box.tool(["whoami"], { SVC_TOKEN: `${box.env.SVC_TOKEN}\n` });
    assert.equal(newline.code, 0, newline.stderr);
  });
});

Deno.test("svc deploy names a file that changes during the upload", () =>
  withSandbox(async (box) => {
    await makeShop(box);
    const file = join(box.site, "log.txt");
    await Deno.writeTextFile(file, "first line\n");
    await using front = relay(box, async (request, pass) => {
      const answer = await pass();
      if (request.url.endsWith("/deployments")) {
        await Deno.writeTextFile(file, "second line\n", { append: true });
      }
      return answer;
    });
    const { code, stdout } = await box.tool(["deploy", "--json"], { SVC_API_URL: front.url });
    assert.equal(code, 1);
    const told = oneObject(stdout);
    assert.equal(told.error, "Changed during the deploy: log.txt");
    assert.equal(told.code, "file_unusable");
  }));

Deno.test("an interrupted rollback shows the live deployment and how to undo the rollback", () =>
  withSandbox(async (box) => {
    await makeShop(box);
    const first = await box.json(["deploy", "--prod"]) as {
      id: string;
      urls: { production: string };
    };
    await Deno.writeTextFile(join(box.site, "index.html"), "two");
    const second = await box.json(["deploy", "--prod"]) as { id: string };
    const reached = Promise.withResolvers<void>();
    const release = Promise.withResolvers<void>();
    await using front = relay(box, async (request, pass) => {
      const answer = await pass();
      if (request.url.endsWith("/rollback")) {
        reached.resolve();
        await release.promise;
      }
      return answer;
    });
    const { child, output } = startTool(box, ["rollback"], { SVC_API_URL: front.url });
    await reached.promise;
    child.kill("SIGINT");
    release.resolve();
    const { code, stderr } = await output;
    assert.equal(code, 130);
    const shown = text(stderr);
    assert.match(shown, new RegExp(`Rolled back ${second.id}\\. ${first.id} is live again`));
    const [, undo] = /undo +svc (.+)/.exec(shown) ?? [];
    assert.equal(await productionOf(box), first.id);
    assert.equal((await box.page(hostOf(first.urls.production), "/")).text, "one");
    assert.equal((await box.tool(undo!.split(" "))).code, 0);
    assert.equal(await productionOf(box), second.id);
  }));

Deno.test("svc deploy reports if it was interrupted after production had changed", () =>
  withSandbox(async (box) => {
    await makeShop(box);
    await box.json(["deploy", "--prod"]);
    await Deno.writeTextFile(join(box.site, "index.html"), "two");
    const reached = Promise.withResolvers<void>();
    await using front = relay(box, async (request, pass) => {
      if (!new URL(request.url).pathname.endsWith("/rules")) return await pass();
      reached.resolve();
      await new Promise((resolve) => request.signal.addEventListener("abort", resolve));
      return new Response(null, { status: 503 });
    });
    const args = ["deploy", "--prod", "--json"];
    const { child, output } = startTool(box, args, { SVC_API_URL: front.url });
    await reached.promise;
    child.kill("SIGINT");
    const { code, stdout } = await output;
    assert.equal(code, 130);
    const told = oneObject(text(stdout)) as {
      error: string;
      next: string[];
      deployment: JsonObject;
    };
    assert.match(told.error, /^Interrupted too late: deployment \S+ is live at http/);
    assert.equal(await productionOf(box), told.deployment.id);
    assert.match(told.next[0]!, new RegExp(`^svc rollback --deployment-id ${told.deployment.id} `));
  }));
