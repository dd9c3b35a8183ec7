/** @module Runs functions that were written for other platforms, from the project's folder. */
import { dirname } from "node:path";
import { pathToFileURL } from "node:url";
import { BuildError, nodeVersion, readFunctions, type RunnableFunctions } from "../../build/mod.ts";
import type { SiteCompute } from "../../edge/mod.ts";
import type { DevOptions } from "../options.ts";
import type { ServerRunner } from "../server_runner.ts";
import { FrameworkServer } from "./framework_server.ts";

/**
 * Node hooks that provide modules without a file. A deploy would add these modules to the
 * functions.
 */
const HOOKS = `import { fileURLToPath } from "node:url";
let modules = {};
export const initialize = (texts) => void (modules = texts);
const pathOf = (url) => url.startsWith("file:") ? fileURLToPath(url.split(/[?#]/)[0]) : "";
const urlOf = (specifier, base) => {
  try {
    return new URL(specifier, base).href;
  } catch {
    return "";
  }
};
export const resolve = (specifier, context, next) => {
  const url = urlOf(specifier, context.parentURL);
  if (modules[pathOf(url)] === undefined) return next(specifier, context);
  return { url, format: "module", shortCircuit: true };
};
export const load = (url, context, next) => {
  const source = modules[pathOf(url)];
  if (source === undefined) return next(url, context);
  return { format: "module", source, shortCircuit: true };
};
`;

function startModule({ entry, modules }: RunnableFunctions): string {
  return `import module from "node:module";
const hooks = ${JSON.stringify(`data:text/javascript,${encodeURIComponent(HOOKS)}`)};
const modules = ${JSON.stringify(modules)};
if (module.registerHooks === undefined) module.register(hooks, { data: modules });
else {
  const { initialize, ...sync } = await import(hooks);
  initialize(modules);
  module.registerHooks(sync);
}
await import(${JSON.stringify(pathToFileURL(entry).href)});
`;
}

interface FunctionsServerOptions {
  readonly dev: Pick<DevOptions, "build" | "report" | "config">;
  readonly deploymentId: string;
  readonly publicHost: () => string;
  /** Absolute path of the file that this class writes and that the runner starts. */
  readonly file: string;
  readonly runner: ServerRunner;
  /**
   * Whether to report the parts of functions that have no equivalent in svc. False if another part
   * of the dev server reports them.
   */
  readonly saysNotes: boolean;
}

export class FunctionsServer {
  #functions: RunnableFunctions | undefined;
  #compute: FrameworkServer | undefined;

  readonly #options: FunctionsServerOptions;

  constructor(options: FunctionsServerOptions) {
    this.#options = options;
  }

  /** The running functions, or `undefined` if the project has none. */
  get functions(): RunnableFunctions | undefined {
    return this.#functions;
  }

  /** The functions' server, or `undefined` if there is none. */
  get compute(): SiteCompute | undefined {
    return this.#compute;
  }

  /**
   * Applies changes to the functions of a project, and restarts changed ones.
   *
   * @throws {BuildError} if a deploy would reject the functions. In that case, the running
   * functions continue.
   */
  async update(directory: string): Promise<void> {
    const { dev: { build, report, config }, deploymentId, publicHost, file, runner } =
      this.#options;
    const functions = await readFunctions(build, { directory, config });
    if (functions?.key === this.#functions?.key) return;
    this.closeIdle();
    if (functions === undefined) {
      this.#functions = this.#compute = undefined;
      return await runner.stop();
    }
    if (await nodeVersion(build) === undefined) {
      throw new BuildError("server_invalid", "Cannot run the functions: Node is not installed", {
        hint: "Install Node 20 or later, and add its folder to PATH",
      });
    }
    if (this.#options.saysNotes && this.#functions === undefined) {
      for (const note of functions.notes) report.say("warn", note);
    }
    await Deno.mkdir(dirname(file), { recursive: true });
    await Deno.writeTextFile(file, startModule(functions));
    const { timeoutMs } = functions;
    this.#functions = functions;
    this.#compute = new FrameworkServer({
      deploymentId,
      publicHost,
      address: () => this.#address(),
      timeoutMs,
    });
    runner.start();
  }

  /** Closes idle connections. Called when the server has exited or is being replaced. */
  closeIdle(): void {
    this.#compute?.closeIdle();
  }

  /** Restarts functions that have exited, as a platform does. */
  #address() {
    const { runner } = this.#options;
    if (runner.problem !== undefined) runner.start();
    return runner.address;
  }
}
