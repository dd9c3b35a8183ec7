import assert from "node:assert/strict";
import {
  clientAt,
  newAccount,
  requestWith,
  withAccounts,
} from "../../platform/accounts/_test_accounts.ts";
import { Failure } from "../../platform/core/http/mod.ts";
import { PageSession } from "./page_session.ts";

const isForbidden = (error: unknown) => error instanceof Failure && error.code === "forbidden";

Deno.test("PageSession.checkForm() accepts the person's own token from the same origin", () =>
  withAccounts(async (test) => {
    const session = new PageSession(test);
    const [ada, bob] = [await newAccount(test), await newAccount(test, "bob")];
    const post = (site: string) =>
      requestWith(ada, { method: "POST", headers: { "sec-fetch-site": site } });
    const person = (await session.visitor(post("same-origin"), clientAt()))!;
    const other = (await session.visitor(requestWith(bob), clientAt()))!;
    const csrf = session.csrfToken(person);
    session.checkForm(post("same-origin"), { csrf, person });
    const again = session.csrfToken(person);
    assert.notEqual(again, csrf, "compressed pages must not repeat the token");
    session.checkForm(post("same-origin"), { csrf: again, person });
    const changed = (csrf.startsWith("0") ? "1" : "0") + csrf.slice(1);
    for (
      const [site, token] of [
        ["cross-site", csrf],
        ["same-site", csrf],
        ["same-origin", null],
        ["same-origin", ""],
        ["same-origin", session.csrfToken(other)],
        ["same-origin", changed],
        ["same-origin", csrf.slice(64)],
        ["same-origin", csrf.toUpperCase().replace(/\d/g, "A")],
      ] as const
    ) {
      const form = { csrf: token, person };
      assert.throws(() => session.checkForm(post(site), form), isForbidden);
    }
  }));

Deno.test("PageSession.checkForm() accepts a form before sign-in only from the same origin", () =>
  withAccounts((test) => {
    const session = new PageSession(test);
    const form = { csrf: null, person: undefined };
    const post = (site: string) =>
      new Request(`${test.publicOrigin}/sign-in`, {
        method: "POST",
        headers: { "sec-fetch-site": site },
      });
    session.checkForm(post("same-origin"), form);
    assert.throws(() => session.checkForm(post("same-site"), form), isForbidden);
    return Promise.resolve();
  }));
