/** `/v1/account`: a person's own account. @module */
import { endpoints } from "../../contract/endpoints.ts";
import type { Router } from "../core/http/mod.ts";
import type { AccountService } from "./account_service.ts";
import type { EmailService } from "./email/email_service.ts";
import type { SecurityLog } from "./security_events.ts";
import type { TwoFactorService } from "./two_factor/two_factor_service.ts";

export function bindOwnAccountRoutes(router: Router, services: {
  readonly account: AccountService;
  readonly emails: EmailService;
  readonly twoFactor: TwoFactorService;
  readonly securityLog: SecurityLog;
}): void {
  const { account, emails, twoFactor, securityLog } = services;

  router.personal(endpoints.getAccount, (person) => account.show(person));
  router.personal(endpoints.changePassword, async (person, { body, client }) => {
    await account.changePassword(person, body, client);
    return undefined;
  });
  router.personal(
    endpoints.addEmail,
    (person, { body, client }) => emails.add(person, body, client),
  );
  router.personal(
    endpoints.confirmEmail,
    (person, { body, client }) => emails.confirm(person, body.token, client),
  );

  router.personal(endpoints.listSessions, (person, { query }) => account.sessions(person, query));
  router.personal(endpoints.revokeSession, async (person, { params }) => {
    await account.revokeSession(person, params.session);
    return undefined;
  });
  router.personal(endpoints.listTools, (person, { query }) => account.tools(person, query));
  router.personal(endpoints.revokeTool, async (person, { params }) => {
    await account.revokeTool(person, params.tool);
    return undefined;
  });

  router.personal(
    endpoints.startTwoFactor,
    (person, { body, client }) => twoFactor.start(person, body.password, client),
  );
  router.personal(
    endpoints.confirmTwoFactor,
    (person, { body, client }) => twoFactor.confirm(person, body.code, client),
  );
  router.personal(endpoints.disableTwoFactor, async (person, { body, client }) => {
    await twoFactor.disable(person, body, client);
    return undefined;
  });
  router.personal(
    endpoints.renewRecoveryCodes,
    (person, { body, client }) => twoFactor.renew(person, body.code, client),
  );

  router.personal(
    endpoints.listAccountEvents,
    (person, { query }) => securityLog.ofAccount(person.user.id, query),
  );
}
