import type { Bytes } from '../../../contract/ground/bytes.ts'

// The page sends early steps.

interface Step {
  sealed: Promise<Blob | undefined>
  give: (sealed: Blob | undefined) => void
}

const handedOut = new Map<string, Step[]>()

function stepOf(id: string, at: number): Step {
  const steps = handedOut.get(id) ?? []
  handedOut.set(id, steps)
  const known = steps[at]
  if (known) return known
  let give: Step['give'] = () => undefined
  const sealed = new Promise<Blob | undefined>((resolve) => {
    give = resolve
  })
  steps[at] = { sealed, give }
  return { sealed, give }
}

/** Returns a step's bytes; undefined after the end. */
export const sealedStep = (id: string, at: number): Promise<Blob | undefined> => stepOf(id, at).sealed

/** Hands out each step. */
export async function* handOut(id: string, sealing: AsyncGenerator<Bytes, Bytes>): AsyncGenerator<Bytes, Bytes> {
  for (let at = 0; ; at++) {
    const next = await sealing.next()
    if (next.done) return next.value
    // A late page sends the kept file.
    const step = handedOut.get(id)?.[at]
    step?.give(new Blob([next.value]))
    // The write would hold this thread.
    if (step) await new Promise((resolve) => setTimeout(resolve))
    yield next.value
  }
}

/** Ends all waiting with undefined. */
export function endHandOut(id: string): void {
  for (const step of handedOut.get(id) ?? []) step?.give(undefined)
  handedOut.delete(id)
}
