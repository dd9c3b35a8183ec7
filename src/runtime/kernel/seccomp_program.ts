/** @module Builds system call filters (seccomp(2), classic BPF) from blocks. */
import { type CallName, EPERM, type Processor } from "./system_calls.ts";

/** The kernel's actions for a call. */
export const Answer = {
  allow: 0x7fff0000,
  /** Passes the call to the filter's listener. */
  ask: 0x7fc00000,
  killProcess: 0x80000000,
  /** Makes the call fail with an error. */
  fail: (error: number): number => 0x00050000 | error,
} as const;

/** One instruction; `jt` and `jf` count the instructions to skip. */
export interface Step {
  readonly code: number;
  readonly k: number;
  readonly jt?: number;
  readonly jf?: number;
}

export const LOAD = 0x20;
export const JUMP_EQUAL = 0x15;
export const JUMP_AT_LEAST = 0x35;
export const JUMP_ANY_BIT = 0x45;
export const RETURN = 0x06;

/** Offsets in struct seccomp_data. */
const NUMBER = 0;
const ARCH = 4;
const ARGUMENTS = 16;

/** The lowest system call number of another ABI of the same processor (x32). */
const FOREIGN_ABI = 0x40000000;

/**
 * Loads the lower half of an argument. If the argument is an int, the lower half is the whole
 * argument.
 */
export const loadArgument = (index: number): Step => ({ code: LOAD, k: ARGUMENTS + index * 8 });

/** Loads the upper half of an argument. */
const loadUpper = (index: number): Step => ({ code: LOAD, k: ARGUMENTS + index * 8 + 4 });

/**
 * The part of the program that handles one call. Every path through it must end with a decision.
 */
export interface Block {
  readonly call: CallName;
  readonly steps: readonly Step[];
}

/** Makes the same decision for a call regardless of its arguments. */
export const always = (call: CallName, answer: number): Block => ({
  call,
  steps: [{ code: RETURN, k: answer }],
});

export interface ArgumentTest {
  readonly index: number;
  readonly among: readonly number[];
  readonly then: number;
  readonly otherwise: number;
}

function testArgument({ index, among, then, otherwise }: ArgumentTest): readonly Step[] {
  return [
    loadArgument(index),
    ...among.map((k, at) => ({ code: JUMP_EQUAL, k, jt: among.length - at, jf: 0 })),
    { code: RETURN, k: otherwise },
    { code: RETURN, k: then },
  ];
}

/**
 * Chooses the action for a call, depending on whether one of its arguments, an int, is in a set of
 * values.
 */
export const whereArgument = (call: CallName, test: ArgumentTest): Block => ({
  call,
  steps: testArgument(test),
});

/** Chooses the action for a call with a test that one of its arguments selects. */
export function byArgument(
  call: CallName,
  { index, tests, otherwise }: {
    readonly index: number;
    readonly tests: readonly (readonly [value: number, test: ArgumentTest])[];
    readonly otherwise: number;
  },
): Block {
  const jumps: Step[] = [];
  const parts: Step[] = [];
  for (const [k, test] of tests) {
    jumps.push({ code: JUMP_EQUAL, k, jt: tests.length - jumps.length + parts.length, jf: 0 });
    parts.push(...testArgument(test));
  }
  return {
    call,
    steps: [loadArgument(index), ...jumps, { code: RETURN, k: otherwise }, ...parts],
  };
}

/** Chooses the action for a call, depending on whether one of its arguments, a pointer, is null. */
export function wherePointer(
  call: CallName,
  { index, given, missing }: {
    readonly index: number;
    readonly given: number;
    readonly missing: number;
  },
): Block {
  return {
    call,
    steps: [
      loadArgument(index),
      { code: JUMP_EQUAL, k: 0, jt: 0, jf: 2 },
      loadUpper(index),
      { code: JUMP_EQUAL, k: 0, jt: 1, jf: 0 },
      { code: RETURN, k: given },
      { code: RETURN, k: missing },
    ],
  };
}

/**
 * Joins blocks into a program.
 *
 * @param otherwise the action for calls without a block
 */
export function writeProgram(
  { arch, number }: Processor,
  blocks: readonly Block[],
  otherwise: number = Answer.allow,
): Uint8Array<ArrayBuffer> {
  const steps: Step[] = [
    { code: LOAD, k: ARCH },
    { code: JUMP_EQUAL, k: arch, jt: 1, jf: 0 },
    { code: RETURN, k: Answer.killProcess },
    { code: LOAD, k: NUMBER },
    { code: JUMP_AT_LEAST, k: FOREIGN_ABI, jt: 0, jf: 1 },
    { code: RETURN, k: Answer.fail(EPERM) },
  ];
  for (const block of blocks) {
    const call = number(block.call);
    if (call < 0) continue;
    steps.push({ code: JUMP_EQUAL, k: call, jt: 0, jf: block.steps.length }, ...block.steps);
  }
  steps.push({ code: RETURN, k: otherwise });
  const view = new DataView(new ArrayBuffer(steps.length * 8));
  steps.forEach(({ code, k, jt = 0, jf = 0 }, at) => {
    view.setUint16(at * 8, code, true);
    view.setUint8(at * 8 + 2, jt);
    view.setUint8(at * 8 + 3, jf);
    view.setUint32(at * 8 + 4, k >>> 0, true);
  });
  return new Uint8Array(view.buffer);
}
