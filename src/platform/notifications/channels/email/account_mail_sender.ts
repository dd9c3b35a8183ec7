/**
 * Sends mails that accounts need, such as the one that confirms a sign-up. They contain
 * one-time links, so they are never stored: where one cannot be sent within a minute,
 * the person who waits for it requests another.
 *
 * @module
 */
import type { SendAccountMail } from "../../../accounts/mod.ts";
import type { Mail, Mailer } from "./mailer.ts";

/** Pauses before further attempts. */
const PAUSES_MS = [1000, 5000, 20_000] as const;
/** How many mails may wait at once: more would be an attack. */
const MAX_WAITING = 1000;

export function accountMailSender(
  mailer: Mailer,
  onTrouble: (message: string) => void,
): SendAccountMail {
  let waiting = 0;
  const attempt = async (mail: Mail, count: number): Promise<void> => {
    const outcome = await mailer.send(mail);
    if (outcome.type === "sent") return;
    const pause = outcome.type === "retry" ? PAUSES_MS[count] : undefined;
    if (pause === undefined) {
      return onTrouble(`A mail to an account was not sent: ${outcome.reason}`);
    }
    await new Promise<void>((resolve) => Deno.unrefTimer(setTimeout(resolve, pause)));
    await attempt(mail, count + 1);
  };
  return (mail) => {
    if (waiting >= MAX_WAITING) {
      return Promise.reject(new Error("Too many mails wait to be sent"));
    }
    waiting++;
    attempt(mail, 0)
      .catch((error) => onTrouble(`A mail to an account was not sent: ${error}`))
      .finally(() => waiting--);
    return Promise.resolve();
  };
}
