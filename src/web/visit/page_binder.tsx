/** @jsxRuntime automatic */
/** @jsxImportSource hono/jsx */
/** @module Binds pages and their forms. Handles authentication and error pages. */
import type { Person } from "../../platform/core/access/mod.ts";
import {
  type Client,
  Failure,
  type Router,
  toFailure,
  type Visit,
} from "../../platform/core/http/mod.ts";
import { EntryFrame } from "../layout/frames.tsx";
import { type Fields, NO_FORM, readForm, type SentForm } from "../layout/form.ts";
import { goTo, showPage } from "../layout/document.tsx";
import { packedPage } from "./packed_page.ts";
import { type Question, questionPage, refusalOf } from "../layout/question.tsx";
import { type PageApi, pageApi } from "./page_api.ts";
import type { PageSession } from "./page_session.ts";
import { safeReturnPath } from "./return_path.ts";

interface PageVisit {
  readonly client: Client;
  readonly params: Visit["params"];
  readonly query: URLSearchParams;
  readonly path: string;
  /** The page on this site from which the form was submitted; `/` if unknown. */
  readonly cameFrom: string;
  /** Fields of the submitted form; empty for a GET. */
  readonly fields: Fields;
  /** Returns all values of a form field. */
  readonly values: SentForm["values"];
  readonly files: SentForm["files"];
  /** The `Cookie` header. */
  readonly cookies: string | null;
}

export interface PersonVisit extends PageVisit {
  readonly person: Person;
  /** The token for the `csrf` field in the page's forms. */
  readonly csrf: string;
  /** The public API for a workspace, with this person's session. */
  api(workspace: string): PageApi;
}

type Answer = Response | Promise<Response>;
type Method = "GET" | "POST";

/** Maximum number of forms with files that are read at the same time. */
const MOST_UPLOADS = 4;

interface FormOptions {
  /** Maximum size of a form with files, in bytes. By default, forms cannot contain files. */
  readonly maxUpload?: number;
}

/** Returns the path of the sign-in or sign-up page, which then redirects to `next`. */
export function signInPath(next: string, door: "sign-in" | "sign-up" = "sign-in"): string {
  return next === "/" ? `/${door}` : `/${door}?next=${encodeURIComponent(next)}`;
}

function titleOf({ status }: Failure): string {
  if (status === 404) return "Page not found";
  return status >= 500 ? "Something went wrong on our side" : "Something went wrong";
}

/**
 * Renders a failure as a page. If the platform is at fault, the page contains the request ID, which
 * is also in the log.
 */
export function showFailure(failure: Failure, requestId?: string): Response {
  const title = titleOf(failure);
  return showPage(
    <EntryFrame title={title} lead={failure.message}>
      {failure.status >= 500 && requestId !== undefined
        ? (
          <p class="aside-link">
            Request <code>{requestId}</code>
          </p>
        )
        : null}
      <p>
        <a class="button quiet" href="/">Go to projects</a>
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

/**
 * Returns the path of the page with the form, from `Referer` (RFC 9110, 10.1.3); `/` for a page on
 * another site.
 */
function cameFrom(request: Request, { host }: URL): string {
  const page = URL.parse(request.headers.get("referer") ?? "");
  return page?.host === host ? safeReturnPath(page.pathname + page.search) : "/";
}

export class PageBinder {
  readonly #router: Router;
  readonly #session: PageSession;
  #uploads = 0;

  constructor(router: Router, session: PageSession) {
    this.#router = router;
    this.#session = session;
  }

  /** Binds a page that anyone can see; `person` is set if someone is signed in. */
  open(
    method: Method,
    path: string,
    show: (visit: PageVisit & { readonly person: Person | undefined }) => Answer,
  ): void {
    this.#bind(method, path, show);
  }

  /** Binds a page for signed-in people. Everyone else has to sign in first. */
  personal(
    method: Method,
    path: string,
    show: (visit: PersonVisit) => Answer,
    options: FormOptions = {},
  ): void {
    this.#bind(method, path, (visit, api) => {
      const { person } = visit;
      if (person !== undefined) {
        return show({ ...visit, person, csrf: this.#session.csrfToken(person), api });
      }
      const search = visit.query.size === 0 ? "" : `?${visit.query}`;
      return goTo(signInPath(method === "GET" ? visit.path + search : visit.cameFrom));
    }, options);
  }

  /**
   * Binds an action with a confirmation. The action runs if the form contains the confirmation, or
   * if `ask` does not require one.
   */
  asking(path: string, act: {
    ask(visit: PersonVisit): Question | undefined | Promise<Question | undefined>;
    run(visit: PersonVisit): Answer;
  }, options: FormOptions = {}): void {
    this.personal("POST", path, async (visit) => {
      const question = await act.ask(visit);
      const refusal = question && refusalOf(question, visit.fields);
      if (question === undefined || refusal === undefined) return act.run(visit);
      const query = visit.query.size === 0 ? "" : `?${visit.query}`;
      const isLarge = options.maxUpload !== undefined;
      return questionPage(question, { ...visit, action: visit.path + query, isLarge }, refusal);
    }, options);
  }

  /**
   * Reads a form. Uploaded files are kept in memory, so the number of simultaneous uploads is
   * limited.
   */
  async #readForm(request: Request, maxUpload: number | undefined): Promise<SentForm> {
    if (maxUpload === undefined) return await readForm(request);
    if (this.#uploads >= MOST_UPLOADS) {
      throw new Failure("unavailable", "Too many uploads at the moment. Try again soon", {
        retryAfter: 5,
      });
    }
    this.#uploads++;
    try {
      return await readForm(request, maxUpload);
    } finally {
      this.#uploads--;
    }
  }

  #bind(
    method: Method,
    path: string,
    show: (
      visit: PageVisit & { readonly person: Person | undefined },
      api: PersonVisit["api"],
    ) => Answer,
    { maxUpload }: FormOptions = {},
  ): void {
    this.#router.page(method, path, async ({ request, client, params }) => {
      try {
        const url = new URL(request.url);
        const person = await this.#session.visitor(request, client);
        // Does not read files from visitors who are not signed in, because they have to sign in
        // first.
        const isUnread = method === "GET" || (maxUpload !== undefined && person === undefined);
        const { fields, values, files } = isUnread
          ? NO_FORM
          : await this.#readForm(request, maxUpload);
        if (method === "POST") {
          this.#session.checkForm(request, { csrf: fields.csrf ?? null, person });
        }
        const page = await show({
          client,
          params,
          query: url.searchParams,
          path: url.pathname,
          cameFrom: fields.cameFrom === undefined
            ? cameFrom(request, url)
            : safeReturnPath(fields.cameFrom),
          fields,
          values,
          files,
          cookies: request.headers.get("cookie"),
          person,
        }, pageApi(this.#router, { request, client }));
        return await packedPage(request, page);
      } catch (error) {
        const failure = toFailure(error);
        if (failure.status >= 500 && failure.code !== "unavailable") throw error;
        return showFailure(failure);
      }
    });
  }
}
