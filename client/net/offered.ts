/** `current`, `taken`: this browser has every file. `older`, `broken`, `unsigned`, `other_key`: refused. */
export type Outcome = 'current' | 'taken' | 'older' | 'unsigned' | 'other_key' | 'full' | 'broken' | 'away'

export interface Offered {
  outcome: Outcome
  version?: string | undefined
  /** Base64url. */
  key?: string | null | undefined
}

/** An older worker may not answer. */
const WITHIN_MS = 30_000

/** Returns undefined without a service worker. */
export const askStanding = (): Promise<Offered | undefined> => ask({ kind: 'standing' })

/** Returns undefined without a service worker. */
export const askForNewest = (): Promise<Offered | undefined> => ask({ kind: 'update' })

/** Takes a new key if that signs the offer. */
export const askToAccept = (key: string): Promise<Offered | undefined> => ask({ kind: 'accept', key })

async function ask(question: { kind: string; key?: string }): Promise<Offered | undefined> {
  const active = (await globalThis.navigator?.serviceWorker?.getRegistration())?.active
  if (!active) return undefined
  const { port1, port2 } = new MessageChannel()
  const answer = new Promise<Offered | undefined>((resolve) => {
    port1.onmessage = ({ data }: MessageEvent<Offered>) => resolve(data)
    setTimeout(() => resolve(undefined), WITHIN_MS)
  })
  active.postMessage(question, [port2])
  return answer.finally(() => port1.close())
}
