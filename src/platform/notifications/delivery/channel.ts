/**
 * The interface for channels. A channel sends messages, and the queue decides when and how many
 * times.
 *
 * @module
 */
import { type ChannelLimits, type DeliveryChannel } from "../../../contract/channels.ts";
import type { DeliveryRequest, NotificationContent } from "./types.ts";

export interface Receiver {
  /** The receiver's key in the channel: the ID of a user, subscription or webhook. */
  readonly id: string;
  /**
   * The host that receives the message. While that host is down, other messages to it also wait.
   */
  readonly host: string;
}

/** One message to one receiver, ready to be sent. */
export interface Delivery {
  /**
   * The message's ID: 64 hexadecimal digits. It is the same for every attempt, so receivers can
   * recognize repeats.
   */
  readonly id: string;
  readonly receiverId: string;
  readonly userId: string | null;
  /** The notification or, for a digest, several notifications, oldest first. */
  readonly contents: readonly NotificationContent[];
  /**
   * Number of notifications in the message. A long digest has more of them than `contents`
   * includes.
   */
  readonly total: number;
  /** Number of the attempt, starting at 1. */
  readonly attempt: number;
}

/**
 * The outcome of an attempt. Reasons are shown to people, so they must not contain secrets or stack
 * traces.
 */
export type SendOutcome =
  | { readonly type: "sent"; readonly detail: string }
  | {
    /** A later attempt may succeed. */
    readonly type: "retry";
    readonly reason: string;
    /** The pause that the receiver has requested for its whole host, in milliseconds. */
    readonly retryAfterMs?: number;
    /** Whether the failure concerns the host rather than this message. */
    readonly hostTrouble: boolean;
  }
  /** No attempt will succeed. The message is kept as a dead letter. */
  | { readonly type: "failed"; readonly reason: string }
  /** The receiver no longer exists. The message is dropped. */
  | { readonly type: "gone"; readonly reason: string };

export type ReadOnce = <T>(name: string, read: () => Promise<T>) => Promise<T>;

/** Reads each value only once for concurrent requests, and ignores later changes. */
export function readOnce(): ReadOnce {
  const known = new Map<string, Promise<unknown>>();
  return <T>(name: string, read: () => Promise<T>) => {
    const found = known.get(name) as Promise<T> | undefined;
    if (found !== undefined) return found;
    const reading = read();
    known.set(name, reading);
    return reading;
  };
}

export interface Channel {
  readonly name: DeliveryChannel;
  readonly limits: ChannelLimits;
  /** Whether less urgent messages to a person are combined into one for each category. */
  readonly digests: boolean;
  /** Returns the receivers of a request. Uses `once` for values that concurrent requests share. */
  receivers(request: DeliveryRequest, once: ReadOnce): Promise<readonly Receiver[]>;
  send(delivery: Delivery): Promise<SendOutcome>;
  /** Returns the receiver's name, as shown to the receiver's owner. */
  nameOf?(receiverId: string, userId: string): Promise<string | undefined>;
  /** Called when a message fails permanently after its last attempt. */
  onGivenUp?(delivery: Delivery, reason: string): Promise<void>;
  close?(): void;
}
