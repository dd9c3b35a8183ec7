/**
 * The feed by which an edge learns what changed: numbered messages, so that a gap
 * is noticed and mended by a snapshot. It knows no transport.
 *
 * @module
 */
export type {
  Change,
  DomainBinding,
  DomainRoute,
  FeedMessage,
  HostBinding,
  PurgeScope,
  ResourceUri,
  Snapshot,
} from "./messages.ts";
export {
  Publisher,
  type PublisherOptions,
  type Subscribed,
  type Subscription,
} from "./publisher.ts";
export { Subscriber, type SubscriberOptions } from "./subscriber.ts";
