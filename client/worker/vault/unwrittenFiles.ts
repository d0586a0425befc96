/** Deleting a vault waits for these files too. */
export const behind = new Map<string, Promise<void>>()

/** Waits for a file, folder or account. */
export async function writtenAt(place: string): Promise<void> {
  for (const [key, written] of behind) if (key === place || key.startsWith(`${place}/`)) await written
}
