/** @jsxRuntime automatic */
/** @jsxImportSource hono/jsx */
/**
 * Binds pages and the forms on them: who visits, whether a form is ours, and
 * failures as pages.
 *
 * @module
 */
import type { Person } from "../accounts/caller.ts";
import type { PageServices } from "../accounts/page_services.ts";
import type { Client } from "../http/client.ts";
import { toFailure } from "../http/failure.ts";
import type { Router, Visit } from "../http/router.ts";
import { goTo, showPage } from "./document.tsx";
import { type Fields, readForm } from "./form.ts";
import { EntryFrame } from "./frames.tsx";

export interface PageVisit {
  readonly client: Client;
  readonly params: Visit["params"];
  readonly query: URLSearchParams;
  readonly path: string;
  /** Fields of the form that was sent; none for a GET. */
  readonly fields: Fields;
}

export interface PersonVisit extends PageVisit {
  readonly person: Person;
  /** For the field `csrf` of the forms on the page. */
  readonly csrf: string;
}

type Answer = Response | Promise<Response>;
type Method = "GET" | "POST";

/** The path that signs in and then comes back. */
export function signInPath(next: string, door: "sign-in" | "sign-up" = "sign-in"): string {
  return next === "/" ? `/${door}` : `/${door}?next=${encodeURIComponent(next)}`;
}

/** A failure as a page. @throws where it is the platform's own, for its log. */
export function showFailure(error: unknown): Response {
  const failure = toFailure(error);
  if (failure.status >= 500) throw error;
  const title = failure.status === 404 ? "There is nothing here" : "That did not work";
  return showPage(
    <EntryFrame title={title} lead={failure.message}>
      <p>
        <a class="button quiet" href="/">Back to the start</a>
      </p>
    </EntryFrame>,
    {
      title,
      status: failure.status === 401 ? 403 : failure.status,
      ...(failure.retryAfter === undefined
        ? {}
        : { headers: { "retry-after": `${failure.retryAfter}` } }),
    },
  );
}

export class PageBinder {
  constructor(private readonly router: Router, private readonly pages: PageServices) {}

  /** A page that anyone may see; `person` is there where somebody is signed in. */
  open(
    method: Method,
    path: string,
    show: (visit: PageVisit & { readonly person: Person | undefined }) => Answer,
  ): void {
    this.bind(method, path, show);
  }

  /** A page of somebody who is signed in; others are asked to sign in first. */
  personal(method: Method, path: string, show: (visit: PersonVisit) => Answer): void {
    this.bind(method, path, (visit) => {
      const { person } = visit;
      if (person !== undefined) {
        return show({ ...visit, person, csrf: this.pages.csrfToken(person) });
      }
      const search = visit.query.size === 0 ? "" : `?${visit.query}`;
      return goTo(method === "GET" ? signInPath(visit.path + search) : "/sign-in");
    });
  }

  private bind(
    method: Method,
    path: string,
    show: (visit: PageVisit & { readonly person: Person | undefined }) => Answer,
  ): void {
    this.router.page(method, path, async ({ request, client, params }) => {
      try {
        const url = new URL(request.url);
        const person = await this.pages.person(request, client);
        const fields = method === "POST" ? await readForm(request) : {};
        if (method === "POST") {
          this.pages.checkForm(request, { csrf: fields.csrf ?? null, person });
        }
        return await show({
          client,
          params,
          query: url.searchParams,
          path: url.pathname,
          fields,
          person,
        });
      } catch (error) {
        return showFailure(error);
      }
    });
  }
}
