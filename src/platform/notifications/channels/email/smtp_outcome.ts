/** Decides whether to retry after a mail server has refused a message. Pure. @module */
import type { SendOutcome } from "../../delivery/channel.ts";

/** The fields of nodemailer's errors, other than the message. */
interface SmtpFault {
  readonly code: string | undefined;
  readonly status: number | undefined;
  readonly response: string | undefined;
  /** The command that failed, such as `RCPT TO`. */
  readonly command: string | undefined;
}

const TROUBLE: Readonly<Record<string, string>> = {
  EAUTH: "The mail server refused the platform's credentials",
  ENOAUTH: "The mail server requires credentials",
  ETIMEDOUT: "The mail server did not respond in time",
  EDNS: "The mail server's hostname does not exist",
  ETLS: "TLS with the mail server failed",
  EREQUIRETLS: "The mail server does not support TLS",
  EPROTOCOL: "The server does not speak SMTP",
};

/** Commands for a single message. A refusal of any other command affects every message. */
const ABOUT_MESSAGE = /^(?:MAIL FROM|RCPT TO|DATA)/;
const MAX_WORDS = 200;

function textOf(error: object, name: string): string | undefined {
  const value: unknown = Reflect.get(error, name);
  return typeof value === "string" ? value : undefined;
}

function faultOf(error: unknown): SmtpFault {
  const object = typeof error === "object" && error !== null ? error : {};
  const status: unknown = Reflect.get(object, "responseCode");
  return {
    code: textOf(object, "code"),
    status: typeof status === "number" ? status : undefined,
    response: textOf(object, "response"),
    command: textOf(object, "command"),
  };
}

function wordsOf({ response, status }: SmtpFault): string {
  // deno-lint-ignore no-control-regex -- removes control characters on purpose
  const words = (response ?? "").replace(/[\x00-\x1f\x7f-\x9f]+/g, " ").trim();
  return words === "" ? `SMTP ${status}` : words.slice(0, MAX_WORDS);
}

/** Classifies what nodemailer threw (RFC 5321, 4.2.1: 4yz is transient, and 5yz is permanent). */
export function judgeSmtpError(error: unknown): SendOutcome {
  const fault = faultOf(error);
  const { code = "", status, command = "" } = fault;
  if (code === "EAUTH" || code === "ENOAUTH" || status === undefined) {
    if (code === "EENVELOPE") return { type: "failed", reason: "The address is not valid" };
    const reason = TROUBLE[code] ?? "The mail server cannot be reached";
    return { type: "retry", reason, hostTrouble: true };
  }
  const isAboutMessage = ABOUT_MESSAGE.test(command) || code === "EENVELOPE" || code === "EMESSAGE";
  const reason = `The mail server refused the message: ${wordsOf(fault)}`;
  if (!isAboutMessage || status === 421) {
    return {
      type: "retry",
      reason: `The mail server refused the connection: ${wordsOf(fault)}`,
      hostTrouble: true,
    };
  }
  return status >= 500 ? { type: "failed", reason } : { type: "retry", reason, hostTrouble: false };
}
