/**
 * @module Control groups (cgroups(7), version 2) for processes that run project code. The kernel
 * counts all memory of a group, including socket and pipe buffers, and kills a group that exceeds
 * its limit. This requires permission to create groups below the platform's own. Without it, the
 * platform only watches the processes.
 */
import { join } from "node:path";

const ROOT = "/sys/fs/cgroup";

/** The group for the platform's own process. A group with subgroups cannot contain processes. */
const PLATFORM = "svc-platform";

/** Subgroups of a service's group: one for the platform, and one for systemd's commands. */
const PARTS = new RegExp(`/(?:${PLATFORM}|\\.control)$`);

/** Name of a group: the ID and start time of the process that created the group, and a number. */
const GROUP = /^svc-(\d+)-(\d+)-\d+$/;

/** Number of attempts to remove a group, and the pause between two attempts, in milliseconds. */
const REMOVE_ROUNDS = 200;
const REMOVE_PAUSE_MS = 10;

/** Time between two checks of a group, in milliseconds. */
const WATCH_MS = 500;

/** The names of counters for files in memory and for the kernel's caches. */
const RECLAIMABLE = /^(?:active_file|inactive_file|slab_reclaimable) (\d+)$/gm;

/** Maximum number of bytes that a group can use beyond its limit between two checks. */
const SPARE_BYTES = 64 * 1024 ** 2;

/** Moves the shell to the group in its first argument, and then becomes the command. */
const ENTER_SCRIPT = 'echo $$ >"$0/cgroup.procs" && exec "$@"';

export interface GroupLimits {
  readonly memoryBytes: number;
  /** Maximum number of processes and threads. */
  readonly processes: number;
}

function write(folder: string, file: string, value: string | number): void {
  Deno.writeTextFileSync(join(folder, file), String(value), { create: false });
}

function writeWhereKnown(folder: string, file: string, value: string | number): void {
  try {
    write(folder, file, value);
  } catch { /* an older kernel, or one without this controller */ }
}

const read = (folder: string, file: string): string => Deno.readTextFileSync(join(folder, file));

const pidsIn = (folder: string): number[] =>
  read(folder, "cgroup.procs").split("\n").filter((line) => line !== "").map(Number);

/**
 * Returns the start time of a process (proc(5), `stat`), or `undefined` if there is no such
 * process.
 */
function startOf(pid: number): string | undefined {
  try {
    const stat = read(`/proc/${pid}`, "stat");
    // The program's name can contain any character.
    return stat.slice(stat.lastIndexOf(")") + 2).split(" ")[19];
  } catch {
    return undefined;
  }
}

/** A control group of processes that run project code. */
export class ControlGroup {
  #ranOut = false;
  #watch: ReturnType<typeof setInterval> | undefined;

  readonly #folder: string;

  constructor(folder: string) {
    this.#folder = folder;
  }

  /**
   * Kills the group when it uses more than `maxBytes`. If processes fill the kernel's buffers, the
   * kernel itself only slows them down and evicts programs' pages.
   */
  watch(maxBytes: number): void {
    this.#watch = setInterval(() => {
      if (this.#usedBytes() <= maxBytes) return;
      this.#ranOut = true;
      this.kill();
    }, WATCH_MS);
  }

  /** Returns the group's memory usage in bytes, not counting what the kernel can reclaim at any time. */
  #usedBytes(): number {
    try {
      const stat = read(this.#folder, "memory.stat");
      const free = [...stat.matchAll(RECLAIMABLE)].reduce(
        (sum, [, bytes]) => sum + Number(bytes),
        0,
      );
      return Number(read(this.#folder, "memory.current")) - free;
    } catch {
      return 0;
    }
  }

  /** True once processes in the group have been killed because memory ran out. */
  get ranOut(): boolean {
    if (this.#ranOut) return true;
    try {
      const kills = /^oom_kill (\d+)$/m.exec(read(this.#folder, "memory.events"))?.[1] ?? "0";
      return this.#ranOut = Number(kills) > 0;
    } catch {
      return false;
    }
  }

  /** Adds a process that has no children yet. Later children of the process join the group too. */
  add(pid: number): void {
    try {
      write(this.#folder, "cgroup.procs", pid);
    } catch { /* it has exited */ }
  }

  /** Returns a command that joins the group before it becomes `command`. */
  commandFor(command: readonly string[]): readonly string[] {
    return ["/bin/sh", "-c", ENTER_SCRIPT, this.#folder, ...command];
  }

  /** Kills all processes in the group. */
  kill(): void {
    try {
      write(this.#folder, "cgroup.kill", 1);
    } catch {
      this.#killEach();
    }
  }

  /**
   * Kills the processes one by one, for Linux versions before 5.14, which have no `cgroup.kill`.
   */
  #killEach(): void {
    try {
      for (const pid of pidsIn(this.#folder)) Deno.kill(pid, "SIGKILL");
    } catch { /* the process has exited, or the group no longer exists */ }
  }

  /** Kills the processes in the group, and removes the group. Returns false if processes remain. */
  async remove(): Promise<boolean> {
    clearInterval(this.#watch);
    this.#ranOut = this.ranOut;
    for (let round = 0; round < REMOVE_ROUNDS; round++) {
      this.kill();
      try {
        await Deno.remove(this.#folder);
        return true;
      } catch (error) {
        if (error instanceof Deno.errors.NotFound) return true;
      }
      await new Promise((resolve) => setTimeout(resolve, REMOVE_PAUSE_MS));
    }
    return false;
  }
}

/** The folder for new groups, or the reason that there is none. */
export type GroupPlace = { readonly folder: string } | { readonly problem: string };

/** Finds the folder in which this process can create groups. Makes no lasting changes. */
export function findGroupPlace(): GroupPlace {
  if (Deno.build.os !== "linux") return { problem: "control groups exist only on Linux" };
  try {
    const own = /^0::(\/.*)$/m.exec(read("/proc/self", "cgroup"))?.[1];
    const controllers = read(ROOT, "cgroup.controllers").split(/\s/);
    if (own === undefined || !controllers.includes("memory")) {
      return { problem: "this machine does not use version 2 of control groups" };
    }
    const folder = `${ROOT}${own.replace(PARTS, "").replace(/\/$/, "")}`;
    if (!read(folder, "cgroup.controllers").split(/\s/).includes("memory")) {
      return { problem: `the control group ${folder} does not limit memory` };
    }
    if (!isRoot(folder) && pidsIn(folder).some((pid) => pid !== Deno.pid)) {
      return { problem: `other programs run in the control group ${folder}` };
    }
    const trial = join(folder, nameOf(0));
    Deno.mkdirSync(trial);
    Deno.removeSync(trial);
    return { folder };
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) {
      return { problem: "this machine does not use version 2 of control groups" };
    }
    return { problem: `this user cannot create control groups (${reasonOf(error)})` };
  }
}

const reasonOf = (error: unknown): string => error instanceof Error ? error.message : `${error}`;

/**
 * Returns whether a folder is the root group, the only one that can contain both processes and
 * groups.
 */
const isRoot = (folder: string): boolean => {
  try {
    Deno.statSync(join(folder, "cgroup.type"));
    return false;
  } catch {
    return true;
  }
};

const nameOf = (number: number): string => `svc-${Deno.pid}-${startOf(Deno.pid)}-${number}`;

/**
 * Enables limits for groups below a folder. To do so, moves this process out of the folder's own
 * group.
 */
function enable(folder: string): void {
  const leaves = pidsIn(folder).includes(Deno.pid) && !isRoot(folder);
  const platform = join(folder, PLATFORM);
  if (leaves) {
    Deno.mkdirSync(platform, { recursive: true });
    write(platform, "cgroup.procs", Deno.pid);
  }
  try {
    write(folder, "cgroup.subtree_control", "+memory");
  } catch (error) {
    if (leaves) write(folder, "cgroup.procs", Deno.pid);
    throw error;
  }
  writeWhereKnown(folder, "cgroup.subtree_control", "+pids");
}

/** Removes the groups of platforms that exited without removing their groups. */
async function removeLeft(folder: string): Promise<void> {
  const left = [...Deno.readDirSync(folder)].filter(({ name }) => {
    const [, pid, start] = GROUP.exec(name) ?? [];
    return pid !== undefined && startOf(Number(pid)) !== start;
  });
  await Promise.all(left.map(({ name }) => new ControlGroup(join(folder, name)).remove()));
}

let opened: Promise<GroupPlace> | undefined;
let place: string | undefined;
let created = 0;

async function open(): Promise<GroupPlace> {
  const found = findGroupPlace();
  if ("problem" in found) return found;
  try {
    enable(found.folder);
    await removeLeft(found.folder);
    place = found.folder;
    return found;
  } catch (error) {
    return { problem: `groups cannot be limited in ${found.folder} (${reasonOf(error)})` };
  }
}

/**
 * Prepares groups for the platform before it starts any process. Returns the groups' folder, or the
 * reason that there is none.
 */
export function openControlGroups(): Promise<GroupPlace> {
  return opened ??= open();
}

function removeEmpty(folder: string): void {
  try {
    Deno.removeSync(folder);
  } catch { /* it was not created */ }
}

/**
 * Creates a group with limits. Returns `undefined` if that fails; the platform then only watches
 * the memory.
 */
export function createControlGroup(limits: GroupLimits): ControlGroup | undefined {
  if (place === undefined) return undefined;
  const folder = join(place, nameOf(++created));
  try {
    Deno.mkdirSync(folder);
    write(folder, "memory.max", Math.ceil(limits.memoryBytes) + SPARE_BYTES);
    // The kernel kills all processes in the group together, because half a server would be useless.
    write(folder, "memory.oom.group", 1);
    writeWhereKnown(folder, "memory.swap.max", 0);
    writeWhereKnown(folder, "pids.max", limits.processes);
    const group = new ControlGroup(folder);
    group.watch(limits.memoryBytes);
    return group;
  } catch {
    removeEmpty(folder);
    return undefined;
  }
}
