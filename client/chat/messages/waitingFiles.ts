import type { Env } from '../../env.ts'
import { isClosed } from '../../worker/crypto.ts'
import { followTabs, uploadsStore } from '../files/uploadsState.ts'

/** Sends the waiting files of all open chats, from now on also files of other tabs. */
export async function sendWaitingFiles(env: Env): Promise<void> {
  followTabs(() =>
    sendWaitingFiles(env).catch((error: unknown) => {
      if (!isClosed(error)) throw error
    }),
  )
  const isAny = uploadsStore.getState().uploads.length > 0 || (await env.crypto.uploads()).length > 0
  if (isAny) await (await import('./chatFiles.ts')).refreshFiles(env)
}
