/** @module The memory that the platform and its processes may use. */

const V2 = "/sys/fs/cgroup";
const V1 = "/sys/fs/cgroup/memory";

/**
 * Returns the paths of the files that may limit a process's memory, based on its
 * `/proc/self/cgroup`: the files of its control group, of the groups above it, and of the root that
 * a container sees (cgroups(7)).
 */
export function memoryLimitFiles(own: string): string[] {
  return own.split("\n").flatMap((line) => {
    const [, controllers, path] = /^\d+:([^:]*):(\/.*)$/.exec(line) ?? [];
    if (path === undefined) return [];
    const [root, file] = controllers === ""
      ? [V2, "memory.max"]
      : controllers!.split(",").includes("memory")
      ? [V1, "memory.limit_in_bytes"]
      : [];
    if (root === undefined) return [];
    const names = path.split("/").filter((name) => name !== "");
    const groups = names.map((_, index) => `/${names.slice(0, names.length - index).join("/")}`);
    return [...groups, ""].map((group) => `${root}${group}/${file}`);
  });
}

function read(path: string): string {
  try {
    return Deno.readTextFileSync(path);
  } catch {
    return "";
  }
}

/**
 * Returns the machine's memory in bytes, or the limit of the process's control group if that is
 * lower.
 */
export function machineMemory(): number {
  const limits = memoryLimitFiles(read("/proc/self/cgroup"))
    .map((path) => Number.parseInt(read(path), 10))
    .filter((bytes) => bytes > 0);
  return Math.min(Deno.systemMemoryInfo().total, ...limits);
}
