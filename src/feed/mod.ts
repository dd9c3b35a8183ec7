/**
 * @module The feed that sends changes to an edge. The messages are numbered, so a gap is detected
 * and repaired with a snapshot. The feed does not depend on a transport.
 */
export type {
  AccessState,
  DomainBinding,
  DomainRoute,
  FeedMessage,
  HostBinding,
  PastDeployment,
  PurgeScope,
  ResourceUri,
  RollingBinding,
} from "./messages.ts";
export { Publisher, type Subscribed } from "./publisher.ts";
export { Subscriber } from "./subscriber.ts";
