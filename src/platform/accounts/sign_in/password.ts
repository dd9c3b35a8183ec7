/**
 * Stores passwords as hashes: scrypt (RFC 7914) with N = 2^15, r = 8, p = 3 (32 MiB and about 0.2 s
 * each; OWASP's password storage cheat sheet), 128 bits of salt, 256 bits of hash. The parameters
 * are stored with each hash, so they can be increased later.
 *
 * @module
 */
import { Buffer } from "node:buffer";
import { scrypt, timingSafeEqual } from "node:crypto";
import * as z from "zod";
import type { Random } from "../../../lib/clock.ts";
import { Failure } from "../../core/http/mod.ts";

const COST: PasswordCost = { n: 2 ** 15, r: 8, p: 3 };
const SALT_BYTES = 16;
const HASH_BYTES = 32;
/** scrypt needs 128 * n * r bytes. This limit leaves some room. */
const MAX_MEMORY = 64 * 1024 * 1024;

/** Maximum number of hashes that are computed at a time. Two hashes use 64 MiB and two cores. */
const CONCURRENT = 2;
/** Maximum number of waiting hashes (about 3 seconds of work). Further ones are rejected. */
const MAX_WAITING = 32;

export const passwordHash = z.object({
  algorithm: z.literal("scrypt"),
  n: z.number(),
  r: z.number(),
  p: z.number(),
  salt: z.string(),
  hash: z.string(),
});
export type PasswordHash = z.infer<typeof passwordHash>;

/** Parameters for scrypt. Tests use cheap parameters. */
export interface PasswordCost {
  readonly n: number;
  readonly r: number;
  readonly p: number;
}

/** Derives a 32-byte key from a password. Deliberately slow. */
export type DeriveKey = (
  password: string,
  salt: Uint8Array,
  cost: PasswordCost,
) => Promise<Buffer>;

export const deriveByScrypt: DeriveKey = (password, salt, { n, r, p }) =>
  new Promise((resolve, reject) => {
    const options = { N: n, r, p, maxmem: MAX_MEMORY };
    scrypt(password.normalize("NFKC"), salt, HASH_BYTES, options, (error, key) => {
      if (error === null) resolve(key);
      else reject(error);
    });
  });

/** Hashes and checks passwords, a few at a time. */
export class Passwords {
  #running = 0;
  readonly #waiting: (() => void)[] = [];
  /** The hash that is checked if there is no account, so the work is the same. */
  readonly #nobody: PasswordHash;

  readonly #random: Random;
  readonly #cost: PasswordCost;
  readonly #derive: DeriveKey;

  constructor(random: Random, cost: PasswordCost = COST, derive: DeriveKey = deriveByScrypt) {
    this.#random = random;
    this.#cost = cost;
    this.#derive = derive;
    this.#nobody = {
      algorithm: "scrypt",
      ...cost,
      salt: Buffer.from(random(SALT_BYTES)).toString("base64"),
      hash: Buffer.from(random(HASH_BYTES)).toString("base64"),
    };
  }

  /** @throws {Failure} `rate_limited` if too many hashes are waiting. */
  async hash(password: string): Promise<PasswordHash> {
    const salt = this.#random(SALT_BYTES);
    const key = await this.#inTurn(() => this.#derive(password, salt, this.#cost));
    return {
      algorithm: "scrypt",
      ...this.#cost,
      salt: Buffer.from(salt).toString("base64"),
      hash: key.toString("base64"),
    };
  }

  /**
   * Checks a password. If there is no hash, does the same work and returns false.
   *
   * @throws {Failure} `rate_limited`
   */
  async matches(password: string, stored: PasswordHash | null | undefined): Promise<boolean> {
    const { salt, hash, ...cost } = stored ?? this.#nobody;
    const key = await this.#inTurn(() => this.#derive(password, Buffer.from(salt, "base64"), cost));
    const same = timingSafeEqual(key, Buffer.from(hash, "base64"));
    return same && stored !== null && stored !== undefined;
  }

  async #inTurn<T>(work: () => Promise<T>): Promise<T> {
    if (this.#running >= CONCURRENT) {
      if (this.#waiting.length >= MAX_WAITING) {
        throw new Failure(
          "rate_limited",
          "Too many sign-ins at the same time. Try again in a moment",
          {
            retryAfter: 5,
          },
        );
      }
      await new Promise<void>((resolve) => this.#waiting.push(resolve));
    } else {
      this.#running++;
    }
    try {
      return await work();
    } finally {
      const next = this.#waiting.shift();
      if (next === undefined) this.#running--;
      else next();
    }
  }
}
