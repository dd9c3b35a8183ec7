/** The parts of the account services, created once. @module */
import type { Clock, Random } from "../../lib/clock.ts";
import type { SecretBox } from "../core/secrets/mod.ts";
import type { AccountStore } from "./account_store.ts";
import type { CredentialMemory } from "./credentials/credential_memory.ts";
import type { CredentialStore } from "./credentials/credential_store.ts";
import type { DeviceCookies } from "./guessing/device_cookie.ts";
import type { GuessLimits } from "./guessing/guess_limits.ts";
import type { Passwords } from "./sign_in/password.ts";
import type { PublisherStore } from "./publishers/publisher_store.ts";
import type { RaiseSecurityEvent } from "./security_events.ts";
import type { CookieStyle } from "./credentials/session_cookie.ts";
import type { SignInStore } from "./sign_in/sign_in_store.ts";
import type { RecordStore } from "../../store/mod.ts";

export interface AccountParts {
  readonly kv: RecordStore;
  readonly accounts: AccountStore;
  readonly credentials: CredentialStore;
  readonly signIns: SignInStore;
  readonly publishers: PublisherStore;
  readonly memory: CredentialMemory;
  readonly passwords: Passwords;
  readonly limits: GuessLimits;
  readonly devices: DeviceCookies;
  readonly box: SecretBox;
  readonly raise: RaiseSecurityEvent;
  readonly cookies: CookieStyle;
  readonly publicOrigin: string;
  readonly now: Clock;
  readonly random: Random;
}
