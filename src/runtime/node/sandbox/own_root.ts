/**
 * @module A root folder for Node: read-only mounts of what it needs, and one small writable folder
 * in memory. The root folder applies to the thread that starts Node; the process's other threads
 * keep the machine's root folder.
 */
import { dirname, join } from "node:path";
import {
  cString,
  makeOwnMounts,
  mountMemory,
  mustCall,
  temporaryOptions,
} from "../../kernel/mounts.ts";
import type { Libc } from "../../kernel/libc.ts";
import { SHOWN_TO_IMAGES, SHOWN_TO_NODE, SHOWN_TO_PROGRAMS } from "../../kernel/system_paths.ts";
import { PROGRAM, TMP } from "./plan_sandbox.ts";
import type { Place } from "./types.ts";

const CLONE_NEWCGROUP = 0x02000000;
const CLONE_NEWIPC = 0x08000000;
const CLONE_NEWPID = 0x20000000;
const CLONE_NEWNET = 0x40000000;

const AF_INET = 2;
const SOCK_DGRAM = 2;
const SIOCSIFFLAGS = 0x8914;
const IFF_UP = 1;
/** Offset of the flags in struct ifreq, and the size of the struct. */
const IFREQ_FLAGS = 16;
const IFREQ_BYTES = 40;

const MS_BIND = 0x1000;
const MS_REC = 0x4000;
const MNT_DETACH = 2;

const AT_FDCWD = -100;
const AT_RECURSIVE = 0x8000;
const READ_ONLY = 1;
const NO_SUID = 2;
const NO_DEVICES = 4;
const FOR_FILES = READ_ONLY | NO_SUID | NO_DEVICES;
const FOR_DEVICES = READ_ONLY | NO_SUID;

/** The visible files in `/proc` about the machine. */
const ABOUT_MACHINE: readonly string[] = [
  "cpuinfo",
  "loadavg",
  "meminfo",
  "stat",
  "uptime",
  "version",
  "sys/kernel/hostname",
  "sys/kernel/osrelease",
  "sys/vm/overcommit_memory",
];

/** Links in `/dev`. Shared memory is in the folder for temporary files. */
const LINKED_DEVICES: Readonly<Record<string, string>> = {
  fd: "/proc/self/fd",
  stdin: "/proc/self/fd/0",
  stdout: "/proc/self/fd/1",
  stderr: "/proc/self/fd/2",
  shm: TMP,
};

/** The table of names to check before a name server (hosts(5)). */
const HOSTS = "/etc/hosts";

/** The machine's time zone. If it is not a link, ICU compares it with the file of every zone. */
const TIME_ZONE = "/etc/localtime";

const TIME_ZONES = "/usr/share/zoneinfo/";

/** Mount point of the file system that exposes Node's own processes (proc(5)). */
const PROCESSES = "/proc/.processes";

/** Folders in an image that are separate for each sandbox. */
const OWN_FOLDERS: ReadonlySet<string> = new Set(["dev", "etc", "proc", "run", "sys", "tmp"]);

/** Files in `/etc` of an image that are separate for each sandbox. */
const OWN_SETTINGS: ReadonlySet<string> = new Set(["group", "hosts", "passwd", "resolv.conf"]);

/** Maximum size of an image's user or group list, in bytes. */
const MAX_USERS = 256 * 1024;

/** Returns the visible paths of this machine. */
function systemOf(
  { image, processes }: Pick<OwnRootOptions, "image" | "processes">,
): readonly string[] {
  if (image !== undefined) return SHOWN_TO_IMAGES;
  return processes ? SHOWN_TO_PROGRAMS : SHOWN_TO_NODE;
}

const namesIn = (folder: string): readonly string[] =>
  typeOf(folder) === "folder" ? [...Deno.readDirSync(folder)].map(({ name }) => name) : [];

/** Returns the text of a file in an image, or "" if the file does not exist or is a link. */
function textOf(image: string | undefined, path: string): string {
  if (image === undefined) return "";
  try {
    const { isFile, size } = Deno.lstatSync(join(image, path));
    if (!isFile || size > MAX_USERS) return "";
    const text = Deno.readTextFileSync(join(image, path));
    return text === "" || text.endsWith("\n") ? text : `${text}\n`;
  } catch {
    return "";
  }
}

function typeOf(file: string): "folder" | "file" | undefined {
  try {
    return Deno.statSync(file).isDirectory ? "folder" : "file";
  } catch {
    return undefined;
  }
}

function linkOf(file: string): string | undefined {
  try {
    return Deno.readLinkSync(file);
  } catch {
    return undefined;
  }
}

interface OwnRootOptions {
  /** An empty folder that becomes the root folder. */
  readonly root: string;
  /** Paths that Node sees, in addition to the system's libraries. */
  readonly shown: readonly Place[];
  /** Size of the folder for temporary files, in MiB. */
  readonly tmpMb: number;
  /** Whether Node sees the system's programs. */
  readonly processes: boolean;
  /** Folder of the image that replaces this machine's system files. */
  readonly image?: string | undefined;
  /** Names that resolve to this machine, in addition to the machine's own names. */
  readonly hosts: readonly string[];
  /** The user who owns the folder for temporary files; by default, the current user. */
  readonly uid?: number | undefined;
}

export class OwnRoot {
  readonly #libc: Libc;
  readonly #options: OwnRootOptions;

  constructor(libc: Libc, options: OwnRootOptions) {
    this.#libc = libc;
    this.#options = options;
  }

  /**
   * Moves this thread to new namespaces for mounts, network, IPC and control groups, and its future
   * children to a new process namespace. Mounts the empty root folder.
   *
   * @throws {RefusedCallError}
   */
  begin(): void {
    const { root } = this.#options;
    const own = CLONE_NEWPID | CLONE_NEWNET | CLONE_NEWIPC | CLONE_NEWCGROUP;
    mustCall(this.#libc, "unshare", own);
    makeOwnMounts(this.#libc);
    this.#raiseLoopback();
    Deno.umask(0o022);
    mountMemory(this.#libc, root, "mode=0755,size=1m");
    Deno.mkdirSync(join(root, PROCESSES), { recursive: true });
  }

  /** Path of the mount point for the processes of this sandbox. */
  get processes(): string {
    return join(this.#options.root, PROCESSES);
  }

  /**
   * Fills the root folder.
   *
   * @throws {RefusedCallError}
   */
  fill(): void {
    const { root, shown, tmpMb, uid, processes, image } = this.#options;
    for (const each of systemOf(this.#options)) {
      if (each !== HOSTS) this.#show({ from: each, to: each });
    }
    if (image !== undefined) this.#showImage(image);
    this.#writeHosts();
    if (processes) this.#furnish();
    for (const each of ABOUT_MACHINE) this.#show({ from: `/proc/${each}`, to: `/proc/${each}` });
    for (const each of ["self", "thread-self"]) {
      Deno.symlinkSync(`.processes/${each}`, join(root, "proc", each));
    }
    if (image === undefined) Deno.mkdirSync(join(root, PROGRAM), { recursive: true });
    for (const each of shown) this.#show(each);
    const tmp = join(root, TMP);
    Deno.mkdirSync(tmp);
    mountMemory(this.#libc, tmp, temporaryOptions(tmpMb, uid));
  }

  /**
   * Makes the folder the root folder of this thread and of everything that shares its mounts.
   *
   * @throws {RefusedCallError}
   */
  enter(): void {
    mustCall(this.#libc, "chdir", cString(this.#options.root));
    mustCall(this.#libc, "pivot_root", cString("."), cString("."));
    mustCall(this.#libc, "umount2", cString("."), MNT_DETACH);
    mustCall(this.#libc, "chdir", cString("/"));
    this.#seal("/", 0);
  }

  /** Creates files that programs expect on any machine: device links and a user. */
  #furnish(): void {
    const { root, uid = Deno.uid() ?? 0, image } = this.#options;
    for (const [name, target] of Object.entries(LINKED_DEVICES)) {
      Deno.symlinkSync(target, join(root, "dev", name));
    }
    const users = textOf(image, "etc/passwd") + `svc:x:${uid}:${uid}::${TMP}:/bin/sh\n`;
    Deno.writeTextFileSync(join(root, "etc/passwd"), users);
    Deno.writeTextFileSync(join(root, "etc/group"), textOf(image, "etc/group") + `svc:x:${uid}:\n`);
  }

  /** Exposes an image's files, except those that are separate for each sandbox. */
  #showImage(image: string): void {
    const { root } = this.#options;
    Deno.mkdirSync(join(root, "etc"), { recursive: true });
    const places = [
      ...namesIn(image).filter((name) => !OWN_FOLDERS.has(name)),
      ...namesIn(join(image, "etc")).filter((name) => !OWN_SETTINGS.has(name))
        .map((name) => `etc/${name}`),
    ];
    for (const each of places) this.#showOfImage({ from: join(image, each), to: each });
    Deno.symlinkSync(TMP, join(root, "run"));
  }

  #showOfImage({ from, to }: Place): void {
    const link = linkOf(from);
    if (link === undefined) this.#show({ from, to });
    else Deno.symlinkSync(link, join(this.#options.root, to));
  }

  /** Writes a table with the server's names, followed by the machine's own table. */
  #writeHosts(): void {
    const { root, hosts } = this.#options;
    const own = hosts.map((host) => `127.0.0.1 ${host}\n`).join("");
    const known = typeOf(HOSTS) === "file" ? Deno.readTextFileSync(HOSTS) : "";
    Deno.mkdirSync(join(root, dirname(HOSTS)), { recursive: true });
    Deno.writeTextFileSync(join(root, HOSTS), own + known);
  }

  /** Enables the loopback interface. Otherwise, programs would find no interface at all. */
  #raiseLoopback(): void {
    const socket = mustCall(this.#libc, "socket", AF_INET, SOCK_DGRAM, 0);
    const request = new Uint8Array(IFREQ_BYTES);
    request.set(new TextEncoder().encode("lo"));
    new DataView(request.buffer).setInt16(IFREQ_FLAGS, IFF_UP, true);
    try {
      mustCall(this.#libc, "ioctl", socket, SIOCSIFFLAGS, request);
    } finally {
      this.#libc.close(socket);
    }
  }

  /** Mounts a file or folder read-only. A link within the system's folders is recreated. */
  #show({ from, to }: Place): void {
    const target = join(this.#options.root, to);
    const mayRepeat = from === to && (from === TIME_ZONE || !from.startsWith("/etc/"));
    const link = mayRepeat ? linkOf(from) : undefined;
    if (link !== undefined && (!link.startsWith("/") || link.startsWith(TIME_ZONES))) {
      Deno.mkdirSync(dirname(target), { recursive: true });
      return Deno.symlinkSync(link, target);
    }
    const type = typeOf(from);
    if (type === undefined) return;
    Deno.mkdirSync(type === "folder" ? target : dirname(target), { recursive: true });
    if (type === "file") Deno.writeFileSync(target, new Uint8Array());
    mustCall(this.#libc, "mount", cString(from), cString(target), 0, MS_BIND | MS_REC, 0);
    const isDevice = from.startsWith("/dev/");
    this.#seal(target, AT_RECURSIVE, isDevice ? FOR_DEVICES : FOR_FILES);
  }

  #seal(
    target: string,
    flags: number,
    attributes = FOR_FILES,
  ): void {
    const settings = new Uint8Array(32);
    new DataView(settings.buffer).setBigUint64(0, BigInt(attributes), true);
    mustCall(
      this.#libc,
      "mount_setattr",
      AT_FDCWD,
      cString(target),
      flags,
      settings,
      settings.byteLength,
    );
  }
}
