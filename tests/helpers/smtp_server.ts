/**
 * A real SMTP server on a random port that keeps what it is sent, and fails as
 * it is told.
 *
 * @module
 */
import { SMTPServer, type SMTPServerOptions } from "smtp-server";

export interface ReceivedMail {
  readonly to: string;
  readonly from: string;
  /** Header fields, names in lower case, unfolded. */
  readonly headers: ReadonlyMap<string, string>;
  /** All parts, decoded. */
  readonly text: string;
  readonly secure: boolean;
  readonly user: string | undefined;
}

export interface SmtpOptions {
  /** Asks for these credentials. */
  readonly auth?: { readonly user: string; readonly pass: string };
  readonly tls?: "never" | "starttls" | "implicit";
  /** Answers RCPT: an SMTP status with words, or nothing where it is taken. */
  readonly refuse?: (to: string) => string | undefined;
  /** How long it takes to answer once it has all of a mail, in milliseconds. */
  readonly answerAfterMs?: number;
  /** Port to listen on; a free one where missing. */
  readonly port?: number;
}

export interface TestSmtp extends AsyncDisposable {
  readonly url: string;
  readonly port: number;
  readonly mails: ReceivedMail[];
  /** Resolves when so many mails are there. */
  until(count: number): Promise<void>;
}

function decode(body: string): string {
  const text = body.replace(/=\r?\n/g, "").replace(
    /(?:=[0-9A-F]{2})+/g,
    (bytes) =>
      new TextDecoder().decode(
        Uint8Array.from(bytes.slice(1).split("="), (hex) => Number.parseInt(hex, 16)),
      ),
  );
  return text;
}

function readMail(raw: string) {
  const end = raw.indexOf("\r\n\r\n");
  const lines = raw.slice(0, end).replace(/\r\n[ \t]+/g, " ").split("\r\n");
  const headers = new Map(lines.map((line) => {
    const colon = line.indexOf(":");
    return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()] as const;
  }));
  return { headers, text: decode(raw.slice(end)) };
}

function refusal(words: string): Error {
  return Object.assign(new Error(words.slice(4)), { responseCode: Number(words.slice(0, 3)) });
}

export async function serveSmtp(options: SmtpOptions = {}): Promise<TestSmtp> {
  const { auth, tls = "never" } = options;
  const mails: ReceivedMail[] = [];
  const waiting = new Set<() => void>();
  const settings: SMTPServerOptions = {
    secure: tls === "implicit",
    authOptional: auth === undefined,
    allowInsecureAuth: true,
    disabledCommands: tls === "never" ? ["STARTTLS"] : [],
    onAuth: ({ username, password }, _session, done) => {
      if (username === auth?.user && password === auth?.pass) done(null, { user: username });
      else done(refusal("535 Authentication failed"));
    },
    onRcptTo: ({ address }, _session, done) => {
      const words = options.refuse?.(address);
      done(words === undefined ? null : refusal(words));
    },
    onData: (stream, session, done) => {
      const chunks: Uint8Array[] = [];
      stream.on("data", (chunk: Uint8Array) => chunks.push(chunk));
      stream.on("end", () => {
        const raw = chunks.map((chunk) => new TextDecoder().decode(chunk)).join("");
        const { mailFrom, rcptTo } = session.envelope;
        mails.push({
          ...readMail(raw),
          to: rcptTo[0]?.address ?? "",
          from: mailFrom === false ? "" : mailFrom.address,
          secure: session.secure,
          user: typeof session.user === "string" ? session.user : undefined,
        });
        setTimeout(done, options.answerAfterMs ?? 0);
        for (const check of waiting) check();
      });
    },
  };
  const server = new SMTPServer(settings);
  server.on("error", () => {});
  const port = await new Promise<number>((resolve) => {
    server.listen(options.port ?? 0, "127.0.0.1", () => {
      const address = server.server.address();
      resolve(typeof address === "object" && address !== null ? address.port : 0);
    });
  });
  const who = auth === undefined ? "" : `${auth.user}:${auth.pass}@`;
  const wish = tls === "never" ? "" : "?tls=insecure";
  return {
    port,
    mails,
    url: `${tls === "implicit" ? "smtps" : "smtp"}://${who}127.0.0.1:${port}${wish}`,
    until: (count) =>
      new Promise((resolve) => {
        const check = () => {
          if (mails.length < count) return;
          waiting.delete(check);
          resolve();
        };
        waiting.add(check);
        check();
      }),
    async [Symbol.asyncDispose]() {
      await new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
}
