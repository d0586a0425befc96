import { createCore } from './core.ts'
import type { Answer, Ask } from './crypto.ts'
import { CryptoFailure } from './primitives/failure.ts'
import { givenIn } from './primitives/given.ts'
import { loadHpke } from './primitives/loadHpke.ts'
import { readyStore } from './vault/windowStore.ts'

// Each request gets one response. The room's lock keeps the order within a room, not this worker.

const verbs: Record<string, (...input: never[]) => Promise<unknown>> = createCore()
// Loaded before anybody writes. If it fails, the verb that needs it tries again.
void loadHpke().catch(() => undefined)
const ready = readyStore()
ready.catch(() => undefined)

self.onmessage = async ({ data: { id, verb, input } }: MessageEvent<Ask>) => {
  const answered = await answer(id, verb, input)
  self.postMessage(answered, answered.ok ? givenIn(answered.value) : [])
}

async function answer(id: number, verb: string, input: unknown[]): Promise<Answer> {
  try {
    await ready
    const value = await verbs[verb]?.(...(input as never[]))
    return { id, ok: true, value }
  } catch (error) {
    const text = error instanceof Error ? error.message : String(error)
    return { id, ok: false, code: error instanceof CryptoFailure ? error.code : '', text }
  }
}
