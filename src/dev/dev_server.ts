/** @module The dev server: the platform's edge in front of a project in development. */
import { basename, join } from "node:path";
import { createEdge, createHttpCache, loadGeo, type ObservedRequest } from "../edge/mod.ts";
import { DEFAULT_LOCAL_DATA_DIR } from "../kv/mod.ts";
import { systemClock, systemRandom } from "../lib/clock.ts";
import { messageOf } from "../lib/error_message.ts";
import { uuidV7 } from "../lib/ids.ts";
import { createOutboundFetch } from "../runtime/mod.ts";
import type { Explanation } from "../rules/mod.ts";
import { createDevHandler } from "./dev_handler.ts";
import { type Front, openFront } from "./front.ts";
import { chooseInspectors, inspectorAddress, type Inspectors } from "./inspectors.ts";
import { ReloadEvents } from "./live_reload.ts";
import { type LocalServices, openLocalServices } from "./local/local_services.ts";
import { showDevPage } from "./page/dev_page.tsx";
import { type Change, EVERYTHING, ProjectSite } from "./site/project_site.ts";
import { FrameworkServer } from "./site/framework_server.ts";
import type { DevOptions, DevStart } from "./options.ts";
import { explainArrived, loggedRequest, RequestLog } from "./request_log.ts";
import { Problems } from "./problems.ts";
import { type ServerProgram, ServerRunner } from "./server_runner.ts";
import { FunctionsServer } from "./site/functions_server.ts";
import { watchProject } from "./watch_project.ts";

const HOST = "127.0.0.1";
/** Maximum number of keys on the page. */
const SHOWN_KEYS = 100;
/** The launcher for functions written for other platforms, in the folder for local data. */
const FUNCTIONS_FILE = "functions.mjs";
const REQUEST_ID_BYTES = 5;
const CACHE_BYTES = 64 * 1024 * 1024;

export interface RunningDev {
  /** The site's URL for browsers. */
  readonly url: string;
  readonly port: number;
  /** Returns the URLs of the available inspectors. */
  inspectors(): { readonly server?: string; readonly functions?: string };
  /**
   * Resolves when the site can be opened for the first time: files are read, or the server listens.
   */
  readonly ready: Promise<void>;
  /** Restarts the project's server, and reads everything again. */
  restart(): Promise<void>;
  /**
   * Explains how the rules handled the last request. Returns `undefined` if there is no request or
   * there are no rules.
   */
  explainLast(): Explanation | undefined;
  /** Clears requests, emails, submissions and cached responses. */
  clear(): void;
  /** Stops everything that was started. */
  close(): Promise<void>;
  /** Kills the processes immediately. */
  kill(): void;
}

interface DevServerParts {
  readonly options: DevOptions;
  readonly deploymentId: string;
  readonly front: Front;
  readonly services: LocalServices;
  readonly inspectors: Inspectors;
  /** Absolute path of the folder for local data. */
  readonly dataDir: string;
}

/** Quotes a path as a word for the shell. */
const quoted = (path: string): string =>
  Deno.build.os === "windows" ? `"${path}"` : `'${path.replaceAll("'", "'\\''")}'`;

/** Combines the opened parts into the dev server. */
class DevServer {
  readonly #log = new RequestLog();
  readonly #outbound;
  readonly #cache = createHttpCache({
    now: systemClock,
    capacityBytes: CACHE_BYTES,
    onError: (cause) => this.#parts.options.report.say("warn", `Cannot refresh: ${cause}`),
  });
  readonly #runner: ServerRunner | undefined;
  readonly #framework: FrameworkServer | undefined;
  readonly #othersRunner: ServerRunner;
  readonly #others: FunctionsServer;
  readonly #site: ProjectSite;
  readonly #reload = new ReloadEvents();
  readonly #problems = new Problems((problems) => this.#reload.show(problems));
  readonly #publicHost = (): string => `localhost:${this.#parts.front.port}`;
  #unwatch = () => {};
  #geo: Awaited<ReturnType<typeof loadGeo>> | undefined;

  readonly #parts: DevServerParts;

  constructor(parts: DevServerParts) {
    this.#parts = parts;
    const { options, deploymentId, services, inspectors } = parts;
    this.#outbound = createOutboundFetch({ allowPrivate: options.allowPrivateUpstreams });
    if (options.command !== undefined) {
      const runner = this.#runner = this.#createRunner({
        name: "dev server",
        command: options.command,
        shown: options.command,
        port: options.serverPort,
        host: options.serverHost,
        inspectorPort: inspectors.server,
      }, () => this.#framework?.closeIdle());
      this.#framework = new FrameworkServer({
        deploymentId,
        address: () => runner.address,
        publicHost: this.#publicHost,
      });
    }
    const file = join(parts.dataDir, FUNCTIONS_FILE);
    this.#othersRunner = this.#createRunner({
      name: "functions server",
      command: `node ${quoted(file)}`,
      shown: "the functions",
      port: undefined,
      host: HOST,
      inspectorPort: options.command === undefined ? inspectors.server : undefined,
    }, () => this.#others.closeIdle());
    this.#others = new FunctionsServer({
      dev: options,
      deploymentId,
      file,
      runner: this.#othersRunner,
      publicHost: this.#publicHost,
      saysNotes: options.command !== undefined,
    });
    this.#site = new ProjectSite({
      deploymentId,
      dev: options,
      outbound: this.#outbound.fetch,
      kv: services.kvFetch,
      forms: services.forms,
      server: this.#framework,
      others: this.#others,
      inspectorPort: inspectors.functions,
      problems: this.#problems,
    });
  }

  #createRunner(program: ServerProgram, changed: () => void): ServerRunner {
    const { options, front, services, inspectors } = this.#parts;
    return new ServerRunner(options, program, {
      local: { ...services.variables, SVC_URL: `http://${this.#publicHost()}` },
      inspectors,
      notIts: new Set([front.port, ...services.ports]),
      changed: () => {
        changed();
        // Only pages that show a problem are connected, so only those reload.
        this.#reload.reload();
      },
    });
  }

  /** Starts the project's server and reads the project. From then on, requests get responses. */
  async start(): Promise<void> {
    const { options, front } = this.#parts;
    this.#runner?.start();
    this.#sayWhoWaits();
    const [geo] = await Promise.all([loadGeo(), this.#site.update(EVERYTHING)]);
    await this.#parts.services.queues.start(() => this.#site.site);
    this.#geo = geo;
    front.answer(createDevHandler({
      edge: this.#createEdge(),
      ownHost: options.serverHost,
      assumed: options.assumed,
      reload: this.#reload,
      reloadsPages: this.#runner === undefined,
      opened: () => this.#problems.set("calls", []),
      problem: () => this.#runner?.problem,
      output: () => this.#runner?.output ?? [],
      showPage: () => this.#showPage(),
      arrived: (request) => {
        this.#log.last = { ...request, country: this.#countryOf(request.assumed) };
      },
    }));
    this.#unwatch = watchProject(this.#site.home, (change) => {
      this.#take(change).catch((error) => options.report.say("error", messageOf(error)));
    });
    await this.#runner?.address;
    if (this.#others.functions !== undefined) await this.#othersRunner.address;
  }

  /**
   * Reports which code is waiting for a debugger. That code is not ready until a debugger connects.
   */
  #sayWhoWaits(): void {
    const { options: { inspect, report }, inspectors } = this.#parts;
    if (inspect !== "break") return;
    for (const [who, port] of Object.entries(inspectors)) {
      report.say("info", `Waiting for a debugger for the ${who} on ${inspectorAddress(port)}`);
    }
  }

  async restart(): Promise<void> {
    this.#runner?.start();
    if (this.#others.functions !== undefined) this.#othersRunner.start();
    await this.#take(EVERYTHING);
  }

  explainLast(): Explanation | undefined {
    const { last } = this.#log;
    const { rules, site } = this.#site;
    if (last === undefined || rules === null || site === undefined) return undefined;
    return explainArrived(last, rules, (path) => site.content.hasFile(path));
  }

  clear(): void {
    this.#log.clear();
    this.#parts.services.mails.clear();
    this.#parts.services.forms.clear();
    this.#purge();
  }

  kill(): void {
    this.#runner?.kill();
    this.#othersRunner.kill();
  }

  inspectors() {
    const { server, functions } = this.#parts.inspectors;
    const hasFunctions = functions !== undefined && this.#site.functions.length > 0;
    return {
      ...(server === undefined ? {} : { server: inspectorAddress(server) }),
      ...(hasFunctions ? { functions: inspectorAddress(functions) } : {}),
    };
  }

  async close(): Promise<void> {
    this.#unwatch();
    this.#reload.close();
    await this.#parts.services.queues.close();
    const stopped = this.#runner?.stop();
    await this.#parts.front.close();
    await stopped;
    await this.#site.close();
    await this.#othersRunner.stop();
    this.#others.closeIdle();
    this.#framework?.closeIdle();
    this.#outbound.close();
    await this.#parts.services.close();
  }

  #createEdge() {
    const { options, deploymentId } = this.#parts;
    return createEdge({
      ...this.#geo,
      resolveHost: () => this.#site.site,
      record: () => {},
      observe: (request) => this.#observe(request),
      now: systemClock,
      random: systemRandom,
      requestId: () => systemRandom(REQUEST_ID_BYTES).toHex(),
      cache: this.#cache,
      outbound: this.#outbound.fetch,
      onError: (error, id) =>
        options.report.say("error", `Request ${id} to ${deploymentId} failed: ${error}`),
    });
  }

  #observe(observed: ObservedRequest): void {
    const { rules } = this.#site;
    const request = loggedRequest(observed, { rules, time: systemClock() });
    this.#log.add(request);
    this.#parts.options.report.request(request);
  }

  /** Applies saved changes, and removes cached responses. */
  async #take(change: Change): Promise<void> {
    const began = performance.now();
    const { report } = this.#parts.options;
    const isTaken = await this.#site.update(change);
    this.#purge();
    if (!isTaken) return;
    this.#problems.set("calls", []);
    if (change.rules) {
      const count = this.#site.rules?.rules.length ?? 0;
      const act = count === 1 ? "1 rule is active" : `${count} rules are active`;
      report.say("info", `${act}, after ${Math.round(performance.now() - began)} ms`);
    }
    this.#reload.reload();
  }

  #purge(): void {
    this.#cache.purge(this.#parts.deploymentId, { type: "all" });
  }

  #countryOf(
    { country, ip }: { readonly country?: string | undefined; readonly ip?: string | undefined },
  ) {
    return country ?? (ip === undefined ? undefined : this.#geo?.geo.country(ip));
  }

  async #showPage(): Promise<Response> {
    const { services: { kv, mails, forms }, options } = this.#parts;
    const page = await kv.store.list(kv.namespace, { prefix: "", limit: SHOWN_KEYS });
    return await showDevPage({
      project: options.config?.project.name ?? basename(options.directory),
      requests: this.#log.latest(),
      rules: this.#site.rules,
      functions: this.#site.functions,
      keys: page.items,
      hasMoreKeys: page.cursor !== null,
      mails: mails.latest(),
      submissions: forms.latest(),
    }, systemRandom(16).toHex());
  }
}

/**
 * Starts a dev server. It listens immediately, and serves the first requests when the project is
 * ready.
 *
 * @throws {BuildError} if the project's files cannot be served
 * @throws {LocalKvError} if the local data cannot be opened
 */
export async function startDev(given: DevStart): Promise<RunningDev> {
  const { directory, config, report, variablesAt } = given;
  const inspectors = chooseInspectors(given);
  const onError = (error: unknown) => report.say("error", `A request failed: ${error}`);
  const front = await given.onPort((port) => openFront({ hostname: HOST, port, onError }));
  const dataDir = join(directory, config?.dev.dataDir ?? DEFAULT_LOCAL_DATA_DIR);
  const url = `http://localhost:${front.port}`;
  const services = await openLocalServices({
    dataDir,
    url,
    say: (level, message) => report.say(level, message),
    onMail: ({ subject, to }) =>
      report.say("info", `Caught an email to ${to.join(", ")}: ${subject}`),
    onSubmission: ({ form, spam }) =>
      report.say(
        "info",
        `Stored a submission to the form ${form}${spam === null ? "" : " as spam"}`,
      ),
  }).catch(async (error) => {
    await front.close();
    throw error;
  });
  const deploymentId = uuidV7(systemClock, systemRandom);
  const { port } = front;
  const options = { ...given, variables: variablesAt(url) };
  const server = new DevServer({ options, deploymentId, front, services, inspectors, dataDir });
  return {
    url,
    port,
    inspectors: () => server.inspectors(),
    ready: server.start(),
    restart: () => server.restart(),
    explainLast: () => server.explainLast(),
    clear: () => server.clear(),
    close: () => server.close(),
    kill: () => server.kill(),
  };
}
