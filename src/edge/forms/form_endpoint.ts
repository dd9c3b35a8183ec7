/**
 * @module `POST /_svc/forms/<name>`: accepts form submissions from a site's visitors. Forms work
 * without JavaScript: the response is a redirect or a page. Scripts that accept JSON get JSON.
 */
import { FORM_NAME } from "../../lib/form_limits.ts";
import type { FormSettings } from "../../manifest/mod.ts";
import type { RequestTarget, ServerRequest } from "../compute/compute_request.ts";
import type { Header, HeaderList } from "../messages/header_list.ts";
import type { RateLimiter, RateLimitFacts } from "../rate_limit/rate_limiter.ts";
import { refusalHeaders } from "../rate_limit/rate_limit_headers.ts";
import { createFacts } from "../../rules/mod.ts";
import type { ClientRequest } from "../request/client_request.ts";
import { edgePage, type PageWords } from "../response/error_pages.ts";
import type { EdgeResponse } from "../response/edge_response.ts";
import { FormRefusal, readSubmission } from "./read_submission.ts";
import type { SiteForms } from "./submission.ts";

const FORMS_PATH = "/_svc/forms/";

/** Maximum number of submissions per minute for each visitor and form. */
const OF_VISITOR = { limit: 10, windowSeconds: 60, key: "ip" } as const;
const OF_FORM = { limit: 300, windowSeconds: 60, key: "host" } as const;
/** The request data for rate limits that all visitors share. */
const EVERYONE: RateLimitFacts = { host: "", path: "", ip: () => undefined };

/**
 * Maximum number of bodies to read at a time, in total and per project. Multipart bodies are up to
 * 10 MiB, others up to 84 KiB. The limit per project prevents one project's slow clients from
 * blocking other projects.
 */
const MULTIPART_LIMITS = { all: 16, ofProject: 4 } as const;
const OTHER_LIMITS = { all: 512, ofProject: 64 } as const;

/** Counts the bodies that are being read, up to the limits. */
class Places {
  #all = 0;
  readonly #ofProject = new Map<string, number>();
  readonly #limits: { readonly all: number; readonly ofProject: number };

  constructor(limits: { readonly all: number; readonly ofProject: number }) {
    this.#limits = limits;
  }

  enter(projectId: string): boolean {
    const own = this.#ofProject.get(projectId) ?? 0;
    if (this.#all >= this.#limits.all || own >= this.#limits.ofProject) return false;
    this.#all++;
    this.#ofProject.set(projectId, own + 1);
    return true;
  }

  leave(projectId: string): void {
    this.#all--;
    const own = this.#ofProject.get(projectId) ?? 0;
    if (own > 1) this.#ofProject.set(projectId, own - 1);
    else this.#ofProject.delete(projectId);
  }
}

const THANKS: PageWords = ["Thank you", "Your message was sent."];
const BACK = `<p><a href="/">Back to the site</a></p>`;

const WORDS: Readonly<Record<number, PageWords>> = {
  403: ["Forbidden", "This form does not accept messages from other sites."],
  404: ["Not found", "There is no form at this URL."],
  405: ["Method not allowed", "This URL only accepts forms that are sent with POST."],
  503: ["Not available", "Too many people are sending messages right now. Please try again."],
  507: ["Not available", "This form cannot accept more messages right now."],
};

/** The site data that the endpoint needs. */
interface FormSite {
  readonly projectId: string;
  readonly common: HeaderList;
  readonly forms: SiteForms | undefined;
}

const isFormPath = (path: string): boolean => path.startsWith(FORMS_PATH);

/**
 * Returns the origin of the page that sent a request. Returns `own` for the site's pages, and for
 * programs that send no origin. The scheme is ignored, because TLS may have been terminated at a
 * proxy.
 */
function senderOf(request: ServerRequest, own: string): string {
  const site = request.header("sec-fetch-site");
  if (site === "same-origin") return own;
  const origin = request.header("origin") ?? (site === null ? own : "null");
  return URL.parse(origin)?.host === URL.parse(own)?.host ? own : origin;
}

const wantsJson = (request: ServerRequest): boolean =>
  request.header("accept")?.includes("application/json") === true;

/** Returns the URL if it is on the site itself or on an allowed origin, otherwise `undefined`. */
function safeNext(
  next: string | undefined,
  own: string,
  origins: readonly string[],
): string | undefined {
  const url = next === undefined || next === "" ? null : URL.parse(next, own);
  if (url === null) return undefined;
  // Two leading slashes would point to another host.
  const path = url.pathname.replace(/^\/+/, "/");
  if (url.origin === own) return `${path}${url.search}${url.hash}`;
  return origins.includes(url.origin) ? url.href : undefined;
}

/** Returns the path of the page that contains the form, taken from `Referer`. */
function pageOf(request: ServerRequest): string | null {
  const path = URL.parse(request.header("referer") ?? "")?.pathname;
  return path === undefined ? null : path.slice(0, 512);
}

function jsonResponse(status: number, value: unknown, more: HeaderList): EdgeResponse {
  const body = new TextEncoder().encode(`${JSON.stringify(value)}\n`);
  const headers: Header[] = [
    ["content-type", "application/json"],
    ["cache-control", "no-store"],
    ["x-content-type-options", "nosniff"],
    ["vary", "accept"],
    ...more,
  ];
  return { status, headers, body, bytes: body.byteLength };
}

/** One request to a form's URL, with the data for its response. */
interface Exchange {
  readonly request: ServerRequest;
  readonly visitor: ClientRequest;
  readonly site: FormSite;
  /** Scheme, host and port of the site. */
  readonly own: string;
  readonly headers: HeaderList;
}

function refuse(
  { request, headers }: Pick<Exchange, "request" | "headers">,
  status: number,
  { words = WORDS[status], more = [] }: {
    readonly words?: PageWords | undefined;
    readonly more?: HeaderList;
  } = {},
): EdgeResponse {
  const all = [...headers, ...more];
  if (wantsJson(request)) {
    return jsonResponse(status, { ok: false, error: words?.[1] ?? "Refused" }, all);
  }
  return edgePage(request, status, { headers: all, words });
}

function thank(
  { request, own, headers }: Exchange,
  { redirect, origins = [] }: FormSettings,
  next: string | undefined,
): EdgeResponse {
  if (wantsJson(request)) return jsonResponse(200, { ok: true }, headers);
  const location = safeNext(next, own, origins) ?? redirect;
  if (location === undefined) {
    return {
      ...edgePage(request, 200, { words: THANKS, extra: BACK, headers }),
      isEdgePage: false,
    };
  }
  const fields: Header[] = [["location", location], ["cache-control", "no-store"]];
  return { status: 303, headers: [...fields, ...headers], body: null, bytes: 0 };
}

export class FormEndpoint {
  readonly #limiter: RateLimiter;
  readonly #multipart = new Places(MULTIPART_LIMITS);
  readonly #other = new Places(OTHER_LIMITS);

  constructor(limiter: RateLimiter) {
    this.#limiter = limiter;
  }

  /**
   * Handles a request for a form. Returns `undefined` to leave the request to the site's routes.
   */
  respond(
    site: FormSite,
    request: ServerRequest,
    { path }: RequestTarget,
  ): EdgeResponse | Promise<EdgeResponse> | undefined {
    const { visitor } = request;
    if (site.forms === undefined || visitor === undefined || !isFormPath(path)) return undefined;
    const own = `${request.scheme}://${request.authority}`;
    const exchange = { request, visitor, site, own, headers: site.common };
    const form = formOf(site.forms, path.slice(FORMS_PATH.length));
    if (form === undefined) return refuse(exchange, 404);
    if (request.method !== "POST") return refuse(exchange, 405, { more: [["allow", "POST"]] });
    const sender = senderOf(request, own);
    if (sender === own) return this.#take(exchange, form);
    if (!form.origins?.includes(sender)) return refuse(exchange, 403);
    // Allows scripts on the sending site to read the response.
    const headers: Header[] = [["access-control-allow-origin", sender], ["vary", "origin"]];
    return this.#take({ ...exchange, headers: [...site.common, ...headers] }, form);
  }

  async #take(exchange: Exchange, form: FormSettings): Promise<EdgeResponse> {
    const limited = this.#limit(exchange, form);
    if (limited !== undefined) return limited;
    const { request, site: { projectId } } = exchange;
    const isMultipart = /^\s*multipart\//i.test(request.header("content-type") ?? "");
    const places = isMultipart ? this.#multipart : this.#other;
    if (!places.enter(projectId)) {
      return refuse(exchange, 503, { more: [["retry-after", "5"]] });
    }
    try {
      return await this.#keep(exchange, form);
    } catch (error) {
      if (!(error instanceof FormRefusal)) throw error;
      return refuse(exchange, error.status, { words: ["Message not sent", error.message] });
    } finally {
      places.leave(projectId);
    }
  }

  async #keep(exchange: Exchange, form: FormSettings): Promise<EdgeResponse> {
    const { request, site: { forms } } = exchange;
    const { body } = request;
    const contentType = request.header("content-type");
    const { next, ...read } = await readSubmission({ body, contentType }, form);
    const outcome = await forms!.keeper.keep(form, { ...read, page: pageOf(request) });
    return outcome === "full" ? refuse(exchange, 507) : thank(exchange, form, next);
  }

  #limit(exchange: Exchange, { name }: FormSettings): EdgeResponse | undefined {
    const { visitor, site: { projectId } } = exchange;
    const limits = [
      ["visitor", OF_VISITOR, createFacts(visitor)],
      ["form", OF_FORM, EVERYONE],
    ] as const;
    for (const [who, policy, facts] of limits) {
      const scope = `forms ${who} ${projectId} ${name}`;
      const verdict = this.#limiter.check({ scope, facts }, policy);
      if (verdict.allowed) continue;
      const words: PageWords = ["Too many messages", "Please wait a moment and try again."];
      return refuse(exchange, 429, { words, more: refusalHeaders([{ name: who, ...verdict }]) });
    }
    return undefined;
  }
}

function formOf({ byName, keeper }: SiteForms, name: string): FormSettings | undefined {
  return byName.get(name) ?? (keeper.takesAny && FORM_NAME.test(name) ? { name } : undefined);
}
