/** The mail server and the sender, from the operator's `--smtp-url` and `--mail-from`. @module */

/** Thrown if the mail settings cannot be used. The message never contains the password. */
export class MailSettingsError extends TypeError {
  override readonly name = "MailSettingsError";
}

interface SmtpSettings {
  readonly host: string;
  readonly port: number;
  /** Whether to use TLS from the first byte (`smtps:`). */
  readonly secure: boolean;
  /** Whether to use STARTTLS on a connection that starts without TLS. */
  readonly startTls: "required" | "offered" | "never";
  /** Whether to verify the server's certificate. If not, any certificate is accepted. */
  readonly verify: boolean;
  readonly auth: { readonly user: string; readonly pass: string } | undefined;
}

export interface Sender {
  readonly name: string;
  readonly address: string;
}

const ADDRESS = /^[^\s@<>"(),:;[\]\\]+@[^\s@<>"(),:;[\]\\]+$/;
const LOOPBACK: ReadonlySet<string> = new Set(["localhost", "127.0.0.1", "[::1]"]);
const TLS_MODES: ReadonlySet<string | null> = new Set([null, "required", "none", "insecure"]);

/**
 * Reads `smtp[s]://[user:password@]host[:port][?tls=required|none|insecure]`. Sending a password to
 * another machine requires TLS unless `tls=none` is set.
 *
 * @throws {MailSettingsError}
 */
export function parseSmtpUrl(text: string): SmtpSettings {
  const url = URL.parse(text);
  if (url === null || !/^smtps?:$/.test(url.protocol) || url.hostname === "") {
    throw new MailSettingsError(
      "Cannot use the SMTP URL: it must be smtp://user:password@host:port, or smtps://…",
    );
  }
  const mode = url.searchParams.get("tls");
  if (!TLS_MODES.has(mode)) {
    throw new MailSettingsError(
      `Cannot use the SMTP URL: tls must be required, none or insecure, not ${mode}`,
    );
  }
  const secure = url.protocol === "smtps:";
  const auth = url.username === ""
    ? undefined
    : { user: decodeURIComponent(url.username), pass: decodeURIComponent(url.password) };
  const isExposed = auth !== undefined && !LOOPBACK.has(url.hostname);
  return {
    host: url.hostname.replace(/^\[|\]$/g, ""),
    port: url.port === "" ? (secure ? 465 : auth === undefined ? 25 : 587) : Number(url.port),
    secure,
    startTls: mode === "none" ? "never" : mode === "required" || isExposed ? "required" : "offered",
    verify: mode !== "insecure",
    auth,
  };
}

/** Reads `user@host` or `Name <user@host>`. @throws {MailSettingsError} */
export function parseSender(text: string): Sender {
  const match = /^\s*(?:"?([^"<>\r\n]*?)"?\s*<([^<>\s]+)>|([^<>\s]+))\s*$/.exec(text);
  const address = match?.[2] ?? match?.[3] ?? "";
  if (!ADDRESS.test(address)) {
    throw new MailSettingsError(
      `Cannot use the sender ${JSON.stringify(text)}: it must be user@host or Name <user@host>`,
    );
  }
  return { name: match?.[1] || "svc", address };
}
