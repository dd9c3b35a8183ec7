/**
 * @module Identifies a page's visitor, and checks whether a form was submitted from one of our own
 * pages.
 */
import { equalInConstantTime, sha256Hex } from "../../lib/hash.ts";
import type { Authenticator } from "../../platform/accounts/mod.ts";
import type { Person } from "../../platform/core/access/mod.ts";
import { type Client, crossOriginFailure, originOf } from "../../platform/core/http/mod.ts";

export interface PageSessionServices {
  readonly authenticator: Pick<Authenticator, "visitor">;
  /** The platform's public origin. */
  readonly publicOrigin: string;
}

const SECRET_BYTES = 32;

const secretOf = (person: Person): string => sha256Hex(`svc csrf\n${person.hash}`);

/** Decodes a hexadecimal string, and flips the bits that are set in the mask. */
const masked = (hex: string, mask: Uint8Array): Uint8Array =>
  Uint8Array.fromHex(hex).map((byte, at) => byte ^ mask[at]!);

function isTokenOf(csrf: string, person: Person): boolean {
  if (!/^[0-9a-f]{128}$/.test(csrf)) return false;
  const mask = Uint8Array.fromHex(csrf.slice(0, 2 * SECRET_BYTES));
  const secret = masked(csrf.slice(2 * SECRET_BYTES), mask).toHex();
  return equalInConstantTime(secret, secretOf(person));
}

export class PageSession {
  readonly #services: PageSessionServices;

  constructor(services: PageSessionServices) {
    this.#services = services;
  }

  /** Returns the person to whom the session cookie belongs; `undefined` if no one is signed in. */
  visitor(request: Request, client: Client): Promise<Person | undefined> {
    return this.#services.authenticator.visitor(request, client);
  }

  /**
   * Returns the value of the hidden `csrf` field in a person's forms. Only our own pages contain
   * this value, which is useless without the cookie. The value is different each time, because
   * pages are compressed.
   */
  csrfToken(person: Person): string {
    const mask = crypto.getRandomValues(new Uint8Array(SECRET_BYTES));
    return mask.toHex() + masked(secretOf(person), mask).toHex();
  }

  /**
   * Checks that a form was submitted from one of our own pages. Before sign-in, there is no token,
   * so only the origin must match.
   *
   * @throws {Failure} `forbidden` if the form was submitted from another site.
   */
  checkForm(request: Request, form: {
    /** The submitted token; `null` if it is missing. */
    readonly csrf: string | null;
    readonly person: Person | undefined;
  }): void {
    const { csrf, person } = form;
    const isFromHere = originOf(request, this.#services.publicOrigin) !== "other";
    const hasToken = person === undefined ||
      (csrf !== null && isTokenOf(csrf, person));
    if (!isFromHere || !hasToken) throw crossOriginFailure();
  }
}
