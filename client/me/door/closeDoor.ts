import { z } from 'zod'
import type { Env } from '../../env.ts'
import { connectionStore } from '../../net/status.ts'
import { endUnderway } from '../../rooms/list/underway.ts'
import { keepDrafts } from '../../rooms/list/unkeptDrafts.ts'
import { accountStore } from '../account/accountState.ts'

const detailsShape = z.object({ onionAddress: z.string().regex(/^[a-z2-7.]{1,100}\.onion$/) })

const closed = new WeakSet<Env>()

/**
 * The server answers this page nothing more, because it did not come by Tor. Keeps what is typed, asks nothing more, and shows by which
 * address to come. The account stays in this browser. Never ends, so that whatever has asked waits with what it holds. `details`: those
 * of the refusal `tor_required`.
 */
export async function closeDoor(env: Env, details: unknown): Promise<never> {
  if (!closed.has(env)) await close(env, details)
  return await new Promise<never>(() => undefined)
}

async function close(env: Env, details: unknown): Promise<void> {
  closed.add(env)
  connectionStore.setState({ onionAddress: detailsShape.safeParse(details).data?.onionAddress ?? null })
  endUnderway('ended')
  env.socket.close()
  await keepDrafts()
  await env.crypto.close()
  const show = () => accountStore.setState({ phase: 'door', user: null, notice: null, isNew: false })
  show()
  // A browser that opens without the server would offer that after a while.
  accountStore.subscribe(({ phase }) => void (phase === 'away' && show()))
}
