/**
 * The content of a deployment: manifest, file and function lists, rules. It can be larger
 * than a KV value, so it is a blob that the record names by its hash.
 *
 * @module
 */
import { z } from "zod";
import { deploymentFile, deploymentFunction } from "../../contract/mod.ts";
import { sha256Hex } from "../../lib/hash.ts";
import type { Manifest } from "../../manifest/mod.ts";
import type { RuntimeRuleSet } from "../../rules/mod.ts";
import type { BlobStore } from "../store/blob_store.ts";

/** What was validated once, when it was stored, and whose hash is checked on reading. */
const contentSchema = z.object({
  manifest: z.custom<Manifest>((value) => typeof value === "object" && value !== null),
  files: z.array(deploymentFile),
  functions: z.array(deploymentFunction),
  rules: z.custom<RuntimeRuleSet>((value) => typeof value === "object" && value !== null)
    .nullable(),
});

export interface DeploymentContent {
  readonly manifest: Manifest;
  readonly files: z.infer<typeof deploymentFile>[];
  /** As they were received; they run only sealed. */
  readonly functions: z.infer<typeof deploymentFunction>[];
  readonly rules: RuntimeRuleSet | null;
}

/** Stores a content and returns the hash that names it. */
export async function writeContent(blobs: BlobStore, content: DeploymentContent): Promise<string> {
  const bytes = new TextEncoder().encode(JSON.stringify(content));
  const sha256 = sha256Hex(bytes);
  await blobs.put(sha256, bytes);
  return sha256;
}

/** Reads a content back; throws where the blob is missing or damaged. */
export async function readContent(blobs: BlobStore, sha256: string): Promise<DeploymentContent> {
  const bytes = await blobs.read(sha256);
  return contentSchema.parse(JSON.parse(new TextDecoder().decode(bytes)));
}

/** The hashes of all blobs that a content needs. */
export function blobsOf(content: Pick<DeploymentContent, "files" | "functions">): string[] {
  return [...content.files, ...content.functions].map(({ sha256 }) => sha256);
}
