/**
 * The feed by which an edge learns what changed: numbered messages, so that a gap
 * is noticed and mended by a snapshot. It knows no transport.
 *
 * @module
 */
export type {
  AccessState,
  Change,
  DomainBinding,
  DomainRoute,
  FeedMessage,
  HostBinding,
  PastDeployment,
  PurgeScope,
  ResourceUri,
  RollingBinding,
  Snapshot,
} from "./messages.ts";
export { Publisher, type Subscribed } from "./publisher.ts";
export { Subscriber } from "./subscriber.ts";
