import type { Env } from '../env.ts'

/** Lets the files go on that wait in this browser, of all chats that are open. */
export async function sendWaitingFiles(env: Env): Promise<void> {
  const rows = await env.crypto.uploads()
  if (rows.length > 0) await (await import('./files.ts')).resumeFiles(env, rows)
}
