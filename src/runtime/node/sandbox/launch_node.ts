/** @module Starts Node in the best sandbox that this system supports and supervises it. */
import { join } from "node:path";
import { endWith } from "../../process/serve_platform.ts";
import { type Libc, openLibc } from "../../kernel/libc.ts";
import { PROCESSOR } from "../../kernel/system_calls.ts";
import { systemNameservers } from "../../kernel/judge_connect.ts";
import { CallSupervisor } from "./call_supervisor.ts";
import { OwnPorts } from "./own_ports.ts";
import { type Prepared, prepareThread } from "./prepare_thread.ts";
import { endFirst, limitInherited, ownPidOf } from "./process_limits.ts";
import { ProcessTree } from "./process_tree.ts";
import { Running } from "./running_node.ts";
import type { SocketRules } from "./socket_calls.ts";
import { Thread } from "./thread.ts";
import type { ThreadPlan } from "./thread_messages.ts";
import type { NodeLaunch, RunningNode } from "./types.ts";

/** Rules for the server's own sockets and ports. */
function addressRules(
  libc: Libc,
  { view }: ThreadPlan,
  { folder, controlSocket, serverSocket, listens }: NodeLaunch,
): Pick<SocketRules, "control" | "server" | "ports"> {
  return {
    ...(controlSocket === undefined
      ? {}
      : { control: { name: view.controlSocket, path: join(folder, controlSocket) } }),
    ...(serverSocket === undefined
      ? {}
      : { server: { name: view.serverSocket, path: join(folder, serverSocket) } }),
    ...(listens === undefined ? {} : { ports: new OwnPorts(libc, { pid: Deno.pid, listens }) }),
  };
}

function supervise(
  libc: Libc,
  prepared: Prepared,
  { launch, tree }: { readonly launch: NodeLaunch; readonly tree: ProcessTree | undefined },
): void {
  const { listener, plan, programs } = prepared;
  if (listener === undefined || PROCESSOR === undefined) return;
  const { memoryMb, tmpMb, allowPrivate, peers, routes } = launch;
  limitInherited(libc, {
    memoryMb,
    hasOwnUser: plan.uid !== undefined,
    ...(plan.kind === "namespaces" ? {} : { fileMb: tmpMb }),
  });
  new CallSupervisor({
    libc,
    processor: PROCESSOR,
    listener,
    programs,
    tree,
    asksForks: plan.uid === undefined,
    rules: {
      hasOwnNetwork: plan.kind === "namespaces",
      passesDescriptors: tree !== undefined,
      nameservers: systemNameservers(),
      allowPrivate,
      peers,
      routes,
      announce: launch.announce,
      ...addressRules(libc, plan, launch),
    },
    begin: (pid) => {
      endFirst(pid);
      return ownPidOf(pid);
    },
  }).run().catch((error) => endWith(`The sandbox failed: ${error}`));
}

async function start(
  prepared: Prepared,
  { launch, tree }: { readonly launch: NodeLaunch; readonly tree: ProcessTree | undefined },
): Promise<RunningNode> {
  const { thread, plan, reason } = prepared;
  const { kind, view, beat } = plan;
  thread.send({ type: "start", command: launch.command(view) });
  const { pid } = await thread.next("started");
  const isClosed = kind !== "open";
  const sandbox = { kind, files: isClosed, calls: isClosed };
  return new Running({
    pid,
    thread,
    beat,
    memoryMb: launch.memoryMb,
    tree,
    sandbox: reason === undefined ? sandbox : { ...sandbox, reason },
    ...(kind === "namespaces" ? {} : { temporary: { folder: view.tmp, maxMb: launch.tmpMb } }),
  });
}

type LaunchNode = (launch: NodeLaunch) => Promise<RunningNode>;

/**
 * Starts the thread that will start Node. Starting the thread takes a while.
 *
 * @returns a function that starts Node, once
 */
export function prepareLaunch(): LaunchNode {
  const first = new Thread();
  return async (launch) => {
    const libc = openLibc();
    const prepared = await prepareThread(libc, launch, first);
    const tree = libc !== undefined && launch.processes === true
      ? new ProcessTree(libc)
      : undefined;
    if (libc !== undefined) supervise(libc, prepared, { launch, tree });
    return await start(prepared, { launch, tree });
  };
}

/**
 * Starts Node.
 *
 * @throws {LaunchError} if the system lacks a required part of the sandbox, or Node cannot be
 * started
 */
export const launchNode: LaunchNode = (launch) => prepareLaunch()(launch);
