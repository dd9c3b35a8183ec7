/**
 * Packs files as one commit (gitformat-pack), in the form of a request that pushes the commit. Does
 * not run git, but writes objects as git would, each under its SHA-1.
 *
 * @module
 */
import { Buffer } from "node:buffer";
import { createHash } from "node:crypto";
import { promisify } from "node:util";
import { deflate as deflateCallback } from "node:zlib";
import { FLUSH, packet } from "./pkt_line.ts";

const deflate = promisify(deflateCallback);

const TYPES = { commit: 1, tree: 2, blob: 3 } as const;
type ObjectType = keyof typeof TYPES;

const NOTHING = "0".repeat(40);
const encoder = new TextEncoder();

export interface SourceFile {
  readonly path: string;
  readonly sha256: string;
}

export interface SourceCommit {
  readonly branch: string;
  /** The branch's current commit; `undefined` for a new branch. */
  readonly parent: string | undefined;
  readonly message: string;
  readonly author: { readonly name: string; readonly email: string };
  /** Time of the commit, in milliseconds since the Unix epoch. */
  readonly at: number;
}

/** Creates an object's ID and its entry in a pack. */
async function makeObject(type: ObjectType, content: Uint8Array) {
  const id = createHash("sha1").update(`${type} ${content.byteLength}\0`).update(content)
    .digest("hex");
  // The first byte has the type and four bits of the size. Each further byte has seven bits of the
  // size.
  const head: number[] = [];
  let rest = Math.floor(content.byteLength / 16);
  let byte = (TYPES[type] << 4) | (content.byteLength % 16);
  for (; rest > 0; rest = Math.floor(rest / 128)) {
    head.push(byte | 0x80);
    byte = rest % 128;
  }
  head.push(byte);
  return { id, entry: [Uint8Array.from(head), new Uint8Array(await deflate(content))] };
}

/** A folder in the commit: the object IDs of its files, by name, and its subfolders. */
type Folder = Map<string, string | Folder>;

/** @throws {RangeError} if a path is both a file and a folder */
function toFolders(files: readonly (readonly [path: string, id: string])[]): Folder {
  const root: Folder = new Map();
  for (const [path, id] of files) {
    const parts = path.split("/");
    const name = parts.pop()!;
    let folder = root;
    for (const part of parts) {
      const next = folder.get(part) ?? new Map();
      if (typeof next === "string") throw new RangeError(`Path "${path}" is inside a file`);
      folder.set(part, next);
      folder = next;
    }
    if (folder.has(name)) throw new RangeError(`Path "${path}" is listed twice`);
    folder.set(name, id);
  }
  return root;
}

/**
 * Returns the bytes by which git sorts an entry. A folder sorts as if its name ended with a slash.
 */
const sortKey = ([name, entry]: readonly [string, string | Folder]): Uint8Array =>
  encoder.encode(typeof entry === "string" ? name : `${name}/`);

type PackObject = Awaited<ReturnType<typeof makeObject>>;

/** Lists a folder's objects, children first. The last object is the folder itself. */
async function treeObjects(folder: Folder): Promise<PackObject[]> {
  const made: PackObject[] = [];
  const parts: Uint8Array[] = [];
  const sorted = [...folder].map((each) => ({ each, key: sortKey(each) }))
    .sort((one, other) => Buffer.compare(one.key, other.key));
  for (const { each: [name, entry] } of sorted) {
    let id = entry;
    if (typeof id !== "string") {
      const below = await treeObjects(id);
      made.push(...below);
      id = below.at(-1)!.id;
    }
    const mode = typeof entry === "string" ? "100644" : "40000";
    parts.push(encoder.encode(`${mode} ${name}\0`), Uint8Array.fromHex(id));
  }
  made.push(await makeObject("tree", Buffer.concat(parts)));
  return made;
}

/** Returns the author and the time as git writes them in a commit. */
const signature = ({ author: { name, email }, at }: SourceCommit): string => {
  // deno-lint-ignore no-control-regex -- these would end the line or the name
  const plain = (text: string) => text.replace(/[\x00-\x1f\x7f<>]/g, " ").trim();
  return `${plain(name) || "svc"} <${plain(email)}> ${Math.floor(at / 1000)} +0000`;
};

function commitText(commit: SourceCommit, tree: string): Uint8Array {
  const by = signature(commit);
  const parent = commit.parent === undefined ? "" : `parent ${commit.parent}\n`;
  return encoder.encode(
    `tree ${tree}\n${parent}author ${by}\ncommitter ${by}\n\n${commit.message.trim()}\n`,
  );
}

export interface SourcePush {
  /** Full SHA of the commit. */
  readonly sha: string;
  readonly ref: string;
  /** The body of the request that pushes the commit. */
  readonly body: ReadableStream<Uint8Array<ArrayBuffer>>;
}

/** Reads file contents twice, one file at a time. @throws {RangeError} for conflicting paths */
export async function makeSourcePush(
  files: readonly SourceFile[],
  read: (sha256: string) => Promise<Uint8Array>,
  commit: SourceCommit,
): Promise<SourcePush> {
  const ids = new Map<string, string>();
  for (const { sha256 } of files) {
    if (ids.has(sha256)) continue;
    const content = await read(sha256);
    const hash = createHash("sha1").update(`blob ${content.byteLength}\0`).update(content);
    ids.set(sha256, hash.digest("hex"));
  }
  const trees = await treeObjects(
    toFolders(files.map(({ path, sha256 }) => [path, ids.get(sha256)!] as const)),
  );
  const root = trees.at(-1)!.id;
  const own = await makeObject("commit", commitText(commit, root));
  const rest = [...new Map([...trees, own].map((object) => [object.id, object])).values()];
  const ref = `refs/heads/${commit.branch}`;
  const parts = async function* () {
    const command = `${commit.parent ?? NOTHING} ${own.id} ${ref}\0report-status side-band-64k`;
    yield packet(`${command} agent=svc\n`);
    yield FLUSH;
    const hash = createHash("sha1");
    const hashed = (bytes: Uint8Array<ArrayBuffer>) => {
      hash.update(bytes);
      return bytes;
    };
    const head = new DataView(new ArrayBuffer(12));
    head.setUint32(0, 0x5041434b); // PACK
    head.setUint32(4, 2);
    head.setUint32(8, ids.size + rest.length);
    yield hashed(new Uint8Array(head.buffer));
    for (const sha256 of ids.keys()) {
      const { entry } = await makeObject("blob", await read(sha256));
      for (const bytes of entry) yield hashed(bytes);
    }
    for (const { entry } of rest) for (const bytes of entry) yield hashed(bytes);
    yield new Uint8Array(hash.digest());
  };
  return { sha: own.id, ref, body: ReadableStream.from(parts()) };
}
