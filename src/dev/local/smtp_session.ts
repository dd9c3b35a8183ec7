/**
 * One conversation with a mail server that delivers nothing (RFC 5321), without its
 * connection. Pure.
 *
 * @module
 */

/** Largest mail, in bytes. */
export const MAX_MAIL_BYTES = 25 * 1024 * 1024;
/** Longest line of a command, in characters. */
const MAX_COMMAND = 2048;
const MAX_RECIPIENTS = 1000;

/** What was sent, and between whom. */
export interface SentMail {
  readonly from: string;
  readonly to: readonly string[];
  readonly source: string;
}

/** What the server answers to a line; `end` closes the connection after it. */
export interface SmtpReply {
  readonly text: string;
  readonly end?: boolean;
}

export const GREETING: SmtpReply = { text: "220 svc dev catches every mail" };

const OK: SmtpReply = { text: "250 OK" };
const PATH = /<([^<>\s]*)>/;

/** Takes the lines of a client, without their ends. */
export class SmtpSession {
  #from: string | undefined;
  #to: string[] = [];
  #data: string[] | undefined;
  #bytes = 0;
  /** Lines of a sign-in that are still to come. */
  #signIn = 0;

  constructor(private readonly take: (mail: SentMail) => void) {}

  /** The answer to a line; none within a message. */
  line(line: string): SmtpReply | undefined {
    if (this.#data !== undefined) return this.#message(this.#data, line);
    if (this.#signIn > 0) return this.#answerSignIn();
    if (line.length > MAX_COMMAND) return { text: "500 Line too long" };
    const [verb = ""] = line.split(" ", 1);
    return this.#command(verb.toUpperCase(), line.slice(verb.length).trim());
  }

  #command(verb: string, rest: string): SmtpReply {
    switch (verb) {
      case "HELO":
        return this.#reset({ text: "250 localhost" });
      case "EHLO":
        return this.#reset({
          text: `250-localhost\r\n250-8BITMIME\r\n250-SMTPUTF8\r\n250-SIZE ${MAX_MAIL_BYTES}\r\n` +
            "250 AUTH PLAIN LOGIN",
        });
      case "AUTH":
        return this.#beginSignIn(rest);
      case "MAIL":
        this.#reset(OK);
        this.#from = PATH.exec(rest)?.[1] ?? "";
        return OK;
      case "RCPT":
        return this.#recipient(rest);
      case "DATA":
        if (this.#to.length === 0) return { text: "503 Name a recipient first: RCPT TO" };
        this.#data = [];
        this.#bytes = 0;
        return { text: "354 End the message with a line of one dot" };
      case "RSET":
        return this.#reset(OK);
      case "NOOP":
      case "VRFY":
        return OK;
      case "QUIT":
        return { text: "221 Bye", end: true };
      default:
        return { text: "502 Command not known" };
    }
  }

  #recipient(rest: string): SmtpReply {
    const address = PATH.exec(rest)?.[1];
    if (this.#from === undefined) return { text: "503 Name the sender first: MAIL FROM" };
    if (address === undefined || address === "") return { text: "501 Write RCPT TO:<address>" };
    if (this.#to.length >= MAX_RECIPIENTS) return { text: "452 Too many recipients" };
    this.#to.push(address);
    return OK;
  }

  /** Anybody may sign in: mails that need it are caught too. */
  #beginSignIn(rest: string): SmtpReply {
    const [method = "", initial] = rest.split(" ");
    const lines = method.toUpperCase() === "LOGIN" ? 2 : 1;
    this.#signIn = lines - (initial === undefined ? 0 : 1);
    return this.#signIn === 0 ? { text: "235 Welcome" } : { text: "334 " };
  }

  #answerSignIn(): SmtpReply {
    this.#signIn--;
    return this.#signIn === 0 ? { text: "235 Welcome" } : { text: "334 UGFzc3dvcmQ6" };
  }

  #message(lines: string[], line: string): SmtpReply | undefined {
    if (line !== ".") {
      this.#bytes += line.length + 2;
      if (this.#bytes <= MAX_MAIL_BYTES) lines.push(line.startsWith(".") ? line.slice(1) : line);
      return undefined;
    }
    const isTooLarge = this.#bytes > MAX_MAIL_BYTES;
    const mail = { from: this.#from ?? "", to: this.#to, source: `${lines.join("\r\n")}\r\n` };
    this.#reset(OK);
    if (isTooLarge) return { text: `552 Send at most ${MAX_MAIL_BYTES} bytes` };
    this.take(mail);
    return { text: "250 Caught" };
  }

  #reset(reply: SmtpReply): SmtpReply {
    this.#from = undefined;
    this.#to = [];
    this.#data = undefined;
    return reply;
  }
}
