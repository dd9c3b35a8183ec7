/**
 * @module PostgreSQL's files on the disk, flushed when PostgreSQL requests it. (PGlite's own file
 * system for Node reports success without flushing.)
 */
import { fsyncSync } from "node:fs";
import type { Engine } from "./engine_files.ts";

type Files = InstanceType<Engine["Files"]>;

interface Stream {
  /** Descriptor of the file on the disk; missing if it is not on disk. */
  readonly nfd?: number;
}

interface EmscriptenModule {
  readonly NODEFS: { readonly stream_ops: { fsync?: (stream: Stream) => number } };
  readonly FS: {
    mkdirTree(path: string): void;
    mount(files: EmscriptenModule["NODEFS"], options: { root: string }, path: string): void;
  };
}

/** The files of a folder, for the engine. */
export function durableFiles({ PGlite, Files }: Engine, root: string): Files {
  const { PGDATA } = PGlite.paths;
  const mount = (module: unknown): void => {
    const { NODEFS, FS } = module as EmscriptenModule;
    NODEFS.stream_ops.fsync = ({ nfd }) => {
      if (nfd !== undefined) fsyncSync(nfd);
      return 0;
    };
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
