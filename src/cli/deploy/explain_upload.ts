/** @module Explains a failed upload by naming the files involved. */
import type { PackedFile } from "../../build/mod.ts";
import { ApiError, CutUploadError } from "../../client/errors.ts";
import { CliError } from "../errors/cli_error.ts";
import type { Context } from "../session/context.ts";
import { formatBytes, formatCount, printableName } from "../terminal/format.ts";
import { sha256Hex } from "../../lib/hash.ts";

/** Maximum number of files to name in an error. */
const MAX_NAMED = 5;
/** Maximum size in bytes of a file that is hashed again to detect a change. */
const MAX_HASHED = 256 * 1024 * 1024;

function namesOf(files: readonly PackedFile[]): string {
  const names = files.slice(0, MAX_NAMED).map(({ path }) => printableName(path.replace(/^\//, "")));
  const more = files.length - names.length;
  return more === 0 ? names.join(", ") : `${names.join(", ")} and ${more} more`;
}

/** Returns true if a file on disk has changed since it was packed, or is missing. */
async function hasChanged({ content, sha256, size }: PackedFile): Promise<boolean> {
  if (typeof content !== "string") return false;
  try {
    const found = await Deno.stat(content);
    if (found.size !== size || found.size > MAX_HASHED) return found.size !== size;
    return await sha256Hex(await Deno.readFile(content)) !== sha256;
  } catch {
    return true;
  }
}

/**
 * Returns an error that names the files in `sent` that changed during the deploy, or whose upload
 * was interrupted. Returns other errors unchanged.
 */
export async function explainUpload(
  ctx: Context,
  error: unknown,
  sent: readonly PackedFile[],
): Promise<unknown> {
  const isMismatch = error instanceof ApiError && error.code === "blob_mismatch";
  const isGone = error instanceof Deno.errors.NotFound;
  if (isMismatch || isGone || error instanceof CutUploadError) {
    const changed: PackedFile[] = [];
    for (const file of sent) if (await hasChanged(file)) changed.push(file);
    if (changed.length > 0) {
      return new CliError("file_unusable", `Changed during the deploy: ${namesOf(changed)}`, {
        hint: "Deploy again when no other program is writing to the output folder",
        next: [ctx.lines.again()],
        cause: error,
      });
    }
  }
  if (!(error instanceof CutUploadError)) return error;
  const { blobs, sent: bytes, size } = error.upload;
  const cut = sent.filter(({ sha256 }) => blobs.includes(sha256));
  const what = cut.length > 1 ? formatCount(cut.length, "file") : namesOf(cut);
  const how = bytes > 0 ? `after ${formatBytes(bytes)} of ${formatBytes(size)}` : formatBytes(size);
  const message = `${error.message}: the upload of ${
    what || "a function"
  } was interrupted (${how})`;
  return new CliError("unreachable", message, {
    hint: "Uploaded files are kept for a day. The next deployment resumes from there",
    next: [ctx.lines.again()],
    cause: error,
  });
}
