/**
 * Records of the credentials other than API keys, which are browser sessions and
 * the access tokens of tools, and how long they last.
 *
 * @module
 */
import * as z from "zod";

const DAY_MS = 24 * 60 * 60 * 1000;

/** A session that is not used for a week ends. */
export const SESSION_IDLE_MS = 7 * DAY_MS;
/** A session ends after 30 days, however much it is used. */
export const SESSION_MAX_MS = 30 * DAY_MS;
/** A tool's token that is not used for 90 days ends. */
export const ACCESS_TOKEN_IDLE_MS = 90 * DAY_MS;

export const sessionRecord = z.object({
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

export const accessTokenRecord = z.object({
  id: z.string(),
  userId: z.string(),
  workspaceId: z.string(),
  hash: z.string(),
  prefix: z.string(),
  /** What the tool calls itself. */
  name: z.string(),
  address: z.string(),
  createdAt: z.number(),
  /** The most that it may do, where that is less than its owner. */
  role: z.literal("viewer").optional(),
  /** When it ends; missing where only lack of use ends it. */
  expiresAt: z.number().optional(),
  /** What renews it, where something does. */
  refresh: z.object({
    hash: z.string(),
    /** The one before: whoever sends it again is not alone in having it. */
    previous: z.string().nullable(),
    clientHash: z.string(),
    expiresAt: z.number(),
  }).optional(),
});
export type AccessTokenRecord = z.infer<typeof accessTokenRecord>;

export const lastUse = z.object({
  at: z.number(),
  address: z.string(),
  country: z.string().nullable(),
});
export type LastUse = z.infer<typeof lastUse>;
