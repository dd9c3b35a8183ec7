/** @module The routes of a person's own account: security, sessions, tools and activity. */
import * as z from "zod";
import { endpoints } from "../../contract/endpoints.ts";
import type { PageBinder, PersonVisit } from "../visit/page_binder.tsx";
import { pageContextOf } from "../visit/page_context.ts";
import { readPart } from "../visit/long_list.ts";
import { checkFields, type FormState, refused } from "../layout/form.ts";
import { namedIn } from "../visit/board_context.ts";
import { QUESTIONS } from "../asking/questions.ts";
import { goTo } from "../layout/document.tsx";
import type { AccountService, SecurityLog, TwoFactorService } from "../../platform/accounts/mod.ts";
import type { WorkspaceService } from "../../platform/workspaces/mod.ts";
import { type SecurityForm, securityPage } from "./account_pages.tsx";
import { activityPage, sessionsPage } from "./session_pages.tsx";
import { enrolPage, recoveryPage } from "./two_factor_pages.tsx";

export interface AccountPageServices {
  readonly account: AccountService;
  readonly twoFactor: TwoFactorService;
  readonly securityLog: SecurityLog;
  readonly workspaces: WorkspaceService;
}

const id = z.object({ id: z.string().max(64) });
/** The form sends the secret's URI back, so the secret stays the same if the code is mistyped. */
const confirmFields = z.object({
  uri: z.string().max(600).regex(/^otpauth:\/\/totp\/\S+\?\S+$/),
  code: endpoints.confirmTwoFactor.body.shape.code,
});

/** Renders the page for the password and the second factor, with the rejected form, if any. */
export async function showSecurity(
  visit: PersonVisit,
  { account, workspaces }: Pick<AccountPageServices, "account" | "workspaces">,
  shown: {
    readonly of?: SecurityForm;
    readonly state?: FormState;
    readonly status?: number;
  } = {},
): Promise<Response> {
  const { person } = visit;
  const context = await pageContextOf({ ...visit, path: "/account" }, workspaces);
  const isFresh = account.isFresh(person);
  return securityPage(context, { account: await account.show(person), isFresh, ...shown });
}

export function bindAccountPages(bind: PageBinder, services: AccountPageServices): void {
  const { account, twoFactor, securityLog, workspaces } = services;
  bind.personal("GET", "/account", (visit) => showSecurity(visit, services));

  bind.personal("POST", "/account/password", async (visit) => {
    const { person, client, fields } = visit;
    const checked = checkFields(endpoints.changePassword.body, fields);
    if (!checked.ok) {
      return showSecurity(visit, services, { of: "password", state: checked.state, status: 400 });
    }
    try {
      await account.changePassword(person, checked.value, client);
      return goTo("/account?done=password-changed");
    } catch (error) {
      return showSecurity(visit, services, { of: "password", ...refused(error, {}) });
    }
  });

  bind.personal("POST", "/account/two-factor", async (visit) => {
    const { person, client, fields } = visit;
    try {
      const { password } = fields;
      const { uri } = await twoFactor.start(person, password, client);
      return enrolPage(await pageContextOf(visit, workspaces), { uri });
    } catch (error) {
      return showSecurity(visit, services, { of: "two-factor", ...refused(error, {}) });
    }
  });

  bind.personal("POST", "/account/two-factor/confirm", async (visit) => {
    const { person, client, fields } = visit;
    const context = await pageContextOf(visit, workspaces);
    const checked = checkFields(confirmFields, fields);
    if (!checked.ok) {
      const { state } = checked;
      if (state.problems.uri !== undefined) return goTo("/account");
      return enrolPage(context, { uri: fields.uri ?? "", state, status: 400 });
    }
    const { uri, code } = checked.value;
    try {
      const { recoveryCodes } = await twoFactor.confirm(person, code, client);
      return recoveryPage(context, recoveryCodes);
    } catch (error) {
      return enrolPage(context, { uri, ...refused(error, {}) });
    }
  });

  bind.personal("POST", "/account/two-factor/disable", async (visit) => {
    const { person, client, fields } = visit;
    const { password, code = "" } = fields;
    try {
      await twoFactor.disable(person, { password, code }, client);
      return goTo("/account?done=two-factor-off");
    } catch (error) {
      return showSecurity(visit, services, { of: "off", ...refused(error, {}) });
    }
  });

  bind.personal("POST", "/account/two-factor/recovery-codes", async (visit) => {
    const { person, client, fields } = visit;
    try {
      const code = fields.code ?? "";
      const { recoveryCodes } = await twoFactor.renew(person, code, client);
      return recoveryPage(await pageContextOf(visit, workspaces), recoveryCodes);
    } catch (error) {
      return showSecurity(visit, services, { of: "recovery", ...refused(error, {}) });
    }
  });

  bind.personal("GET", "/account/sessions", async (visit) => {
    const { person, query } = visit;
    const [context, sessions, tools] = await Promise.all([
      pageContextOf(visit, workspaces),
      readPart(query, "sessions", (range) => account.sessions(person, range)),
      readPart(query, "tools", (range) => account.tools(person, range)),
    ]);
    return sessionsPage(context, { sessions, tools });
  });
  bind.personal("POST", "/account/sessions/end", async ({ person, fields }) => {
    await account.revokeSession(person, id.parse(fields).id);
    return goTo("/account/sessions?done=session-ended");
  });
  bind.asking("/account/tools/revoke", {
    ask: (visit) => QUESTIONS.tool(namedIn({ visit })),
    run: async ({ person, fields }) => {
      await account.revokeTool(person, id.parse(fields).id);
      return goTo("/account/sessions?done=tool-revoked");
    },
  });

  bind.personal("GET", "/account/activity", async (visit) => {
    const [context, events] = await Promise.all([
      pageContextOf(visit, workspaces),
      readPart(
        visit.query,
        "cursor",
        (range) => securityLog.ofAccount(visit.person.user.id, range),
      ),
    ]);
    return activityPage(context, events);
  });
}
