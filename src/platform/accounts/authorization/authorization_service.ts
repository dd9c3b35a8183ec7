/**
 * The authorization code grant with PKCE (RFC 6749, 7636; OAuth 2.1), for programs (such as agents)
 * that a person authorizes for a workspace.
 *
 * @module
 */
import { Buffer } from "node:buffer";
import { createHash } from "node:crypto";
import type * as z from "zod";
import { uuidV7 } from "../../../lib/ids.ts";
import { rememberRead } from "../../../lib/remember_read.ts";
import { equalInConstantTime, sha256Hex } from "../../../lib/hash.ts";
import { type Person, RateWindow } from "../../core/access/mod.ts";
import { type Client, Failure } from "../../core/http/mod.ts";
import type { AccessTokenRecord } from "../credentials/credential.ts";
import { hashToken, mintToken, tokenPrefix } from "../credentials/token.ts";
import { OAuthError, requireOAuthRate } from "../device_login/parse_request.ts";
import type { AccountParts } from "../parts.ts";
import { CODE_MS, type CodeRecord, GRANT_MS, type GrantRecords } from "./grants.ts";
import {
  makeClientId,
  readClientId,
  type RegisteredClient,
  type registrationBody,
} from "./registration.ts";

/** Lifetime of a grant's access token, in seconds. */
const TOKEN_SECONDS = 3600;
const MINUTE_MS = 60_000;
const REGISTRATIONS_PER_MINUTE = 20;
const EXCHANGES_PER_MINUTE = 60;

/**
 * A client's scope. `read` allows only reading, and `write` allows everything that the user can do.
 */
export type Scope = "read" | "write";

/**
 * Returns the requested scope: `read` if the request names only `read` (and `offline_access`),
 * otherwise `write`.
 */
export function scopeOf(text: string | undefined): Scope {
  const words = (text ?? "").split(" ").filter((word) => word !== "");
  return words.length > 0 && words.every((word) => word === "read" || word === "offline_access")
    ? "read"
    : "write";
}

export interface Approval {
  readonly clientId: string;
  readonly redirect: string;
  readonly challenge: string;
  readonly scope: Scope;
  readonly workspaceId: string;
}

export interface Tokens {
  readonly access_token: string;
  readonly token_type: "Bearer";
  readonly expires_in: number;
  readonly refresh_token: string;
  readonly scope: string;
}

type Outcome =
  | { readonly type: "tokens"; readonly tokens: Tokens; readonly replaced?: string }
  | { readonly type: "refused"; readonly reason: string }
  /** A secret was used twice. Someone else must have this secret, so its grant is revoked. */
  | { readonly type: "replayed"; readonly userId: string; readonly grant: string };

const refused = (reason: string): { readonly result: Outcome } => ({
  result: { type: "refused", reason },
});

/** Returns the challenge for a verifier (RFC 7636, 4.2). */
const challengeOf = (verifier: string): string =>
  createHash("sha256").update(verifier).digest("base64url");

export class AuthorizationService {
  readonly #registrations: RateWindow;
  readonly #exchanges: RateWindow;

  readonly #parts: AccountParts;
  readonly #grants: GrantRecords;
  readonly #key: () => Promise<string>;

  constructor(
    parts: AccountParts,
    grants: GrantRecords,
    /** The secret that signs client IDs. */
    readKey: () => Promise<string>,
  ) {
    this.#parts = parts;
    this.#grants = grants;
    this.#key = rememberRead(readKey);
    const { now } = parts;
    const windowMs = MINUTE_MS;
    this.#registrations = new RateWindow({ limit: REGISTRATIONS_PER_MINUTE, windowMs }, now);
    this.#exchanges = new RateWindow({ limit: EXCHANGES_PER_MINUTE, windowMs }, now);
  }

  /**
   * Registers a client.
   *
   * @throws {OAuthError} `rate_limited` after too many registrations from one network.
   */
  async register(body: z.infer<typeof registrationBody>, client: Client): Promise<string> {
    requireOAuthRate(this.#registrations, client);
    return makeClientId(body, await this.#key());
  }

  /** Returns the client with a given ID, or `undefined` if this platform did not issue the ID. */
  async findClient(id: string): Promise<RegisteredClient | undefined> {
    return readClientId(id, await this.#key());
  }

  async approve(person: Person, approval: Approval, client: Client): Promise<string> {
    const { memory, now, random, raise } = this.#parts;
    const { clientId, workspaceId, redirect, challenge, scope } = approval;
    const userId = person.user.id;
    const [registered, workspace] = await Promise.all([
      this.findClient(clientId),
      memory.workspaceOf(userId, workspaceId),
    ]);
    if (registered === undefined) throw new Failure("not_found", "Client does not exist");
    if (workspace === undefined) throw new Failure("not_found", "Workspace does not exist");
    const code = Buffer.from(random(32)).toString("base64url");
    await this.#grants.addCode(hashToken("authorization code", code), {
      redirect,
      challenge,
      scope,
      userId,
      workspaceId,
      clientHash: sha256Hex(clientId),
      clientName: registered.name,
      expiresAt: now() + CODE_MS,
      used: null,
    });
    const may = scope === "read" ? "read" : "act in";
    const detail = `"${registered.name}" can ${may} "${workspace.slug}"`;
    await raise({ event: "security.new_login", userId, workspaceId, detail, client });
    return code;
  }

  /**
   * @throws {OAuthError} `invalid_grant` if the code is wrong, has expired, has been used, or
   * belongs to another client.
   */
  async exchange(given: {
    readonly code: string;
    readonly clientId: string;
    readonly redirect: string;
    readonly verifier: string;
  }, client: Client): Promise<Tokens> {
    requireOAuthRate(this.#exchanges, client);
    const outcome = await this.#grants.exchange<Outcome>(
      hashToken("authorization code", given.code),
      async (code) => {
        if (code === undefined) return refused("The code is unknown or has expired");
        if (code.clientHash !== sha256Hex(given.clientId)) {
          return refused("The code belongs to another client_id");
        }
        if (code.used !== null) {
          return { result: { type: "replayed", userId: code.userId, grant: code.used } };
        }
        if (this.#parts.now() >= code.expiresAt) return refused("The code has expired");
        if (code.redirect !== given.redirect) return refused("redirect_uri does not match");
        if (!equalInConstantTime(challengeOf(given.verifier), code.challenge)) {
          return refused("code_verifier does not match code_challenge");
        }
        return await this.#begin(code, client);
      },
    );
    return await this.#settle(outcome);
  }

  /** @throws {OAuthError} `invalid_grant` if the token is wrong, or has been used or revoked. */
  async refresh(
    given: { readonly token: string; readonly clientId: string },
    client: Client,
  ): Promise<Tokens> {
    requireOAuthRate(this.#exchanges, client);
    const hash = hashToken("refresh token", given.token);
    const outcome = await this.#grants.refresh<Outcome>(hash, async (known) => {
      if (known?.refresh === undefined) return refused("The refresh token is unknown or revoked");
      const { refresh, userId, workspaceId } = known;
      if (refresh.clientHash !== sha256Hex(given.clientId)) {
        return refused("The refresh token belongs to another client_id");
      }
      if (refresh.hash !== hash) {
        return { result: { type: "replayed", userId, grant: known.id } };
      }
      if (this.#parts.now() >= refresh.expiresAt) return refused("The refresh token has expired");
      if (await this.#parts.accounts.memberships.find(userId, workspaceId) === undefined) {
        return refused("The user is no longer a member of the workspace");
      }
      return this.#renew(known, refresh.hash);
    });
    return await this.#settle(outcome);
  }

  async #begin(code: CodeRecord, client: Client) {
    const { accounts, now, random } = this.#parts;
    const { userId, workspaceId, clientHash, clientName: name, scope } = code;
    if (await accounts.memberships.find(userId, workspaceId) === undefined) {
      return refused("The user is no longer a member of the workspace");
    }
    return this.#renew({
      userId,
      workspaceId,
      name,
      id: uuidV7(now, random),
      hash: "",
      prefix: "",
      address: client.address,
      createdAt: now(),
      ...scope === "read" ? { role: "viewer" as const } : {},
      refresh: { hash: "", previous: null, clientHash, expiresAt: 0 },
    }, null);
  }

  #renew(
    known: AccessTokenRecord & { readonly refresh?: AccessTokenRecord["refresh"] },
    previous: string | null,
  ): { readonly token: AccessTokenRecord; readonly result: Outcome } {
    const { now, random } = this.#parts;
    const accessToken = mintToken("access token", random);
    const refreshToken = mintToken("refresh token", random);
    const token: AccessTokenRecord = {
      ...known,
      hash: hashToken("access token", accessToken),
      prefix: tokenPrefix(accessToken),
      expiresAt: now() + TOKEN_SECONDS * 1000,
      refresh: {
        clientHash: known.refresh?.clientHash ?? "",
        hash: hashToken("refresh token", refreshToken),
        previous,
        expiresAt: now() + GRANT_MS,
      },
    };
    return {
      token,
      result: {
        type: "tokens",
        tokens: {
          access_token: accessToken,
          token_type: "Bearer",
          expires_in: TOKEN_SECONDS,
          refresh_token: refreshToken,
          scope: known.role === "viewer" ? "read" : "write",
        },
        ...known.hash === "" ? {} : { replaced: known.hash },
      },
    };
  }

  async #settle(outcome: Outcome): Promise<Tokens> {
    const { memory, credentials } = this.#parts;
    if (outcome.type === "tokens") {
      if (outcome.replaced !== undefined) memory.forget(outcome.replaced);
      return outcome.tokens;
    }
    if (outcome.type === "replayed") {
      const ended = await credentials.removeAccessToken(outcome.userId, outcome.grant);
      if (ended !== undefined) memory.forget(ended.hash);
      throw new OAuthError(
        "invalid_grant",
        "The code or refresh token was already used, so the client's access was revoked",
      );
    }
    throw new OAuthError("invalid_grant", outcome.reason);
  }
}
