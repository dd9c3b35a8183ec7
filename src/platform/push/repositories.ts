/** Repositories pushed to the platform. The first push that git accepts creates one. @module */
import { join } from "node:path";
import { PUSHED_FOLDER, pushedRepository } from "../git/mod.ts";
import { runProgram } from "../../lib/spawn_program.ts";
import { folderSize } from "../../lib/folder_size.ts";
import { renameDurably, syncTree } from "../../lib/sync_folder.ts";
import { gitVariables } from "./git_settings.ts";
import { giveToGit, type Scratch } from "./sandboxed_git.ts";
import { removeBuildFolder } from "../builds/mod.ts";

interface OpenRepository {
  readonly path: string;
  readonly isNew: boolean;
  /** Stores a new repository. */
  keep(): Promise<void>;
}

interface RepositoriesOptions {
  readonly dataDir: string;
  readonly path: string;
  /** Brings this node's copy of a repository up to date, if other nodes also receive pushes. */
  readonly sync?: ((projectId: string) => Promise<void>) | undefined;
}

export class Repositories {
  readonly #root: string;

  readonly #options: RepositoriesOptions;

  constructor(options: RepositoriesOptions) {
    this.#options = options;
    this.#root = join(options.dataDir, PUSHED_FOLDER);
  }

  /**
   * Returns the path of a project's repository, or of a new one in the scratch folder if the
   * project has none.
   */
  async open(projectId: string, scratch: Scratch): Promise<OpenRepository> {
    const path = pushedRepository(this.#root, projectId);
    await this.#options.sync?.(projectId);
    const isThere = await Deno.stat(path).then(() => true, () => false);
    if (isThere) {
      await giveToGit(scratch.access, path);
      return { path, isNew: false, keep: () => Promise.resolve() };
    }
    const fresh = join(scratch.path, "repository.git");
    await this.#make(fresh);
    await giveToGit(scratch.access, fresh);
    return {
      path: fresh,
      isNew: true,
      keep: async () => {
        await Deno.mkdir(this.#root, { recursive: true, mode: 0o700 });
        await syncTree(fresh);
        await renameDurably(fresh, path);
      },
    };
  }

  /** Returns the size of a project's repository on disk, in bytes; 0 if the project has none. */
  async size(projectId: string): Promise<number> {
    const path = pushedRepository(this.#root, projectId);
    const isThere = await Deno.stat(path).then(() => true, () => false);
    return isThere ? await folderSize(path) ?? Infinity : 0;
  }

  remove(projectId: string): Promise<void> {
    return removeBuildFolder(pushedRepository(this.#root, projectId));
  }

  async #make(path: string): Promise<void> {
    const { success, stderr } = await runProgram("git", {
      args: ["init", "--quiet", "--bare", "--template=", "--", path],
      clearEnv: true,
      env: { ...gitVariables("/"), PATH: this.#options.path },
      stdin: "null",
      stdout: "null",
      stderr: "piped",
    });
    if (!success) {
      throw new Error(`Cannot create a repository: ${new TextDecoder().decode(stderr).trim()}`);
    }
  }
}
