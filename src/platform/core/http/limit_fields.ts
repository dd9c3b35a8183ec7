/**
 * Reports the rate limits that a request counted against, in the header fields `RateLimit-Policy`
 * and `RateLimit` of its response (draft-ietf-httpapi-ratelimit-headers-11).
 *
 * @module
 */
import { rateLimitHeaders } from "../../../edge/mod.ts";
import type { RateStanding } from "../access/mod.ts";

interface NamedStanding extends RateStanding {
  /** Name of the policy, as in `RateLimit-Policy: "api-key";q=5000;w=3600`. */
  readonly name: string;
}

/** Requests that were counted but have not been responded to yet. */
const counted = new WeakMap<Request, NamedStanding[]>();

export function noteLimit(request: Request, name: string, standing: RateStanding): void {
  const noted = counted.get(request);
  if (noted === undefined) counted.set(request, [{ name, ...standing }]);
  else noted.push({ name, ...standing });
}

export function addLimitFields(request: Request, answer: Response): Response {
  for (const [name, value] of rateLimitHeaders(counted.get(request) ?? [])) {
    answer.headers.set(name, value);
  }
  return answer;
}
