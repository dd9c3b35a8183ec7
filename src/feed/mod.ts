/**
 * The feed by which an edge learns what changed: numbered messages, so that a gap
 * is noticed and mended by a snapshot. It knows no transport.
 *
 * @module
 */
export type {
  DomainBinding,
  DomainRoute,
  FeedMessage,
  HostBinding,
  PastDeployment,
  PurgeScope,
  ResourceUri,
  RollingBinding,
} from "./messages.ts";
export { Publisher } from "./publisher.ts";
