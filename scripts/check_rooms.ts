/**
 * Checks imports against the rooms of the code: no import points to a higher room, bypasses a
 * folder's `mod.ts`, or creates a cycle.
 *
 * @module
 */
import type { Doorway } from "./_rooms.ts";

/** An import between two of our files. Paths are relative to the repository. */
export interface ImportEdge {
  readonly from: string;
  readonly to: string;
  /** Line number, starting at 1. */
  readonly line: number;
}

interface HouseRules {
  readonly rooms: Readonly<Record<string, readonly string[]>>;
  readonly doorways: readonly Doorway[];
  /** Paths of the `mod.ts` files. A folder that has one can be imported only through that file. */
  readonly faces: ReadonlySet<string>;
}

/** Returns the room of a file below `src/`, or `undefined` if the file is not in a room. */
function roomOf(path: string): string | undefined {
  return /^src\/([^/]+)\//.exec(path)?.[1];
}

/** Tests inside a room may import any of its files. */
const FOR_TESTS = /(?:^|\/)(?:_[^/]*|[^/]*_(?:test|bench))\.tsx?$/;

function isDoorway(path: string, doorways: readonly Doorway[]): boolean {
  return doorways.some((door) =>
    door.path.endsWith("/") ? path.startsWith(door.path) : path === door.path
  );
}

/**
 * Returns the `mod.ts` that an import bypasses: the one in the outermost folder that the import
 * enters.
 */
function passedFace({ from, to }: ImportEdge, faces: ReadonlySet<string>): string | undefined {
  const parts = to.split("/");
  for (let depth = 1; depth < parts.length; depth++) {
    const folder = `${parts.slice(0, depth).join("/")}/`;
    const face = `${folder}mod.ts`;
    if (!from.startsWith(folder) && faces.has(face)) return face === to ? undefined : face;
  }
  return undefined;
}

function complaint({ from, to, line }: ImportEdge, house: HouseRules): string | undefined {
  const [source, target] = [roomOf(from), roomOf(to)];
  const place = `${from}:${line}`;
  if (source !== undefined && target === undefined && !isDoorway(to, house.doorways)) {
    return `${place}: Room "${source}" imports ${to}, which is in no room: move what it needs into a room`;
  }
  if (target === undefined) return undefined;
  const face = passedFace({ from, to, line }, house.faces);
  const isInnerTest = source === target && FOR_TESTS.test(from);
  if (face !== undefined && !isInnerTest && !isDoorway(to, house.doorways)) {
    return `${place}: Import ${face} instead of ${to}: export there what other folders need`;
  }
  if (source === target) return undefined;
  if (!(target in house.rooms)) {
    return `${place}: Room "${target}" is not in scripts/_rooms.ts: add it there with the rooms that it may import`;
  }
  if (from === "main.ts" && target !== "cli") {
    return `${place}: main.ts imports ${to}, but may import only the room "cli"`;
  }
  if (source !== undefined) {
    const allowed = house.rooms[source];
    if (allowed === undefined) {
      return `${place}: Room "${source}" is not in scripts/_rooms.ts: add it there with the rooms that it may import`;
    }
    if (!allowed.includes(target)) {
      const may = allowed.length === 0 ? "packages" : allowed.join(", ");
      return `${place}: Room "${source}" imports ${to}, but may import only ${may}: pass it in, or move it down`;
    }
  }
  return undefined;
}

/** Finds imports that point to a higher room or bypass the `mod.ts` of a folder. */
export function findRoomViolations(
  edges: readonly ImportEdge[],
  house: HouseRules,
): string[] {
  return edges.flatMap((edge) => complaint(edge, house) ?? []);
}

/**
 * Returns strongly connected components: groups of several files, or a file that imports itself.
 */
function findKnots(graph: ReadonlyMap<string, readonly ImportEdge[]>): string[][] {
  const order = new Map<string, number>();
  const low = new Map<string, number>();
  const stack: string[] = [];
  const onStack = new Set<string>();
  const knots: string[][] = [];
  const visit = (file: string): number => {
    const index = order.size;
    order.set(file, index);
    let lowest = index;
    stack.push(file);
    onStack.add(file);
    for (const { to } of graph.get(file) ?? []) {
      if (!order.has(to)) lowest = Math.min(lowest, visit(to));
      else if (onStack.has(to)) lowest = Math.min(lowest, order.get(to)!);
    }
    low.set(file, lowest);
    if (lowest === index) {
      const knot = stack.splice(stack.indexOf(file));
      for (const member of knot) onStack.delete(member);
      const selfImport = (graph.get(file) ?? []).some(({ to }) => to === file);
      if (knot.length > 1 || selfImport) knots.push(knot);
    }
    return lowest;
  };
  for (const file of graph.keys()) if (!order.has(file)) visit(file);
  return knots;
}

/** Returns the shortest path from a file back to itself inside a strongly connected component. */
function shortestCircle(
  graph: ReadonlyMap<string, readonly ImportEdge[]>,
  knot: readonly string[],
): ImportEdge[] {
  const start = [...knot].sort()[0]!;
  const members = new Set(knot);
  const seen = new Set<string>();
  let ways: ImportEdge[][] = [[]];
  while (ways.length > 0) {
    const next: ImportEdge[][] = [];
    for (const way of ways) {
      for (const edge of graph.get(way.at(-1)?.to ?? start) ?? []) {
        if (edge.to === start) return [...way, edge];
        if (!members.has(edge.to) || seen.has(edge.to)) continue;
        seen.add(edge.to);
        next.push([...way, edge]);
      }
    }
    ways = next;
  }
  return [];
}

/** Finds import cycles. Each is reported once, by its shortest path. */
export function findCircles(edges: readonly ImportEdge[]): string[] {
  const graph = new Map<string, ImportEdge[]>();
  for (const edge of edges) {
    const list = graph.get(edge.from) ?? [];
    list.push(edge);
    graph.set(edge.from, list);
  }
  return findKnots(graph).map((knot) => {
    const circle = shortestCircle(graph, knot);
    const [first] = circle;
    const way = [...circle.map(({ from }) => from), first!.from].join(" -> ");
    return `${first!.from}:${
      first!.line
    }: Import cycle: ${way}: move the code that both sides need into a file below them`;
  });
}
