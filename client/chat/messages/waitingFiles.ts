import type { Env } from '../../env.ts'
import { isClosed } from '../../worker/crypto.ts'
import { followTabs, uploadsStore } from '../files/uploadsState.ts'

/** Lets the files go on that wait in this browser, of all chats that are open, from now on also those that another tab keeps. */
export async function sendWaitingFiles(env: Env): Promise<void> {
  followTabs(() =>
    sendWaitingFiles(env).catch((error: unknown) => {
      if (!isClosed(error)) throw error
    }),
  )
  const isAny = uploadsStore.getState().uploads.length > 0 || (await env.crypto.uploads()).length > 0
  if (isAny) await (await import('./chatFiles.ts')).refreshFiles(env)
}
