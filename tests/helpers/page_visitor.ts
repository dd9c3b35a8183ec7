/**
 * A browser without JavaScript. It keeps its cookie, fills in a page's forms, and submits them to
 * their actions.
 *
 * @module
 */
import assert from "node:assert/strict";
import type { TestPlatform } from "./platform.ts";

export const PASSWORD = "correct horse battery";

export interface Page {
  readonly status: number;
  readonly path: string;
  readonly headers: Headers;
  readonly html: string;
}

interface PageForm {
  readonly action: string;
  /** Fields and their values on the page. */
  readonly fields: Record<string, string>;
}

/** Typed and selected values. */
export type Typed = Readonly<Record<string, string | readonly string[]>>;

const pairsOf = (typed: Typed = {}): string[][] =>
  Object.entries(typed).flatMap(([name, given]) =>
    (typeof given === "string" ? [given] : given).map((value) => [name, value])
  );

const unescape = (text: string): string =>
  text.replaceAll("&quot;", '"').replaceAll("&#39;", "'").replaceAll("&lt;", "<")
    .replaceAll("&gt;", ">").replaceAll("&amp;", "&");

const attribute = (tag: string, name: string): string | undefined => {
  const found = new RegExp(`\\s${name}="([^"]*)"`).exec(tag)?.[1];
  return found === undefined ? undefined : unescape(found);
};

/** Returns the forms on a page. */
export function formsOf(html: string): PageForm[] {
  return [...html.matchAll(/<form\b[^>]*>[^]*?<\/form>/g)].map(([form]) => {
    const tags = [...form.matchAll(/<input\b[^>]*>/g)].map(([tag]) => tag)
      .filter((tag) =>
        !["radio", "checkbox"].includes(attribute(tag, "type") ?? "") || /\schecked\b/.test(tag)
      );
    const fields = tags.map((tag) => [attribute(tag, "name")!, attribute(tag, "value") ?? ""]);
    return { action: attribute(form, "action")!, fields: Object.fromEntries(fields) };
  });
}

export class Visitor {
  cookie = "";

  readonly #platform: TestPlatform;

  constructor(platform: TestPlatform) {
    this.#platform = platform;
  }

  /** Sends one request. Redirects are not followed. */
  async send(method: "GET" | "POST", path: string, options: {
    /** The form's fields. If a field's value is a list, the field is sent once for each item. */
    readonly fields?: Typed;
    readonly headers?: Readonly<Record<string, string>>;
  } = {}): Promise<Page> {
    const response = await fetch(`http://127.0.0.1:${this.#platform.port}${path}`, {
      method,
      redirect: "manual",
      headers: { "sec-fetch-site": "same-origin", cookie: this.cookie, ...options.headers },
      body: method === "POST" ? new URLSearchParams(pairsOf(options.fields)) : null,
    });
    const set = response.headers.get("set-cookie");
    if (set !== null) this.cookie = set.slice(0, set.indexOf(";"));
    const { status, headers } = response;
    return { status, path, headers, html: await response.text() };
  }

  /** Opens a page, following redirects. */
  async open(path: string): Promise<Page> {
    const page = await this.send("GET", path);
    const location = page.headers.get("location");
    return location === null ? page : await this.open(location);
  }

  /** Fills in and submits the form with an action, and follows redirects. */
  async submit(page: Page, action: string, typed: Typed = {}): Promise<Page> {
    const form = formsOf(page.html).find((candidate) => candidate.action === action);
    assert.ok(form, `${page.path} has no form for ${action}: ${page.html}`);
    const answer = await this.send("POST", action, { fields: { ...form.fields, ...typed } });
    const location = answer.headers.get("location");
    return location === null ? answer : await this.open(location);
  }

  /**
   * Like `submit()`, but for an action with a confirmation. `typed` is the text that confirms the
   * action.
   */
  async confirm(page: Page, action: string, typed: Typed = {}): Promise<Page> {
    const question = await this.submit(page, action);
    assert.match(question.html, /<form id="question"/, `${action} does not ask for confirmation`);
    const [asked] = formsOf(question.html);
    return await this.submit(question, asked!.action, typed);
  }

  async signUp(name: string, next = "/"): Promise<Page> {
    const page = await this.open(`/sign-up?next=${encodeURIComponent(next)}`);
    const email = `${name}@example.com`;
    return await this.submit(page, "/sign-up", { name, email, password: PASSWORD });
  }

  async signIn(email: string, password = PASSWORD, next = "/"): Promise<Page> {
    const page = await this.open(`/sign-in?next=${encodeURIComponent(next)}`);
    return await this.submit(page, "/sign-in", { email, password });
  }
}
