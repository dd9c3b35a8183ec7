import assert from "node:assert/strict";
import { setTimeout as delay } from "node:timers/promises";
import { until } from "../lib/_test_until.ts";
import { ChangeFollower, type FollowedConnections } from "./change_follower.ts";
import { SeenVersion } from "./seen_version.ts";

/** A store with a state set by the test, and a clock that the test advances. */
class TestStore {
  now = 0;
  isDown = false;
  /** Whether other nodes commit before each read. */
  isBusy = false;
  #version = 1;
  #reads = 0;
  #wake = () => {};

  readonly connections: FollowedConnections = {
    run: (() => this.#read()) as FollowedConnections["run"],
    listen: (_, wake) => void (this.#wake = wake),
  };

  /** Notifies the follower and waits until it has read the changes. */
  async notify(): Promise<void> {
    const reads = this.#reads;
    this.#wake();
    await until(() => this.#reads > reads);
  }

  async #read() {
    await delay(1);
    this.#reads++;
    if (this.isDown) throw new Error("The test's store is down");
    if (this.isBusy) this.#version++;
    const version = String(this.#version);
    return [{ version, place: version, gap: false, keys: null }];
  }
}

async function withFollower(
  test: (store: TestStore, follower: ChangeFollower) => Promise<void>,
): Promise<void> {
  const store = new TestStore();
  const follower = await ChangeFollower.open(
    store.connections,
    { writer: "w", seen: new SeenVersion() },
    () => store.now,
  );
  follower.start({
    onChanges: () => Promise.resolve(),
    onGap: () => Promise.resolve(),
    onError: () => {},
  });
  try {
    await test(store, follower);
  } finally {
    await follower.close();
  }
}

Deno.test("whyBehind() reports for how long the store has not responded", () =>
  withFollower(async (store, follower) => {
    assert.equal(follower.whyBehind(), undefined);
    store.isDown = true;
    store.now = 4000;
    await store.notify();
    assert.equal(follower.whyBehind(), undefined);
    store.now = 7900;
    assert.equal(follower.whyBehind(), "The store has not responded for 7 s");
    store.isDown = false;
    await store.notify();
    await until(() => follower.whyBehind() === undefined);
  }));

Deno.test("whyBehind() reports how far a node is behind a responsive store", () =>
  withFollower(async (store, follower) => {
    store.isBusy = true;
    store.now = 6500;
    await store.notify();
    await until(() => follower.whyBehind() === "This node is 6 s behind the other nodes' changes");
    store.isBusy = false;
    await until(() => follower.whyBehind() === undefined);
  }));
