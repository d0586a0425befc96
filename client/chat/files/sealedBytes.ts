import { LIMITS } from '../../../contract/ground/limits.ts'
import type { Env } from '../../env.ts'
import type { Piece } from './putFile.ts'
import { stopped } from './waitingFile.ts'

export type BytesOf = (piece: Piece) => Promise<Blob>

/** What the sealing hands out at once. */
const STEP_BYTES = LIMITS.uploadPartMinBytes

/** Requests all steps now: nothing answers after the sealing. */
export function sealedBytes(env: Env, id: string, sizeBytes: number): BytesOf {
  const steps = Array.from({ length: Math.ceil(sizeBytes / STEP_BYTES) }, (_, at) =>
    env.crypto.sealedStep({ id, at }).catch(() => undefined),
  )
  return async ({ from, to }) => {
    const first = Math.floor(from / STEP_BYTES)
    const sealed = await Promise.all(steps.slice(first, Math.ceil(to / STEP_BYTES)))
    if (sealed.includes(undefined)) throw stopped()
    return new Blob(sealed as Blob[]).slice(from - first * STEP_BYTES, to - first * STEP_BYTES)
  }
}
