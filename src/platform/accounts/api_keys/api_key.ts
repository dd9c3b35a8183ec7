/**
 * API keys: `svc_` and 43 characters of base64url (256 random bits). Only the SHA-256 of a key is
 * stored. With that much entropy, a slow hash would add no protection.
 *
 * @module
 */
import { Buffer } from "node:buffer";
import * as z from "zod";
import { PERMISSION_NAMES } from "../../../contract/permissions.ts";
import { ROLES } from "../../../contract/identity.ts";
import { sha256Hex } from "../../../lib/hash.ts";
import type { Random } from "../../../lib/clock.ts";
import { keys, RecordType } from "../../core/store/mod.ts";
import { accountKeys } from "../account_keys.ts";

const apiKeyRecord = z.object({
  id: z.string(),
  workspaceId: z.string(),
  userId: z.string(),
  name: z.string(),
  hash: z.string(),
  prefix: z.string(),
  /** The key's maximum role, which the role of the key's creator can limit further. */
  role: z.enum(ROLES).default("owner"),
  /** The key's permissions. Older keys lack this field, and can do everything. */
  permissions: z.array(z.enum(PERMISSION_NAMES)).default(["everything"]),
  /** IDs of the projects that the key can access; null for all projects in the workspace. */
  projects: z.array(z.string()).nullable().default(null),
  description: z.string().default(""),
  expiresAt: z.number().nullable().default(null),
  createdAt: z.number(),
  /** The trusted publishers that the key was issued to; empty for keys created by people. */
  publisherIds: z.array(z.string()).default([]),
});
export type ApiKeyRecord = z.infer<typeof apiKeyRecord>;

export const apiKeys = new RecordType({
  root: keys.allApiKeys(),
  schema: apiKeyRecord,
  parts: ({ id }) => [id],
  indices: {
    hash: { entries: ({ hash }) => [keys.apiKeyByHash(hash)], holds: "id" },
    workspace: {
      entries: ({ workspaceId, id }) => [accountKeys.workspaceApiKey(workspaceId, id)],
      holds: "copy",
    },
  },
});

/** Number of characters of a key that can be shown: the scheme and 24 bits. */
const PREFIX_LENGTH = 8;

/** Minimum length of a token that `SVC_BOOTSTRAP_TOKEN` can set, in characters. */
export const MIN_TOKEN_LENGTH = 20;

/** Generates a new key, which is shown to its owner once and never stored. */
export function mintApiKey(random: Random): string {
  return `svc_${Buffer.from(random(32)).toString("base64url")}`;
}

export function hashApiKey(key: string): string {
  return sha256Hex(`svc api key\n${key}`);
}

export function apiKeyPrefix(key: string): string {
  return key.slice(0, PREFIX_LENGTH);
}
