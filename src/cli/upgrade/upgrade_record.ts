/**
 * @module Versions and data formats of the current and previous program by digest, for
 * `--rollback`.
 */
import * as z from "zod";
import { writeFileAtomically } from "../../lib/atomic_file.ts";
import { sha256Stream } from "../../lib/hash.ts";
import { readTextFile } from "../../lib/utf8.ts";

const factsSchema = z.object({
  version: z.string().max(128),
  dataFormat: z.int().positive(),
});

const recordSchema = z.object({ programs: z.record(z.string(), factsSchema) });

export type ProgramFacts = z.infer<typeof factsSchema>;

/** Returns the SHA-256 of a file. */
export async function fileDigest(path: string): Promise<string> {
  return (await sha256Stream((await Deno.open(path)).readable)).sha256;
}

/**
 * Returns the recorded programs by digest. Returns an empty map if the record is missing or
 * unreadable.
 */
export async function readRecord(path: string): Promise<ReadonlyMap<string, ProgramFacts>> {
  try {
    const { programs } = recordSchema.parse(JSON.parse(await readTextFile(path)));
    return new Map(Object.entries(programs));
  } catch {
    return new Map();
  }
}

/** Records the version and data format of two programs, and removes all other records. */
export async function writeRecord(
  path: string,
  programs: readonly (readonly [sha256: string, facts: ProgramFacts])[],
): Promise<void> {
  const record = { programs: Object.fromEntries(programs) };
  await writeFileAtomically(path, `${JSON.stringify(record, null, 2)}\n`);
}
