/**
 * What the platform and its edge threads know of a server at the same time: whether it
 * may be used, and how many requests each of them has under way. It is shared memory,
 * so that a server which is closed is closed for all threads at once.
 *
 * @module
 */

/** Servers that threads can reach at the same time; requests for others are handed over. */
const SLOTS = 1024;

/** Words of a slot, before the number of requests of each member. */
const [OPEN, WAITING, CACHING, SUCCEEDED, USED, RUNNING] = [0, 1, 2, 3, 4, 5];

/** Whether responses of a server are for pages: not known, never so far, or some were. */
const [PLAIN, DECLARES] = [1, 2];

/** Bytes of the id of a member's only request, with its length. */
const ID_BYTES = 64;

/** The memory of all slots. Member 0 is the platform; the others are edge threads. */
export interface SharedSlots {
  readonly words: Int32Array<SharedArrayBuffer>;
  readonly ids: Uint8Array<SharedArrayBuffer>;
  readonly members: number;
  readonly count: number;
}

/** Makes the memory for a platform and its threads. */
export function shareSlots(threads: number, count = SLOTS): SharedSlots {
  const members = threads + 1;
  return {
    words: new Int32Array(new SharedArrayBuffer(4 * count * (RUNNING + members))),
    ids: new Uint8Array(new SharedArrayBuffer(ID_BYTES * count * members)),
    ...{ members, count },
  };
}

/**
 * One slot, as one of its members sees it. Each member first writes what it does and
 * then reads what the others do: of two that meet, one at least sees the other.
 */
export class ServerSlot {
  readonly #words: Int32Array<SharedArrayBuffer>;
  readonly #ids: Uint8Array<SharedArrayBuffer>;
  readonly #members: number;

  constructor(shared: SharedSlots, readonly index: number, private readonly member: number) {
    const { words, ids, members } = shared;
    const length = RUNNING + members;
    this.#words = words.subarray(index * length, (index + 1) * length);
    this.#ids = ids.subarray(index * members * ID_BYTES, (index + 1) * members * ID_BYTES);
    this.#members = members;
  }

  /** Lets threads use the process of a generation; 0 closes the slot for all of them. */
  open(generation: number): void {
    Atomics.store(this.#words, OPEN, generation);
  }

  isOpen(generation: number): boolean {
    return Atomics.load(this.#words, OPEN) === generation;
  }

  /**
   * Takes a place among the requests under way, unless the process is closed, others
   * wait, or `max` run already.
   */
  enter(generation: number, max: number): boolean {
    Atomics.add(this.#words, RUNNING + this.member, 1);
    const isFree = this.isOpen(generation) && Atomics.load(this.#words, WAITING) === 0 &&
      this.running <= max;
    if (isFree) Atomics.store(this.#words, USED, 1);
    return isFree;
  }

  /** Gives a place back. Returns true where the platform has to know: somebody waits for it. */
  leave(generation: number): boolean {
    Atomics.sub(this.#words, RUNNING + this.member, 1);
    return !this.isOpen(generation) || Atomics.load(this.#words, WAITING) !== 0;
  }

  /** Requests of all members. */
  get running(): number {
    let sum = 0;
    for (let member = 0; member < this.#members; member++) sum += this.#of(member);
    return sum;
  }

  /** Requests of the other members. */
  get others(): number {
    return this.running - this.#of(this.member);
  }

  #of(member: number): number {
    return Atomics.load(this.#words, RUNNING + member);
  }

  /** Shows how many requests this member has. */
  show(running: number): void {
    Atomics.store(this.#words, RUNNING + this.member, running);
  }

  /** Shows whether requests wait in the platform for a place. */
  wait(isWaiting: boolean): void {
    Atomics.store(this.#words, WAITING, isWaiting ? 1 : 0);
  }

  /** Forgets the requests of a member that has ended. */
  clear(member: number): void {
    Atomics.store(this.#words, RUNNING + member, 0);
  }

  /** Forgets everything: another server gets the slot. */
  reset(): void {
    for (let word = 0; word < this.#words.length; word++) Atomics.store(this.#words, word, 0);
  }

  /** Whether a thread has used the server since this was last asked. */
  takeUsed(): boolean {
    return Atomics.exchange(this.#words, USED, 0) === 1;
  }

  /** Notes that the server has answered. */
  succeeded(): void {
    if (Atomics.load(this.#words, SUCCEEDED) === 0) Atomics.store(this.#words, SUCCEEDED, 1);
  }

  /** Whether the server has answered a thread since this was last asked. */
  takeSucceeded(): boolean {
    return Atomics.exchange(this.#words, SUCCEEDED, 0) === 1;
  }

  /** Whether no response of the server has been one to store: known once there was one. */
  get isPlain(): boolean {
    return Atomics.load(this.#words, CACHING) === PLAIN;
  }

  /** Notes whether a response of the server is one to store; one is enough for all. */
  noteCaching(declares: boolean): void {
    if (declares) Atomics.store(this.#words, CACHING, DECLARES);
    else Atomics.compareExchange(this.#words, CACHING, 0, PLAIN);
  }

  /** Shows the id of this member's request, where it has only one; long ones are not shown. */
  showOnly(id: string): void {
    const start = this.member * ID_BYTES;
    const length = id.length < ID_BYTES ? id.length : 0;
    this.#ids[start] = length;
    for (let at = 0; at < length; at++) this.#ids[start + 1 + at] = id.charCodeAt(at);
  }

  /** The id of the request under way, where a thread has the only one. */
  get only(): string | undefined {
    if (this.running !== 1) return undefined;
    for (let member = 0; member < this.#members; member++) {
      if (member === this.member || this.#of(member) !== 1) continue;
      const start = member * ID_BYTES;
      const length = this.#ids[start]!;
      if (length === 0) return undefined;
      return String.fromCharCode(...this.#ids.slice(start + 1, start + 1 + length));
    }
    return undefined;
  }
}
