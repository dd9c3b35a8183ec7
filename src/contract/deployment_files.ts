/** The files of a deployment, as the API lists them. @module */
import * as z from "zod";

/** Maximum number of files per deployment. */
export const MAX_FILES = 100_000;
/** Maximum size of a single file, in bytes (1 GiB). */
export const MAX_FILE_BYTES = 1024 * 1024 * 1024;
/** Maximum total size of the files in a deployment, in bytes (100 GiB). */
export const MAX_DEPLOYED_BYTES = 100 * 1024 ** 3;
export const sha256 = z.string().regex(/^[0-9a-f]{64}$/, "Must be a SHA-256 in hexadecimal").meta({
  example: "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
});

/** Maximum length of a file or folder name in UTF-8 bytes, which is the limit of file systems. */
const MAX_NAME_BYTES = 255;

const nameFits = (name: string) =>
  name.length <= MAX_NAME_BYTES && new TextEncoder().encode(name).byteLength <= MAX_NAME_BYTES;

/** A path below the output directory: relative, with `/`, without `.` or `..` segments. */
export const filePath = z.string().min(1).max(1024).refine(
  (path) =>
    // deno-lint-ignore no-control-regex -- a path must not contain control characters
    !/[\\\x00-\x1f\x7f]/.test(path) &&
    path.split("/").every((part) => part !== "" && part !== "." && part !== ".."),
  "Must be a relative path without empty, . or .. segments",
).refine((path) => path.isWellFormed(), "Must be well-formed Unicode").refine(
  (path) => path.split("/").every(nameFits),
  `Must have path segments of at most ${MAX_NAME_BYTES} bytes`,
);

export const deploymentFile = z.object({
  path: filePath.meta({
    description: "Path below the output directory",
    example: "menu/index.html",
  }),
  sha256: sha256.meta({
    description: "SHA-256 of the file, in hexadecimal",
    example: "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
  }),
  size: z.int().min(0).max(MAX_FILE_BYTES).meta({ description: "Size in bytes", example: 13044 }),
}).meta({ id: "DeploymentFile" });
export type DeploymentFile = z.infer<typeof deploymentFile>;
