/**
 * @module The system call filter for Node, which may run untrusted native code. If the process's
 * first thread has to check the caller's memory, it also makes the call itself. Otherwise, the
 * caller could change the memory after the check.
 */
import {
  always,
  Answer,
  type ArgumentTest,
  type Block,
  byArgument,
  JUMP_ANY_BIT,
  JUMP_AT_LEAST,
  loadArgument,
  RETURN,
  whereArgument,
  wherePointer,
  writeProgram,
} from "../../kernel/seccomp_program.ts";
import { type CallName, ENOSYS, EPERM, type Processor } from "../../kernel/system_calls.ts";
import { PLAIN_CALLS } from "../../kernel/plain_calls.ts";

/**
 * Calls that concern programs, other processes, mounts, namespaces, the kernel itself, or memory
 * outside all limits. These calls fail with EPERM, as programs expect in a sandbox.
 */
export const REFUSED: readonly CallName[] = [
  "fork",
  "vfork",
  "execveat",
  "ptrace",
  "process_vm_readv",
  "process_vm_writev",
  "process_madvise",
  "process_mrelease",
  "kcmp",
  "pidfd_getfd",
  "pidfd_send_signal",
  "tkill",
  "rt_sigqueueinfo",
  "rt_tgsigqueueinfo",
  "setpgid",
  "setsid",
  "mount",
  "umount2",
  "pivot_root",
  "chroot",
  "unshare",
  "setns",
  "open_tree",
  "move_mount",
  "fsopen",
  "fsconfig",
  "fsmount",
  "fspick",
  "mount_setattr",
  "name_to_handle_at",
  "open_by_handle_at",
  "fanotify_init",
  "fanotify_mark",
  "quotactl",
  "quotactl_fd",
  "swapon",
  "swapoff",
  "acct",
  "io_uring_setup",
  "io_uring_enter",
  "io_uring_register",
  "bpf",
  "perf_event_open",
  "userfaultfd",
  "lookup_dcookie",
  "syslog",
  "add_key",
  "request_key",
  "keyctl",
  "seccomp",
  "kexec_load",
  "kexec_file_load",
  "init_module",
  "finit_module",
  "delete_module",
  "reboot",
  "ioperm",
  "iopl",
  "modify_ldt",
  "personality",
  "vhangup",
  "nfsservctl",
  "clock_settime",
  "clock_adjtime",
  "settimeofday",
  "adjtimex",
  "sethostname",
  "setdomainname",
  "migrate_pages",
  "move_pages",
  "memfd_create",
  "memfd_secret",
  "shmget",
  "shmat",
  "shmctl",
  "shmdt",
  "semget",
  "semctl",
  "semop",
  "semtimedop",
  "msgget",
  "msgctl",
  "msgsnd",
  "msgrcv",
  "mq_open",
  "mq_unlink",
  "mq_timedsend",
  "mq_timedreceive",
  "mq_notify",
  "mq_getsetattr",
];

/**
 * Calls that change file attributes or watch files, which Landlock does not check. These calls fail
 * if Node can see the machine's files.
 */
export const REFUSED_IN_SIGHT: readonly CallName[] = [
  "chmod",
  "fchmod",
  "fchmodat",
  "fchmodat2",
  "chown",
  "lchown",
  "fchown",
  "fchownat",
  "utime",
  "utimes",
  "futimesat",
  "utimensat",
  "setxattr",
  "lsetxattr",
  "fsetxattr",
  "setxattrat",
  "removexattr",
  "lremovexattr",
  "fremovexattr",
  "removexattrat",
  "inotify_add_watch",
];

/**
 * Calls that the first thread checks. The thread also performs the calls that refer to an address
 * in memory.
 */
export const ASKED: readonly CallName[] = [
  "execve",
  "connect",
  "bind",
  "listen",
  "sendmsg",
  "sendmmsg",
  "kill",
  "tgkill",
];

const CLONES: readonly CallName[] = ["fork", "vfork"];
const GROUPS: readonly CallName[] = ["setpgid", "setsid"];
const SIGNALS: readonly CallName[] = ["kill", "tgkill", "tkill"];

/**
 * Returns parts of the filter for a server that can start processes. All its processes have the
 * same filter. In their own namespace, signals reach only the server's processes.
 */
function ofProcesses(hasOwnRoot: boolean, onStart: number): readonly Block[] {
  return [
    ...CLONES.map((call) => always(call, onStart)),
    ...GROUPS.map((call) => always(call, Answer.allow)),
    ...(hasOwnRoot ? SIGNALS.map((call) => always(call, Answer.allow)) : []),
  ];
}

/** Creates a test that has the same result for all arguments. */
const whatever = (answer: number): ArgumentTest => ({
  index: 0,
  among: [],
  then: answer,
  otherwise: answer,
});

/** Calls that affect only Node itself. */
export const ALLOWED = Object.keys(PLAIN_CALLS) as readonly CallName[];

const CLONE_THREAD = 0x00010000;
/** CLONE_NEWNS, NEWCGROUP, NEWUTS, NEWIPC, NEWUSER, NEWPID and NEWNET. */
const CLONE_NAMESPACES = 0x7e020000;

/** Allows new threads and blocks new namespaces. `onStart` is the action for new processes. */
const cloneBlock = (onStart: number): Block => ({
  call: "clone",
  steps: [
    loadArgument(0),
    { code: JUMP_ANY_BIT, k: CLONE_NAMESPACES, jt: 2, jf: 0 },
    { code: JUMP_ANY_BIT, k: CLONE_THREAD, jt: 2, jf: 0 },
    { code: RETURN, k: onStart },
    { code: RETURN, k: Answer.fail(EPERM) },
    { code: RETURN, k: Answer.allow },
  ],
});

const PR_SET_PDEATHSIG = 1;
const PR_SET_SECCOMP = 22;
const PR_SET_MM = 35;

const PRCTL = byArgument("prctl", {
  index: 0,
  tests: [
    // This call is allowed only before Node runs. It makes Node exit with the thread that started
    // it.
    [PR_SET_PDEATHSIG, whatever(Answer.ask)],
    [PR_SET_SECCOMP, whatever(Answer.fail(EPERM))],
    [PR_SET_MM, whatever(Answer.fail(EPERM))],
  ],
  otherwise: Answer.allow,
});

const LEVEL_IP = 0;
const LEVEL_SOCKET = 1;
const LEVEL_IPV6 = 41;
const IP_OPTIONS = 4;
const SO_BINDTODEVICE = 25;
const SO_BINDTOIFINDEX = 62;
/** Extension headers for routing, hops and destination, with their old and new numbers. */
const IPV6_HEADERS = [3, 4, 5, 54, 55, 57, 59] as const;

const FAIL = Answer.fail(EPERM);

/** Blocks socket options that could send packets to an address other than the checked one. */
const SETSOCKOPT = byArgument("setsockopt", {
  index: 1,
  tests: ([
    [LEVEL_IP, [IP_OPTIONS]],
    [LEVEL_SOCKET, [SO_BINDTODEVICE, SO_BINDTOIFINDEX]],
    [LEVEL_IPV6, IPV6_HEADERS],
  ] as const).map(([level, among]) => [
    level,
    { index: 2, among, then: FAIL, otherwise: Answer.allow },
  ]),
  otherwise: Answer.allow,
});

/** Range of requests about interfaces and routes, which any socket accepts. `to` is exclusive. */
const INTERFACES = { from: 0x8900, to: 0x8a00 } as const;

const IOCTL: Block = {
  call: "ioctl",
  steps: [
    loadArgument(1),
    { code: JUMP_AT_LEAST, k: INTERFACES.to, jt: 2, jf: 0 },
    { code: JUMP_AT_LEAST, k: INTERFACES.from, jt: 0, jf: 1 },
    { code: RETURN, k: FAIL },
    { code: RETURN, k: Answer.allow },
  ],
};

const AF_UNIX = 1;
const AF_INET = 2;
const AF_INET6 = 10;
const AF_NETLINK = 16;
const NETLINK_ROUTE = 0;

/**
 * Asks the listener about internet sockets. Node can list only its own network's interfaces.
 */
function socketBlock(hasOwnNetwork: boolean): Block {
  return byArgument("socket", {
    index: 0,
    tests: [
      [AF_UNIX, whatever(Answer.allow)],
      [AF_INET, whatever(Answer.ask)],
      [AF_INET6, whatever(Answer.ask)],
      [
        AF_NETLINK,
        hasOwnNetwork
          ? { index: 2, among: [NETLINK_ROUTE], then: Answer.allow, otherwise: FAIL }
          : whatever(FAIL),
      ],
    ],
    otherwise: FAIL,
  });
}

/**
 * Calls that have a process as an argument, and the index of that argument. The only allowed value
 * is 0, which means the caller itself.
 */
const ON_PROCESSES: readonly (readonly [CallName, number])[] = [
  ["prlimit64", 0],
  ["setpriority", 1],
  ["ioprio_set", 1],
  ["sched_setaffinity", 0],
  ["sched_setattr", 0],
  ["sched_setparam", 0],
  ["sched_setscheduler", 0],
];

/**
 * Builds the filter. Unlisted calls fail as if the kernel lacked them.
 *
 * @param hasOwnRoot true if Node has its own root folder and network; otherwise, the machine's
 * files are visible. `hasProcesses` is true if Node can start programs, and `limitsProcesses` if
 * the kernel limits their number. If it does, the filter must not ask about calls that start
 * processes, because a signal to the caller would interrupt those calls, which programs do not
 * expect.
 */
export function buildNodeFilter(
  processor: Processor,
  { hasOwnRoot, hasProcesses = false, limitsProcesses = false }: {
    readonly hasOwnRoot: boolean;
    readonly hasProcesses?: boolean;
    readonly limitsProcesses?: boolean;
  },
): Uint8Array<ArrayBuffer> {
  const { allow, ask } = Answer;
  const onFiles = hasOwnRoot ? allow : FAIL;
  const onStart = hasProcesses && limitsProcesses ? allow : ask;
  const onProcesses = hasProcesses ? ofProcesses(hasOwnRoot, onStart) : [];
  const isOpen = (call: CallName) => onProcesses.some((block) => block.call === call);
  return writeProgram(processor, [
    ...ALLOWED.map((call) => always(call, allow)),
    ...onProcesses,
    ...REFUSED.filter((call) => !isOpen(call)).map((call) => always(call, FAIL)),
    ...REFUSED_IN_SIGHT.map((call) => always(call, onFiles)),
    ...ASKED.filter((call) => !isOpen(call)).map((call) => always(call, ask)),
    wherePointer("sendto", { index: 4, given: ask, missing: allow }),
    cloneBlock(onStart),
    // Makes the C library use `clone` instead, because the filter can check the flags of `clone`.
    always("clone3", Answer.fail(ENOSYS)),
    socketBlock(hasOwnRoot),
    SETSOCKOPT,
    IOCTL,
    PRCTL,
    ...ON_PROCESSES.map(([call, index]) =>
      whereArgument(call, { index, among: [0], then: allow, otherwise: FAIL })
    ),
  ], Answer.fail(ENOSYS));
}
