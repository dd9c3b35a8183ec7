/** svc's own DNS server. @module */
export { createDns } from "./create_dns.ts";
export { DnsListenError } from "./listen.ts";
