import assert from "node:assert/strict";
import { inTestFolder } from "../../lib/_test_folder.ts";
import { sha256Hex } from "../../lib/hash.ts";
import { EdgeFiles } from "./edge_files.ts";

Deno.test("EdgeFiles.of() gives up on a file that stalls", () =>
  inTestFolder(async (root) => {
    const cancelled = Promise.withResolvers<unknown>();
    const stalled = new ReadableStream({
      start: (body) => body.enqueue(new Uint8Array(10)),
      cancel: cancelled.resolve,
    });
    const files = await EdgeFiles.open({
      client: { send: () => Promise.resolve(new Response(stalled)) },
      root,
      maxBytes: 100,
      stalledMs: 10,
      onTrouble: () => {},
    });
    const site = files.of({ projectId: "project", deploymentId: "deployment" });
    await assert.rejects(site.read(sha256Hex("content")), { name: "AbortError" });
    await cancelled.promise;
  }));
