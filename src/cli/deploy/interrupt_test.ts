/** Tests signals to a process: the second signal stops a deploy immediately. */
import assert from "node:assert/strict";
import { type Bench, withPlatform } from "../_test_platform.ts";
import { stopServer } from "../../lib/stop_server.ts";

const MAIN = new URL("../../../main.ts", import.meta.url).pathname;

/**
 * Creates a proxy in front of the bench's platform. The proxy delays and reports requests that
 * match `isHeld`.
 */
function holdBack(bench: Bench, isHeld: (path: string) => boolean) {
  const held: PromiseWithResolvers<void>[] = [];
  const release = Promise.withResolvers<void>();
  const at = (index: number) => held[index] ??= Promise.withResolvers<void>();
  let count = 0;
  const server = Deno.serve(
    { hostname: "127.0.0.1", port: 0, onListen: () => {} },
    async (asked) => {
      const { pathname, search } = new URL(asked.url);
      if (isHeld(pathname)) {
        at(count++).resolve();
        await release.promise;
        return new Response(null, { status: 503 });
      }
      const body = asked.body === null ? null : await asked.arrayBuffer();
      const { method, headers } = asked;
      return await fetch(`${bench.env.SVC_API_URL}${pathname}${search}`, { method, headers, body });
    },
  );
  return {
    url: `http://127.0.0.1:${server.addr.port}`,
    /** Resolves when the delayed request with a given index, starting at 0, has arrived. */
    reached: (index: number) => at(index).promise,
    async [Symbol.asyncDispose]() {
      release.resolve();
      await stopServer(server);
    },
  };
}

Deno.test("a second signal ends a deploy with one object in JSON mode", () =>
  withPlatform(async (bench) => {
    await bench.json(["init", "--create"]);
    await using platform = holdBack(
      bench,
      (path) => path.startsWith("/v1/blobs") || path.endsWith("/stop"),
    );
    const child = new Deno.Command(Deno.execPath(), {
      args: ["run", "-A", "--no-check", MAIN, "deploy", "--json"],
      cwd: bench.site,
      env: { ...bench.env, SVC_API_URL: platform.url },
      stdout: "piped",
      stderr: "piped",
    }).spawn();
    const ended = child.output();
    await platform.reached(0);
    child.kill("SIGINT");
    await platform.reached(1);
    child.kill("SIGINT");
    const { code, stdout } = await ended;
    assert.equal(code, 130);
    assert.deepEqual(JSON.parse(new TextDecoder().decode(stdout)), {
      error: "Interrupted before the command could clean up",
      code: "interrupted",
      docs: "svc explain interrupted",
    });
  }));
