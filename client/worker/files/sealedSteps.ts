import type { Bytes } from '../../../contract/ground/bytes.ts'

// What is sealed of a file goes out while the rest is sealed and all of it is written: the page asks for the steps of `sealFile` before
// they are there.

interface Step {
  sealed: Promise<Blob | undefined>
  give: (sealed: Blob | undefined) => void
}

/** The steps of files that are being sealed, by the ids of their messages. */
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

/**
 * Answers the sealed bytes of one step, from 0 on, once they are there; undefined if the sealing ended without it. To be asked together
 * with the sealing: after its end nothing answers.
 */
export const sealedStep = (id: string, at: number): Promise<Blob | undefined> => stepOf(id, at).sealed

/** Passes on what a sealing yields and returns, and hands each step out. */
export async function* handOut(id: string, sealing: AsyncGenerator<Bytes, Bytes>): AsyncGenerator<Bytes, Bytes> {
  for (let at = 0; ; at++) {
    const next = await sealing.next()
    if (next.done) return next.value
    // Whoever has not asked by then sends the file as it is kept.
    const step = handedOut.get(id)?.[at]
    step?.give(new Blob([next.value]))
    // The answer leaves before the step is written, which holds this thread.
    if (step) await new Promise((resolve) => setTimeout(resolve))
    yield next.value
  }
}

/** Ends the handing out: who waits for more gets nothing. */
export function endHandOut(id: string): void {
  for (const step of handedOut.get(id) ?? []) step?.give(undefined)
  handedOut.delete(id)
}
