/** Logs of requests, functions and servers, by project. @module */
export { AccessLogs, type LogListener } from "./access_logs.ts";
export { createLogs } from "./create_logs.ts";
export { SharedLogs } from "./shared_logs.ts";
export type { FailedRequest, LogObserver, WrittenError } from "./log_observer.ts";
