/**
 * The device flow: a CLI requests access, a person decides, and the CLI fetches its token.
 *
 * @module
 */
import {
  DEVICE_CODE_SECONDS,
  DEVICE_POLL_SECONDS,
  DEVICE_STARTS_PER_MINUTE,
  type DeviceAuthorization,
  type DeviceToken,
} from "../../../contract/device.ts";
import { formatCount } from "../../../lib/format.ts";
import { scopeOf } from "../authorization/authorization_service.ts";
import { uuidV7 } from "../../../lib/ids.ts";
import { type Person, type RateStanding, RateWindow } from "../../core/access/mod.ts";
import type { AccountParts } from "../parts.ts";
import { SUSPICIOUS_GUESSES } from "../guessing/guess_limits.ts";
import { hashToken, mintToken, tokenPrefix } from "../credentials/token.ts";
import { addressGroup, agentName, type Client, Failure, requireRate } from "../../core/http/mod.ts";
import { hashCode, newDeviceCode, newUserCode, readUserCode, showUserCode } from "./_codes.ts";
import { approveGrant, denyGrant, isOpen, pollGrant, startGrant } from "./device_grant.ts";
import type { GrantChange, GrantStore } from "./grant_store.ts";
import { OAuthError } from "./parse_request.ts";
import { PollPaces } from "./poll_paces.ts";
import type { DeviceGrant, DeviceRequest, PollOutcome } from "./types.ts";

const MINUTE_MS = 60_000;
/** Maximum number of authorizations that can start per minute, so at most 5,000 are open. */
const STARTS_PER_MINUTE = 1000;
/** Maximum number of wrong user codes per minute on the whole platform; see `_codes.ts`. */
const WRONG_PER_MINUTE = 100;
/** Maximum length of a CLI name that is shown, in characters. */
const MAX_TOOL_NAME = 60;

interface Polling {
  readonly clientId: string | undefined;
  /** Whether the client identifies itself with HTTP Basic authentication. */
  readonly isBasic: boolean;
  readonly client: Client;
}

interface Fetched {
  readonly outcome: PollOutcome;
  readonly accessToken?: string;
}

export class DeviceLoginService {
  readonly #starts: RateWindow;
  readonly #allStarts: RateWindow;
  readonly #wrongCodes: RateWindow;
  readonly #paces: PollPaces;

  readonly #parts: AccountParts;
  readonly #grants: GrantStore;

  constructor(parts: AccountParts, grants: GrantStore) {
    this.#parts = parts;
    this.#grants = grants;
    const { now } = parts;
    const windowMs = MINUTE_MS;
    this.#paces = new PollPaces(now);
    this.#starts = new RateWindow({ limit: DEVICE_STARTS_PER_MINUTE, windowMs }, now);
    this.#allStarts = new RateWindow({ limit: STARTS_PER_MINUTE, windowMs }, now);
    this.#wrongCodes = new RateWindow({ limit: WRONG_PER_MINUTE, windowMs }, now);
  }

  /** @throws {OAuthError} `rate_limited` after 10 requests per minute from one IP address. */
  async start(
    { clientId, scope }: {
      readonly clientId?: string | undefined;
      readonly scope?: string | undefined;
    },
    client: Client,
  ): Promise<DeviceAuthorization> {
    const { random, now, publicOrigin } = this.#parts;
    const address = addressGroup(client.address);
    const ownWait = this.#starts.take(address);
    const wait = ownWait || this.#allStarts.take("all");
    if (wait > 0) {
      if (ownWait === 0) this.#starts.refund(address);
      throw new OAuthError(
        "rate_limited",
        `Too many sign-ins. Try again in ${formatCount(wait, "second")}`,
        { retryAfter: wait },
      );
    }
    const deviceCode = newDeviceCode(random);
    const wanted = {
      deviceHash: hashCode("device", deviceCode),
      clientId: clientId ?? null,
      tool: toolName(clientId, client),
      address: client.address,
      country: client.country(),
      scope: scopeOf(scope),
    };
    let userCode = newUserCode(random);
    while (
      !await this.#grants.add(startGrant({ ...wanted, userHash: hashUser(userCode) }, now()))
    ) {
      userCode = newUserCode(random);
    }
    const shown = showUserCode(userCode);
    return {
      device_code: deviceCode,
      user_code: shown,
      verification_uri: `${publicOrigin}/device`,
      verification_uri_complete: `${publicOrigin}/device?code=${shown}`,
      expires_in: DEVICE_CODE_SECONDS,
      interval: DEVICE_POLL_SECONDS,
    };
  }

  standing(client: Client): RateStanding {
    return this.#starts.standing(addressGroup(client.address));
  }

  /** @throws {OAuthError} that states why there is no token, or no token yet. */
  async poll(
    asked: {
      readonly deviceCode: string;
      readonly clientId?: string | undefined;
      readonly isBasic?: boolean;
    },
    client: Client,
  ): Promise<DeviceToken> {
    const { outcome, accessToken } = await this.#fetch(hashCode("device", asked.deviceCode), {
      clientId: asked.clientId,
      isBasic: asked.isBasic ?? false,
      client,
    });
    if (outcome.type !== "token" || accessToken === undefined) throw refusal(outcome);
    const workspace = await this.#parts.memory.workspaceOf(outcome.userId, outcome.workspaceId);
    if (workspace === undefined) throw refusal({ type: "denied" });
    return {
      access_token: accessToken,
      token_type: "Bearer",
      scope: outcome.scope,
      workspace_slug: workspace.slug,
      workspace_name: workspace.name,
    };
  }

  /** Finds a pending authorization by its user code. Counts wrong codes. */
  async find(person: Person, typed: string, client: Client): Promise<DeviceRequest> {
    const { grant, code } = await this.#open(person, typed, client);
    return {
      userCode: showUserCode(code),
      tool: grant.tool,
      address: grant.address,
      country: grant.country,
      scope: grant.scope,
      createdAt: new Date(grant.createdAt).toISOString(),
      expiresAt: new Date(grant.expiresAt).toISOString(),
    };
  }

  async approve(
    person: Person,
    given: { readonly userCode: string; readonly workspaceId: string },
    client: Client,
  ): Promise<void> {
    const { memory, raise, now } = this.#parts;
    const { grant } = await this.#open(person, given.userCode, client);
    const userId = person.user.id;
    const workspace = await memory.workspaceOf(userId, given.workspaceId);
    if (workspace === undefined) throw new Failure("not_found", "Workspace does not exist");
    await this.#settle(
      grant,
      (current) => approveGrant(current, { userId, workspaceId: workspace.id, now: now() }),
    );
    const limit = grant.scope === "read" ? " (read-only)" : "";
    const detail =
      `"${grant.tool}" at ${grant.address} was signed in to "${workspace.slug}"${limit}`;
    await raise({
      event: "security.new_login",
      userId,
      workspaceId: workspace.id,
      detail,
      client,
    });
  }

  async deny(person: Person, userCode: string, client: Client): Promise<void> {
    const { grant } = await this.#open(person, userCode, client);
    await this.#settle(grant, (current) => denyGrant(current, this.#parts.now()));
  }

  async #settle(
    grant: DeviceGrant,
    change: (grant: DeviceGrant) => DeviceGrant | undefined,
  ): Promise<void> {
    const done = await this.#grants.change(grant.deviceHash, (current) => {
      const next = current && change(current);
      return { next, result: next !== undefined };
    });
    if (!done) throw noSuchCode();
    this.#paces.forget(grant.deviceHash);
  }

  /** Returns the outcome of a poll. Only the poll that gets the token writes anything. */
  async #fetch(deviceHash: string, by: Polling): Promise<Fetched> {
    const { clientId } = by;
    if (this.#paces.refuses(deviceHash, by)) return { outcome: { type: "slow_down" } };
    const grant = await this.#grants.find(deviceHash);
    const { outcome } = pollGrant(grant, { now: this.#parts.now(), clientId });
    if (outcome.type === "pending" && grant !== undefined) {
      return { outcome: { type: this.#paces.count(grant, by) } };
    }
    this.#paces.forget(deviceHash);
    if (outcome.type !== "token") return { outcome };
    return await this.#grants.change(deviceHash, (current) => this.#decide(current, by));
  }

  async #decide(
    grant: DeviceGrant | undefined,
    by: Polling,
  ): Promise<GrantChange<Fetched>> {
    const { accounts, now, random } = this.#parts;
    const { outcome, next } = pollGrant(grant, { now: now(), clientId: by.clientId });
    if (outcome.type !== "token" || grant === undefined) return { next, result: { outcome } };
    const { userId, workspaceId } = outcome;
    if (await accounts.memberships.find(userId, workspaceId) === undefined) {
      return { next: grant, result: { outcome: { type: "denied" } } };
    }
    const accessToken = mintToken("access token", random);
    const token = {
      id: uuidV7(now, random),
      userId,
      workspaceId,
      hash: hashToken("access token", accessToken),
      prefix: tokenPrefix(accessToken),
      name: grant.tool,
      address: by.client.address,
      createdAt: now(),
      ...grant.scope === "read" ? { role: "viewer" as const } : {},
    };
    return { next, token, result: { outcome, accessToken } };
  }

  async #open(person: Person, typed: string, client: Client) {
    const { limits, now, raise } = this.#parts;
    const account = { subject: person.user.id, userId: person.user.id };
    const guess = await limits.begin("user code", client, account);
    const code = readUserCode(typed);
    requireRate(this.#wrongCodes, "all", "codes");
    const grant = await this.#grants.findByUserCode(hashUser(code));
    if (grant !== undefined && isOpen(grant, now())) {
      guess.succeed();
      this.#wrongCodes.refund("all");
      return { grant, code };
    }
    if (guess.fail()) {
      const detail = `${SUSPICIOUS_GUESSES} or more wrong device codes in a row`;
      const event = "security.suspicious_activity";
      await raise({ event, userId: person.user.id, detail, client });
    }
    throw noSuchCode();
  }
}

const hashUser = (code: string): string => hashCode("user", code);

/** Returns the name that a client gives itself, on one line. */
function toolName(clientId: string | undefined, client: Client): string {
  const name = clientId ?? agentName(client.userAgent);
  const line = name.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, "").trim();
  return line === "" ? "Unknown device" : line.slice(0, MAX_TOOL_NAME);
}

const noSuchCode = () =>
  new Failure("not_found", "This code is wrong, has expired or was already used");

function refusal(outcome: PollOutcome): OAuthError {
  switch (outcome.type) {
    case "pending":
      return new OAuthError("authorization_pending", "The user has not confirmed yet");
    case "slow_down":
      return new OAuthError("slow_down", "Poll less often: 5 seconds were added to the interval");
    case "denied":
      return new OAuthError("access_denied", "The user denied the request");
    case "expired":
      return new OAuthError("expired_token", "The device code has expired. Start again");
    case "unknown":
    case "token":
      return new OAuthError(
        "invalid_grant",
        "The device code is unknown, was already used, or belongs to another client_id",
      );
  }
}
