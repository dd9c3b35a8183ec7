/** Collects failures in functions and servers, to be analyzed and written later. @module */
import type { FailedRequest, LogObserver, WrittenError } from "../logs/mod.ts";
import { describeException, type ErrorKind, withoutVarying } from "./describe_exception.ts";
import { type ErrorGroup, type ErrorSample, mergeGroups, seenOnce } from "./error_group.ts";
import { ExceptionLines } from "./exception_lines.ts";

/**
 * Maximum number of different failures that can wait, and of failed requests that can wait. Any
 * more are counted and dropped.
 */
const MAX_WAITING = 2000;
/** Maximum length of a failure's text, in characters. */
const MAX_TEXT = 8000;
/** Maximum length of an occurrence's path and message, in characters. */
const MAX_PATH = 500;
const MAX_MESSAGE = 500;
/**
 * How long a failed request waits for its exception, in milliseconds. The exception is often logged
 * later than the request.
 */
const REQUEST_GRACE_MS = 1000;
/** Maximum number of remembered requests that failed because of a known exception. */
const MAX_EXPLAINED = 2000;

interface Waiting {
  readonly projectId: string;
  readonly kind: ErrorKind;
  readonly source: string;
  readonly message: string;
  readonly stack: string | undefined;
  readonly deploymentId: string;
  /** Times and requests of the latest occurrences, at most five. */
  latest: { readonly time: number; readonly requestId: string | null }[];
  count: number;
  firstSeen: number;
}

interface ProjectErrors {
  readonly projectId: string;
  readonly groups: readonly ErrorGroup[];
}

const LATEST = 5;

export class ErrorTable implements LogObserver {
  readonly #waiting = new Map<string, Waiting>();
  /** Failed requests by their ID. */
  #requests = new Map<string, FailedRequest>();
  /** Requests whose exceptions were passed on earlier. */
  readonly #explained = new Set<string>();
  readonly #lines = new Map<string, ExceptionLines>();
  #dropped = 0;

  /** Records an error that a function logged or failed with. */
  readonly functionFailed = (error: WrittenError): void => {
    this.#add("function", error, error.stack);
  };

  /** Records a line that a server wrote as an error. */
  readonly serverWrote = (error: WrittenError): void => {
    const { projectId } = error;
    let lines = this.#lines.get(projectId);
    if (lines === undefined) {
      if (this.#lines.size >= MAX_WAITING) return void this.#dropped++;
      lines = new ExceptionLines((first, text) =>
        this.#add(
          "server",
          { ...first, projectId, message: first.message.split("\n", 1)[0]! },
          text,
        )
      );
      this.#lines.set(projectId, lines);
    }
    lines.add(error);
  };

  /** Records a request that got a status of 500 or above. */
  readonly requestFailed = (request: FailedRequest): void => {
    if (this.#requests.size >= MAX_WAITING) this.#dropped++;
    else this.#requests.set(request.requestId, request);
  };

  /**
   * Removes and returns errors from before a given time, and the number of dropped ones. The counts
   * of newer errors may still increase.
   */
  take(before: number): { readonly projects: readonly ProjectErrors[]; readonly dropped: number } {
    for (const [projectId, lines] of this.#lines) {
      lines.flush(before);
      if (!lines.isOpen) this.#lines.delete(projectId);
    }
    const projects = new Map<string, Map<string, ErrorGroup>>();
    const put = (projectId: string, group: ErrorGroup) => {
      const groups = projects.get(projectId) ?? new Map<string, ErrorGroup>();
      projects.set(projectId, groups);
      const known = groups.get(group.id);
      groups.set(group.id, known === undefined ? group : mergeGroups(known, group));
    };
    for (const waiting of this.#waiting.values()) put(waiting.projectId, this.#groupOf(waiting));
    const young = new Map<string, FailedRequest>();
    for (const [id, request] of this.#requests) {
      if (request.time + request.durationMs >= before - REQUEST_GRACE_MS) young.set(id, request);
      else if (!this.#explained.has(request.requestId)) {
        put(request.projectId, groupOfRequest(request));
      }
    }
    const dropped = this.#dropped;
    this.#dropped = 0;
    this.#waiting.clear();
    this.#requests = young;
    return {
      projects: [...projects].map(([projectId, groups]) => ({
        projectId,
        groups: [...groups.values()],
      })),
      dropped,
    };
  }

  forget(projectId: string): void {
    this.#lines.delete(projectId);
    for (const [key, waiting] of this.#waiting) {
      if (waiting.projectId === projectId) this.#waiting.delete(key);
    }
    for (const [id, request] of this.#requests) {
      if (request.projectId === projectId) this.#requests.delete(id);
    }
  }

  #add(kind: ErrorKind, error: WrittenError, stack: string | undefined): void {
    const { projectId, deploymentId, source, time } = error;
    const requestId = error.requestId ?? null;
    const message = error.message.slice(0, MAX_TEXT);
    const text = stack?.slice(0, MAX_TEXT);
    const key = `${deploymentId}\n${kind}\n${source}\n${text ?? message}`;
    const known = this.#waiting.get(key);
    if (known === undefined && this.#waiting.size >= MAX_WAITING) return void this.#dropped++;
    const waiting = known ??
      {
        projectId,
        kind,
        source,
        message,
        stack: text,
        deploymentId,
        latest: [],
        count: 0,
        firstSeen: time,
      };
    if (known === undefined) this.#waiting.set(key, waiting);
    waiting.count++;
    waiting.latest.push({ time, requestId });
    if (waiting.latest.length > LATEST) waiting.latest.shift();
    if (requestId !== null) this.#explain(requestId);
  }

  /** Records that a request's 5xx status has been explained, so it is not a separate error. */
  #explain(requestId: string): void {
    this.#explained.add(requestId);
    if (this.#explained.size <= MAX_EXPLAINED) return;
    const [oldest] = this.#explained;
    this.#explained.delete(oldest!);
  }

  #groupOf(waiting: Waiting): ErrorGroup {
    const { kind, source, message, latest, count, firstSeen, deploymentId } = waiting;
    const described = { kind, source, ...describeException(waiting) };
    const samples = latest.map(({ time, requestId }): ErrorSample => {
      const request = requestId === null ? undefined : this.#requests.get(requestId);
      return {
        time,
        deploymentId,
        requestId,
        method: request?.method ?? null,
        path: request?.path.slice(0, MAX_PATH) ?? null,
        status: request?.status ?? null,
        message: message.slice(0, MAX_MESSAGE),
      };
    }).reverse();
    const lastSeen = samples[0]!.time;
    const once = seenOnce(described, samples[0]!);
    const deployments = [{ deploymentId, count, firstSeen, lastSeen }];
    return { ...once, count, firstSeen, lastSeen, deployments, samples };
  }
}

/** Describes a failed request without a known exception. */
function groupOfRequest(request: FailedRequest): ErrorGroup {
  const { time, deploymentId, requestId, method, status, error } = request;
  const path = request.path.slice(0, MAX_PATH);
  const where = withoutVarying(path.split("?", 1)[0]!);
  const title = `${status} ${method} ${where}`;
  const message = error === undefined ? title : `${title}: ${withoutVarying(error)}`;
  const kind = "response";
  const described = {
    kind,
    source: "",
    ...describeException({ kind, source: "", message }),
  } as const;
  return seenOnce(described, {
    time,
    deploymentId,
    requestId,
    method,
    path,
    status,
    message: (error ?? title).slice(0, MAX_MESSAGE),
  });
}
