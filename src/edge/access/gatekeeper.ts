/**
 * @module Decides who may visit a protected host, before rules, cache, functions and files are
 * involved. A member signs in at the platform's own host and comes back with a grant that works
 * once, in the same browser, within a minute. Sessions never leave the platform's host.
 * `docs/previews.md` lists all ways to get access.
 */
import { Buffer } from "node:buffer";
import type { Clock, Random } from "../../lib/clock.ts";
import { formatCount } from "../../lib/format.ts";
import { equalInConstantTime, sha256Hex } from "../../lib/hash.ts";
import type { Protection } from "../../lib/protection.ts";
import { normalizePath } from "../../rules/mod.ts";
import { isReading } from "../messages/messages.ts";
import type { ClientRequest } from "../request/client_request.ts";
import { edgePage, type PageWords } from "../response/error_pages.ts";
import type { EdgeResponse } from "../response/edge_response.ts";
import { BROWSER, gateCookie, gateCookieName, gateCookieValues, PASS } from "./gate_cookies.ts";
import {
  ASK,
  ASK_PASSWORD,
  CALLBACK_PATH,
  FAILED_SIGN_IN,
  GATE_PATH,
  gatePage,
  gateRedirect,
  LOST_LINK,
  maintenancePage,
  PASSWORD_PATH,
  SIGN_IN_PATH,
  WRONG_PASSWORD,
} from "./gate_pages.ts";
import { readForm } from "./read_form.ts";
import { openToken, sealToken, type TokenContent } from "./sealed_token.ts";
import { isDown, isProtected, protectionOf, type SiteGate } from "./site_access.ts";

/** The bypass key, as a header and as a query parameter. */
export const BYPASS = "x-svc-bypass";
/** The token of a share link, as a query parameter. */
export const SHARE = "x-svc-share";

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const DAY = 24 * 60 * MINUTE;
/**
 * Lifetime of a pass. After that, a member's browser automatically gets a new pass from the
 * platform.
 */
const PASS_MS = 7 * DAY;
/** Maximum time between the redirect to the platform and the sign-in there, in milliseconds. */
const REQUEST_MS = 15 * MINUTE;
/**
 * Maximum total length of the path and query to return to, in characters. If they are longer, the
 * visitor returns to the home page.
 */
const MAX_RETURN = 2000;

export type PasswordOutcome =
  | { readonly type: "right"; readonly passwordId: string }
  | { readonly type: "wrong" }
  | { readonly type: "wait"; readonly seconds: number };

/** The platform's services for the gate. */
export interface AccessKeeper {
  /** Returns the 32-byte key for the gate's tokens. */
  key(): Promise<Uint8Array>;
  /** The URL of the platform's sign-in page for members. */
  readonly signInUrl: string;
  /** Whether a session is still valid and its account is a member of the workspace. */
  isMember(
    visitor: { readonly userId: string; readonly session: string },
    workspaceId: string,
  ): Promise<boolean>;
  /** Marks a grant as used. Returns false if any node has redeemed it before. */
  redeem(grantId: string): Promise<boolean>;
  /** Checks a password attempt for a project. Attempts are rate-limited. */
  checkPassword(
    projectId: string,
    guess: { readonly password: string; readonly address: string },
  ): Promise<PasswordOutcome>;
}

interface GatekeeperOptions {
  readonly keeper: AccessKeeper;
  readonly now: Clock;
  readonly random: Random;
}

interface Visit {
  readonly request: ClientRequest;
  readonly gate: SiteGate;
  readonly deploymentId: string;
  readonly protection: Protection;
  readonly path: string;
  /** Whether maintenance shuts out everyone except members and holders of the bypass key. */
  readonly isShut: boolean;
  readonly query: URLSearchParams;
  readonly key: Uint8Array;
  readonly now: number;
}

/** The content of a browser's pass, which says how the browser got access. */
type PassContent = Distribute<TokenContent<"pass">>;
type Distribute<T> = T extends unknown ? Omit<T, "host" | "projectId" | "endsAt"> : never;

const hashOf = (text: string): string => sha256Hex(`svc access browser\n${text}`);

const mayHaveSecret = (query: string): boolean => query.includes(BYPASS) || query.includes(SHARE);

export class Gatekeeper {
  readonly #options: GatekeeperOptions;

  constructor(options: GatekeeperOptions) {
    this.#options = options;
  }

  /** Returns the response for a visitor without access, or `undefined` if the request may pass. */
  async judge(
    request: ClientRequest,
    { gate, deploymentId }: { readonly gate: SiteGate; readonly deploymentId: string },
  ): Promise<EdgeResponse | undefined> {
    const { access } = gate;
    const path = normalizePath(request.rawPath);
    if (typeof path !== "string") return ownPage(request, 400);
    const isOwnPath = path.startsWith(GATE_PATH);
    const bypass = request.gateField(BYPASS);
    if (!isOwnPath && bypass !== null && access.isBypassKey(bypass)) return undefined;
    const isShut = isDown(gate) && !access.allowsInMaintenance(request.ip);
    const isGuarded = isProtected(gate) && !access.isExempt(request.method, path) &&
      !access.allows(request.ip);
    const isOpen = !isShut && !isGuarded;
    // A visitor who needs no secret may have sent one, which the site must not see.
    if (!isOwnPath && isOpen && !mayHaveSecret(request.rawQuery)) return undefined;
    const visit: Visit = {
      request,
      gate,
      deploymentId,
      path,
      isShut,
      protection: protectionOf(gate),
      query: new URLSearchParams(request.rawQuery),
      key: await this.#options.keeper.key(),
      now: this.#options.now(),
    };
    if (isOwnPath) return await this.#answer(visit);
    if (bypass !== null && isCheck(visit, bypass)) return undefined;
    return this.#takeSecret(visit) ??
      (isOpen || await this.#hasPass(visit) ? undefined : this.#turnAway(visit));
  }

  /** Handles requests for the gate's own paths. */
  async #answer(visit: Visit): Promise<EdgeResponse> {
    const { request: { method }, path } = visit;
    if (path === SIGN_IN_PATH && method === "GET") return this.#sendToPlatform(visit);
    if (path === CALLBACK_PATH && method === "GET") return await this.#return(visit);
    if (path === PASSWORD_PATH && method === "POST") return await this.#takePassword(visit);
    return ownPage(visit.request, 404);
  }

  /**
   * Reads a share link's token or a bypass key from the query, and redirects to the URL without it.
   */
  #takeSecret(visit: Visit): EdgeResponse | undefined {
    const { request, gate: { access }, deploymentId, query, now, isShut } = visit;
    if (!isReading(request.method)) return undefined;
    const key = query.get(BYPASS);
    if (key !== null && access.isBypassKey(key)) {
      return this.#letIn(visit, { by: "bypass", bypassHash: sha256Hex(key) }, now + PASS_MS);
    }
    const token = query.get(SHARE);
    if (token === null || isShut) return undefined;
    const share = access.shareOf(token, { hostname: request.host, deploymentId }, now);
    return share && this.#letIn(visit, { by: "share", shareId: share.id }, share.endsAt);
  }

  /** Whether the browser has a pass for this host that is still valid. */
  async #hasPass(visit: Visit): Promise<boolean> {
    const { request, gate: { access }, protection, deploymentId, key, now } = visit;
    const name = gateCookieName(PASS, request.scheme);
    const { facts, projectId } = access;
    for (const value of gateCookieValues(request.gateField("cookie"), name)) {
      const pass = openToken("pass", value, { key, now });
      if (pass === undefined) continue;
      if (pass.host !== request.host || pass.projectId !== projectId) continue;
      if (visit.isShut && pass.by !== "member" && pass.by !== "bypass") continue;
      switch (pass.by) {
        case "member":
          if (await this.#options.keeper.isMember(pass, facts.workspaceId)) return true;
          break;
        case "share":
          if (access.isShared(pass.shareId, { hostname: request.host, deploymentId }, now)) {
            return true;
          }
          break;
        case "password":
          if (pass.passwordId === facts.passwordId && access.takesPassword(protection)) return true;
          break;
        case "bypass":
          if (pass.bypassHash === facts.bypassHash) return true;
      }
    }
    return false;
  }

  #turnAway(visit: Visit): EdgeResponse {
    const { request, query } = visit;
    if (visit.isShut) {
      return maintenancePage(request, { to: returnOf(visit), isPublic: !isProtected(visit.gate) });
    }
    if (query.has(SHARE)) return this.#page(visit, LOST_LINK);
    const isPage = request.method === "GET" &&
      (request.header("accept")?.includes("text/html") ?? false);
    const asksPassword = visit.gate.access.takesPassword(visit.protection);
    if (isPage && !asksPassword) return this.#sendToPlatform(visit);
    return this.#page(visit, asksPassword ? ASK_PASSWORD : ASK);
  }

  #page(visit: Visit, words: PageWords, status = 401, to = returnOf(visit)): EdgeResponse {
    const asksPassword = visit.gate.access.takesPassword(visit.protection);
    return gatePage(visit.request, status, { words, to, asksPassword });
  }

  /** Redirects a browser to the platform for sign-in. */
  #sendToPlatform(visit: Visit): EdgeResponse {
    const { request, gate, key, now } = visit;
    const { scheme } = request;
    const known = this.#browserOf(visit);
    const browser = known ?? Buffer.from(this.#options.random(16)).toString("base64url");
    const token = sealToken("request", {
      host: request.host,
      projectId: gate.access.projectId,
      workspaceId: gate.access.facts.workspaceId,
      origin: originOf(request),
      to: returnOf(visit),
      browser: hashOf(browser),
      endsAt: now + REQUEST_MS,
    }, { key, random: this.#options.random });
    const cookie = gateCookie(BROWSER, browser, { scheme, maxAge: REQUEST_MS / SECOND });
    return gateRedirect(`${this.#options.keeper.signInUrl}?request=${token}`, {
      cookies: [cookie],
    });
  }

  #browserOf({ request }: Visit): string | undefined {
    const name = gateCookieName(BROWSER, request.scheme);
    return gateCookieValues(request.gateField("cookie"), name)
      .find((value) => /^[A-Za-z0-9_-]{22}$/.test(value));
  }

  /** Redeems the grant that a browser brings back from the platform. */
  async #return(visit: Visit): Promise<EdgeResponse> {
    const { request, gate: { access }, query, key, now } = visit;
    const grant = openToken("grant", query.get("grant") ?? "", { key, now });
    const browser = this.#browserOf(visit);
    if (
      grant === undefined || browser === undefined || grant.host !== request.host ||
      grant.projectId !== access.projectId ||
      !equalInConstantTime(grant.browser, hashOf(browser)) ||
      !await this.#options.keeper.redeem(grant.id)
    ) {
      return this.#page(visit, FAILED_SIGN_IN, 401, "/");
    }
    const { userId, session } = grant;
    return this.#letIn(visit, { by: "member", userId, session }, now + PASS_MS, grant.to);
  }

  async #takePassword(visit: Visit): Promise<EdgeResponse> {
    const { request, gate: { access }, protection, now } = visit;
    const site = request.header("sec-fetch-site");
    const form = site === null || site === "same-origin" ? await readForm(request.body) : undefined;
    if (form === undefined) return ownPage(request, 400);
    const to = safePath(form.get("to"));
    if (!access.takesPassword(protection)) return this.#page(visit, ASK, 401, to);
    const outcome = await this.#options.keeper.checkPassword(access.projectId, {
      password: form.get("password") ?? "",
      address: request.ip,
    });
    if (outcome.type === "right") {
      const { passwordId } = outcome;
      return this.#letIn(visit, { by: "password", passwordId }, now + PASS_MS, to);
    }
    if (outcome.type === "wrong") return this.#page(visit, WRONG_PASSWORD, 401, to);
    const words = [
      "Too many attempts",
      `Try again in ${formatCount(outcome.seconds, "second")}.`,
    ] as const;
    const more = [["retry-after", String(outcome.seconds)]] as [string, string][];
    return gatePage(request, 429, { words, to, asksPassword: true, more });
  }

  /** Gives a browser its pass, and redirects to the requested page. */
  #letIn(visit: Visit, way: PassContent, endsAt: number, to = returnOf(visit)): EdgeResponse {
    const { request, gate, key, now } = visit;
    const { scheme, host } = request;
    const content = { ...way, host, projectId: gate.access.projectId, endsAt };
    const value = sealToken("pass", content, { key, random: this.#options.random });
    const maxAge = Math.max(1, Math.floor((endsAt - now) / SECOND));
    return gateRedirect(`${originOf(request)}${to}`, {
      status: 303,
      cookies: [
        gateCookie(PASS, value, { scheme, maxAge }),
        gateCookie(BROWSER, "", { scheme, maxAge: 0 }),
      ],
    });
  }
}

/** Whether a token was created to check the deployment that this host shows. */
function isCheck({ request, gate, deploymentId, key, now }: Visit, token: string): boolean {
  const check = openToken("check", token, { key, now });
  return check !== undefined && check.host === request.host &&
    check.projectId === gate.access.projectId && check.deploymentId === deploymentId;
}

/** Returns one of the gate's pages, which the site cannot replace with its own page. */
const ownPage = (request: ClientRequest, status: number): EdgeResponse => ({
  ...edgePage(request, status),
  isEdgePage: false,
});

const originOf = ({ scheme, authority }: ClientRequest): string => `${scheme}://${authority}`;

/**
 * Returns the text if it is a path and query on this host, otherwise `/`. The result, appended to
 * the origin, cannot lead to another origin.
 */
function safePath(text: string | null): string {
  const isPath = text !== null && text.length <= MAX_RETURN && /^\/[\x21-\x7e]*$/.test(text);
  return isPath ? text : "/";
}

/**
 * Returns the URL to continue to after sign-in: the requested page, without the secrets in its
 * query.
 */
function returnOf({ request, path, query }: Visit): string {
  if (path.startsWith(GATE_PATH)) return safePath(query.get("to"));
  if (!query.has(SHARE) && !query.has(BYPASS)) return safePath(request.target);
  const kept = request.rawQuery.split("&").filter((part) => {
    const one = new URLSearchParams(part);
    return !one.has(SHARE) && !one.has(BYPASS);
  }).join("&");
  return safePath(kept === "" ? request.rawPath : `${request.rawPath}?${kept}`);
}
