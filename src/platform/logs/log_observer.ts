/** Observers of logged failures. @module */
import type { AccessRecord } from "../../edge/mod.ts";
import type { FunctionRecord, ServerRecord } from "./log_lines.ts";

/** The lowest response status that counts as a failure of the site. */
const FAILED = 500;

/** An error that a function or server has written. */
export interface WrittenError {
  /** Milliseconds since the epoch. */
  readonly time: number;
  readonly projectId: string;
  readonly deploymentId: string;
  readonly requestId?: string | undefined;
  /** Name of the function, or of the server's layer. */
  readonly source: string;
  readonly message: string;
  readonly stack?: string | undefined;
}

/** A request that got a status of 500 or above. */
export type FailedRequest = Pick<
  AccessRecord,
  | "time"
  | "projectId"
  | "deploymentId"
  | "requestId"
  | "method"
  | "path"
  | "status"
  | "error"
  | "durationMs"
>;

/** Observes logged failures. Methods must not wait or throw. */
export interface LogObserver {
  functionFailed(error: WrittenError): void;
  serverWrote(error: WrittenError): void;
  requestFailed(request: FailedRequest): void;
}

/** Passes on a record if it is a failure. */
export function observeRecord(
  observer: LogObserver,
  record: AccessRecord | FunctionRecord | ServerRecord,
): void {
  if ("method" in record) {
    // A refusal by a rule is not a failure of the site.
    const isRefused = record.rules?.some(({ outcome }) =>
      outcome === "denied" || outcome === "limited"
    );
    if (record.status >= FAILED && isRefused !== true) observer.requestFailed(record);
  } else if (record.level === "error") {
    if ("function" in record) observer.functionFailed({ ...record, source: record.function });
    else observer.serverWrote({ ...record, source: record.layer });
  }
}
