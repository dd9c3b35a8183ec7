/**
 * @module PostgreSQL's files on disk, flushed when PostgreSQL requests it. (PGlite's own file
 * system for Node reports success without flushing.) In each statement, PostgreSQL asks for the
 * sizes of a table and its index. Asking the disk can take as long as the statement itself. Because
 * no other process writes the files, this process remembers their sizes.
 */
import { fsyncSync } from "node:fs";
import type { Engine } from "./engine_files.ts";

type Files = InstanceType<Engine["Files"]>;

interface Stream {
  /** File descriptor. Missing if the file is not on disk. */
  readonly nfd?: number;
  /** The same object for all streams of a file. */
  readonly node: object;
}

interface StreamOperations {
  fsync?: (stream: Stream) => number;
  llseek(stream: Stream, offset: number, whence: number): number;
  write(stream: Stream, bytes: unknown, offset: number, length: number, position: number): number;
}

/** Operations that can change the size of a file, or which file a name refers to. */
const CHANGES = ["setattr", "mknod", "rename", "unlink", "open"] as const;

type Changes = Partial<Record<typeof CHANGES[number], (...args: unknown[]) => unknown>>;

interface NodeFiles {
  readonly stream_ops: StreamOperations & Changes;
  readonly node_ops: Changes;
}

interface EmscriptenModule {
  readonly NODEFS: NodeFiles;
  readonly FS: {
    mkdirTree(path: string): void;
    mount(files: NodeFiles, options: { root: string }, path: string): void;
  };
}

/** Position from the end of a file (lseek(2)). */
const SEEK_END = 2;

/**
 * Reads the size of each file once, and again after an operation other than a write that may change
 * it.
 */
function rememberSizes({ stream_ops: streams, node_ops: nodes }: NodeFiles): void {
  let sizes = new WeakMap<object, number>();
  const { llseek, write } = streams;
  streams.llseek = (stream, offset, whence) => {
    const size = whence === SEEK_END ? sizes.get(stream.node) : undefined;
    if (size !== undefined && size + offset >= 0) return size + offset;
    const position = llseek(stream, offset, whence);
    if (whence === SEEK_END) sizes.set(stream.node, position - offset);
    return position;
  };
  streams.write = (stream, bytes, offset, length, position) => {
    const count = write(stream, bytes, offset, length, position);
    const size = sizes.get(stream.node);
    if (size !== undefined && position + count > size) sizes.set(stream.node, position + count);
    return count;
  };
  for (const operations of [streams, nodes]) {
    for (const name of CHANGES) {
      const change = operations[name];
      if (change === undefined) continue;
      operations[name] = (...args) => {
        sizes = new WeakMap();
        return change(...args);
      };
    }
  }
}

/** Returns the files of a folder, for the engine. */
export function durableFiles({ PGlite, Files }: Engine, root: string): Files {
  const { PGDATA } = PGlite.paths;
  const mount = (module: unknown): void => {
    const { NODEFS, FS } = module as EmscriptenModule;
    NODEFS.stream_ops.fsync = ({ nfd }) => {
      if (nfd !== undefined) fsyncSync(nfd);
      return 0;
    };
    rememberSizes(NODEFS);
    FS.mkdirTree(PGDATA);
    FS.mount(NODEFS, { root }, PGDATA);
  };
  class DurableFiles extends Files {
    override async init(...[pg, options]: Parameters<Files["init"]>): ReturnType<Files["init"]> {
      const { emscriptenOpts } = await super.init(pg, options);
      const preRun = [...(emscriptenOpts.preRun ?? []), mount];
      return { emscriptenOpts: { ...emscriptenOpts, preRun } };
    }
  }
  return new DurableFiles(root);
}
