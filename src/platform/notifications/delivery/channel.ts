/**
 * The interface of an outgoing channel. It knows how to reach its receivers; the queue decides
 * when, how often and how many at once.
 *
 * @module
 */
import { type ChannelLimits, type DeliveryChannel } from "../../../contract/channels.ts";
import type { DeliveryRequest, NotificationContent } from "./types.ts";

/** One receiver of a request. */
export interface Receiver {
  /** By which the channel finds the receiver: the id of a user, subscription or webhook. */
  readonly id: string;
  /** The machine that receives it: while it is down, its other messages wait too. */
  readonly host: string;
}

/** One message to one receiver, ready to be sent. */
export interface Delivery {
  /** 64 hexadecimal digits, the same for every attempt, so that receivers recognize repeats. */
  readonly id: string;
  readonly receiverId: string;
  readonly userId: string | null;
  /** The notification; several for a digest, oldest first. */
  readonly contents: readonly NotificationContent[];
  /** How many notifications it stands for: more than `contents` in a long digest. */
  readonly total: number;
  /** From 1. */
  readonly attempt: number;
}

/** The outcome of an attempt. Reasons are shown to people: no secrets, no stack traces. */
export type SendOutcome =
  | { readonly type: "sent"; readonly detail: string }
  | {
    /** A later attempt may succeed. */
    readonly type: "retry";
    readonly reason: string;
    /** The pause that the receiver asked for, in milliseconds, for its whole host. */
    readonly retryAfterMs?: number;
    /** True if it says something about the host rather than about this message. */
    readonly hostTrouble: boolean;
  }
  /** No attempt will succeed: kept as a dead letter. */
  | { readonly type: "failed"; readonly reason: string }
  /** The receiver no longer exists: nothing is kept. */
  | { readonly type: "gone"; readonly reason: string };

/** Reads something that is needed several times, by its name. */
export type ReadOnce = <T>(name: string, read: () => Promise<T>) => Promise<T>;

/** Reads everything once, for requests at one time: later changes go unnoticed. */
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
  /** True if less urgent messages of a category to a person are joined into one. */
  readonly digests: boolean;
  /**
   * Receivers of a request; none if nobody can get it. What other requests
   * of the same moment need too, such as a person's browsers, is read `once`.
   */
  receivers(request: DeliveryRequest, once: ReadOnce): Promise<readonly Receiver[]>;
  send(delivery: Delivery): Promise<SendOutcome>;
  /** The name of a receiver of a person, as people know it. */
  nameOf?(receiverId: string, userId: string): Promise<string | undefined>;
  /** Called when a message is given up after its last attempt. */
  onGivenUp?(delivery: Delivery, reason: string): Promise<void>;
  close?(): void;
}
