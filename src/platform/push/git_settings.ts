/**
 * The settings and fixed scripts that git uses for repositories pushed to the platform.
 *
 * @module
 */

/** Maximum size of one push, in bytes. */
export const MAX_PUSH_BYTES = 1024 ** 3;

/** Maximum size of a project's repository on disk, in bytes. */
export const MAX_REPOSITORY_BYTES = 5 * 1024 ** 3;

/** Number of packs at which a repository is repacked. */
const MAX_PACKS = 40;

/** Harmless defects in old repositories. GitHub and GitLab also accept them. */
const HARMLESS = [
  "zeroPaddedFilemode",
  "badTimezone",
  "missingSpaceBeforeDate",
  "missingSpaceBeforeEmail",
  "nullSha1",
];

const SETTINGS: readonly (readonly [string, string])[] = [
  ["core.hooksPath", "/dev/null"],
  ["core.fsmonitor", "false"],
  ["core.logAllRefUpdates", "false"],
  ["safe.directory", "*"],
  ["protocol.allow", "never"],
  ["transfer.fsckObjects", "true"],
  ["receive.fsckObjects", "true"],
  ...HARMLESS.map((name) => [`receive.fsck.${name}`, "ignore"] as const),
  ["receive.maxInputSize", String(MAX_PUSH_BYTES)],
  ["receive.unpackLimit", "1"],
  ["receive.autogc", "false"],
  ["receive.keepAlive", "0"],
  ["receive.denyCurrentBranch", "ignore"],
  ["receive.denyDeleteCurrent", "refuse"],
  ["receive.advertisePushOptions", "false"],
  ["receive.advertiseAtomic", "true"],
  ["receive.updateServerInfo", "false"],
  ["gc.auto", "0"],
  ["maintenance.auto", "false"],
  ["pack.threads", "2"],
  ["pack.windowMemory", "128m"],
  ["init.defaultBranch", "main"],
];

/** Returns git's environment, without `PATH`. Its settings override those of a repository. */
export function gitVariables(home: string): Record<string, string> {
  const env: Record<string, string> = {
    HOME: home,
    LC_ALL: "C.UTF-8",
    GIT_CONFIG_NOSYSTEM: "1",
    GIT_CONFIG_GLOBAL: "/dev/null",
    GIT_TERMINAL_PROMPT: "0",
    GIT_ASKPASS: "/bin/false",
    GIT_CONFIG_COUNT: String(SETTINGS.length),
  };
  SETTINGS.forEach(([key, value], index) => {
    env[`GIT_CONFIG_KEY_${index}`] = key;
    env[`GIT_CONFIG_VALUE_${index}`] = value;
  });
  return env;
}

/**
 * Points HEAD to the production branch. HEAD almost always points there already, so readers do not
 * need a lock.
 */
const SET_HEAD = `
head="refs/heads/$2"
[ "$(git --git-dir="$1" symbolic-ref HEAD)" = "$head" ] ||
  git --git-dir="$1" symbolic-ref HEAD "$head" || exit 1`;

/** Lists refs. Arguments: repository, production branch, service. */
export const ADVERTISE_SCRIPT = `${SET_HEAD}
exec git "$3" --stateless-rpc --advertise-refs "$1"
`;

/** Sends objects. Arguments: repository, production branch, request file. */
export const UPLOAD_SCRIPT = `${SET_HEAD}
exec git upload-pack --stateless-rpc "$1" <"$3"
`;

/** Receives a push: checks objects first, then writes refs as one file, for backups. */
export const RECEIVE_SCRIPT = `${SET_HEAD}
git receive-pack --stateless-rpc "$1" <"$3" || exit 1
exec >/dev/null
git --git-dir="$1" pack-refs --all --prune || exit 1
[ "$(find "$1/objects/pack" -name '*.pack' | wc -l)" -le ${MAX_PACKS} ] ||
  git --git-dir="$1" gc --quiet --prune=2.weeks.ago
`;

/** Removes what an interrupted push left behind. Argument: repository. */
export const TIDY_SCRIPT = `
cd "$1" || exit 1
rm -rf objects/incoming-* objects/tmp_objdir-*
find objects -name 'tmp_*' -delete
find . -name '*.lock' -delete
`;
