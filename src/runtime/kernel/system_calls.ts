/** @module System call numbers, and calls for which the C library has no function. */
import type { Libc } from "./libc.ts";
import { PLAIN_CALLS } from "./plain_calls.ts";

/** Call numbers on x86_64 and aarch64; -1 if a processor lacks the call. */
const NUMBERS = {
  ...PLAIN_CALLS,
  acct: [163, 89],
  add_key: [248, 217],
  adjtimex: [159, 171],
  bind: [49, 200],
  bpf: [321, 280],
  chmod: [90, -1],
  chown: [92, -1],
  chroot: [161, 51],
  clock_adjtime: [305, 266],
  clock_settime: [227, 112],
  clone: [56, 220],
  clone3: [435, 435],
  connect: [42, 203],
  delete_module: [176, 106],
  execve: [59, 221],
  execveat: [322, 281],
  fanotify_init: [300, 262],
  fanotify_mark: [301, 263],
  fchmod: [91, 52],
  fchmodat: [268, 53],
  fchmodat2: [452, 452],
  fchown: [93, 55],
  fchownat: [260, 54],
  finit_module: [313, 273],
  fork: [57, -1],
  fremovexattr: [199, 16],
  fsconfig: [431, 431],
  fsetxattr: [190, 7],
  fsmount: [432, 432],
  fsopen: [430, 430],
  fspick: [433, 433],
  futimesat: [261, -1],
  init_module: [175, 105],
  inotify_add_watch: [254, 27],
  io_uring_enter: [426, 426],
  io_uring_register: [427, 427],
  io_uring_setup: [425, 425],
  ioctl: [16, 29],
  ioperm: [173, -1],
  iopl: [172, -1],
  ioprio_set: [251, 30],
  kcmp: [312, 272],
  kexec_file_load: [320, 294],
  kexec_load: [246, 104],
  keyctl: [250, 219],
  kill: [62, 129],
  lchown: [94, -1],
  listen: [50, 201],
  lookup_dcookie: [212, 18],
  lremovexattr: [198, 15],
  lsetxattr: [189, 6],
  memfd_create: [319, 279],
  memfd_secret: [447, 447],
  migrate_pages: [256, 238],
  modify_ldt: [154, -1],
  mount: [165, 40],
  mount_setattr: [442, 442],
  move_mount: [429, 429],
  move_pages: [279, 239],
  mq_getsetattr: [245, 185],
  mq_notify: [244, 184],
  mq_open: [240, 180],
  mq_timedreceive: [243, 183],
  mq_timedsend: [242, 182],
  mq_unlink: [241, 181],
  msgctl: [71, 187],
  msgget: [68, 186],
  msgrcv: [70, 188],
  msgsnd: [69, 189],
  name_to_handle_at: [303, 264],
  nfsservctl: [180, 42],
  open_by_handle_at: [304, 265],
  open_tree: [428, 428],
  perf_event_open: [298, 241],
  personality: [135, 92],
  pidfd_getfd: [438, 438],
  pidfd_send_signal: [424, 424],
  pivot_root: [155, 41],
  prctl: [157, 167],
  prlimit64: [302, 261],
  process_madvise: [440, 440],
  process_mrelease: [448, 448],
  process_vm_readv: [310, 270],
  process_vm_writev: [311, 271],
  ptrace: [101, 117],
  quotactl: [179, 60],
  quotactl_fd: [443, 443],
  reboot: [169, 142],
  removexattr: [197, 14],
  removexattrat: [466, 466],
  request_key: [249, 218],
  rt_sigqueueinfo: [129, 138],
  rt_tgsigqueueinfo: [297, 240],
  sched_setaffinity: [203, 122],
  sched_setattr: [314, 274],
  sched_setparam: [142, 118],
  sched_setscheduler: [144, 119],
  seccomp: [317, 277],
  semctl: [66, 191],
  semget: [64, 190],
  semop: [65, 193],
  semtimedop: [220, 192],
  sendmmsg: [307, 269],
  sendmsg: [46, 211],
  sendto: [44, 206],
  setdomainname: [171, 162],
  sethostname: [170, 161],
  setns: [308, 268],
  setpgid: [109, 154],
  setpriority: [141, 140],
  setsid: [112, 157],
  setsockopt: [54, 208],
  settimeofday: [164, 170],
  setxattr: [188, 5],
  setxattrat: [463, 463],
  shmat: [30, 196],
  shmctl: [31, 195],
  shmdt: [67, 197],
  shmget: [29, 194],
  socket: [41, 198],
  swapoff: [168, 225],
  swapon: [167, 224],
  syslog: [103, 116],
  tgkill: [234, 131],
  tkill: [200, 130],
  umount2: [166, 39],
  unshare: [272, 97],
  userfaultfd: [323, 282],
  utime: [132, -1],
  utimensat: [280, 88],
  utimes: [235, -1],
  vfork: [58, -1],
  vhangup: [153, 58],
} as const satisfies Readonly<Record<string, readonly [number, number]>>;

export type CallName = keyof typeof NUMBERS;

/** A processor architecture with known system calls. */
export interface Processor {
  /** The kernel's AUDIT_ARCH value. */
  readonly arch: number;
  /** Returns the number of a call, or -1 if this processor lacks it. */
  readonly number: (name: CallName) => number;
}

export const PROCESSORS: Readonly<Record<string, Processor>> = {
  x86_64: { arch: 0xc000003e, number: (name) => NUMBERS[name][0] },
  aarch64: { arch: 0xc00000b7, number: (name) => NUMBERS[name][1] },
};

/** This machine's processor, or `undefined` if its call numbers are unknown. */
export const PROCESSOR: Processor | undefined = PROCESSORS[Deno.build.arch];

/** Returns the address of a buffer, for structures that point to other structures. */
export function addressOf(buffer: Uint8Array<ArrayBuffer>): bigint {
  return BigInt(Deno.UnsafePointer.value(Deno.UnsafePointer.of(buffer)));
}

/**
 * Makes a system call on this thread.
 *
 * @returns its result, or a negative error number
 */
export function systemCall(
  libc: Libc,
  name: CallName,
  ...args: readonly (bigint | number | Uint8Array<ArrayBuffer>)[]
): number {
  const number = PROCESSOR?.number(name) ?? -1;
  if (number < 0) return -ENOSYS;
  const [a = 0n, b = 0n, c = 0n, d = 0n, e = 0n, f = 0n] = args.map((each) =>
    each instanceof Uint8Array ? addressOf(each) : BigInt(each)
  );
  const result = Number(libc.systemCall(BigInt(number), a, b, c, d, e, f));
  return result === -1 ? -lastError(libc) : result;
}

/** Returns the error from the last C library call on this thread. */
export function lastError(libc: Libc): number {
  const place = libc.errno();
  return place === null ? EIO : new Deno.UnsafePointerView(place).getInt32();
}

export const EPERM = 1;
export const ENOENT = 2;
export const EIO = 5;
export const EBADF = 9;
export const EAGAIN = 11;
export const EACCES = 13;
export const EFAULT = 14;
export const EINVAL = 22;
export const ENOSYS = 38;
export const EMSGSIZE = 90;
export const EPROTONOSUPPORT = 93;
export const EADDRINUSE = 98;
export const EADDRNOTAVAIL = 99;
export const ECONNREFUSED = 111;
export const ETIMEDOUT = 110;
export const EINPROGRESS = 115;
