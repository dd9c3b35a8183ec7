/**
 * A cookie that marks a browser in which someone has signed in before. The cookie grants no access,
 * but prevents other people's wrong passwords from locking out the owner (OWASP, "Slow Down Online
 * Guessing Attacks with Device Cookies").
 *
 * @module
 */
import { Buffer } from "node:buffer";
import { createHmac } from "node:crypto";
import type { Clock, Random } from "../../../lib/clock.ts";
import { equalInConstantTime, sha256Hex } from "../../../lib/hash.ts";
import { rememberRead } from "../../../lib/remember_read.ts";
import { cookieField, cookieName, type CookieStyle, cookieValues } from "../credentials/cookies.ts";

/** After half a year without a sign-in, a browser counts as unknown again. */
export const DEVICE_MS = 180 * 24 * 60 * 60 * 1000;

const VALUE = /^([A-Za-z0-9_-]{22})\.(\d{1,16})\.([A-Za-z0-9_-]{43})$/;

interface DeviceCookiesParts {
  /** The secret that signs the cookies. */
  readonly key: () => Promise<string>;
  readonly cookies: CookieStyle;
  readonly now: Clock;
  readonly random: Random;
}

export class DeviceCookies {
  readonly #key: () => Promise<string>;
  readonly #parts: DeviceCookiesParts;

  constructor(parts: DeviceCookiesParts) {
    this.#parts = parts;
    this.#key = rememberRead(parts.key);
  }

  /** Returns the value of `Set-Cookie` for the browser in which someone has just signed in. */
  async issue(userId: string): Promise<string> {
    const { now, random, cookies } = this.#parts;
    const named = `${Buffer.from(random(16)).toString("base64url")}.${now()}`;
    const value = `${named}.${await this.#sign(userId, named)}`;
    return cookieField(nameOf(userId), value, { maxAge: DEVICE_MS / 1000, style: cookies });
  }

  /**
   * Returns the browser's name from a `Cookie` field, if this account has signed in with that
   * browser.
   */
  async find(header: string | null, userId: string): Promise<string | undefined> {
    for (const value of cookieValues(header, cookieName(nameOf(userId), this.#parts.cookies))) {
      const [, id, at, mac] = VALUE.exec(value) ?? [];
      if (id === undefined || mac === undefined) continue;
      if (this.#parts.now() - Number(at) >= DEVICE_MS) continue;
      if (equalInConstantTime(mac, await this.#sign(userId, `${id}.${at}`))) return id;
    }
    return undefined;
  }

  async #sign(userId: string, named: string): Promise<string> {
    const hmac = createHmac("sha256", await this.#key());
    return hmac.update(`svc device\n${userId}\n${named}`).digest("base64url");
  }
}

/**
 * Returns the name of an account's cookie. Each account has its own, because several people may
 * share a browser.
 */
const nameOf = (userId: string): string => `svc_device_${sha256Hex(userId).slice(0, 12)}`;
