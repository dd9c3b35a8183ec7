/** @module The environment of a command that runs for a project. Pure. */

/**
 * Variables that make other code run before the command's own code, through the search path, the
 * dynamic loader, shells or language runtimes. A project's variables must not be able to run code
 * on this machine.
 */
const STEERING_NAMES: ReadonlySet<string> = new Set([
  "PATH",
  "PATHEXT",
  "COMSPEC",
  "SHELL",
  "IFS",
  "ENV",
  "BASH_ENV",
  "PROMPT_COMMAND",
  "PS4",
  "ZDOTDIR",
  "GCONV_PATH",
  "NODE_OPTIONS",
  "NODE_PATH",
  "PYTHONPATH",
  "PYTHONHOME",
  "PYTHONSTARTUP",
  "PERL5LIB",
  "PERL5OPT",
  "RUBYLIB",
  "RUBYOPT",
  "JAVA_TOOL_OPTIONS",
  "_JAVA_OPTIONS",
  "GIT_SSH",
  "GIT_SSH_COMMAND",
  "GIT_EXEC_PATH",
  "GIT_ASKPASS",
  "EDITOR",
  "VISUAL",
  "PAGER",
  "BROWSER",
]);
const STEERING_PREFIXES = ["LD_", "DYLD_", "BASH_FUNC_", "GIT_CONFIG_"];

/** Returns true for a variable that could run code other than the given command. */
export function isSteering(name: string): boolean {
  const upper = name.toUpperCase();
  return STEERING_NAMES.has(upper) || STEERING_PREFIXES.some((prefix) => upper.startsWith(prefix));
}

/** Prefix of the variables that svc itself reads. */
const OWN_PREFIX = "SVC_";
/**
 * Variables of svc that child processes get. These variables contain no credentials except the
 * project's own. All other variables stay in this program, so new credentials are withheld by
 * default.
 */
const SHARED_OWN_NAMES: ReadonlySet<string> = new Set([
  "SVC_API_URL",
  "SVC_ENVIRONMENT",
  "SVC_JSON",
  "SVC_KV_TOKEN",
  "SVC_KV_URL",
  "SVC_NO_UPDATE_CHECK",
  "SVC_WORKSPACE",
]);

/**
 * Returns the environment of a child process: all variables except svc's credentials, such as
 * `SVC_TOKEN`. With these credentials, project code could act as the user.
 */
export function inheritedVariables(
  parent: Readonly<Record<string, string | undefined>>,
): Record<string, string> {
  return Object.fromEntries(
    Object.entries(parent).filter((entry): entry is [string, string] => {
      const [name, value] = entry;
      const upper = name.toUpperCase();
      return value !== undefined && (!upper.startsWith(OWN_PREFIX) || SHARED_OWN_NAMES.has(upper));
    }),
  );
}

interface ChildVariables {
  readonly env: Record<string, string>;
  /** Names of the omitted variables, sorted. */
  readonly heldBack: readonly string[];
}

/**
 * Returns the environment of a child process: this program's variables, overridden by the
 * project's. The project's variables that select code to run are omitted unless they are allowed by
 * name.
 */
export function childVariables(
  parent: Readonly<Record<string, string | undefined>>,
  variables: Readonly<Record<string, string>>,
  allowed: readonly string[],
): ChildVariables {
  const env = new Map(Object.entries(inheritedVariables(parent)));
  const heldBack: string[] = [];
  for (const [name, value] of Object.entries(variables)) {
    if (isSteering(name) && !allowed.includes(name)) heldBack.push(name);
    else env.set(name, value);
  }
  return { env: Object.fromEntries(env), heldBack: heldBack.sort() };
}
