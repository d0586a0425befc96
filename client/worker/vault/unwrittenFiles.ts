/** Files that `behind.ts` is writing, by their places. Apart from the rest, because deleting a vault waits for them too. */
export const behind = new Map<string, Promise<void>>()

/** Waits until what is being written behind is there: a file, those of a folder, or those of an account. */
export async function writtenAt(place: string): Promise<void> {
  for (const [key, written] of behind) if (key === place || key.startsWith(`${place}/`)) await written
}
