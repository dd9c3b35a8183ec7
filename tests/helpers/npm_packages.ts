/**
 * Runs npm packages in separate folders, as users would.
 *
 * @module
 */
import assert from "node:assert/strict";
import { join } from "node:path";
import { runProgram } from "../../src/lib/spawn_program.ts";

export type Variables = Readonly<Record<string, string>>;

const INSTALL = ["npm", "install", "--no-audit", "--no-fund", "--ignore-scripts"];

/** A folder in which npm programs are run. The folder is removed at the end. */
interface NpmFolder extends AsyncDisposable {
  /** Writes text files by path. */
  write(files: Variables): Promise<void>;
  /** Runs a command that must succeed. Returns its output. */
  run(command: readonly string[], env: Variables): Promise<string>;
}

async function runIn(cwd: string, command: readonly string[], env: Variables = {}) {
  const [program, ...args] = command;
  const { code, stdout, stderr } = await runProgram(program!, {
    args,
    cwd,
    env: { ...Deno.env.toObject(), CI: "1", ...env },
    stdin: "null",
  });
  const [out, err] = [stdout, stderr].map((bytes) => new TextDecoder().decode(bytes));
  assert.equal(code, 0, `${command.join(" ")}\n${out}\n${err}`);
  return out!;
}

/** Packages that are installed once, on first use. */
export class NpmPackages {
  #folder: Promise<string> | undefined;

  readonly #versions: readonly string[];
  readonly #given: string | undefined;

  /**
   * @param versions packages with versions, such as `pg@8.16.3`
   * @param given folder in which the packages are already installed
   */
  constructor(versions: readonly string[], given: string | undefined) {
    this.#versions = versions;
    this.#given = given;
  }

  /** Opens an empty folder that has the packages. */
  async open(): Promise<NpmFolder> {
    this.#folder ??= this.#install();
    const modules = join(await this.#folder, "node_modules");
    const folder = await Deno.makeTempDir({ prefix: "svc-npm-" });
    const write = async (files: Variables) => {
      for (const [path, text] of Object.entries(files)) {
        await Deno.mkdir(join(folder, path, ".."), { recursive: true });
        await Deno.writeTextFile(join(folder, path), text);
      }
    };
    await write({ "package.json": '{ "private": true, "type": "module" }' });
    await Deno.symlink(modules, join(folder, "node_modules"));
    return {
      write,
      run: (command, env) => runIn(folder, command, env),
      [Symbol.asyncDispose]: () => Deno.remove(folder, { recursive: true }),
    };
  }

  async #install(): Promise<string> {
    if (this.#given !== undefined) return this.#given;
    const folder = await Deno.makeTempDir({ prefix: "svc-npm-packages-" });
    globalThis.addEventListener("unload", () => Deno.removeSync(folder, { recursive: true }));
    await Deno.writeTextFile(join(folder, "package.json"), '{ "private": true }');
    await runIn(folder, [...INSTALL, ...this.#versions]);
    return folder;
  }
}
