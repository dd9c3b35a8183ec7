/**
 * The platform's part in protecting hosts: members sign in on the platform's own host, and return
 * with a grant that works only once.
 *
 * @module
 */
import { Buffer } from "node:buffer";
import {
  type AccessKeeper,
  CALLBACK_PATH,
  openToken,
  type PasswordOutcome,
  sealToken,
  type TokenContent,
} from "../../edge/mod.ts";
import { uuidV7 } from "../../lib/ids.ts";
import { type AccountParts, hasEnded } from "../accounts/mod.ts";
import type { Person } from "../core/access/mod.ts";
import { Failure } from "../core/http/mod.ts";
import { sealedSetting } from "../core/secrets/mod.ts";
import { keys, readRecord } from "../core/store/mod.ts";
import { previewRecord } from "../projects/mod.ts";

/** The page where members sign in for a protected host. */
export const PREVIEW_SIGN_IN_PATH = "/previews/sign-in";

/** How long a grant is valid, in milliseconds. */
const GRANT_MS = 60_000;
/** How long a used grant is remembered, in milliseconds. A grant is not valid for that long. */
const USED_MS = 10 * GRANT_MS;
const KEY_BYTES = 32;

type SignInParts = Pick<
  AccountParts,
  "kv" | "box" | "memory" | "passwords" | "limits" | "publicOrigin" | "now" | "random"
>;

/** The URL to which a person returns after signing in, or the reason why they cannot return. */
export type Return =
  | { readonly type: "grant"; readonly host: string; readonly url: string }
  | { readonly type: "stranger"; readonly host: string };

export class PreviewSignIn implements AccessKeeper {
  readonly signInUrl: string;
  #keyReading: Promise<Uint8Array> | undefined;

  readonly #parts: SignInParts;

  constructor(parts: SignInParts) {
    this.#parts = parts;
    this.signInUrl = `${parts.publicOrigin}${PREVIEW_SIGN_IN_PATH}`;
  }

  key(): Promise<Uint8Array> {
    const { random } = this.#parts;
    const make = () => Buffer.from(random(KEY_BYTES)).toString("base64url");
    this.#keyReading ??= sealedSetting(this.#parts, "preview_access", make)
      .then((text) => Buffer.from(text, "base64url"))
      .catch((error) => {
        this.#keyReading = undefined;
        throw error;
      });
    return this.#keyReading;
  }

  async isMember(
    { userId, session }: { readonly userId: string; readonly session: string },
    workspaceId: string,
  ): Promise<boolean> {
    const { memory, now } = this.#parts;
    const known = await memory.findByHash("session", session);
    if (known === undefined || known.owner.user.id !== userId || hasEnded(known, now())) {
      return false;
    }
    return await memory.workspaceOf(userId, workspaceId) !== undefined;
  }

  async redeem(grantId: string): Promise<boolean> {
    const key = keys.usedGrant(grantId);
    const { ok } = await this.#parts.kv.atomic().check({ key, versionstamp: null })
      .set(key, true, { expireIn: USED_MS }).commit();
    return ok;
  }

  async checkPassword(
    projectId: string,
    { password, address }: { readonly password: string; readonly address: string },
  ): Promise<PasswordOutcome> {
    const { kv, limits, passwords } = this.#parts;
    const client = { address, userAgent: null, cookie: null, country: () => null };
    try {
      const account = { subject: projectId, userId: undefined };
      const guess = await limits.begin("preview password", client, account);
      const found = await readRecord(kv, keys.previewAccess(projectId), previewRecord);
      const known = found?.value.password ?? null;
      if (await passwords.matches(password, known?.hash) && known !== null) {
        guess.succeed();
        return { type: "right", passwordId: known.id };
      }
      guess.fail();
      return { type: "wrong" };
    } catch (error) {
      if (!(error instanceof Failure) || error.code !== "rate_limited") throw error;
      return { type: "wait", seconds: error.retryAfter ?? 1 };
    }
  }

  /**
   * Returns the target for a person who came from a protected host. Only this platform's edges can
   * create the request, so the target cannot be elsewhere.
   *
   * @throws {Failure} `invalid_request` for an expired request, or one from another platform.
   */
  async returnOf(person: Person, token: string): Promise<Return> {
    const { now, random, memory } = this.#parts;
    const key = await this.key();
    const request = openToken("request", token, { key, now: now() });
    if (request === undefined) {
      throw new Failure(
        "invalid_request",
        "The sign-in link is too old or incomplete. Open the preview again",
      );
    }
    const { host, projectId, workspaceId, origin, to, browser } = request;
    const workspace = await memory.workspaceOf(person.user.id, workspaceId);
    if (workspace === undefined) return { type: "stranger", host };
    const grant: TokenContent<"grant"> = {
      id: uuidV7(now, random),
      host,
      projectId,
      to,
      browser,
      userId: person.user.id,
      session: person.hash,
      endsAt: now() + GRANT_MS,
    };
    const sealed = sealToken("grant", grant, { key, random });
    return { type: "grant", host, url: `${origin}${CALLBACK_PATH}?grant=${sealed}` };
  }
}
