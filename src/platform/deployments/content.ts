/**
 * A deployment's content: its manifest, its lists of files and functions, and its rules. The
 * content can be larger than a KV value, so it is stored as a blob. The record contains the blob's
 * hash.
 *
 * @module
 */
import { createHash } from "node:crypto";
import * as z from "zod";
import { type deploymentFile, sha256 } from "../../contract/deployment_files.ts";
import type { deploymentFunction } from "../../contract/deployments.ts";
import { jsonParts } from "../../lib/json_steps.ts";
import { createPause, inSteps, inTurns, type Steps } from "../../lib/next_turn.ts";
import { parseJson } from "../../lib/parse_json.ts";
import type { Manifest } from "../../manifest/mod.ts";
import type { RuntimeRuleSet } from "../../rules/mod.ts";
import { validateBody } from "../core/http/mod.ts";
import type { BlobStore } from "../core/store/mod.ts";
import type { WantedBlob } from "./missing_blobs.ts";
import { RecentContents } from "./recent_contents.ts";

const MAX_DEPTH = 66;

const name = z.string();
const blob = { sha256, size: z.int().min(0) };

/**
 * Validates only the shape, because the content was validated when it was stored, and its hash is
 * checked.
 */
const contentSchema = z.object({
  manifest: z.custom<Manifest>((value) => typeof value === "object" && value !== null),
  files: z.array(z.object({ path: name, ...blob })),
  functions: z.array(z.object({ name, ...blob })),
  rules: z.custom<RuntimeRuleSet>((value) => typeof value === "object" && value !== null)
    .nullable(),
});

export interface DeploymentContent {
  readonly manifest: Manifest;
  readonly files: readonly z.infer<typeof deploymentFile>[];
  /** Functions as received. They cannot run until they are sealed. */
  readonly functions: readonly z.infer<typeof deploymentFunction>[];
  readonly rules: RuntimeRuleSet | null;
}

const recent = new RecentContents<DeploymentContent>();

function* encodeContent(content: DeploymentContent): Steps<Uint8Array<ArrayBuffer>[]> {
  const encoder = new TextEncoder();
  return (yield* jsonParts(content)).map((part) => encoder.encode(part));
}

export async function writeContent(blobs: BlobStore, content: DeploymentContent): Promise<string> {
  const parts = await inTurns(encodeContent(content));
  const hash = createHash("sha256");
  let maxBytes = 0;
  await inTurns(inSteps(parts, (part) => {
    hash.update(part);
    maxBytes += part.byteLength;
  }));
  const sha256 = hash.digest("hex");
  await blobs.putStream(sha256, ReadableStream.from(parts), { maxBytes });
  recent.set(sha256, content);
  return sha256;
}

export async function loadContent(
  blobs: Pick<BlobStore, "read">,
  sha256: string,
): Promise<DeploymentContent> {
  const bytes = await blobs.read(sha256);
  const parsed = await parseJson(bytes, {
    maxDepth: MAX_DEPTH,
    maxMembers: Infinity,
    pause: createPause(),
  });
  const result = await validateBody(contentSchema, parsed);
  if (result.ok) return result.data as DeploymentContent;
  const { path, message } = result.problems[0]!;
  throw new TypeError(`Cannot read the content ${sha256} of a deployment: ${path}: ${message}`);
}

/**
 * Like {@link loadContent}, but reuses content in memory if it was used recently and its blob still
 * exists.
 */
export async function readContent(blobs: BlobStore, sha256: string): Promise<DeploymentContent> {
  const known = recent.get(sha256);
  if (known !== undefined && await blobs.verify(sha256) !== undefined) return known;
  recent.delete(sha256);
  const content = await loadContent(blobs, sha256);
  recent.set(sha256, content);
  return content;
}

export function blobsOf(
  content: Pick<DeploymentContent, "files" | "functions">,
): readonly WantedBlob[] {
  return content.functions.length === 0 ? content.files : [...content.files, ...content.functions];
}
