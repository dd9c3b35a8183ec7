/**
 * Sets a breakpoint in the server code of each framework in the specification, over the DevTools
 * protocol. `DEV_TESTS=all` installs and runs all of them.
 */
import { until } from "../../../src/lib/_test_until.ts";
import { type FrameworkName, withFramework } from "../../helpers/dev_frameworks.ts";
import type { Served } from "../../helpers/dev_program.ts";
import {
  type Inspector,
  openInspector,
  type Script,
  type Session,
} from "../../helpers/devtools.ts";
import { needs } from "../../helpers/empty_root.ts";

/** Text of a line that runs on each request to the path. */
const MARK = "crypto.randomUUID()";

const PATHS: Readonly<Record<FrameworkName, string>> = {
  astro: "/",
  nitro: "/",
  nuxt: "/api/tide",
  sveltekit: "/",
};

/** A framework's development build may be in `node_modules/.nitro`. */
const LIBRARY = /\/node_modules\/(?!\.)/;

/** Follows the main thread and each worker as they start. */
async function* threadsOf(inspector: Inspector): AsyncGenerator<Session> {
  yield inspector.main;
  while (true) yield await inspector.worker();
}

/** Sets a breakpoint on each marked line in the project's scripts. */
async function breakIn(session: Session, folder: string): Promise<void> {
  await session.call("Debugger.enable");
  while (true) {
    const { scriptId } = await session.script(({ url }: Script) =>
      url.includes(folder) && !LIBRARY.test(url)
    );
    const { scriptSource } = await session.call("Debugger.getScriptSource", { scriptId });
    for (const [lineNumber, line] of String(scriptSource).split("\n").entries()) {
      if (!line.includes(MARK)) continue;
      await session.call("Debugger.setBreakpoint", { location: { scriptId, lineNumber } });
    }
  }
}

/** Sets breakpoints in each new thread. `paused` receives the thread that stops at one of them. */
async function followThreads(
  inspector: Inspector,
  { folder, paused }: {
    readonly folder: string;
    readonly paused: (session: Session) => void;
  },
): Promise<void> {
  for await (const session of threadsOf(inspector)) {
    // The loop in `breakIn()` ends when the session is closed.
    void breakIn(session, folder).catch(() => {});
    void session.paused().then(() => paused(session));
  }
}

async function read({ port }: Served, path: string): Promise<void> {
  await (await fetch(`http://127.0.0.1:${port}${path}`)).text();
}

for (const [name, path] of Object.entries(PATHS) as [FrameworkName, string][]) {
  Deno.test({
    name: `dev --inspect stops a ${name} project's server at a breakpoint`,
    ignore: Deno.env.get("DEV_TESTS") !== "all" || needs("sh", "node", "npm").ignore,
    fn: () =>
      withFramework(name, async ({ dev, folder }) => {
        using inspector = await openInspector(String(dev.told.inspector));
        const found = Promise.withResolvers<Session>();
        void followThreads(inspector, { folder, paused: found.resolve });
        let stopped: Session | undefined;
        void found.promise.then((session) => stopped = session);
        const underWay = new Set<Promise<void>>();
        // The first request may do nothing but load the script. In that case, a later request stops
        // at the breakpoint.
        await until(() => {
          if (underWay.size > 0) return stopped !== undefined;
          const answered = read(dev, path).catch(() => {}).finally(() => underWay.delete(answered));
          underWay.add(answered);
        });
        await stopped!.call("Debugger.disable");
        await Promise.all(underWay);
      }, ["--inspect"]),
  });
}
