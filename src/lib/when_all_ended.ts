/** Waits until all have ended; rejects as the first of them that failed. */
export async function whenAllEnded<T extends readonly unknown[]>(
  works: readonly [...{ readonly [Place in keyof T]: Promise<T[Place]> }],
): Promise<T> {
  await Promise.allSettled(works);
  return await Promise.all(works) as unknown as T;
}
