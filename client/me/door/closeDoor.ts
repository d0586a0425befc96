import { z } from 'zod'
import type { Env } from '../../env.ts'
import { connectionStore } from '../../net/status.ts'
import { endUnderway } from '../../rooms/list/underway.ts'
import { keepDrafts } from '../../rooms/list/unkeptDrafts.ts'
import { accountStore } from '../account/accountState.ts'

const detailsShape = z.object({ onionAddress: z.string().regex(/^[a-z2-7.]{1,100}\.onion$/) })

const closed = new WeakSet<Env>()

/** Keeps what is typed, and the account, and asks nothing more. Never ends: whatever has asked waits with what it holds. */
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
  // A browser that opens without the server offers that later.
  accountStore.subscribe(({ phase }) => void (phase === 'away' && show()))
}
