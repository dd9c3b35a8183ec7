/**
 * What a way out of the platform has to do. A channel knows how to reach its
 * receivers; when, how often and how many at once is the queue's affair.
 *
 * @module
 */
import type { DeliveryRequest, NotificationContent, OutwardChannel } from "./types.ts";

/** One receiver of a request. */
export interface Receiver {
  /** What the channel finds the receiver by: a user, a subscription, a webhook. */
  readonly id: string;
  /** The machine that takes it: while that one is down, its other messages wait too. */
  readonly host: string;
}

/** One message to one receiver, as it is to be sent now. */
export interface Delivery {
  /** 64 hexadecimal digits, the same at every attempt: receivers know a repeat by it. */
  readonly id: string;
  readonly receiverId: string;
  readonly userId: string | null;
  /** The notification; several for a digest, oldest first. */
  readonly contents: readonly NotificationContent[];
  /** Notifications that it stands for: more than `contents` where a digest is long. */
  readonly total: number;
  /** From 1. */
  readonly attempt: number;
}

/** What came of an attempt. Reasons are shown to people: no secrets, no stack traces. */
export type SendOutcome =
  | { readonly type: "sent"; readonly detail: string }
  | {
    /** It may go well later. */
    readonly type: "retry";
    readonly reason: string;
    /** What the receiver asked for, in milliseconds; it holds for the whole host. */
    readonly retryAfterMs?: number;
    /** True where it says something about the host rather than about this message. */
    readonly hostTrouble: boolean;
  }
  /** It never will: kept as a dead letter. */
  | { readonly type: "failed"; readonly reason: string }
  /** There is nobody any more whom it is for: nothing is kept. */
  | { readonly type: "gone"; readonly reason: string };

/** How often and how long a channel is tried. Times in milliseconds. */
export interface ChannelLimits {
  readonly maxAttempts: number;
  /** Oldest that a message may become before it is given up. */
  readonly maxAgeMs: number;
  /** Upper bound of the first pause; each further one is `factor` times as long. */
  readonly firstPauseMs: number;
  readonly factor: number;
  readonly longestPauseMs: number;
  /** Messages under way at once. */
  readonly concurrency: number;
  /** The same, to one host. */
  readonly perHost: number;
  /**
   * The same, of one person or workspace while others wait. Beyond it, nobody
   * takes the last so many. Missing where receivers are the platform's choice.
   */
  readonly perOwner?: number;
}

export interface Channel {
  readonly name: OutwardChannel;
  readonly limits: ChannelLimits;
  /** True where less urgent messages of one category to one person become one. */
  readonly digests: boolean;
  /** Receivers of a request; none where nobody can get it. */
  receivers(request: DeliveryRequest): Promise<readonly Receiver[]>;
  send(delivery: Delivery): Promise<SendOutcome>;
  /** Told when a message is given up after its last attempt. */
  onGivenUp?(delivery: Delivery, reason: string): Promise<void>;
  close?(): void;
}
