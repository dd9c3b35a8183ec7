/** Records and lifetimes of browser sessions and CLI access tokens. @module */
import * as z from "zod";
import { RecordType } from "../../core/store/mod.ts";
import { accountKeys } from "../account_keys.ts";

const DAY_MS = 24 * 60 * 60 * 1000;

export const SESSION_IDLE_MS = 7 * DAY_MS;
export const SESSION_MAX_MS = 30 * DAY_MS;
export const ACCESS_TOKEN_IDLE_MS = 90 * DAY_MS;

const sessionRecord = z.object({
  id: z.string(),
  userId: z.string(),
  hash: z.string(),
  /** Browser and operating system. */
  name: z.string(),
  address: z.string(),
  country: z.string().nullable(),
  createdAt: z.number(),
});
export type SessionRecord = z.infer<typeof sessionRecord>;

const accessTokenRecord = z.object({
  id: z.string(),
  userId: z.string(),
  workspaceId: z.string(),
  hash: z.string(),
  prefix: z.string(),
  /** The name that the program has given itself. */
  name: z.string(),
  address: z.string(),
  createdAt: z.number(),
  /** The token's maximum role, if lower than its owner's role. */
  role: z.literal("viewer").optional(),
  expiresAt: z.number().optional(),
  /** The token's refresh token, if it has one. */
  refresh: z.object({
    hash: z.string(),
    /** Hash of the previous token. If that token is used again, someone else has it. */
    previous: z.string().nullable(),
    clientHash: z.string(),
    expiresAt: z.number(),
  }).optional(),
});
export type AccessTokenRecord = z.infer<typeof accessTokenRecord>;

export const sessions = new RecordType({
  root: accountKeys.allSessions(),
  schema: sessionRecord,
  parts: ({ userId, id }) => [userId, id],
  indices: {
    hash: { entries: ({ hash }) => [accountKeys.sessionByHash(hash)], holds: ["userId", "id"] },
  },
  expireIn: SESSION_MAX_MS,
});

export const accessTokens = new RecordType({
  root: accountKeys.allAccessTokens(),
  schema: accessTokenRecord,
  parts: ({ userId, id }) => [userId, id],
  indices: {
    hash: { entries: ({ hash }) => [accountKeys.accessTokenByHash(hash)], holds: ["userId", "id"] },
    refresh: {
      entries: ({ refresh }) =>
        [refresh?.hash, refresh?.previous].filter((hash) => hash !== undefined && hash !== null)
          .map((hash) => accountKeys.refreshByHash(hash)),
      holds: ["userId", "id"],
    },
  },
});

export const lastUse = z.object({
  at: z.number(),
  address: z.string(),
  country: z.string().nullable(),
});
export type LastUse = z.infer<typeof lastUse>;
