/**
 * The services of accounts, workspaces and the device flow over one store, and
 * the face of them that pages call.
 *
 * @module
 */
import { Buffer } from "node:buffer";
import type { Clock, Random } from "../../lib/clock.ts";
import { DeviceLoginService, GrantStore } from "./device_login/mod.ts";
import { crossOriginFailure, originOf } from "../core/http/same_origin.ts";
import type { SecretBox } from "../core/secrets/secret_box.ts";
import { sealedSetting } from "../core/secrets/sealed_settings.ts";
import { InvitationStore } from "../workspaces/invitation_store.ts";
import { WorkspaceService } from "../workspaces/workspace_service.ts";
import { AccountService } from "./account_service.ts";
import { AccountStore } from "./account_store.ts";
import { ApiKeyService } from "./api_key_service.ts";
import { Authenticator } from "./authenticate.ts";
import { ownOf } from "../core/access/caller.ts";
import { CredentialStore } from "./credential_store.ts";
import { DeviceCookies } from "./device_cookie.ts";
import { EmailService } from "./email_service.ts";
import { isFresh } from "./fresh_session.ts";
import { GuessLimits } from "./guess_limits.ts";
import type { PageServices } from "./page_services.ts";
import type { AccountParts } from "./parts.ts";
import { type PasswordCost, Passwords } from "./password.ts";
import { SecurityLog, type SecurityLogOptions } from "./security_events.ts";
import { csrfTokenOf, isCsrfToken } from "./session_cookie.ts";
import type { SendAccountMail } from "./account_mails.ts";
import { MailLinkStore } from "./mail_link_store.ts";
import { MailLinks } from "./mail_links.ts";
import { PasswordResetService } from "./password_reset_service.ts";
import { SignUpService } from "./sign_up_service.ts";
import { SignInService } from "./sign_in_service.ts";
import { SignInStore } from "./sign_in_store.ts";
import { TwoFactorService } from "./two_factor_service.ts";
import { UseNotes } from "./use_notes.ts";

export interface AccountOptions {
  readonly kv: Deno.Kv;
  readonly box: SecretBox;
  /** Origin under which people reach the platform. */
  readonly publicOrigin: string;
  readonly now: Clock;
  readonly random: Random;
  /** The cost that passwords are made for, where it is not the usual one. */
  readonly passwordCost?: PasswordCost;
  readonly onSecurityEvent?: SecurityLogOptions["onEvent"];
  /** Adds to the commit of each security event. */
  readonly noteSecurityEvent?: SecurityLogOptions["note"];
  /** Sends mails about accounts; missing where the platform can send none. */
  readonly sendMail?: SendAccountMail | undefined;
  readonly onTrouble: (message: string) => void;
}

export type AccountServices = ReturnType<typeof createAccountServices>;

/** Builds the stores and services; reads nothing yet. */
export function createAccountServices(options: AccountOptions) {
  const { kv, box, publicOrigin, now, random, onSecurityEvent, onTrouble } = options;
  const accounts = new AccountStore(kv);
  const credentials = new CredentialStore(kv);
  const signIns = new SignInStore(kv);
  const securityLog = new SecurityLog({
    kv,
    now,
    random,
    note: options.noteSecurityEvent,
    ...(onSecurityEvent === undefined ? {} : { onEvent: onSecurityEvent }),
  });
  const { raise } = securityLog;
  const useNotes = new UseNotes({ store: credentials, raise, now, onTrouble });
  const cookies = { secure: publicOrigin.startsWith("https:") };
  const authenticator = new Authenticator({
    accounts,
    credentials,
    notes: useNotes,
    cookies,
    publicOrigin,
    now,
  });
  const devices = new DeviceCookies({
    key: () =>
      sealedSetting(
        { kv, box },
        "device_cookies",
        () => Buffer.from(random(32)).toString("base64url"),
      ),
    ...{ cookies, now, random },
  });
  const parts: AccountParts = {
    accounts,
    credentials,
    signIns,
    memory: authenticator.memory,
    passwords: new Passwords(random, options.passwordCost),
    limits: new GuessLimits(devices, now),
    devices,
    box,
    raise,
    cookies,
    publicOrigin,
    now,
    random,
  };
  const twoFactor = new TwoFactorService(parts);
  const signIn = new SignInService(parts, twoFactor);
  const mailLinks = options.sendMail === undefined ? undefined : new MailLinks(parts, {
    store: new MailLinkStore(kv),
    send: options.sendMail,
    onTrouble,
  });
  const services = {
    accounts,
    signIns,
    authenticator,
    useNotes,
    securityLog,
    twoFactor,
    publicOrigin,
    signIn,
    signUp: new SignUpService(parts, {
      mailLinks,
      begin: (user, client) => signIn.begin(user, client),
    }),
    passwordReset: new PasswordResetService(parts, mailLinks),
    account: new AccountService(parts),
    emails: new EmailService(parts, mailLinks),
    apiKeys: new ApiKeyService(parts),
    workspaces: new WorkspaceService(parts, new InvitationStore(kv)),
    deviceLogin: new DeviceLoginService(parts, new GrantStore(kv)),
  };
  return { ...services, pages: createPageServices({ ...services, now }) };
}

/** Lists on pages are short enough to show whole. */
const ALL = { limit: 100 } as const;

function createPageServices(services: {
  readonly authenticator: Authenticator;
  readonly securityLog: SecurityLog;
  readonly twoFactor: TwoFactorService;
  readonly signIn: SignInService;
  readonly signUp: SignUpService;
  readonly passwordReset: PasswordResetService;
  readonly account: AccountService;
  readonly emails: EmailService;
  readonly workspaces: WorkspaceService;
  readonly deviceLogin: DeviceLoginService;
  readonly publicOrigin: string;
  readonly now: Clock;
}): PageServices {
  const { authenticator, securityLog, twoFactor, signIn, account, workspaces, deviceLogin } =
    services;
  const { signUp, passwordReset, emails } = services;
  return {
    person: (request, client) => authenticator.visitor(request, client),
    csrfToken: (person) => csrfTokenOf(person.hash),
    checkForm: (request, { csrf, person }) => {
      const origin = originOf(request, services.publicOrigin);
      const hasToken = person === undefined || isCsrfToken(csrf, person.hash);
      if (origin === "other" || !hasToken) throw crossOriginFailure();
    },
    signUp: (wanted, client) => signUp.signUp(wanted, client),
    confirmSignUp: (token, client) => signUp.confirm(token, client),
    canResetPasswords: passwordReset.isPossible,
    requestPasswordReset: (email, client) => passwordReset.request(email, client),
    isPasswordResetOpen: (token, client) => passwordReset.isOpen(token, client),
    resetPassword: (given, client) => passwordReset.complete(given, client),
    signIn: (given, client) => signIn.signIn(given, client),
    secondFactor: (given, client) => signIn.secondFactor(given, client),
    signOut: (person) => signIn.signOut(ownOf(person)),
    isOwnerLinkOpen: (token, client) => signIn.isOwnerLinkOpen(token, client),
    claimOwner: (wanted, client) => signIn.claimOwner(wanted, client),
    account: (person) => account.show(person),
    changePassword: (person, change, client) => account.changePassword(person, change, client),
    isFresh: (person) => isFresh(person, services.now()),
    addEmail: (person, wanted, client) => emails.add(person, wanted, client),
    confirmEmail: (person, token, client) => emails.confirm(person, token, client),
    startTwoFactor: (person, { password }, client) => twoFactor.start(person, password, client),
    confirmTwoFactor: (person, { code }, client) => twoFactor.confirm(person, code, client),
    disableTwoFactor: (person, given, client) => twoFactor.disable(person, given, client),
    renewRecoveryCodes: (person, { code }, client) => twoFactor.renew(person, code, client),
    sessions: async (person) => (await account.sessions(person, ALL)).items,
    revokeSession: (person, id) => account.revokeSession(person, id),
    tools: async (person) => (await account.tools(person, ALL)).items,
    revokeTool: (person, id) => account.revokeTool(person, id),
    securityEvents: async (person) => (await securityLog.ofAccount(person.user.id, ALL)).items,
    workspaces: async (person) => (await workspaces.list(ownOf(person), ALL)).items,
    createWorkspace: (person, wanted) => workspaces.create(person, wanted),
    findInvitation: (token, client) => workspaces.findInvitation(token, client),
    acceptInvitation: (person, { token }, client) => workspaces.accept(person, token, client),
    findDevice: (person, userCode, client) => deviceLogin.find(person, userCode, client),
    approveDevice: (person, given, client) => deviceLogin.approve(person, given, client),
    denyDevice: (person, { userCode }, client) => deviceLogin.deny(person, userCode, client),
  };
}
