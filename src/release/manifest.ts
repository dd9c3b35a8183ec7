/** @module A release's manifest: its programs and their sizes. */
import * as z from "zod";
import { ReleaseError } from "./release_error.ts";

export const MANIFEST_SCHEMA = "SVC_RELEASE_V1";

/** Maximum size of a program in a release, in bytes. */
const MAX_PROGRAM_BYTES = 1024 ** 3;

const VERSION = /^\d{1,6}\.\d{1,6}\.\d{1,6}(?:-[0-9A-Za-z.-]{1,64})?$/;

const content = {
  size: z.int().positive().max(MAX_PROGRAM_BYTES),
  sha256: z.string().regex(/^[0-9a-f]{64}$/),
};

const programSchema = z.object({
  /** The compiler's name for the platform, such as `x86_64-unknown-linux-gnu`. */
  target: z.string().regex(/^[a-z0-9_-]{1,64}$/),
  /** Name of the gzip-compressed file that contains the program. It is next to the manifest. */
  file: z.string().regex(/^[A-Za-z0-9][A-Za-z0-9._-]{0,127}$/),
  ...content,
  /** The program itself, unpacked. */
  program: z.object(content),
});

export const releaseSchema = z.object({
  schemaVersion: z.literal(MANIFEST_SCHEMA),
  version: z.string().regex(VERSION),
  /** Format of the data directory that the release's programs write. */
  dataFormat: z.int().positive(),
  programs: z.array(programSchema).min(1).max(64),
});

export type Release = z.infer<typeof releaseSchema>;
export type ReleaseProgram = z.infer<typeof programSchema>;

/** Returns the tag under which a version's files are stored, such as `v1.2.3`. */
export function tagOf(version: string): string {
  return `v${version}`;
}

/** Returns the version in a tag or version string, or `undefined` if it is not valid. */
export function versionOfTag(text: string): string | undefined {
  const version = text.replace(/^v/, "");
  return VERSION.test(version) ? version : undefined;
}

/**
 * Reads a manifest whose signature was verified. Ignores unknown members.
 *
 * @throws {ReleaseError} if it has a schema that this program cannot read.
 */
export function parseManifest(bytes: Uint8Array): Release {
  let value: unknown;
  try {
    value = JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes));
  } catch (cause) {
    throw new ReleaseError("Cannot read the release manifest: it is not valid JSON", { cause });
  }
  const parsed = releaseSchema.safeParse(value);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  throw new ReleaseError(
    `Cannot read the release manifest: ${issue?.path.join(".") || "it"}: ${issue?.message}`,
    { hint: "A newer release may have to be installed differently: run the install script" },
  );
}

/**
 * Returns the program for a platform.
 *
 * @throws {ReleaseError} if the release has none.
 */
export function programFor(release: Release, target: string): ReleaseProgram {
  const found = release.programs.find((program) => program.target === target);
  if (found !== undefined) return found;
  const targets = release.programs.map((program) => program.target).join(", ");
  throw new ReleaseError(
    `svc ${release.version} has no program for ${target}, only for ${targets}`,
    {
      hint: "Choose another release with --version, or build the program from source",
    },
  );
}
