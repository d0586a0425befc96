import { z } from 'zod'
import type { Env } from '../../env.ts'
import { connectionStore } from '../../net/status.ts'
import { endUnderway } from '../../rooms/list/underway.ts'
import { keepDrafts } from '../../rooms/list/unkeptDrafts.ts'
import { accountStore } from '../account/accountState.ts'

const detailsShape = z.object({ onionAddress: z.string().regex(/^[a-z2-7.]{1,100}\.onion$/) })

let closing: Promise<void> | undefined

/**
 * The server answers this page nothing more, because it did not come by Tor. Keeps what is typed, asks nothing more, and shows by which
 * address to come. The account stays in this browser. `details`: those of the refusal `tor_required`.
 */
export function closeDoor(env: Env, details: unknown): Promise<void> {
  closing ??= close(env, details).finally(() => {
    closing = undefined
  })
  return closing
}

async function close(env: Env, details: unknown): Promise<void> {
  if (accountStore.getState().phase === 'door') return
  connectionStore.setState({ onionAddress: detailsShape.safeParse(details).data?.onionAddress ?? null })
  endUnderway('ended')
  env.socket.close()
  await keepDrafts()
  await env.crypto.close()
  accountStore.setState({ phase: 'door', user: null, notice: null, isNew: false })
}
