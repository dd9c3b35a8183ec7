/**
 * @module The project as the edge serves it now: its rules, functions, and files or server. A
 * change replaces the affected part, while running requests keep using the previous part.
 */
import { BuildError } from "../../build/mod.ts";
import { compileSite, type Site, withRules } from "../../edge/mod.ts";
import type { FunctionHost, Inspector, OutboundFetch } from "../../runtime/mod.ts";
import type { RuntimeRuleSet } from "../../rules/mod.ts";
import type { LocalForms } from "../local/local_forms.ts";
import { LOCAL_PROJECT } from "../local/local_queues.ts";
import type { DevOptions } from "../options.ts";
import { describeProblems, describeThrown, type Problems } from "../problems.ts";
import type { FrameworkServer } from "./framework_server.ts";
import type { FunctionsServer } from "./functions_server.ts";
import { type ProjectContent, readProjectFiles } from "./project_files.ts";
import { bundleProject, closeFunctions, hostFunctions } from "./project_functions.ts";
import { readRules } from "./project_rules.ts";
import { serverManifest, serversOf } from "./server_layers.ts";

/** Parts of the project that changed. */
export interface Change {
  readonly rules: boolean;
  readonly functions: boolean;
  /** Files of the site itself. */
  readonly files: boolean;
}

export const EVERYTHING: Change = { rules: true, functions: true, files: true };

interface ProjectSiteOptions {
  readonly dev: DevOptions;
  readonly deploymentId: string;
  readonly outbound: OutboundFetch;
  /** Handles the functions' requests to the local key-value store. */
  readonly kv: OutboundFetch;
  readonly forms: LocalForms;
  /** The dev server. Missing if the project is served as files. */
  readonly server: FrameworkServer | undefined;
  /** Runs the project's functions for other platforms. */
  readonly others: FunctionsServer;
  /** Port of the functions' inspector, if they have one. */
  readonly inspectorPort: number | undefined;
  /** Receives the current problems of each part. */
  readonly problems: Problems;
}

const NO_FILES = {
  read: () => Promise.reject(new Error("The project has no files")),
  stream: () => Promise.reject(new Error("The project has no files")),
};

/** Describes why the project cannot be read. */
function describeFault(error: unknown): string {
  if (!(error instanceof BuildError)) return `Cannot read the project: ${error}`;
  const { hint } = error.facts;
  return hint === undefined ? error.message : `${error.message}. ${hint}`;
}

export class ProjectSite {
  /** The current rules of the site. */
  rules: RuntimeRuleSet | null = null;
  #content: ProjectContent | undefined;
  #functions: FunctionHost | undefined;
  /** Names and hashes of the running functions. */
  #functionsKey = "";
  #site: Site | undefined;
  /** The last fault that the current change reported. */
  #fault: string | undefined;
  /**
   * Whether the site is closed. Later faults are only a consequence of closing, so they are not
   * reported.
   */
  #isClosed = false;
  /** Changes are applied one after the other. */
  #work: Promise<unknown> = Promise.resolve();

  readonly #options: ProjectSiteOptions;

  constructor(options: ProjectSiteOptions) {
    this.#options = options;
  }

  /** The site to serve. Missing until the project has been read once. */
  get site(): Site | undefined {
    return this.#site;
  }

  /** The folder with the rules and functions. */
  get home(): string {
    return this.#content?.home ?? this.#options.dev.directory;
  }

  get functions(): readonly string[] {
    return this.#functions?.names ?? [];
  }

  /**
   * Applies a change. If a part cannot be read, reports the problem and keeps the part's previous
   * version.
   *
   * @returns whether the whole change was applied
   */
  update(change: Change): Promise<boolean> {
    const result = this.#work.then(() => this.#update(change));
    this.#work = result;
    return result;
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#work;
    await this.#closeFunctions(this.#functions);
  }

  async #update(change: Change): Promise<boolean> {
    const { dev, problems } = this.#options;
    this.#fault = undefined;
    if (change.files) problems.set("files", []);
    try {
      const hasFiles = !change.files || await this.#readFiles();
      const old = this.#functions;
      const isOpen = !change.functions || await this.#openFunctions();
      const hasOthers = old !== this.#functions;
      const isRead = !(change.rules || hasOthers) || await this.#readRules();
      this.#compile({ ...change, functions: hasOthers });
      if (hasOthers) {
        this.#closeFunctions(old).catch((error) => dev.report.say("error", describeFault(error)));
      }
      return hasFiles && isOpen && isRead;
    } catch (error) {
      const text = describeFault(error);
      if (!this.#isClosed) dev.report.say("error", text);
      problems.set("files", [{ title: "Cannot read the project", text }]);
      return false;
    }
  }

  /**
   * Reads the files, and the functions for other platforms. Returns false if one of them cannot be
   * read.
   */
  async #readFiles(): Promise<boolean> {
    const { dev, server, others } = this.#options;
    const read = server === undefined ? await this.#readContent() : undefined;
    const areRead = await this.#readOthers(read?.directory ?? dev.directory);
    if (server !== undefined) return areRead;
    if (read === undefined) return false;
    if (areRead && read.hasServer && others.functions === undefined) {
      this.#report(
        new BuildError("server_invalid", "The project has no dev command", {
          hint:
            "Set dev.command in svc.toml, or use --command. svc preview runs the output of svc build",
        }),
      );
      return false;
    }
    this.#content = read;
    return areRead;
  }

  async #readContent(): Promise<ProjectContent | undefined> {
    const again = this.#content !== undefined;
    try {
      return await readProjectFiles({ ...this.#options.dev, again });
    } catch (error) {
      this.#report(error);
      return undefined;
    }
  }

  /** Reads the functions for other platforms. */
  async #readOthers(directory: string): Promise<boolean> {
    try {
      await this.#options.others.update(directory);
      return true;
    } catch (error) {
      this.#report(error);
      return false;
    }
  }

  /** Reports a fault in the project, its files, or its functions. */
  #report(error: unknown): void {
    if (!(error instanceof BuildError)) throw error;
    const fault = describeFault(error);
    if (fault !== this.#fault) this.#options.dev.report.say("error", fault);
    this.#options.problems.add("files", { title: "Cannot read the project", text: fault });
    this.#fault = fault;
  }

  async #openFunctions(): Promise<boolean> {
    const { dev, deploymentId, outbound, kv, problems } = this.#options;
    const { variables, env, build, config, report } = dev;
    const bundled = await bundleProject(this.home, {
      cacheDir: build.cacheDir,
      isDebugged: this.#inspector !== undefined,
    });
    if (!bundled.ok) {
      report.say(
        "error",
        `Cannot build the functions. Keeping the previous functions until you fix this:\n${bundled.message}`,
      );
      const title = "Cannot build the functions";
      problems.set("functions", await describeProblems(this.home, title, bundled.problems));
      return false;
    }
    problems.set("functions", []);
    const key = bundled.functions.map(({ name, sha256 }) => `${name} ${sha256}`).join("\n");
    if (key === this.#functionsKey) return true;
    this.#functionsKey = key;
    // The port of the inspector must be free for the next process.
    if (this.#inspector !== undefined) await this.#closeFunctions(this.#functions);
    this.#functions = hostFunctions(bundled.functions, {
      deploymentId,
      outbound,
      kv,
      variables,
      env,
      cpuMs: config?.functions?.cpuMs,
      inspector: this.#inspector,
      log: ({ level, function: name, message, stack }) => {
        report.say(level === "error" || level === "warn" ? level : "info", `${name}: ${message}`);
        if (stack === undefined) return;
        describeThrown(this.home, `The function ${name} threw an error`, { message, stack })
          .then((problem) => problems.add("calls", problem))
          .catch((error) => report.say("error", describeFault(error)));
      },
    });
    // A debugger may connect before the first call.
    if (this.#inspector !== undefined) await this.#start(this.#inspector);
    return true;
  }

  /** Starts the functions. If they wait for a debugger, they are loaded once it is connected. */
  async #start({ waits }: Inspector): Promise<void> {
    const report = async () => {
      for (const { name, message } of await this.#functions?.start() ?? []) {
        this.#options.dev.report.say("error", `Cannot load the function ${name}: ${message}`);
      }
    };
    if (waits) {
      report().catch((error) => this.#options.dev.report.say("error", describeFault(error)));
    } else await report();
  }

  get #inspector(): Inspector | undefined {
    const { inspectorPort: port, dev } = this.#options;
    return port === undefined ? undefined : { port, waits: dev.inspect === "break" };
  }

  #closeFunctions(host: FunctionHost | undefined): Promise<void> {
    return closeFunctions(host, { isDebugged: this.#inspector !== undefined });
  }

  async #readRules(): Promise<boolean> {
    const { dev: { report }, problems } = this.#options;
    const read = await readRules(this.home, {
      functions: this.functions,
      hasFolderPage: this.#hasFolderPage(),
    });
    if (!read.ok) {
      report.say(
        "error",
        `Cannot use the rules. Keeping the previous rules until you fix this:\n${read.message}`,
      );
      problems.set("rules", read.errors.map((text) => ({ title: "Cannot use the rules", text })));
      return false;
    }
    problems.set("rules", []);
    if (read.warnings !== "") report.say("warn", read.warnings);
    this.rules = read.rules;
    return true;
  }

  /**
   * Returns a function that tells whether a folder's page is served without a trailing slash. A dev
   * server may serve any path.
   */
  #hasFolderPage(): (folder: string) => boolean {
    if (this.#content?.manifest.urls?.trailingSlash !== "never") return () => false;
    const pages = new Set(this.#content?.files.map(({ path }) => `/${path}`));
    return (folder) => pages.has(`${folder}/index.html`);
  }

  #compile(change: Change): void {
    const { deploymentId, server, others, dev, forms } = this.#options;
    if (this.#site !== undefined && !change.files && !change.functions) {
      this.#site = withRules(this.#site, this.rules);
      return;
    }
    const content = this.#content;
    const declared = dev.config?.forms;
    const base = content?.manifest ?? {
      ...serverManifest({ hasServer: server !== undefined, functions: others.functions }),
      queues: [...dev.config?.queues ?? []],
      ...(declared === undefined ? {} : { forms: [...declared] }),
    };
    const vitals = dev.config?.traffic?.vitals;
    this.#site = compileSite({
      deploymentId,
      projectId: LOCAL_PROJECT,
      rules: this.rules,
      manifest: vitals === undefined ? base : { ...base, vitals },
      files: content?.files ?? [],
      blobs: content?.blobs ?? NO_FILES,
      functions: this.#functions,
      forms: forms.keeper(server !== undefined && declared === undefined),
      compute: serversOf(server, others.compute),
    });
  }
}
