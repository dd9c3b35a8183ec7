/**
 * A pending device authorization (RFC 8628), and the outcomes of a poll.
 *
 * @module
 */
import * as z from "zod";

const base = z.object({
  /** Hash of the device code; the code itself is not stored. */
  deviceHash: z.string(),
  /** Hash of the user code. */
  userHash: z.string(),
  /**
   * The `client_id` that the codes are for; null if the CLI sent none, so polls need none either.
   */
  clientId: z.string().nullable().default(null),
  /** The name of the program (`client_id`, or else its `User-Agent`). */
  tool: z.string(),
  /** The IP address of the CLI's request. */
  address: z.string(),
  country: z.string().nullable(),
  /** The requested scope. */
  scope: z.enum(["read", "write"]).default("write"),
  createdAt: z.number(),
  expiresAt: z.number(),
});

export const deviceGrant = z.discriminatedUnion("state", [
  base.extend({ state: z.literal("pending") }),
  base.extend({
    state: z.literal("approved"),
    userId: z.string(),
    workspaceId: z.string(),
    /** The CLI has to fetch its token before this time. */
    fetchBefore: z.number(),
  }),
  base.extend({ state: z.literal("denied") }),
  /** The CLI has fetched its token. */
  base.extend({ state: z.literal("used") }),
]);
export type DeviceGrant = z.infer<typeof deviceGrant>;

/**
 * The state of a grant for its client. On `token`, the caller creates a token in the commit that
 * marks the grant as used.
 */
export type GrantOutcome =
  | { readonly type: "pending" }
  | { readonly type: "denied" }
  | { readonly type: "expired" }
  | { readonly type: "unknown" }
  | {
    readonly type: "token";
    readonly userId: string;
    readonly workspaceId: string;
    readonly scope: "read" | "write";
  };

/** The outcome of a poll. */
export type PollOutcome = GrantOutcome | { readonly type: "slow_down" };

/** The request as the deciding person sees it. */
export interface DeviceRequest {
  /** In the form for people: `WDJB-MJHT`. */
  readonly userCode: string;
  /** The name that the CLI gives itself; nobody has verified it. */
  readonly tool: string;
  readonly address: string;
  /** ISO 3166-1 alpha-2. */
  readonly country: string | null;
  readonly scope: "read" | "write";
  /** ISO 8601. */
  readonly createdAt: string;
  readonly expiresAt: string;
}
