/**
 * Settings of the own account.
 *
 * @module
 */
import { z } from "zod";
import { endpoints } from "../contract/mod.ts";
import type { PageServices } from "../platform/accounts/page_services.ts";
import { type SecurityForm, securityPage } from "./account_pages.tsx";
import { goTo } from "./document.tsx";
import { checkFields, type FormState, refused } from "./form.ts";
import type { Around } from "./frames.tsx";
import type { PageBinder, PersonVisit } from "./page_binder.tsx";
import { activityPage, sessionsPage } from "./session_pages.tsx";
import { enrolPage, recoveryPage } from "./two_factor_pages.tsx";

/** What a page can say that was done; addresses carry the name only. */
const DONE: Readonly<Record<string, string>> = {
  "password-changed": "The password is changed. All other sessions were ended.",
  "email-added": "You can sign in with the address and password from now on.",
  "two-factor-off": "The second factor is off.",
  "session-ended": "The session is ended.",
  "tool-revoked": "The tool's token is revoked.",
  "chat-unlinked": "The chat is unlinked.",
  "browser-removed": "The browser is removed.",
  "workspace-left": "You left the workspace.",
  "role-changed": "The role is changed.",
  "member-removed": "The member is removed.",
  "invitation-withdrawn": "The invitation is withdrawn.",
  "key-revoked": "The API key is revoked.",
  "workspace-made": "The workspace is made. It is yours.",
  "workspace-joined": "You are in.",
};

/** The frame's facts for a visit. */
export async function aroundOf(
  { person, csrf, path, query }: PersonVisit,
  pages: PageServices,
): Promise<Around> {
  const name = query.get("done") ?? "";
  return {
    person,
    csrf,
    workspaces: await pages.workspaces(person),
    path,
    done: Object.hasOwn(DONE, name) ? DONE[name] : undefined,
  };
}

const id = z.object({ id: z.string().max(64) });
/** The page that enrols sends back what it showed, so that a mistyped code costs nothing. */
const confirmFields = z.object({
  uri: z.string().max(600).regex(/^otpauth:\/\/totp\/\S+\?\S+$/),
  code: endpoints.confirmTwoFactor.body.shape.code,
});

/** The page of password and second factor; with a form that was refused. */
export async function showSecurity(
  visit: PersonVisit,
  pages: PageServices,
  shown: {
    readonly of?: SecurityForm;
    readonly state?: FormState;
    readonly status?: number;
  } = {},
): Promise<Response> {
  const { person } = visit;
  const around = await aroundOf({ ...visit, path: "/account" }, pages);
  const isFresh = pages.isFresh(person);
  return securityPage(around, { account: await pages.account(person), isFresh, ...shown });
}

export function bindAccountPages(bind: PageBinder, pages: PageServices): void {
  bind.personal("GET", "/account", (visit) => showSecurity(visit, pages));

  bind.personal("POST", "/account/password", async (visit) => {
    const { person, client, fields } = visit;
    const checked = checkFields(endpoints.changePassword.body, fields);
    if (!checked.ok) {
      return showSecurity(visit, pages, { of: "password", state: checked.state, status: 400 });
    }
    try {
      await pages.changePassword(person, checked.value, client);
      return goTo("/account?done=password-changed");
    } catch (error) {
      return showSecurity(visit, pages, { of: "password", ...refused(error, {}) });
    }
  });

  bind.personal("POST", "/account/two-factor", async (visit) => {
    const { person, client, fields } = visit;
    try {
      const { password } = fields;
      const { uri } = await pages.startTwoFactor(person, { password }, client);
      return enrolPage(await aroundOf(visit, pages), { uri });
    } catch (error) {
      return showSecurity(visit, pages, { of: "two-factor", ...refused(error, {}) });
    }
  });

  bind.personal("POST", "/account/two-factor/confirm", async (visit) => {
    const { person, client, fields } = visit;
    const around = await aroundOf(visit, pages);
    const checked = checkFields(confirmFields, fields);
    if (!checked.ok) {
      const { state } = checked;
      if (state.problems.uri !== undefined) return goTo("/account");
      return enrolPage(around, { uri: fields.uri ?? "", state, status: 400 });
    }
    const { uri, code } = checked.value;
    try {
      const { recoveryCodes } = await pages.confirmTwoFactor(person, { code }, client);
      return recoveryPage(around, recoveryCodes);
    } catch (error) {
      return enrolPage(around, { uri, ...refused(error, {}) });
    }
  });

  bind.personal("POST", "/account/two-factor/disable", async (visit) => {
    const { person, client, fields } = visit;
    const { password, code = "" } = fields;
    try {
      await pages.disableTwoFactor(person, { password, code }, client);
      return goTo("/account?done=two-factor-off");
    } catch (error) {
      return showSecurity(visit, pages, { of: "off", ...refused(error, {}) });
    }
  });

  bind.personal("POST", "/account/two-factor/recovery-codes", async (visit) => {
    const { person, client, fields } = visit;
    try {
      const code = fields.code ?? "";
      const { recoveryCodes } = await pages.renewRecoveryCodes(person, { code }, client);
      return recoveryPage(await aroundOf(visit, pages), recoveryCodes);
    } catch (error) {
      return showSecurity(visit, pages, { of: "recovery", ...refused(error, {}) });
    }
  });

  bind.personal("GET", "/account/sessions", async (visit) => {
    const [around, sessions, tools] = await Promise.all([
      aroundOf(visit, pages),
      pages.sessions(visit.person),
      pages.tools(visit.person),
    ]);
    return sessionsPage(around, { sessions, tools });
  });
  bind.personal("POST", "/account/sessions/end", async ({ person, fields }) => {
    await pages.revokeSession(person, id.parse(fields).id);
    return goTo("/account/sessions?done=session-ended");
  });
  bind.personal("POST", "/account/tools/revoke", async ({ person, fields }) => {
    await pages.revokeTool(person, id.parse(fields).id);
    return goTo("/account/sessions?done=tool-revoked");
  });

  bind.personal("GET", "/account/activity", async (visit) => {
    const [around, events] = await Promise.all([
      aroundOf(visit, pages),
      pages.securityEvents(visit.person),
    ]);
    return activityPage(around, events);
  });
}
