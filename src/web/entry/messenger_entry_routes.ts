/**
 * @module Sign-in with a messenger. A cookie binds each attempt to the browser in which it started.
 */
import * as z from "zod";
import { displayName } from "../../contract/identity.ts";
import { checkFields, refused } from "../layout/form.ts";
import { goTo } from "../layout/document.tsx";
import type { PageBinder } from "../visit/page_binder.tsx";
import { safeReturnPath } from "../visit/return_path.ts";
import type { FactorWanted, SignedIn } from "../../platform/accounts/mod.ts";
import { Failure } from "../../platform/core/http/mod.ts";
import { ATTEMPT_MS, type Bot, type MessengerSignIn } from "../../platform/notifications/mod.ts";
import { secondFactorPage } from "./entry_pages.tsx";
import { redirectSignedIn } from "./entry_routes.ts";
import {
  MESSENGER_ENTRY_PATH,
  messengerEntryPath,
  messengerOverPage,
  messengerWaitPage,
  newcomerPage,
} from "./messenger_entry_pages.tsx";

interface MessengerEntry {
  readonly bot: Bot;
  readonly messengerSignIn: MessengerSignIn;
  readonly publicOrigin: string;
}

const newcomerFields = z.object({ name: displayName });
const TOKEN = /^[A-Za-z0-9_-]{43}$/;

/**
 * Describes the cookie for an attempt. Over HTTPS, other hosts cannot set a cookie with this name.
 */
function attemptCookie({ publicOrigin }: MessengerEntry) {
  const secure = publicOrigin.startsWith("https:");
  const name = secure ? "__Host-svc_messenger" : "svc_messenger";
  return {
    set: (value: string): string =>
      `${name}=${value}; Path=/; Max-Age=${ATTEMPT_MS / 1000}; HttpOnly; SameSite=Lax` +
      (secure ? "; Secure" : ""),
    /**
     * Reads the cookie. If there are two cookies with this name, ignores both, because another host
     * has planted one of them.
     */
    read(header: string | null): string {
      const values = (header ?? "").split(";").map((part) => part.trim())
        .filter((part) => part.startsWith(`${name}=`))
        .map((part) => part.slice(name.length + 1));
      return values.length === 1 && TOKEN.test(values[0]!) ? values[0]! : "";
    },
  };
}

export function bindMessengerEntry(bind: PageBinder, entry: MessengerEntry): void {
  const { bot, messengerSignIn } = entry;
  const cookie = attemptCookie(entry);
  const enter = (answer: SignedIn | FactorWanted, next: string): Response =>
    answer.status === "signed_in"
      ? redirectSignedIn(answer, next)
      : secondFactorPage({ next, challenge: answer.challenge });

  bind.open("POST", MESSENGER_ENTRY_PATH, async ({ fields, client }) => {
    const next = safeReturnPath(fields.next);
    const value = await messengerSignIn.begin(client);
    return goTo(messengerEntryPath(next), { "set-cookie": cookie.set(value) });
  });

  bind.open("GET", MESSENGER_ENTRY_PATH, async ({ query, client, cookies }) => {
    const next = safeReturnPath(query.get("next"));
    const progress = await messengerSignIn.progress(cookie.read(cookies), client, bot);
    switch (progress.type) {
      case "waiting":
        return messengerWaitPage({ ...progress, next });
      case "entered":
        return enter(progress.answer, next);
      case "newcomer":
        return newcomerPage({ name: progress.name, next });
      default:
        return messengerOverPage({ wasDenied: progress.type === "denied", next });
    }
  });

  bind.open("POST", `${MESSENGER_ENTRY_PATH}/account`, async ({ fields, client, cookies }) => {
    const next = safeReturnPath(fields.next);
    const checked = checkFields(newcomerFields, fields);
    if (!checked.ok) {
      return newcomerPage({ name: "", next, state: checked.state, status: 400 });
    }
    try {
      const { name } = checked.value;
      const answer = await messengerSignIn.signUp(cookie.read(cookies), name, client);
      return enter(answer, next);
    } catch (error) {
      if (error instanceof Failure && error.code === "unauthorized") {
        return messengerOverPage({ wasDenied: false, next });
      }
      return newcomerPage({ name: "", next, ...refused(error, fields) });
    }
  });
}
