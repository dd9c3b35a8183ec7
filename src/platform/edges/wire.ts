/**
 * The messages between the platform and its front edges. The messages carry no variables, records
 * or databases.
 *
 * @module
 */
import * as z from "zod";
import { PROTECTIONS } from "../../lib/protection.ts";
import { sha256 } from "../../contract/deployment_files.ts";
import { ruleHit } from "../../contract/logs.ts";
import type { FeedMessage } from "../../feed/mod.ts";
import type { Manifest } from "../../manifest/mod.ts";
import type { RuntimeRuleSet } from "../../rules/mod.ts";
import { LAYERS } from "../../traffic/mod.ts";

/** Prefix of the paths for front edges. The number changes whenever the message format changes. */
export const EDGE_PATHS = "/_svc/edges/1/";

export const isEdgePath = (path: string): boolean => path.startsWith(EDGE_PATHS);

/** Interval between the feed's heartbeats, in milliseconds. */
export const ALIVE_MS = 1000;

/**
 * Maximum number of requests in a batch, and maximum number of characters in each field of a
 * request.
 */
export const MAX_BATCH = 1000;
export const MAX_FIELD = 2048;

/** Accepts any object, because a platform sends only validated data. */
const ofPlatform = <T>() =>
  z.custom<T>((value) => typeof value === "object" && value !== null && !Array.isArray(value));

const message = ofPlatform<FeedMessage>();
const place = z.int().min(0);

/** A message from the platform to an edge. Each message is a line of JSON. */
export const feedLine = z.discriminatedUnion("type", [
  z.object({
    type: z.literal("hello"),
    edge: z.string(),
    session: z.string(),
    secret: z.base64(),
    /** The platform's time, in milliseconds since the Unix epoch. */
    time: z.int(),
    /** Whether the platform may redirect visitors from HTTP to HTTPS. */
    redirectsToHttps: z.boolean(),
  }),
  z.object({ type: z.literal("snapshot"), place, messages: z.array(message) }),
  z.object({ type: z.literal("change"), place, message }),
  z.object({
    type: z.literal("alive"),
    /**
     * The time, as in `hello`. It is repeated, because a clock can be changed at any time. Missing
     * in messages from older platforms.
     */
    time: z.int().optional(),
    /** Whether clients should use other edges. */
    isDrained: z.boolean().optional(),
  }),
]);
export type FeedLine = z.infer<typeof feedLine>;

/** Confirms that every change up to a position has been applied. */
export const appliedBody = z.object({ session: z.string().max(64), place }).strict();

/** A request that an edge handled itself, for logs and statistics. */
export const servedRequest = z.object({
  time: z.number().min(0).max(8.64e15),
  deploymentId: z.uuid(),
  projectId: z.uuid(),
  requestId: z.string().regex(/^[\w-]{1,64}$/),
  method: z.string().max(64),
  host: z.string().regex(/^[\w.:[\]-]{1,300}$/),
  path: z.string().max(8192 + 1024),
  status: z.int().min(100).max(599),
  bytes: z.int().min(0).nullable(),
  durationMs: z.number().min(0),
  ip: z.string().regex(/^[0-9A-Fa-f:.%\w]{2,64}$/),
  userAgent: z.string().max(MAX_FIELD).nullable(),
  traceparent: z.string().max(64).optional(),
  error: z.string().max(MAX_FIELD).optional(),
  rules: z.array(ruleHit).max(1000).optional(),
  /** IDs of the rules that matched. */
  matched: z.array(z.string().max(MAX_FIELD)).max(1000).optional(),
  /** Missing for requests that statistics do not count. */
  counted: z.object({
    layer: z.enum(LAYERS),
    isPage: z.boolean(),
    referrer: z.string().max(MAX_FIELD).nullable(),
    /** Missing if the edge does not know the country. */
    country: z.string().regex(/^[A-Z]{2}$/).optional(),
  }).optional(),
});
export type ServedRequest = z.infer<typeof servedRequest>;

/** Requests that an edge process served. A batch is recorded only once. */
export const servedBody = z.object({
  process: z.string().max(64),
  /** The batch's number, counted by the edge process. */
  batch: z.int().min(1),
  served: z.array(z.unknown()).max(MAX_BATCH),
  /** Round-trip time of the previous batch to the platform, in milliseconds. */
  roundTripMs: z.number().min(0).max(60_000).optional(),
}).strict();

/** A deployment as a front edge serves it. */
export const edgeSite = z.object({
  /**
   * ID that names the folder for the deployment's files. Missing in messages from older platforms.
   */
  workspaceId: z.string().optional(),
  manifest: ofPlatform<Manifest>(),
  files: z.array(z.object({ path: z.string(), sha256, size: z.int().min(0) })),
  rules: ofPlatform<RuntimeRuleSet>().nullable(),
});
export type EdgeSite = z.infer<typeof edgeSite>;

/** A deployment on a host, with the host's access settings and published rules. */
export const edgeShown = z.object({
  access: z.object({
    version: z.string(),
    protection: z.enum(PROTECTIONS),
    isDown: z.boolean(),
  }),
  published: ofPlatform<RuntimeRuleSet>().nullable(),
});
export type EdgeShown = z.infer<typeof edgeShown>;
