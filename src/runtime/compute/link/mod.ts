/**
 * Links from edge threads to servers: the platform starts, bounds and ends them, and
 * threads send requests to their sockets.
 *
 * @module
 */
export { LinkedServer, LinkedServers, type LinkedServersOptions } from "./linked_servers.ts";
export {
  type Explained,
  type LinkedFailure,
  type LinkedSupervisor,
  type ServerLease,
  ServerLinks,
} from "./server_links.ts";
