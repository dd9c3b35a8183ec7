/**
 * Traffic of projects: requests, visitors, pages and times, counted at the edge and
 * kept by minute, hour and day.
 *
 * @module
 */
export { createTraffic, type Traffic } from "./create_traffic.ts";
