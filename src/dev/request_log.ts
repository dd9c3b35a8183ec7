/** @module The last requests, for the dev server's log and page. */
import type { ObservedRequest } from "../edge/mod.ts";
import {
  compileRules,
  type DescribedRequest,
  explainRequest,
  type Explanation,
  factsFromRequest,
  type RuntimeRuleSet,
} from "../rules/mod.ts";
import type { Assumed } from "./assumed_client.ts";
import type { LoggedRequest } from "./options.ts";

/** Maximum number of requests to remember. */
const MAX_REQUESTS = 200;

/** A request as it arrived, stored for a later explanation. */
export interface ArrivedRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly assumed: Assumed;
  readonly country: string | undefined;
}

/** Formats a request for the log. `rules` are the rules that applied. */
export function loggedRequest(
  { decision, facts: _, ...observed }: ObservedRequest,
  { rules, time }: { readonly rules: RuntimeRuleSet | null; readonly time: number },
): LoggedRequest {
  const ids = decision.matched.map((index) => rules?.rules[index]?.id ?? `rule ${index + 1}`);
  return { ...observed, rules: ids, time };
}

/** Explains what each rule does with a request. Rate limits are assumed not to be reached. */
export function explainArrived(
  { assumed, country, ...arrived }: ArrivedRequest,
  rules: RuntimeRuleSet,
  fileExists: (path: string) => boolean,
): Explanation | undefined {
  const request: DescribedRequest = {
    ...arrived,
    ...(assumed.ip === undefined ? {} : { ip: assumed.ip }),
    ...(assumed.asn === undefined ? {} : { asn: assumed.asn }),
    ...(assumed.device === undefined ? {} : { device: assumed.device }),
    ...(country === undefined ? {} : { country }),
  };
  const facts = factsFromRequest(request);
  if ("rejected" in facts) return undefined;
  return explainRequest(compileRules(rules), facts, { fileExists, rateLimited: () => false });
}

export class RequestLog {
  #requests: LoggedRequest[] = [];
  last: ArrivedRequest | undefined;

  add(request: LoggedRequest): void {
    this.#requests.push(request);
    if (this.#requests.length > 2 * MAX_REQUESTS) {
      this.#requests = this.#requests.slice(-MAX_REQUESTS);
    }
  }

  /** Returns the last requests, newest first. */
  latest(): readonly LoggedRequest[] {
    return this.#requests.slice(-MAX_REQUESTS).reverse();
  }

  clear(): void {
    this.#requests = [];
  }
}
