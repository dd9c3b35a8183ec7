/** Accounts: sign-up, sign-in, sessions, second factors, API keys and device login. @module */
export { accountKeys } from "./account_keys.ts";
export { AccountService } from "./account_service.ts";
export {
  AccountStore,
  type MembershipRecord,
  setMembership,
  type UserRecord,
  users,
  type WorkspaceRecord,
} from "./account_store.ts";
export { bootstrapAccounts, FIRST_WORKSPACE } from "./bootstrap.ts";
export { type AccountServices, createAccounts } from "./create_accounts.ts";
export {
  AuthorizationService,
  type Scope,
  scopeOf,
} from "./authorization/authorization_service.ts";
export {
  isOwnResource,
  isRegistered,
  type RegisteredClient,
} from "./authorization/registration.ts";
export { Authenticator } from "./credentials/authenticator.ts";
export { addCreation, forgetCreation } from "./credentials/creations.ts";
export { CredentialMemory } from "./credentials/credential_memory.ts";
export { hasEnded } from "./credentials/known_credential.ts";
export { hashToken, mintToken } from "./credentials/token.ts";
export { DeviceLoginService } from "./device_login/device_login_service.ts";
export type { DeviceRequest } from "./device_login/types.ts";
export type { AccountMail, SendAccountMail } from "./email/account_mails.ts";
export { EmailService } from "./email/email_service.ts";
export { PasswordResetService } from "./email/password_reset_service.ts";
export type { FactorWanted, SignedIn } from "./outcomes.ts";
export { issueOwnerLink } from "./owner_link.ts";
export type { AccountParts } from "./parts.ts";
export { type RaiseSecurityEvent, SecurityLog } from "./security_events.ts";
export { Passwords } from "./sign_in/password.ts";
export { SignInService } from "./sign_in/sign_in_service.ts";
export { SignUpService } from "./sign_in/sign_up_service.ts";
export { resealSecondFactors } from "./two_factor/reseal_second_factors.ts";
export { TwoFactorService } from "./two_factor/two_factor_service.ts";
