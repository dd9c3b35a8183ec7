/** A message in the queue as it is stored, and its keys. @module */
import { DELIVERY_CHANNELS, type DeliveryChannel } from "../../../contract/channels.ts";
import * as z from "zod";
import { sha256Hex } from "../../../lib/hash.ts";
import { notificationContent } from "./types.ts";
import type { RecordKey } from "../../../store/mod.ts";

export const jobRecord = z.object({
  id: z.string(),
  channel: z.enum(DELIVERY_CHANNELS),
  /** The ID under which the channel knows the receiver. */
  target: z.string(),
  host: z.string(),
  userId: z.string().nullable(),
  workspaceId: z.string().nullable(),
  /** The message's content; `null` for a digest, whose parts are stored separately. */
  content: notificationContent.nullable(),
  /** A digest accepts more notifications until its first attempt. */
  digest: z.object({ key: z.array(z.string()), open: z.boolean() }).nullable(),
  acceptedAt: z.number(),
  attempts: z.number(),
  lastReason: z.string().nullable(),
  /**
   * Whether someone asked to send the message again. If so, the message is kept even if it is not
   * wanted.
   */
  resent: z.boolean().default(false),
  /** The dead letter's ID, and when delivery was abandoned; `null` if it was not. */
  dead: z.object({ letterId: z.string(), at: z.number() }).nullable(),
});
export type Job = z.infer<typeof jobRecord>;

/** Returns a fixed-length ID for a key, valid in every store, header and topic. */
export function deliveryId(key: string, receiverId?: string): string {
  return sha256Hex(receiverId === undefined ? key : `${key}\n${receiverId}`);
}

/**
 * Returns the owner toward whose share a message counts: a person or, for webhooks, a workspace.
 */
export function ownerOf({ userId, workspaceId }: Pick<Job, "userId" | "workspaceId">): string {
  return userId ?? workspaceId ?? "";
}

type Key = RecordKey;

export const deliveryKeys = {
  /**
   * Changed by every process that accepts requests or closes a digest, so these processes notice
   * each other.
   */
  guard: (): Key => ["delivery", "guard"],
  /** Recently accepted requests. Repeating one of these has no effect. */
  seen: (id: string): Key => ["delivery", "seen", id],
  job: (id: string): Key => ["delivery", "jobs", id],
  /** A channel's jobs by the time of their next attempt. */
  allDue: (channel: string): Key => ["delivery", "due", channel],
  due: (channel: string, at: number, id: string): Key => ["delivery", "due", channel, at, id],
  /** The process that sends a message, if several nodes send messages. */
  claims: (channel: string): Key => ["delivery", "claims", channel],
  claim: (channel: string, id: string): Key => ["delivery", "claims", channel, id],
  /** The current digest and its parts. */
  openDigest: (key: readonly string[]): Key => ["delivery", "open_digest", ...key],
  parts: (jobId: string): Key => ["delivery", "parts", jobId],
  part: (jobId: string, contentId: string): Key => ["delivery", "parts", jobId, contentId],
  /** Sent digests whose parts have yet to be removed. */
  leftovers: (): Key => ["delivery", "leftovers"],
  leftover: (jobId: string): Key => ["delivery", "leftovers", jobId],
  /** The dead letters of one person or workspace. Each entry names its job. */
  letters: (owner: LetterOwner): Key => ["delivery", "letters", owner.type, owner.id],
  letter: (owner: LetterOwner, letterId: string): Key => [
    "delivery",
    "letters",
    owner.type,
    owner.id,
    letterId,
  ],
} as const;

/** Returns the channels whose due messages or claims are among the changed keys. */
export function channelsIn(changed: readonly RecordKey[]): DeliveryChannel[] {
  const due = changed.filter(([room, list]) =>
    room === "delivery" && (list === "due" || list === "claims")
  );
  return DELIVERY_CHANNELS.filter((name) => due.some((key) => key[2] === name));
}

/** The owner of a list of dead letters. */
interface LetterOwner {
  readonly type: "user" | "workspace";
  readonly id: string;
}

/** Which letters in a list to show: all of them, or those about one workspace. */
export interface LetterView extends LetterOwner {
  readonly workspaceId: string | null;
}

/** Returns the owners of the lists that contain a job's dead letter. */
export function letterOwners(job: Pick<Job, "userId" | "workspaceId">): LetterOwner[] {
  return [
    ...(job.userId === null ? [] : [{ type: "user" as const, id: job.userId }]),
    ...(job.workspaceId === null ? [] : [{ type: "workspace" as const, id: job.workspaceId }]),
  ];
}
