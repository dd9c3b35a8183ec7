/** @module `/_svc/vitals.js` and `/_svc/vitals` on sites with web vitals enabled. */
import type { CountedVitals } from "../../traffic/mod.ts";
import { createFacts } from "../../rules/mod.ts";
import type { Header, HeaderList } from "../messages/header_list.ts";
import { isReading } from "../messages/messages.ts";
import type { RateLimiter } from "../rate_limit/rate_limiter.ts";
import { refusalHeaders } from "../rate_limit/rate_limit_headers.ts";
import type { ClientRequest } from "../request/client_request.ts";
import { edgePage } from "../response/error_pages.ts";
import type { EdgeResponse } from "../response/edge_response.ts";
import { readBeacon } from "./read_beacon.ts";
import { VITALS_PATH, VITALS_SCRIPT, VITALS_SCRIPT_PATH } from "./vitals_script.ts";

/** Maximum number of beacons per minute and IP address. A page sends one. */
const LIMIT = { limit: 60, windowSeconds: 60, key: "ip" } as const;

const SCRIPT_HEADERS: HeaderList = [
  ["content-type", "text/javascript; charset=utf-8"],
  ["cache-control", "public, max-age=86400"],
  ["x-content-type-options", "nosniff"],
];

/** The site data that the endpoint needs. */
interface VitalsSite {
  readonly deploymentId: string;
  readonly projectId: string;
  readonly common: HeaderList;
}

/** Returns whether a path belongs to the script or the beacon. */
export const isVitalsPath = (path: string): boolean =>
  path === VITALS_PATH || path === VITALS_SCRIPT_PATH;

/** Returns whether, according to the browser, a page on the same host sent the request. */
function isOwn(request: ClientRequest): boolean {
  const site = request.header("sec-fetch-site");
  if (site !== null) return site === "same-origin";
  const origin = request.header("origin");
  return origin === null || URL.parse(origin)?.hostname === request.host;
}

export class VitalsEndpoint {
  readonly #limiter: RateLimiter;
  readonly #count: ((vitals: CountedVitals) => void) | undefined;

  constructor(limiter: RateLimiter, count: ((vitals: CountedVitals) => void) | undefined) {
    this.#limiter = limiter;
    this.#count = count;
  }

  respond(request: ClientRequest, site: VitalsSite): EdgeResponse | Promise<EdgeResponse> {
    if (request.path === VITALS_PATH) return this.#take(request, site);
    if (!isReading(request.method)) return refuseMethod(request, "GET, HEAD", site);
    const body = request.method === "HEAD" ? null : VITALS_SCRIPT;
    const headers = [...SCRIPT_HEADERS, ...site.common];
    return { status: 200, headers, body, bytes: VITALS_SCRIPT.length, isUncounted: true };
  }

  async #take(request: ClientRequest, site: VitalsSite): Promise<EdgeResponse> {
    const { common: headers, projectId, deploymentId } = site;
    if (request.method !== "POST") return refuseMethod(request, "POST", site);
    if (!isOwn(request)) return uncounted(edgePage(request, 403, { headers }));
    const verdict = this.#limiter.check({
      scope: `vitals ${projectId}`,
      facts: createFacts(request),
    }, LIMIT);
    if (!verdict.allowed) {
      const report = refusalHeaders([{ name: "vitals", ...verdict }]);
      return uncounted(edgePage(request, 429, { headers: [...headers, ...report] }));
    }
    const beacon = await readBeacon(request.body);
    if (typeof beacon === "number") return uncounted(edgePage(request, beacon, { headers }));
    if (request.device() !== "bot") this.#count?.({ projectId, deploymentId, ...beacon });
    return { status: 204, headers, body: null, bytes: 0, isUncounted: true };
  }
}

const uncounted = (response: EdgeResponse): EdgeResponse => ({ ...response, isUncounted: true });

function refuseMethod(request: ClientRequest, allow: string, { common }: VitalsSite): EdgeResponse {
  const field: Header = ["allow", allow];
  return uncounted(edgePage(request, 405, { headers: [field, ...common] }));
}
