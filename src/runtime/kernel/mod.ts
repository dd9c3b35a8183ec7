/**
 * What the kernel of Linux can close to a process: files (Landlock), system calls
 * (seccomp), and addresses of the network.
 *
 * @module
 */
export { dropRights } from "./drop_rights.ts";
export {
  AF_UNIX,
  isUnspecific,
  judgeBind,
  judgeConnect,
  type PeerRules,
  readNameservers,
  readPeer,
} from "./judge_connect.ts";
export { type FileRule, landlockVersion, restrictFiles } from "./landlock.ts";
export {
  findLocalRoute,
  type LocalRoute,
  type Peer,
  portOf,
  type RoutedConnect,
} from "./local_routes.ts";
export { limitDescriptors } from "./limit_descriptors.ts";
export { type Libc, openLibc, setNoNewPrivileges } from "./libc.ts";
export {
  addDescriptor,
  answerCall,
  canSupervise,
  type HeldCall,
  installFilter,
  isHeld,
  letContinue,
  takeCalls,
} from "./listener.ts";
export {
  cString,
  makeOwnMounts,
  mountMemory,
  mustCall,
  RefusedCallError,
  temporaryOptions,
} from "./mounts.ts";
export { PLAIN_CALLS } from "./plain_calls.ts";
export {
  READABLE_BY_DENO,
  READABLE_BY_NODE,
  READABLE_PROGRAMS,
  SHOWN_TO_NODE,
  SHOWN_TO_PROGRAMS,
} from "./system_paths.ts";
export {
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
} from "./seccomp_program.ts";
export {
  addressOf,
  type CallName,
  EACCES,
  EADDRINUSE,
  EADDRNOTAVAIL,
  EAGAIN,
  EBADF,
  ECONNREFUSED,
  EFAULT,
  EINPROGRESS,
  EMSGSIZE,
  ENOSYS,
  EPERM,
  EPROTONOSUPPORT,
  ETIMEDOUT,
  PROCESSOR,
  type Processor,
  PROCESSORS,
  systemCall,
} from "./system_calls.ts";
