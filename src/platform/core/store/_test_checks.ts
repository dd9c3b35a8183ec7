/** Helpers for tests of stores. @module */
import { whenUnlocked } from "../../../lib/contention.ts";
import {
  type Changes,
  DenoStore,
  type Outcome,
  type RecordStore,
  StoreLayer,
} from "../../../store/mod.ts";

/** Wraps a store. `most` is the maximum number of checks in a commit so far. */
export class CheckCounter extends StoreLayer {
  most = 0;

  override write(changes: Changes): Promise<Outcome> {
    this.most = Math.max(this.most, changes.checks.length);
    return super.write(changes);
  }
}

/**
 * Wraps a store. Retries commits while the other connection writes, because SQLite waits only
 * briefly.
 */
class PatientStore extends StoreLayer {
  override write(changes: Changes): Promise<Outcome> {
    return whenUnlocked(() => super.write(changes));
  }
}

/** Runs a test on two connections to one store, as if from two processes. */
export async function withTwoProcesses(
  test: (one: RecordStore, other: RecordStore) => Promise<void>,
): Promise<void> {
  const folder = await Deno.makeTempDir({ prefix: "svc-two-" });
  const [one, other] = [await DenoStore.open(`${folder}/kv`), await DenoStore.open(`${folder}/kv`)];
  try {
    await test(new PatientStore(one), new PatientStore(other));
  } finally {
    one.close();
    other.close();
    await Deno.remove(folder, { recursive: true });
  }
}
