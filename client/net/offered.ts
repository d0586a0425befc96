import { patience } from './patience.ts'

/** `far`: too large a step. `undone`: the person went back. */
export type Fault = 'older' | 'far' | 'undone' | 'unsigned' | 'other_key'

/** `current`, `taken`: this browser has every file. `broken`: a wrong file. `full`: the disk. `away`: the server. */
export type Outcome = 'current' | 'taken' | Fault | 'full' | 'broken' | 'away'

export interface Offered {
  outcome: Outcome
  version?: string | undefined
  /** Base64url. */
  key?: string | null | undefined
}

/** Returns undefined without a service worker. */
export const askStanding = (): Promise<Offered | undefined> => ask({ kind: 'standing' })

export const askForNewest = (): Promise<Offered | undefined> => ask({ kind: 'update' })

async function ask(question: { kind: string }): Promise<Offered | undefined> {
  const active = (await globalThis.navigator?.serviceWorker?.getRegistration())?.active
  if (!active) return undefined
  const { port1, port2 } = new MessageChannel()
  const answer = new Promise<Offered | undefined>((resolve) => {
    port1.onmessage = ({ data }: MessageEvent<Offered>) => resolve(data)
    // An older worker may be silent.
    setTimeout(() => resolve(undefined), patience().updateMs + 10_000)
  })
  active.postMessage(question, [port2])
  return answer.finally(() => port1.close())
}
