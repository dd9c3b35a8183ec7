import assert from "node:assert/strict";
import { withPlatform } from "../_test_platform.ts";
import { pickSources } from "./send_deployment.ts";

const file = (path: string, sha256: string) => ({
  path,
  sha256,
  size: 1,
  content: `/out/${path}`,
});

Deno.test("pickSources() sends equal files once", () => {
  const files = [file("a", "1"), file("b", "2"), file("c", "1")];
  const sources = pickSources({ files, functions: [] }, ["1"]);
  assert.deepEqual(sources.map(({ content }) => content), ["/out/a"]);
});

Deno.test("pickSources() sends functions from memory", () => {
  const source = new Uint8Array([1, 2]);
  const functions = [{ name: "api", sha256: "9", source }];
  const [sent] = pickSources({ files: [], functions }, ["9"]);
  assert.deepEqual(sent, { sha256: "9", size: 2, content: source });
});

Deno.test("pickSources() refuses blobs that nobody has", () => {
  assert.throws(() => pickSources({ files: [file("a", "1")], functions: [] }, ["2"]), TypeError);
});

Deno.test("an upload that fails leaves nothing visible, and the next run goes on", async () => {
  await withPlatform(async (bench) => {
    await bench.json(["init", "--create"]);
    let refused = 0;
    const failing: typeof fetch = (input, init) => {
      if (String(input).endsWith("/v1/blobs")) {
        refused++;
        return Promise.resolve(
          Response.json({ error: "Full", code: "storage_full", requestId: "r" }, { status: 507 }),
        );
      }
      return fetch(input, init);
    };
    const failed = await bench.run(["deploy", "--prod", "--json"], { fetch: failing });
    assert.equal(failed.code, 1);
    assert.equal(refused, 1);
    assert.deepEqual(JSON.parse(failed.stdout), {
      error: "Full",
      code: "storage_full",
      requestId: "r",
    });
    const { deployments } = await bench.json(["deployments"]);
    assert.deepEqual(
      (deployments as { status: string }[]).map(({ status }) => status),
      ["STOPPED"],
    );
    const told = await bench.json(["deploy", "--prod"]);
    assert.equal(told.status, "LIVE");
  });
});

Deno.test("an interrupted upload is taken back", async () => {
  await withPlatform(async (bench) => {
    await bench.json(["init", "--create"]);
    const stop = new AbortController();
    const interrupting: typeof fetch = (input, init) => {
      if (String(input).endsWith("/v1/blobs")) {
        stop.abort(new DOMException("Interrupted", "AbortError"));
      }
      return fetch(input, init);
    };
    const run = await bench.run(["deploy"], { fetch: interrupting, signal: stop.signal });
    assert.equal(run.code, 130);
    const { deployments } = await bench.json(["deployments"]);
    assert.deepEqual(
      (deployments as { status: string }[]).map(({ status }) => status),
      ["STOPPED"],
    );
  });
});

Deno.test("an activation whose answer is lost is asked again, and not taken back", async () => {
  await withPlatform(async (bench) => {
    await bench.json(["init", "--create"]);
    let lost = 0;
    const losing: typeof fetch = async (input, init) => {
      const answer = await fetch(input, init);
      if (lost > 0 || !String(input).endsWith("/activate")) return answer;
      lost++;
      await answer.body?.cancel();
      throw new TypeError("connection reset");
    };
    const told = await bench.json(["deploy"], { fetch: losing });
    assert.equal(lost, 1);
    assert.equal(told.status, "LIVE");
  });
});
