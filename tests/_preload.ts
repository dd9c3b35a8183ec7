/**
 * Loaded before each test file (`deno test --preload tests/_preload.ts`) to disable Deno's leak
 * checks. Some resources exist until the program exits: esbuild's process, loaded libraries and
 * idle connections. They are created in the first test that needs them, and would count as leaks
 * there. Tests for leaks check descriptors and processes themselves.
 *
 * @module
 */

const RELAXED = { sanitizeOps: false, sanitizeResources: false } as const;

type Options = Omit<Deno.TestDefinition, "fn" | "name">;
type Run = Deno.TestDefinition["fn"];

/** The file whose tests are being declared; `undefined` if it does not share its thread. */
let loading: string | undefined;

/** Maximum time of a test that shares its thread. One that hangs would end the whole run. */
const LONGEST_MS = 3 * 60_000;

function limited(run: Run): Run {
  return async (context) => {
    const late = Promise.withResolvers<never>();
    const error = new Error(`The test did not finish within ${LONGEST_MS / 60_000} minutes`);
    const timer = setTimeout(() => late.reject(error), LONGEST_MS);
    try {
      await Promise.race([run(context), late.promise]);
    } finally {
      clearTimeout(timer);
    }
  };
}

/** Converts the arguments of any form of `Deno.test()` to a definition. */
function definitionOf(args: readonly unknown[]): Deno.TestDefinition {
  const named = args.find((arg): arg is string => typeof arg === "string");
  const run = args.find((arg): arg is Run => typeof arg === "function");
  const given = args.find((arg): arg is Options & { fn?: Run; name?: string } =>
    typeof arg === "object" && arg !== null
  );
  const fn = run ?? given?.fn;
  const name = named ?? given?.name ?? fn?.name;
  if (fn === undefined || name === undefined) throw new TypeError("A test needs a name and a body");
  if (loading === undefined) return { ...RELAXED, ...given, name, fn };
  return { ...RELAXED, ...given, name: `${loading} => ${name}`, fn: limited(fn) };
}

/**
 * Declares the tests in one of several files that share a thread. If the file cannot be loaded,
 * only its own tests fail.
 */
export async function loadTests(file: string, load: () => Promise<unknown>): Promise<void> {
  loading = file;
  try {
    await load();
  } catch (error) {
    Deno.test("its file loads", () => Promise.reject(error));
  } finally {
    loading = undefined;
  }
}

const declare = Deno.test;
const relax = (as: typeof Deno.test | typeof Deno.test.only) => (...args: unknown[]): void =>
  as(definitionOf(args));

Object.defineProperty(Deno, "test", {
  value: Object.assign(relax(declare), declare, {
    only: relax(declare.only),
    ignore: relax(declare.ignore),
  }),
});

// Deno's node:http also rejects an internal promise if a response's body ends early.
addEventListener("unhandledrejection", (event) => {
  const { reason } = event;
  const isBrokenBody = reason instanceof TypeError &&
    reason.message === "error reading a body from connection";
  if (isBrokenBody) event.preventDefault();
});
