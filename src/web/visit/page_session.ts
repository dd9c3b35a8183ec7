/**
 * Who visits a page, and whether a form was sent from it.
 *
 * @module
 */
import { equalInConstantTime, sha256Hex } from "../../lib/hash.ts";
import type { Authenticator } from "../../platform/accounts/mod.ts";
import type { Person } from "../../platform/core/access/mod.ts";
import { type Client, crossOriginFailure, originOf } from "../../platform/core/http/mod.ts";

export interface PageSessionServices {
  readonly authenticator: Pick<Authenticator, "visitor">;
  /** Origin under which people reach the platform. */
  readonly publicOrigin: string;
}

export class PageSession {
  readonly #services: PageSessionServices;

  constructor(services: PageSessionServices) {
    this.#services = services;
  }

  /** The person of the session cookie; `undefined` where nobody is signed in. */
  visitor(request: Request, client: Client): Promise<Person | undefined> {
    return this.#services.authenticator.visitor(request, client);
  }

  /**
   * The value of the hidden field `csrf` in the forms that a person is shown:
   * only our own pages know it, and it is of no use without the cookie.
   */
  csrfToken(person: Person): string {
    return sha256Hex(`svc csrf\n${person.hash}`);
  }

  /**
   * Checks that one of our own pages sent a form. Before sign-in there is no
   * token, so the origin alone has to match.
   *
   * @throws {Failure} `forbidden` where another site sent the form.
   */
  checkForm(request: Request, form: {
    /** The field as it was sent, or null where it is missing. */
    readonly csrf: string | null;
    readonly person: Person | undefined;
  }): void {
    const { csrf, person } = form;
    const isFromHere = originOf(request, this.#services.publicOrigin) !== "other";
    const hasToken = person === undefined ||
      (csrf !== null && equalInConstantTime(csrf, this.csrfToken(person)));
    if (!isFromHere || !hasToken) throw crossOriginFailure();
  }
}
