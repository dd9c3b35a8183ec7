/** @module Permission errors with Node's codes and messages, which libraries expect. */

/** Linux error numbers. */
const EPERM = 1;
const EACCES = 13;

/** The API that a server used, by the kind of missing permission. */
const CALLS: Readonly<Record<string, string>> = {
  read: "open",
  write: "open",
  net: "connect",
  run: "spawn",
  ffi: "dlopen",
  import: "import",
};

const MESSAGE = /^Requires (?:all )?(\w+) access(?: to (.+?))?, (?:run again|specify)/;

interface DeniedCall {
  readonly message: string;
  readonly code: "EACCES" | "EPERM";
  /** The negated error number, as in Node's errors. */
  readonly errno: number;
  readonly syscall: string;
  /** The path of the file, if the error is about a file. */
  readonly path?: string;
}

/** Reads the runtime's message. Returns `undefined` if the message has a different form. */
export function describeDenial(message: string): DeniedCall | undefined {
  const [, kind = "", what = ""] = MESSAGE.exec(message) ?? [];
  if (kind === "") return undefined;
  const subject = what.replace(/^"(.*)"$/, "$1");
  const syscall = CALLS[kind];
  if (syscall === undefined) {
    return {
      message: `EPERM: operation not permitted, ${subject || kind}`,
      code: "EPERM",
      errno: -EPERM,
      syscall: subject || kind,
    };
  }
  const isFile = kind === "read" || kind === "write";
  const shown = subject === "" ? "" : isFile ? ` '${subject}'` : ` ${subject}`;
  return {
    message: `EACCES: permission denied, ${syscall}${shown}`,
    code: "EACCES",
    errno: -EACCES,
    syscall,
    ...(isFile && subject !== "" ? { path: subject } : {}),
  };
}

/** The runtime's error class for denied permissions. */
class DeniedError extends Error {
  constructor(message?: string, options?: ErrorOptions) {
    const denied = describeDenial(String(message));
    super(denied?.message ?? message, options);
    if (denied === undefined) return;
    const { message: _, ...fields } = denied;
    Object.assign(this, fields);
  }
}

/** Gives Node's messages and codes to all of the runtime's permission errors in this thread. */
export function describePermissions(): void {
  // The runtime creates `NotCapable` errors itself, and their constructor calls that of its base
  // class.
  Object.setPrototypeOf(Deno.errors.NotCapable, DeniedError);
}
