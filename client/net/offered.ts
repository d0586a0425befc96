/**
 * What the service worker says of the server's version: `current` and `taken` mean that this browser has all of it. Refused are `older`
 * ones, `broken` ones, of which a file is another one, and, once an operator's key was seen, `unsigned` ones and those of `other_key`.
 */
export type Outcome = 'current' | 'taken' | 'older' | 'unsigned' | 'other_key' | 'full' | 'broken' | 'away'

/** What came of a look at the version that the server offers. */
export interface Offered {
  outcome: Outcome
  /** The product's version; undefined if the server was away. */
  version?: string | undefined
  /** The key that has signed it, base64url; null if none has. */
  key?: string | null | undefined
}

/** A worker of an older version, which is about to be replaced, does not answer what it does not know. */
const WITHIN_MS = 30_000

/** Asks the service worker what came of its last look. undefined where this browser has none. */
export const askStanding = (): Promise<Offered | undefined> => ask({ kind: 'standing' })

/** Asks the service worker to look for the server's version now. undefined where this browser has none. */
export const askForNewest = (): Promise<Offered | undefined> => ask({ kind: 'update' })

/** Has the service worker take the operator's new key, if it is the one that signs what the server offers, and look again. */
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
