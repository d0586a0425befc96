import type { Env } from '../../env.ts'
import { PART_BYTES, type Piece } from './putFile.ts'
import { stopped } from './waitingFile.ts'

export type BytesOf = (piece: Piece) => Promise<Blob>

/** Requests all parts now: nothing answers after the sealing. */
export function sealedBytes(env: Env, id: string, sizeBytes: number): BytesOf {
  const steps = Array.from({ length: Math.ceil(sizeBytes / PART_BYTES) }, (_, at) =>
    env.crypto.sealedStep({ id, at }).catch(() => undefined),
  )
  return async ({ from, to }) => {
    const sealed = await Promise.all(steps.slice(from / PART_BYTES, Math.ceil(to / PART_BYTES)))
    if (sealed.includes(undefined)) throw stopped()
    return new Blob(sealed as Blob[])
  }
}
