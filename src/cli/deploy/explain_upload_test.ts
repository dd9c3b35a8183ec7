import assert from "node:assert/strict";
import { ApiError, CutUploadError, UnreachableError } from "../../client/errors.ts";
import { createSuggestedCommands } from "../errors/suggested_commands.ts";
import type { Context } from "../session/context.ts";
import { sha256Hex } from "../../lib/hash.ts";
import { explainUpload } from "./explain_upload.ts";

const ctx = { lines: createSuggestedCommands(["deploy"], []) } as unknown as Context;

const packed = (path: string, bytes: Uint8Array<ArrayBuffer>, content: string) => ({
  path,
  content,
  sha256: sha256Hex(bytes),
  size: bytes.byteLength,
});

Deno.test("explainUpload() names the file of an interrupted upload, and a changed file", async () => {
  const file = await Deno.makeTempFile();
  try {
    const bytes = new TextEncoder().encode("as it was packed");
    await Deno.writeFile(file, bytes);
    const film = packed("/film.bin", bytes, file);
    const { sha256, size } = film;
    const gone = new UnreachableError("http://svc.test", { cause: new TypeError("reset") });
    const cut = new CutUploadError({ blobs: [sha256], sent: 4, size }, gone);
    const told = await explainUpload(ctx, cut, [film]) as Error;
    assert.equal(
      told.message,
      "Cannot reach the platform at http://svc.test: the upload of film.bin was interrupted " +
        "(after 4 B of 16 B)",
    );
    await Deno.writeTextFile(file, "something new!!!");
    const refused = new ApiError("No", { status: 400, code: "blob_mismatch" });
    const changed = await explainUpload(ctx, refused, [film]) as Error;
    assert.equal(changed.message, "Changed during the deploy: film.bin");
    await Deno.remove(file);
    const missing = await explainUpload(ctx, refused, [film]) as Error;
    assert.equal(missing.message, "Changed during the deploy: film.bin");
  } finally {
    await Deno.remove(file).catch(() => {});
  }
});
