import assert from "node:assert/strict";
import {
  clientAt,
  ORIGIN,
  PASSWORD,
  tokenOf,
  withAccounts,
} from "../../platform/accounts/_test_accounts.ts";
import { Router } from "../../platform/core/http/mod.ts";
import { PageBinder, showFailure } from "../visit/page_binder.tsx";
import { PageSession } from "../visit/page_session.ts";
import { bindMailLinkPages } from "./mail_link_routes.ts";

const nobody = () => Promise.reject(new Error("No endpoint is called"));

const rows = [
  ["/device?code=AB", "/device?code=AB"],
  ["//evil.example/path", "/"],
  ["https://evil.example", "/"],
  [undefined, "/"],
] as const;

for (const [next, location] of rows) {
  Deno.test(`a confirmed sign-up that requested ${next} goes to ${location}`, () =>
    withAccounts(async (test) => {
      const router = new Router({
        idempotency: { run: nobody },
        gatekeeper: { caller: nobody, recheck: nobody, person: nobody, self: nobody },
        requestId: () => "r1",
        onFault: (_id, cause) => assert.fail(String(cause)),
        showFailure,
      });
      bindMailLinkPages(new PageBinder(router, new PageSession(test)), test);
      router.seal();
      // Calls the API directly, because the API accepts any text as the path to open.
      const wanted = { name: "ada", email: "ada@example.com", password: PASSWORD, next };
      await test.signUp.signUp(wanted, clientAt());
      const answer = await router.fetch(
        new Request(`${ORIGIN}/sign-up/confirm/${tokenOf(test.mails[0]!)}`, {
          method: "POST",
          headers: {
            "sec-fetch-site": "same-origin",
            "content-type": "application/x-www-form-urlencoded",
          },
        }),
        clientAt(),
      );
      assert.equal(answer.status, 303);
      assert.equal(answer.headers.get("location"), location);
      assert.equal(answer.headers.getSetCookie().length, 2);
    }, { sendsMail: true }));
}
