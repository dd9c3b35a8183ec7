/**
 * @module Makes the kernel block file access by this thread and the threads that it starts
 * (landlock(7)). This is needed because the runtime's own checks cover neither a compiled program's
 * imports nor symbolic links.
 */
import type { Libc } from "./libc.ts";

const CREATE_RULESET = 444n;
const ADD_RULE = 445n;
const RESTRICT_SELF = 446n;
const GET_VERSION = 1n;
const PATH_BENEATH = 1n;

const EXECUTE = 1n << 0n;
const WRITE_FILE = 1n << 1n;
const READ_FILE = 1n << 2n;
const READ_DIR = 1n << 3n;
const REMOVE_DIR = 1n << 4n;
const REMOVE_FILE = 1n << 5n;
const MAKE_DIR = 1n << 7n;
const MAKE_REG = 1n << 8n;
const MAKE_SOCK = 1n << 9n;
const MAKE_SYM = 1n << 12n;
const REFER = 1n << 13n;
const TRUNCATE = 1n << 14n;

/** Rights that a rule can grant for a file, as opposed to a folder. */
const FILE_RIGHTS = EXECUTE | WRITE_FILE | READ_FILE | TRUNCATE;

const BIND_TCP = 1n;
const ABSTRACT_SOCKETS = 1n;
const SIGNALS = 2n;

const O_PATH = 0x200000;
const O_CLOEXEC = 0x80000;

/** Operations allowed below a path. A path that does not exist is ignored. */
export interface FileRule {
  readonly path: string;
  readonly rights: "read" | "read_write" | "sockets" | "temporary";
}

const RIGHTS: Readonly<Record<FileRule["rights"], bigint>> = {
  read: READ_FILE | READ_DIR | EXECUTE,
  read_write: READ_FILE | WRITE_FILE,
  sockets: READ_FILE | READ_DIR | REMOVE_FILE | MAKE_SOCK,
  temporary: READ_FILE | READ_DIR | WRITE_FILE | TRUNCATE | REMOVE_FILE | REMOVE_DIR |
    MAKE_REG | MAKE_DIR | MAKE_SYM | REFER,
};

/** Returns the version of Landlock in this kernel, or 0 if the kernel has no Landlock. */
export function landlockVersion(libc: Libc): number {
  return Math.max(0, Number(libc.call(CREATE_RULESET, 0n, 0n, GET_VERSION)));
}

/** Returns all file rights in a version of Landlock, except the right to use device ioctls. */
function knownRights(version: number): bigint {
  const bits = version >= 3 ? 15n : version === 2 ? 14n : 13n;
  return (1n << bits) - 1n;
}

function isFolder(path: string): boolean {
  try {
    return Deno.statSync(path).isDirectory;
  } catch {
    return false;
  }
}

function addRule(
  libc: Libc,
  { path, rights }: FileRule,
  { ruleset, known }: { readonly ruleset: bigint; readonly known: bigint },
): void {
  const name = new TextEncoder().encode(`${path}\0`);
  const descriptor = libc.open(name, O_PATH | O_CLOEXEC, 0);
  if (descriptor < 0) return;
  const allowed = known & RIGHTS[rights] & (isFolder(path) ? known : FILE_RIGHTS);
  const rule = new DataView(new ArrayBuffer(12));
  rule.setBigUint64(0, allowed, true);
  rule.setInt32(8, descriptor, true);
  const bytes = new Uint8Array(rule.buffer);
  libc.callFor(ADD_RULE, ruleset, PATH_BENEATH, bytes, 0n);
  libc.close(descriptor);
}

/**
 * Restricts this thread, and everything that it starts from now on, to the files in the rules. If
 * the kernel supports it, these threads also cannot bind TCP ports, connect to abstract Unix
 * sockets of other processes, or send signals to other processes.
 *
 * @returns whether the kernel has restricted file access
 */
export function restrictFiles(libc: Libc, rules: readonly FileRule[]): boolean {
  const version = landlockVersion(libc);
  if (version === 0) return false;
  const attributes = new DataView(new ArrayBuffer(24));
  const known = knownRights(version);
  attributes.setBigUint64(0, known, true);
  attributes.setBigUint64(8, version >= 4 ? BIND_TCP : 0n, true);
  attributes.setBigUint64(16, version >= 6 ? ABSTRACT_SOCKETS | SIGNALS : 0n, true);
  const size = version >= 6 ? 24n : version >= 4 ? 16n : 8n;
  const ruleset = libc.callWith(CREATE_RULESET, new Uint8Array(attributes.buffer), size, 0n);
  if (ruleset < 0n) return false;
  for (const rule of rules) addRule(libc, rule, { ruleset, known });
  const closed = libc.call(RESTRICT_SELF, ruleset, 0n, 0n) === 0n;
  libc.close(Number(ruleset));
  return closed;
}
