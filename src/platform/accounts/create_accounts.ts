/** Creates the account and device login services, which share one store. @module */
import { Buffer } from "node:buffer";
import * as z from "zod";
import type { Clock, Random } from "../../lib/clock.ts";
import { DEVICE_GRANT_TYPE } from "../../contract/device.ts";
import { EXCHANGE_GRANT_TYPE, MAX_PUBLISHERS } from "../../contract/publishers.ts";
import { MAX_COUNTED } from "../../contract/usage.ts";
import { AuthorizationService } from "./authorization/authorization_service.ts";
import { bindAuthorizationRoutes } from "./authorization/routes.ts";
import { GrantRecords } from "./authorization/grants.ts";
import { answerDeviceGrant, bindDeviceRoutes } from "./device_login/routes.ts";
import { DeviceLoginService } from "./device_login/device_login_service.ts";
import { GrantStore } from "./device_login/grant_store.ts";
import { bindPublisherRoutes, exchangeFields } from "./publishers/routes.ts";
import { ExchangeService } from "./publishers/exchange_service.ts";
import { IssuerKeys } from "./publishers/issuer_keys.ts";
import { PublisherService } from "./publishers/publisher_service.ts";
import { PublisherStore } from "./publishers/publisher_store.ts";
import type { OutboundFetch } from "../../runtime/mod.ts";
import type { AuditLog } from "../audit/mod.ts";
import { countBelow } from "../core/store/mod.ts";
import { accountKeys } from "./account_keys.ts";
import type { Capability } from "../core/capability.ts";
import { askAll, type Peers, solePeers } from "../core/peers/mod.ts";
import { sealedSetting, type SecretBox } from "../core/secrets/mod.ts";
import type { SendAccountMail } from "./email/account_mails.ts";
import { AccountService } from "./account_service.ts";
import { AccountStore } from "./account_store.ts";
import { bindApiKeyRoutes } from "./api_keys/routes.ts";
import { ApiKeyService } from "./api_keys/api_key_service.ts";
import { Authenticator } from "./credentials/authenticator.ts";
import { CredentialStore } from "./credentials/credential_store.ts";
import { DeviceCookies } from "./guessing/device_cookie.ts";
import { EmailService } from "./email/email_service.ts";
import { endedGuess, GuessLimits } from "./guessing/guess_limits.ts";
import { MailLinkStore } from "./email/mail_link_store.ts";
import { MailLinks } from "./email/mail_links.ts";
import { bindOwnAccountRoutes } from "./account_routes.ts";
import type { AccountParts } from "./parts.ts";
import { type DeriveKey, type PasswordCost, Passwords } from "./sign_in/password.ts";
import { PasswordResetService } from "./email/password_reset_service.ts";
import { bindAccountRoutes } from "./sign_in/routes.ts";
import { SecurityLog, type SecurityLogOptions } from "./security_events.ts";
import { SignInService } from "./sign_in/sign_in_service.ts";
import { SignInStore } from "./sign_in/sign_in_store.ts";
import { SignUpService } from "./sign_in/sign_up_service.ts";
import { TwoFactorService } from "./two_factor/two_factor_service.ts";
import { LastUsedTracker } from "./credentials/last_used_tracker.ts";
import type { RecordStore } from "../../store/mod.ts";

interface AccountOptions {
  readonly kv: RecordStore;
  readonly isCurrent?: () => boolean;
  /** Other nodes, and a signal that aborts requests to them. Missing on a single node. */
  readonly peers?: Peers;
  readonly closing?: AbortSignal;
  readonly box: SecretBox;
  readonly publicOrigin: string;
  readonly now: Clock;
  readonly random: Random;
  readonly passwordCost?: PasswordCost;
  /** Derives keys from passwords; scrypt by default. */
  readonly deriveKey?: DeriveKey;
  readonly onSecurityEvent?: SecurityLogOptions["onEvent"];
  /** Adds changes to the commit that stores a security event. */
  readonly noteSecurityEvent?: SecurityLogOptions["note"];
  /** Sends requests to the issuers of trusted publishers. */
  readonly outbound: OutboundFetch;
  /** Whether issuers may use private addresses and `http:`. */
  readonly allowPrivate: boolean;
  readonly audit: Pick<AuditLog, "record">;
  /** Sends emails about accounts. Missing if the platform cannot send email. */
  readonly sendMail?: SendAccountMail | undefined;
  readonly onTrouble: (message: string) => void;
}

export interface AccountServices {
  readonly accounts: AccountStore;
  readonly signIns: SignInStore;
  readonly authenticator: Authenticator;
  readonly lastUsed: LastUsedTracker;
  readonly securityLog: SecurityLog;
  readonly twoFactor: TwoFactorService;
  readonly signIn: SignInService;
  readonly signUp: SignUpService;
  readonly passwordReset: PasswordResetService;
  readonly account: AccountService;
  readonly emails: EmailService;
  readonly apiKeys: ApiKeyService;
  readonly publishers: PublisherService;
  readonly exchanges: ExchangeService;
  readonly deviceLogin: DeviceLoginService;
  readonly authorization: AuthorizationService;
  readonly publicOrigin: string;
}

/**
 * The account services, including everything that other capabilities and the platform itself need.
 */
export interface Accounts extends AccountServices {
  readonly parts: AccountParts;
  readonly capability: Capability;
}

export function createAccounts(options: AccountOptions): Accounts {
  const { kv, publicOrigin, onTrouble } = options;
  const { securityLog, lastUsed, authenticator, parts } = createParts(options);
  const { accounts, signIns } = parts;
  const twoFactor = new TwoFactorService(parts);
  const signIn = new SignInService(parts, twoFactor);
  const mailLinks = options.sendMail === undefined ? undefined : new MailLinks(parts, {
    store: new MailLinkStore(kv),
    send: options.sendMail,
    onTrouble,
  });
  const services: AccountServices = {
    accounts,
    signIns,
    authenticator,
    lastUsed,
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
    publishers: new PublisherService(parts, options),
    exchanges: new ExchangeService(parts, {
      keys: new IssuerKeys({ ...options, allowHttp: options.allowPrivate }),
      audit: options.audit,
    }),
    deviceLogin: new DeviceLoginService(parts, new GrantStore(kv)),
    authorization: new AuthorizationService(
      parts,
      new GrantRecords(kv),
      () => signingKey(options, "oauth_clients"),
    ),
  };
  return { ...services, parts, capability: capabilityOf(services, kv) };
}

/**
 * Returns the secret with which the platform signs what it issues. The secret is created on first
 * use.
 */
function signingKey(
  { kv, box, random }: Pick<AccountOptions, "kv" | "box" | "random">,
  name: string,
): Promise<string> {
  return sealedSetting({ kv, box }, name, () => Buffer.from(random(32)).toString("base64url"));
}

/** Creates limits on guessing that count guesses on all nodes. */
function sharedLimits(
  devices: DeviceCookies,
  { peers = solePeers(), closing = new AbortController().signal, now, onTrouble }: AccountOptions,
): GuessLimits {
  const question = { name: "guess-ended", schema: z.literal(true), withLost: false, closing };
  const limits = new GuessLimits(devices, now, (ended) => {
    void askAll(peers, { ...question, data: () => ended })
      .catch((error) => onTrouble(`Cannot share a failed sign-in with other nodes: ${error}`));
  });
  peers.answer(question.name, endedGuess, async function* (ended) {
    limits.hear(ended);
    yield await Promise.resolve(true);
  });
  return limits;
}

function createParts(options: AccountOptions): {
  readonly securityLog: SecurityLog;
  readonly lastUsed: LastUsedTracker;
  readonly authenticator: Authenticator;
  readonly parts: AccountParts;
} {
  const { kv, box, publicOrigin, now, random, onSecurityEvent, onTrouble } = options;
  const accounts = new AccountStore(kv);
  const credentials = new CredentialStore(kv);
  const securityLog = new SecurityLog({
    kv,
    now,
    random,
    note: options.noteSecurityEvent,
    onEvent: onSecurityEvent,
  });
  const { raise } = securityLog;
  const lastUsed = new LastUsedTracker({ store: credentials, raise, now, onTrouble });
  const cookies = { secure: publicOrigin.startsWith("https:") };
  const authenticator = new Authenticator({
    isCurrent: options.isCurrent,
    accounts,
    credentials,
    lastUsed,
    cookies,
    publicOrigin,
    now,
  });
  const devices = new DeviceCookies({
    key: () => signingKey(options, "device_cookies"),
    cookies,
    now,
    random,
  });
  const parts: AccountParts = {
    kv,
    accounts,
    credentials,
    signIns: new SignInStore(kv),
    publishers: new PublisherStore(kv),
    memory: authenticator.memory,
    passwords: new Passwords(random, options.passwordCost, options.deriveKey),
    limits: sharedLimits(devices, options),
    devices,
    box,
    raise,
    cookies,
    publicOrigin,
    now,
    random,
  };
  return { securityLog, lastUsed, authenticator, parts };
}

function capabilityOf(services: AccountServices, kv: RecordStore): Capability {
  return {
    name: "accounts",
    bindRoutes(router) {
      bindAccountRoutes(router, services);
      bindOwnAccountRoutes(router, services);
      bindApiKeyRoutes(router, services);
      bindPublisherRoutes(router, services.publishers);
      const { authorization, deviceLogin, exchanges } = services;
      bindDeviceRoutes(router, { ...services, service: deviceLogin });
      bindAuthorizationRoutes(router, {
        service: authorization,
        publicOrigin: services.publicOrigin,
        otherGrants: {
          [DEVICE_GRANT_TYPE]: (asked) => answerDeviceGrant(deviceLogin, asked),
          [EXCHANGE_GRANT_TYPE]: ({ fields, client }) =>
            exchanges.exchange(exchangeFields(fields), client),
        },
      });
    },
    async workspaceUsage(workspaceId) {
      const [members, apiKeys, publishers] = await Promise.all([
        countBelow(kv, accountKeys.members(workspaceId), MAX_COUNTED),
        countBelow(kv, accountKeys.workspaceApiKeys(workspaceId), MAX_COUNTED),
        countBelow(kv, accountKeys.publishers(workspaceId), MAX_COUNTED),
      ]);
      return [
        { subject: "members", of: null, used: members, limit: null },
        { subject: "apiKeys", of: null, used: apiKeys, limit: null },
        { subject: "publishers", of: null, used: publishers, limit: MAX_PUBLISHERS },
      ];
    },
    storeChanged(changed) {
      services.authenticator.memory.follow(changed);
      return Promise.resolve();
    },
    rereadStore() {
      services.authenticator.memory.forgetAll();
      return Promise.resolve();
    },
    close: () => services.lastUsed.close(),
  };
}
