/** @module Adds an email address and a password to an account that has neither. */
import { endpoints } from "../../contract/endpoints.ts";
import type { PageBinder } from "../visit/page_binder.tsx";
import { pageContextOf } from "../visit/page_context.ts";
import { checkFields, refused } from "../layout/form.ts";
import { goTo } from "../layout/document.tsx";
import type { EmailService } from "../../platform/accounts/mod.ts";
import { type AccountPageServices, showSecurity } from "./account_routes.ts";
import { confirmEmailPage, emailUnderWayPage } from "./messenger_only_pages.tsx";

const CONFIRM_PATH = "/account/email/confirm/:token";

export interface EmailPageServices extends Pick<AccountPageServices, "account" | "workspaces"> {
  readonly emails: EmailService;
}

export function bindEmailPages(bind: PageBinder, services: EmailPageServices): void {
  const { emails, workspaces } = services;
  bind.personal("POST", "/account/email", async (visit) => {
    const { person, client, fields } = visit;
    const checked = checkFields(endpoints.addEmail.body, fields);
    if (!checked.ok) {
      return showSecurity(visit, services, { of: "email", state: checked.state, status: 400 });
    }
    try {
      const answer = await emails.add(person, checked.value, client);
      if (answer.status === "added") return goTo("/account?done=email-added");
      const context = await pageContextOf({ ...visit, path: "/account" }, workspaces);
      return emailUnderWayPage(context, checked.value.email);
    } catch (error) {
      return showSecurity(visit, services, { of: "email", ...refused(error, fields) });
    }
  });

  bind.personal(
    "GET",
    CONFIRM_PATH,
    async (visit) =>
      confirmEmailPage(
        await pageContextOf({ ...visit, path: "/account" }, workspaces),
        visit.params.token ?? "",
      ),
  );
  bind.personal("POST", CONFIRM_PATH, async ({ person, params, client }) => {
    await emails.confirm(person, params.token ?? "", client);
    return goTo("/account?done=email-added");
  });
}
