import assert from "node:assert/strict";
import { join } from "node:path";
import { inTestFolder } from "../../lib/_test_folder.ts";
import { spoolBody } from "./spool_body.ts";

const MAX_BYTES = 256 * 1024;

/** Spools a gzip body of `bytes` zeros. Returns how many zeros were read (`given`) and written. */
async function spool(bytes: number) {
  const folder = await Deno.makeTempDir();
  const path = join(folder, "body");
  let given = 0;
  const zeros = new ReadableStream<Uint8Array<ArrayBuffer>>({
    pull(controller) {
      if (given >= bytes) return controller.close();
      const chunk = new Uint8Array(Math.min(64 * 1024, bytes - given));
      given += chunk.byteLength;
      controller.enqueue(chunk);
    },
  });
  try {
    const request = new Request("http://platform.test/", {
      method: "POST",
      headers: { "content-encoding": "gzip" },
      body: zeros.pipeThrough(new CompressionStream("gzip")),
    });
    const signal = new AbortController().signal;
    const { isWhole } = await spoolBody(request, { path, maxBytes: MAX_BYTES, signal });
    return { isWhole, written: (await Deno.stat(path)).size, given };
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

Deno.test("a compressed body is written decompressed", async () => {
  const { isWhole, written } = await spool(MAX_BYTES);
  assert.deepEqual([isWhole, written], [true, MAX_BYTES]);
});

Deno.test("a body that is slightly too long is read to its end", async () => {
  const { isWhole, given } = await spool(MAX_BYTES + 1);
  assert.deepEqual([isWhole, given], [false, MAX_BYTES + 1]);
});

Deno.test("a body that decompresses endlessly is cut off", async () => {
  const { isWhole, written, given } = await spool(1024 * MAX_BYTES);
  assert.equal(isWhole, false);
  assert.ok(written <= MAX_BYTES);
  assert.ok(given < 512 * MAX_BYTES, `${given} bytes were read`);
});

Deno.test("a body that does not arrive is given up when the signal is aborted", () =>
  inTestFolder(async (folder) => {
    const body = new ReadableStream();
    const request = new Request("http://platform.test/", { method: "POST", body });
    const stop = new AbortController();
    const options = { path: join(folder, "body"), maxBytes: MAX_BYTES, signal: stop.signal };
    const refused = assert.rejects(spoolBody(request, options), /Cannot read the body/);
    setTimeout(() => stop.abort());
    await refused;
  }));
