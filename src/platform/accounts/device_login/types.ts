/** A pending device authorization (RFC 8628), and the outcomes of a poll. @module */
import * as z from "zod";

const base = z.object({
  /** Hash of the device code. The code itself is not stored. */
  deviceHash: z.string(),
  userHash: z.string(),
  /** The `client_id` that polls must contain; null if the CLI sent none. */
  clientId: z.string().nullable().default(null),
  /** The program's name: its `client_id`, or its `User-Agent` if there is none. */
  tool: z.string(),
  address: z.string(),
  country: z.string().nullable(),
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
    /** The CLI must fetch its token before this time. */
    fetchBefore: z.number(),
  }),
  base.extend({ state: z.literal("denied") }),
  base.extend({ state: z.literal("used") }),
]);
export type DeviceGrant = z.infer<typeof deviceGrant>;

/** On `token`, the caller must create a token in the commit that marks the grant as used. */
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

export type PollOutcome = GrantOutcome | { readonly type: "slow_down" };

/** The request, as shown to the person who approves or denies it. */
export interface DeviceRequest {
  /** Formatted for display: `WDJB-MJHT`. */
  readonly userCode: string;
  /** The CLI's own name, which is not verified. */
  readonly tool: string;
  readonly address: string;
  /** ISO 3166-1 alpha-2. */
  readonly country: string | null;
  readonly scope: "read" | "write";
  /** ISO 8601. */
  readonly createdAt: string;
  readonly expiresAt: string;
}
