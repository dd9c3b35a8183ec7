/**
 * Enforces the order of inner rooms: imports in a large room only point downward, so inner rooms
 * cannot form a cycle.
 *
 * @module
 */
import type { ImportEdge } from "./check_rooms.ts";

export interface Building {
  /** Folders with their inner rooms, top first; see `STOREYS`. */
  readonly storeys: Readonly<Record<string, readonly string[]>>;
}

interface InnerRoom {
  readonly folder: string;
  /** The room's name in the list; `.` for the folder's own files. */
  readonly name: string;
  /** The room's position, counted from the top. */
  readonly storey: number;
}

/** Tests and their helpers may import anything that the room check allows. */
const FOR_TESTS = /(?:^|\/)(?:_[^/]*|[^/]*_(?:test|bench))\.tsx?$/;

function innerRoomOf(path: string, { storeys }: Building): InnerRoom | undefined {
  const folder = Object.keys(storeys).find((each) => path.startsWith(`${each}/`));
  if (folder === undefined) return undefined;
  const inside = path.slice(folder.length + 1);
  const name = storeys[folder]!
    .filter((each) => inside === each || inside.startsWith(`${each}/`))
    .sort((one, other) => other.length - one.length)[0] ?? ".";
  return { folder, name, storey: storeys[folder]!.indexOf(name) };
}

function complaint(edge: ImportEdge, building: Building): string | undefined {
  const { from, to, line } = edge;
  if (FOR_TESTS.test(from)) return undefined;
  const [source, target] = [innerRoomOf(from, building), innerRoomOf(to, building)];
  const place = `${from}:${line}`;
  for (const room of [source, target]) {
    if (room === undefined || room.storey >= 0) continue;
    const path = room === source ? from : to;
    return `${place}: ${path} is in no inner room of ${room.folder}: ` +
      `name its folder in scripts/_storeys.ts, above everything that it imports`;
  }
  if (source === undefined || target === undefined || source.folder !== target.folder) {
    return undefined;
  }
  if (source.name === target.name) return undefined;
  if (target.storey < source.storey) {
    return `${place}: Inner room "${source.name}" of ${source.folder} imports ${to}, and ` +
      `"${target.name}" is above it: pass it in, or move it down`;
  }
  return undefined;
}

/** Finds imports that point to a higher inner room. */
export function findStoreyViolations(
  edges: readonly ImportEdge[],
  building: Building,
): string[] {
  return edges.flatMap((edge) => complaint(edge, building) ?? []);
}
