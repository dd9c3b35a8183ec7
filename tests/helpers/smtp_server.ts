/**
 * A real SMTP server on a random port that stores emails and fails on demand.
 *
 * @module
 */
import { createInterface } from "node:readline";
import { Readable } from "node:stream";
import { fileURLToPath } from "node:url";

export interface ReceivedMail {
  readonly to: string;
  readonly from: string;
  /** Unfolded headers, with names in lowercase. */
  readonly headers: ReadonlyMap<string, string>;
  /** All parts of the email, decoded. */
  readonly text: string;
  readonly secure: boolean;
  readonly user: string | undefined;
}

interface SmtpOptions {
  /** If set, these credentials are required. */
  readonly auth?: { readonly user: string; readonly pass: string };
  readonly tls?: "never" | "starttls" | "implicit";
  /** Handles the RCPT command. Returns an SMTP error, or nothing if the recipient is accepted. */
  readonly refuse?: (to: string) => string | undefined;
  /** Delay before the reply to a complete email, in milliseconds. */
  readonly answerAfterMs?: number;
  /** Port to listen on; a free port by default. */
  readonly port?: number;
}

export interface TestSmtp extends AsyncDisposable {
  readonly url: string;
  readonly port: number;
  readonly mails: ReceivedMail[];
  /** Resolves when `count` emails have arrived. */
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

/** Messages from the server program. */
type Message =
  | { readonly port: number }
  | { readonly rcpt: string }
  | { readonly mail: Omit<ReceivedMail, "headers" | "text"> & { readonly raw: string } };

const PROGRAM = fileURLToPath(new URL("./smtp_program.mjs", import.meta.url));

export async function serveSmtp(options: SmtpOptions = {}): Promise<TestSmtp> {
  const { auth, tls = "never", refuse, answerAfterMs = 0 } = options;
  const mails: ReceivedMail[] = [];
  const waiting = new Set<() => void>();
  const child = new Deno.Command("node", {
    args: [PROGRAM, JSON.stringify({ auth, tls, answerAfterMs, port: options.port ?? 0 })],
    stdin: "piped",
    stdout: "piped",
    stderr: "null",
  }).spawn();
  const answers = child.stdin.getWriter();
  const listening = Promise.withResolvers<number>();
  const hear = async (message: Message) => {
    if ("port" in message) return listening.resolve(message.port);
    if ("rcpt" in message) {
      const words = JSON.stringify(refuse?.(message.rcpt) ?? null);
      return await answers.write(new TextEncoder().encode(`${words}\n`));
    }
    const { raw, ...mail } = message.mail;
    mails.push({ ...mail, ...readMail(raw) });
    for (const check of waiting) check();
  };
  const heard = (async () => {
    const lines = createInterface({ input: Readable.from(child.stdout) });
    for await (const line of lines) await hear(JSON.parse(line));
    listening.reject(new Error("The SMTP server exited"));
  })();
  const port = await listening.promise;
  const who = auth === undefined ? "" : `${auth.user}:${auth.pass}@`;
  const mode = tls === "never" ? "" : "?tls=insecure";
  return {
    port,
    mails,
    url: `${tls === "implicit" ? "smtps" : "smtp"}://${who}127.0.0.1:${port}${mode}`,
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
      child.kill("SIGKILL");
      await Promise.all([child.status, heard, answers.abort().catch(() => {})]);
    },
  };
}
